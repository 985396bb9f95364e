#include "core/causes/kept_pairs.h"

#include <chrono>
#include <fstream>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

PatchPart PartOf(const std::string& model) {
  PatchPart part;
  part.about = {.model = model,
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
  return part;
}

}  // namespace

TEST_CASE("what is kept of pairs is there again, a torn last line apart", "[causes][patch]") {
  const test::TempFolder folder;
  const std::filesystem::path path = PlaceOfPairs(folder / "kept", PartOf("a").about);
  CHECK(path == PlaceOfPairs(folder / "kept", PartOf("a").about));
  CHECK(path != PlaceOfPairs(folder / "kept", PartOf("b").about));
  PatchPart frozen = PartOf("a");
  frozen.about.freezes_mlps = true;
  CHECK(path != PlaceOfPairs(folder / "kept", frozen.about));
  const KeptPairs kept(path);
  PatchPart part = PartOf("a");
  REQUIRE(kept.Begin(true, &part));  // nothing is there yet
  REQUIRE(kept.Keep(1, {.clean = 2.0, .corrupted = -1.0, .metrics = {0.25, 0.5}}));
  std::ofstream(path, std::ios::app) << R"({"pair":2,"cle)";
  PatchPart again = PartOf("a");
  REQUIRE(kept.Begin(true, &again));
  REQUIRE(again.done.size() == 1);
  CHECK(again.done.at(1).metrics == std::vector<double>{0.25, 0.5});
  REQUIRE(kept.Keep(2, {.clean = 2.0, .corrupted = -1.0, .metrics = {1.0, 1.0}}));
  const auto read = ReadPatchPart(path);
  REQUIRE(read.has_value());
  CHECK(read->done.size() == 2);  // the torn line is gone
  // Another run is told, and stays as it is; without resuming it makes way.
  PatchPart other = PartOf("b");
  const Status refused = kept.Begin(true, &other);
  REQUIRE_FALSE(refused.has_value());
  CHECK_FALSE(kept.Begin(true, &frozen).has_value());
  CHECK(refused.error().code == ErrorCode::kInput);
  CHECK(other.done.empty());
  CHECK(ReadPatchPart(path)->done.size() == 2);
  REQUIRE(kept.Begin(false, &other));
  CHECK(ReadPatchPart(path)->done.empty());
  kept.Remove();
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("of many runs the newest are kept", "[causes][patch]") {
  const test::TempFolder folder;
  std::vector<std::filesystem::path> places;
  const auto now = std::filesystem::file_time_type::clock::now();
  for (int i = 0; i < 20; ++i) {
    PatchPart part = PartOf(std::to_string(i));
    places.push_back(PlaceOfPairs(folder.path(), part.about));
    REQUIRE(KeptPairs(places.back()).Begin(false, &part));
    std::filesystem::last_write_time(places.back(), now - std::chrono::hours(100 - i));
  }
  const auto scan = folder.Write("0123-sentences.scan", "of something else");
  const auto newest = PlaceOfPairs(folder.path(), PartOf("newest").about);
  std::size_t kept = 0;
  for (const auto& place : places) {
    kept += std::filesystem::exists(place) ? 1U : 0U;
  }
  CHECK(kept == kMostKeptPairs - 1);
  CHECK_FALSE(std::filesystem::exists(places.front()));
  CHECK(std::filesystem::exists(places.back()));
  CHECK(std::filesystem::exists(scan));
  CHECK_FALSE(std::filesystem::exists(newest));
}

}  // namespace headscope
