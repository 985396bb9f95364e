#include "core/heads/flags/session_file.h"

#include <string>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

using test::ReadText;
using test::Says;
using test::TempFolder;

SessionFile ExampleSession() {
  SessionFile session;
  session.model_path = "/models/gpt2";
  session.model_name = "gpt2";
  session.model_fingerprint = "00ff";
  session.text = "The cat sat on the mat.\nשלום \U0001F600 \"quoted\" \x01";
  session.pair = "second";
  session.selected_layer = 5;
  session.selected_head = 1;
  session.view_json = R"({"screen":"inspect","head":{"view":"map"}})";
  session.flags = {{0, 3, "positional", "#56B4E9", "looks one back"},
                   {5, 1, "my own word", "", "line\nbreak"}};
  return session;
}

TEST_CASE("a session is saved and opens again as it was", "[heads][session]") {
  const TempFolder folder;
  const std::filesystem::path path = folder / "work.json";
  REQUIRE(SaveSession(path, ExampleSession()));
  const Result<SessionFile> loaded = LoadSession(path);
  REQUIRE(loaded);
  CHECK(*loaded == ExampleSession());

  SessionFile changed = ExampleSession();
  changed.flags.clear();
  REQUIRE(SaveSession(path, changed));
  CHECK(LoadSession(path).value() == changed);
  CHECK(folder.Count() == 1);
}

TEST_CASE("the file's first key says what it is", "[heads][session]") {
  const TempFolder folder;
  REQUIRE(SaveSession(folder / "work.json", {}));
  CHECK(ReadText(folder / "work.json").starts_with("{\n  \"headscope_session\": 1,\n"));
}

TEST_CASE("a session of the version alone is an empty one", "[heads][session]") {
  CHECK(ParseSession(R"({"headscope_session": 1})", "s").value() == SessionFile{});
}

TEST_CASE("an encoder-decoder's parts and target are kept, and left out elsewhere",
          "[heads][session]") {
  CHECK(SessionText(ExampleSession()).find("part") == std::string::npos);
  CHECK(SessionText(ExampleSession()).find("target") == std::string::npos);
  SessionFile session = ExampleSession();
  session.target = "Das ist \"gut\".";
  session.selected_part = GENERATE(ModelPart::kEncoder, ModelPart::kDecoder, ModelPart::kCross);
  session.flags = {{0, 1, "induction", "", "", ModelPart::kEncoder},
                   {0, 1, "positional", "", "", ModelPart::kCross}};
  CHECK(ParseSession(SessionText(session), "s").value() == session);
}

TEST_CASE("a part that is none is refused with the key", "[heads][session]") {
  const auto [json, where] = GENERATE(table<const char*, const char*>(
      {{R"({"headscope_session": 1, "selected_part": "middle"})", "\"selected_part\""},
       {R"({"headscope_session": 1, "flags": [{"layer": 0, "head": 0, "part": "middle"}]})",
        "flag 0: expected \"part\""}}));
  const Result<SessionFile> session = ParseSession(json, "s.json");
  REQUIRE_FALSE(session);
  CHECK_THAT(session.error().message, Says(where));
  CHECK_THAT(session.error().message, Says("encoder, decoder or cross"));
  CHECK_THAT(session.error().message, Says("\"middle\""));
}

TEST_CASE("flags come sorted by layer and head", "[heads][session]") {
  const Result<SessionFile> session = ParseSession(
      R"({"headscope_session": 1, "flags": [{"layer": 2, "head": 0}, {"layer": 0, "head": 7},
          {"layer": 0, "head": 1}]})",
      "s");
  REQUIRE(session);
  REQUIRE(session->flags.size() == 3);
  CHECK(session->flags[0].head == 1);
  CHECK(session->flags[1].head == 7);
  CHECK(session->flags[2].layer == 2);
}

TEST_CASE("keys of a later program are kept through load and save", "[heads][session]") {
  const TempFolder folder;
  const std::filesystem::path path = folder.Write(
      "work.json",
      R"({"headscope_session": 1, "zoom": {"x": [1, 2.5, null], "ключ": "в\n"}, "text": "t",
          "flags": [{"layer": 1, "head": 2, "by": "Ann"}], "tags": [], "odd": NaN})");
  const Result<SessionFile> first = LoadSession(path);
  REQUIRE(first);
  CHECK(first->unknown_json == R"({"zoom":{"x":[1,2.5,null],"ключ":"в\n"},"tags":[],"odd":"NaN"})");
  CHECK(first->flags.at(0).unknown_json == R"({"by":"Ann"})");
  SessionFile changed = *first;
  changed.text = "another";
  REQUIRE(SaveSession(path, changed));
  CHECK(LoadSession(path).value() == changed);
}

TEST_CASE("unknown keys never stand in for known ones", "[heads][session]") {
  const TempFolder folder;
  SessionFile session;
  session.text = "mine";
  session.unknown_json = GENERATE(R"({"text": "theirs"})", "not JSON", "[1]", "");
  REQUIRE(SaveSession(folder / "work.json", session));
  const Result<SessionFile> loaded = LoadSession(folder / "work.json");
  REQUIRE(loaded);
  CHECK(loaded->text == "mine");
  CHECK(loaded->unknown_json.empty());
}

struct Refused {
  std::string content;
  std::string says;
  ErrorCode code = ErrorCode::kFormat;
};

std::vector<Refused> RefusedFiles() {
  return {
      {"", "empty", ErrorCode::kIo},
      {"{\"headscope_session\": 1, \"text\": \"The c", "cut short"},
      {"A diary, not a session.\n", "expected a Headscope session"},
      {"[]", "found other JSON"},
      {R"({"architectures": ["GPT2LMHeadModel"]})", "without \"headscope_session\""},
      {R"({"headscope_session": null})", "without \"headscope_session\""},
      {R"({"headscope_session": 2, "text": 7})", "found version 2", ErrorCode::kUnsupported},
      {R"({"headscope_session": 0})", "\"headscope_session\" is 0"},
      {R"({"headscope_session": "1"})", "\"headscope_session\" is \"1\""},
      {R"({"headscope_session": 1, "text": 7})", "\"text\" is 7"},
      {R"({"headscope_session": 1, "selected_head": -1})", "\"selected_head\" is -1"},
      {R"({"headscope_session": 1, "flags": {}})", "\"flags\" is an object"},
      {R"({"headscope_session": 1, "flags": ["L0H1"]})", "flag 0: expected an object"},
      {R"({"headscope_session": 1, "flags": [{"layer": 1}]})", "flag 0: expected \"layer\""},
      {R"({"headscope_session": 1, "flags": [{"layer": 1, "head": 1e9}]})", "\"head\" is 1"},
      {R"({"headscope_session": 1, "flags": [{"layer": 1, "head": 0, "colour": "red"}]})",
       "colour"},
      {"{\"headscope_session\": 1, \"x\": " + std::string(3000, '[') + std::string(3000, ']') + "}",
       "expected a Headscope session"},
  };
}

TEST_CASE("what is no session of this version is refused and never overwritten",
          "[heads][session]") {
  const TempFolder folder;
  for (const Refused& refused : RefusedFiles()) {
    INFO(refused.content.substr(0, 100));
    const std::filesystem::path path = folder.Write("work.json", refused.content);
    const Result<SessionFile> loaded = LoadSession(path);
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().code == refused.code);
    CHECK_THAT(loaded.error().message, Says(path.string() + ": ") && Says(refused.says));

    const Status saved = SaveSession(path, ExampleSession());
    REQUIRE_FALSE(saved);
    CHECK(saved.error().code == refused.code);
    CHECK_THAT(saved.error().message, Says(refused.says) && Says("save the session under another"));
    CHECK(ReadText(path) == refused.content);
  }
  CHECK(folder.Count() == 1);
}

TEST_CASE("a session cut anywhere is refused", "[heads][session]") {
  const TempFolder folder;
  REQUIRE(SaveSession(folder / "work.json", ExampleSession()));
  const std::string whole = ReadText(folder / "work.json");
  // The last byte is a line end.
  for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
    INFO(size);
    CHECK_FALSE(ParseSession(whole.substr(0, size), "s"));
  }
}

TEST_CASE("a path that is not UTF-8 does not keep a session from being saved", "[heads][session]") {
  const TempFolder folder;
  SessionFile session = ExampleSession();
  session.model_path = "/models/caf\xE9";
  REQUIRE(SaveSession(folder / "work.json", session));
  CHECK(LoadSession(folder / "work.json").value().model_path == "/models/caf\uFFFD");
}

TEST_CASE("a session that cannot be written is reported by name", "[heads][session]") {
  const TempFolder folder;
  for (const std::filesystem::path& path : {folder / "missing/work.json", folder.path()}) {
    const Status saved = SaveSession(path, ExampleSession());
    REQUIRE_FALSE(saved);
    CHECK(saved.error().code == ErrorCode::kIo);
    CHECK_THAT(saved.error().message, Says(path.string()));
  }
}

TEST_CASE("numbers of a flag and rejected roles are kept", "[heads][session]") {
  SessionFile session;
  HeadFlag flagged{.layer = 1, .head = 2, .role = "induction", .colour = "#E69F00", .note = "yes"};
  flagged.evidence = "L1H2 puts .93 ± .01 of its attention on the token after the earlier copy";
  HeadFlag rejecting{.layer = 2, .head = 0, .role = {}, .colour = {}, .note = {}};
  rejecting.rejected = {{"positional", "in the first rows only"}, {"syntactic", ""}};
  session.flags = {flagged, rejecting};
  const auto read = ParseSession(SessionText(session), "session.json");
  REQUIRE(read);
  CHECK(read->flags == session.flags);
  const auto wrong = ParseSession(
      R"({"headscope_session": 1, "flags": [{"layer": 0, "head": 0, "rejected": ["positional"]}]})",
      "session.json");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().code == ErrorCode::kFormat);
}

}  // namespace
}  // namespace headscope
