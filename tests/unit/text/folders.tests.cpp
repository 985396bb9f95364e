// Folders without a tokenizer.json, or with settings beside it: the ids that transformers gives.
#include "tests/support/folders.h"

#include <fstream>
#include <sstream>

#include "core/io/json.h"
#include "tests/support/catch.h"
#include "tests/unit/text/temporary_folder.h"
#include "tests/unit/text/tiny_tokenizers.h"

namespace headscope {
namespace {

const std::filesystem::path kVectors =
    test::SourceFolder() / "tests" / "golden" / "data" / "tokenizers";

std::string BytesOfFile(const std::filesystem::path& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

}  // namespace

TEST_CASE("the files of a folder give transformers' ids", "[text][folders]") {
  const auto document = JsonDocument::Read(kVectors / "folders.json", 1U << 20U);
  REQUIRE(document.has_value());
  const JsonFields cases = document->root().Object().value();
  CHECK(cases.size() >= 20);
  for (const auto& [name, value] : cases) {
    const TemporaryFolder folder;
    const JsonFields files = value.Find("files").value().Object().value();
    for (const auto& [file, content] : files) {
      const std::string text(content.Text().value());
      folder.Write(std::string(file),
                   text.starts_with('@') ? BytesOfFile(kVectors / text.substr(1)) : text);
    }
    INFO(name);
    const auto tokenizer = LoadTokenizer(folder.path());
    INFO((tokenizer ? "" : tokenizer.error().message));
    REQUIRE(tokenizer.has_value());
    REQUIRE(*tokenizer != nullptr);
    const JsonArray rows = value.Find("texts").value().Array().value();
    for (const JsonValue row : rows) {
      const JsonArray columns = row.Array().value();
      const std::string_view text = columns.at(0).Text().value();
      std::vector<std::int32_t> expected;
      const JsonArray ids = columns.at(1).Array().value();
      for (const JsonValue id : ids) {
        expected.push_back(static_cast<std::int32_t>(id.Integer().value()));
      }
      INFO(text);
      CHECK(EncodeOrFail(**tokenizer, text).Ids() == expected);
    }
  }
}

TEST_CASE("fastBPE's files: pieces that go on, and files that are not theirs", "[text][folders]") {
  const TemporaryFolder folder;
  const auto load =
      [&](const std::string& pieces, const std::string& codes, const std::string& config = "{}") {
        folder.Write("vocab.txt", pieces);
        folder.Write("bpe.codes", codes);
        folder.Write("tokenizer_config.json", config);
        return LoadTokenizer(folder.path());
      };
  const auto good = load("th@@ 2\ne 1\n", "t h 2\n");
  REQUIRE(good.has_value());
  const Encoding encoding = EncodeOrFail(**good, "the");
  REQUIRE(encoding.tokens.size() == 4);  // between <s> and </s>
  CHECK(encoding.tokens[1].text == "th@@");
  CHECK(encoding.tokens[1].display == "th");
  CHECK(encoding.tokens[1].word == encoding.tokens[2].word);
  CHECK((*good)->Spell(encoding.Ids()).find("the") != std::string::npos);

  const auto refused = [&](const Result<std::shared_ptr<const Tokenizer>>& made) {
    REQUIRE_FALSE(made.has_value());
    return made.error().message;
  };
  using test::Says;
  CHECK_THAT(refused(load("th@@\n", "t h 2\n")), Says("\"th@@\" is not a piece"));
  CHECK_THAT(refused(load("e 1\n", "t h\n")), Says("no line of two pieces and a count"));
  CHECK_THAT(refused(load("e 1\n", "t h 2")), Says("no line of two pieces and a count"));
  CHECK_THAT(refused(load("\xff 1\n", "t h 2\n")), Says("not UTF-8 from byte 0"));
  CHECK_THAT(refused(load("e 1\n", "t h 2\n", R"({"normalization": true})")),
             Says("\"normalization\" is true"));
  CHECK_THAT(refused(load("e 1\n", "t h 2\n", R"({"tokenizer_class": "XLMTokenizer"})")),
             Says("XLMTokenizer"));
}

}  // namespace headscope
