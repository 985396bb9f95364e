#include "core/heads/flags/file.h"

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

using test::ReadText;
using test::Says;
using test::TempFolder;

FlagFile Example() {
  FlagFile file;
  file.from = {"00aa", "11bb"};
  file.model_name = "gpt2";
  file.model_fingerprint = "00ff";
  file.author = "Anna";
  file.date = "2026-11-23";
  file.scan = "20 repeats of 10, 20, 40 tokens · 40 of 471 probe sentences";
  file.is_blind = true;
  HeadFlag flag;
  flag.layer = 0;
  flag.head = 3;
  flag.role = "positional";
  flag.colour = "#56B4E9";
  flag.note = "looks one back,\n\"mostly\"; =1+1";
  flag.evidence = "L0H3 puts .93 ± .01 on the token before";
  flag.author = "Anna";
  flag.date = "2026-11-22";
  flag.rejected = {{"induction", "nothing repeats: never"}, {"duplicate", ""}};
  HeadFlag only_rejects;
  only_rejects.layer = 11;
  only_rejects.head = 10;
  only_rejects.author = "Anna";
  only_rejects.rejected = {{"syntactic", "it only likes verbs"}};
  file.flags = {flag, only_rejects};
  return WithId(file);
}

void CheckSame(const FlagFile& read, const FlagFile& written) {
  CHECK(read.id == written.id);
  CHECK(read.from == written.from);
  CHECK(read.model_name == written.model_name);
  CHECK(read.model_fingerprint == written.model_fingerprint);
  CHECK(read.author == written.author);
  CHECK(read.scan == written.scan);
  CHECK(read.is_blind == written.is_blind);
  CHECK(read.flags == written.flags);
  CHECK(read.places.size() == read.flags.size());
}

TEST_CASE("flags come back from either kind of file as they went", "[heads][flag_file]") {
  const TempFolder folder;
  const FlagFile file = Example();
  const std::string name = GENERATE("flags.json", "flags.csv");
  REQUIRE(WriteFlagFile(folder / name, file));
  CHECK(LooksLikeFlagFile(folder / name));
  const Result<FlagFile> read = ReadFlagFile(folder / name);
  REQUIRE(read);
  CheckSame(*read, file);
}

TEST_CASE("the first key and the first columns say what the file is", "[heads][flag_file]") {
  CHECK(FlagFileJson(Example()).starts_with("{\n  \"headscope_flags\": 1,\n"));
  CHECK_THAT(FlagFileJson(Example()), Says("\"name\": \"L0H3\""));
  CHECK(FlagFileCsv(Example()).starts_with("head,role,note,author,date,evidence,"));
  const TempFolder folder;
  const Status written = WriteFlagFile(folder / "flags.txt", Example());
  REQUIRE_FALSE(written);
  CHECK_THAT(written.error().message, Says(".json or .csv"));
  CHECK_FALSE(LooksLikeFlagFile(folder.Write("x.csv", "head,metric,score\n")));
  CHECK_FALSE(LooksLikeFlagFile(folder / "none.csv"));
}

TEST_CASE("what other programs add to a flag of a JSON file is kept", "[heads][flag_file]") {
  const Result<FlagFile> file = ParseFlagJson(
      R"({"headscope_flags": 1, "flags": [{"name": "L9H9", "layer": 1, "head": 2, "mood": "sure"}]})",
      "f.json");
  REQUIRE(file);
  CHECK(file->flags.at(0).unknown_json == R"({"mood":"sure"})");
  CHECK(HeadOf(file->flags[0]) == HeadIndex{1, 2});
}

TEST_CASE("equal flags make equal ids, whoever wrote the file and when", "[heads][flag_file]") {
  FlagFile other = Example();
  other.date = "2027-01-01";
  other.from.clear();
  CHECK(WithId(other).id == Example().id);
  other.flags[0].note = "else";
  CHECK(WithId(other).id != Example().id);
}

TEST_CASE("a table by hand needs a head and a role, in any order of columns",
          "[heads][flag_file]") {
  const Result<FlagFile> file =
      ParseFlagCsv("role;head;mine\nbroad;X1H2;1\npositional;L5H1;2\nmy own;5.0;3\n", "f.csv");
  REQUIRE(file);
  REQUIRE(file->flags.size() == 3);
  CHECK(HeadOf(file->flags[0]) == HeadIndex{5, 0});
  CHECK(file->flags[0].role == "my own");
  CHECK(HeadOf(file->flags[1]) == HeadIndex{5, 1});
  CHECK(HeadOf(file->flags[2]) == HeadIndex{1, 2, ModelPart::kCross});
  CHECK(file->places[0] == TextPlace{4, 8});
  CHECK(file->model_fingerprint.empty());
}

TEST_CASE("a wrong file is refused in a sentence with line and column", "[heads][flag_file]") {
  const TempFolder folder;
  const auto [name, text, words] = GENERATE(table<const char*, const char*, const char*>({
      {"f.json", "{\n  \"headscope_flags\": 1,\n  \"flags\": [\n", "f.json: line 3, column 13:"},
      {"f.json", "{\n \"flags\": []}", "f.json: line 1, column 1: expected a file of flags"},
      {"f.json", "[1]", "f.json: line 1, column 1: expected a file of flags"},
      {"f.json", "{\"headscope_session\": 1}", "found a session"},
      {"f.json",
       "{\n\"headscope_flags\": 2}",
       "f.json: line 2, column 20: expected flags of version 1"},
      {"f.json",
       "{\"headscope_flags\": 1,\n \"flags\": [\n  {\"layer\": 1, \"head\": \"two\"}]}",
       "f.json: line 3, column 24: \"head\""},
      {"f.json",
       "{\"headscope_flags\": 1,\n \"flags\": [\n  {\"layer\": 1, \"head\": 2, \"role\": 3}]}",
       "f.json: line 3, column 35: \"role\""},
      {"f.json",
       "{\"headscope_flags\": 1, \"flags\": [{\"layer\": 1}]}",
       "f.json: line 1, column 34: expected \"layer\" and \"head\""},
      {"f.json",
       "{\"headscope_flags\": 1, \"flags\": [{\"layer\": 1, \"head\": 1},\n{\"layer\": 1, "
       "\"head\": 1}]}",
       "f.json: line 2, column 1: L1H1 stands here and in line 1, column 34"},
      {"f.json",
       "{\"headscope_flags\": 1, \"flags\": [{\"layer\": 1, \"head\": 1,\n\"colour\": \"red\"}]}",
       "f.json: line 2, column 11: expected a \"colour\""},
      {"f.csv", "", "f.csv: line 1, column 1: expected a table of flags"},
      {"f.csv", "head,note\n", "line 1, column 1: expected a table of flags"},
      {"f.csv",
       "head,role\nL0H1,broad\nhead one,broad\n",
       "f.csv: line 3, column 1: expected a head such as L5H1, found \"head one\""},
      {"f.csv",
       "head,role\nL0H1,broad\nL0H1,broad\n",
       "f.csv: line 3, column 1: L0H1 stands here and in line 2, column 1"},
      {"f.csv",
       "head,role,colour\nL0H1,broad,blue\n",
       "f.csv: line 2, column 12: expected a colour such as #56B4E9, found \"blue\""},
      {"f.csv",
       "head,role,fingerprint\nL0H1,broad,aa\nL0H2,broad,bb\n",
       "f.csv: line 3, column 12: expected the same fingerprint in each row"},
      {"f.csv", "head,role\nL0H1\n", "f.csv: line 2, column 1: expected 2 fields"},
  }));
  const Result<FlagFile> file = ReadFlagFile(folder.Write(name, text));
  REQUIRE_FALSE(file);
  INFO(file.error().message);
  CHECK_THAT(file.error().message, Says(words));
  CHECK(file.error().message.find('\n') == std::string::npos);
}

TEST_CASE("a head that the model has not is named with its place", "[heads][flag_file]") {
  const std::vector<PartHeads> parts = {{.layers = LayersFromZero(2), .heads = 4}};
  const Result<FlagFile> file = ParseFlagCsv("head,role\nL1H3,broad\nL2H0,broad\n", "f.csv");
  const Status checked = CheckHeads(file.value(), parts, "f.csv");
  REQUIRE_FALSE(checked);
  CHECK(checked.error().message ==
        "f.csv: line 3, column 1: there is no L2H0 in this model, whose heads are L0H0 to L1H3");
  const Result<FlagFile> cross = ParseFlagCsv("head,role\nX0H0,broad\n", "f.csv");
  CHECK_FALSE(CheckHeads(cross.value(), parts, "f.csv"));
  CHECK(CheckHeads(ParseFlagCsv("head,role\nL1H3,broad\n", "f.csv").value(), parts, "f.csv"));
}

}  // namespace
}  // namespace headscope
