#include "core/causes/patch_file.h"

#include <fstream>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

PatchPart ThreePairs() {
  PatchPart part;
  part.about = {.model = "m",
                .fingerprint = "f",
                .what = "output",
                .direction = "denoise",
                .pairs = "a\tb\tc\td\n",
                .clean = {},
                .corrupted = {},
                .right = {},
                .wrong = {},
                .row = {},
                .at = {},
                .things = {"L0H0", "L0H1"},
                .layers = 0,
                .to = {},
                .num_pairs = 3};
  part.done[0] = {.clean = 1.0 / 3.0, .corrupted = -0.1, .metrics = {0.1, 1e-17}};
  part.done[1] = {.clean = 2.0, .corrupted = 0.7, .metrics = {1.5, 0.9}};
  part.done[2] = {.clean = 0.5, .corrupted = -0.4, .metrics = {-0.3, 0.2}};
  return part;
}

PatchPart Only(std::int64_t pair) {
  PatchPart part = ThreePairs();
  std::erase_if(part.done, [&](const auto& one) { return one.first != pair; });
  return part;
}

void WriteText(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("Shares that are merged give the file of one run, to the last byte", "[causes]") {
  const test::TempFolder folder;
  std::optional<PatchPart> whole;
  for (const std::int64_t pair : {2, 0, 1}) {
    const auto path = folder.path() / (std::to_string(pair) + ".json");
    WriteText(path, PatchPartText(Only(pair)));
    CHECK(IsPatchPart(path));
    auto read = ReadPatchPart(path);
    REQUIRE(read.has_value());
    if (!whole) {
      whole = std::move(*read);
      CHECK(!PatchJson(*whole));  // two pairs are missing
    } else {
      REQUIRE(MergePatchPart(std::move(*read), path.string(), &*whole));
    }
  }
  const auto json = PatchJson(*whole);
  INFO((json ? "" : json.error().message));
  REQUIRE(json.has_value());
  CHECK(*json == *PatchJson(ThreePairs()));
  CHECK(*PatchCsv(*whole) == *PatchCsv(ThreePairs()));
}

TEST_CASE("A file of numbers says the row that was taken alone, and leaves out what is not known",
          "[causes]") {
  PatchPart one = Only(0);
  one.about.num_pairs = 1;
  const auto csv = PatchCsv(one);
  REQUIRE(csv.has_value());
  CHECK(csv->starts_with("head,score,error,restored\nL0H0,"));
  CHECK(csv->find(",,\n") != std::string::npos);  // no error, and no sign that could come back
  one.about.at = 4;
  const auto at = PatchCsv(one);
  REQUIRE(at.has_value());
  CHECK(at->starts_with("head,score,error,restored,at\nL0H0,"));
  CHECK(at->find(",,,4\n") != std::string::npos);
  CHECK(PatchJson(one)->find("\"at\": 4") != std::string::npos);
}

TEST_CASE("A last line that was cut short is left out, others are refused", "[causes]") {
  const test::TempFolder folder;
  const auto path = folder.path() / "part.json";
  const std::string text = PatchPartText(ThreePairs());
  WriteText(path, text.substr(0, text.size() - 9));
  const auto read = ReadPatchPart(path);
  REQUIRE(read.has_value());
  CHECK(read->done.size() == 2);
  WriteText(path, text.substr(0, text.size() - 9) + "\n" + PatchPairText(1, ThreePairs().done[1]));
  CHECK(!ReadPatchPart(path));
  WriteText(path, "{}\n");
  CHECK(!IsPatchPart(path));
  CHECK(!ReadPatchPart(path));
}

TEST_CASE("Parts of another run are not merged", "[causes]") {
  PatchPart whole = Only(0);
  PatchPart other = Only(1);
  other.about.direction = "noise";
  const Status merged = MergePatchPart(std::move(other), "x.json", &whole);
  REQUIRE(!merged);
  CHECK(merged.error().message.starts_with("x.json: "));
}

TEST_CASE("Pairs are read by line; a first line that names the columns is none", "[causes]") {
  const test::TempFolder folder;
  const auto path = folder.path() / "pairs.tsv";
  WriteText(path, "clean\tcorrupted\tright\twrong\r\na b\tc d\t e\t f\r\n\n1\t2\t3\t4");
  const auto pairs = ReadPairs(path);
  REQUIRE(pairs.has_value());
  REQUIRE(pairs->size() == 2);
  CHECK((*pairs)[0].right == " e");
  CHECK((*pairs)[0].line == 2);
  CHECK((*pairs)[1].wrong == "4");
  CHECK((*pairs)[1].line == 4);
  WriteText(path, "a\tb\tc\n");
  const auto short_line = ReadPairs(path);
  REQUIRE(!short_line);
  CHECK(short_line.error().message.find("line 1: expected 4 cells") != std::string::npos);
  WriteText(path, "clean\tcorrupted\tright\twrong\n");
  CHECK(!ReadPairs(path));
}

}  // namespace headscope
