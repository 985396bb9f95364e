#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/io/json.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/unit/text/temporary_folder.h"
#include "tests/unit/text/tiny_tokenizers.h"

namespace headscope {
namespace {

using Strings = std::vector<std::string>;

const std::filesystem::path kModels =
    test::SourceFolder() / "tests" / "golden" / "data" / "tokenizers";

std::string ModelBytes(const std::string& name) {
  std::ostringstream bytes;
  bytes << std::ifstream(kModels / (name + ".model"), std::ios::binary).rdbuf();
  return bytes.str();
}

TEST_CASE("SentencePiece models give the sentencepiece library's ids", "[text][sentence_piece]") {
  const auto document = JsonDocument::Read(kModels / "sentencepiece.json", 1U << 20U);
  REQUIRE(document.has_value());
  std::size_t num_models = 0;
  const JsonFields models = document->root().Object().value();
  for (const auto& [name, texts] : models) {
    ++num_models;
    const auto tokenizer = ParseTokenizerModel(ModelBytes(std::string(name)), std::string(name));
    REQUIRE(tokenizer.has_value());
    const JsonArray rows = texts.Array().value();
    for (const JsonValue row : rows) {
      const JsonArray columns = row.Array().value();
      const std::string_view text = columns.at(0).Text().value();
      std::vector<std::int32_t> expected;
      const JsonArray ids = columns.at(1).Array().value();
      for (const JsonValue id : ids) {
        expected.push_back(static_cast<std::int32_t>(id.Integer().value()));
      }
      CAPTURE(name, text);
      CHECK(EncodeOrFail(**tokenizer, text).Ids() == expected);
    }
  }
  CHECK(num_models == 5);
}

TEST_CASE("pieces of SentencePiece models know where they stand", "[text][sentence_piece]") {
  const auto tokenizer = ParseTokenizerModel(ModelBytes("unigram"), "unigram");
  REQUIRE(tokenizer.has_value());
  const std::string text = "  Ä the\u3000\u3000cat😀";
  std::int64_t last = 0;
  for (const Token& token : EncodeOrFail(**tokenizer, text).tokens) {
    CHECK(token.begin <= token.end);
    CHECK(token.end >= last);
    last = token.end;
  }
  CHECK(last == static_cast<std::int64_t>(text.size()));
}

TEST_CASE("a folder with tokenizer.model adds what its class adds", "[text][loader]") {
  const TemporaryFolder folder;
  folder.Write("tokenizer.model", ModelBytes("bpe"));
  const auto texts = [&](const EncodeOptions& options = {}) {
    const auto tokenizer = LoadTokenizer(folder.path());
    REQUIRE(tokenizer.has_value());
    REQUIRE(*tokenizer != nullptr);
    return Texts(EncodeOrFail(**tokenizer, "the", options));
  };
  CHECK(texts() == Strings{"▁the"});
  folder.Write("config.json", R"({"model_type":"llama"})");
  CHECK(texts() == Strings{"<s>", "▁the"});
  folder.Write(
      "tokenizer_config.json",
      R"({"tokenizer_class":"LlamaTokenizer","add_bos_token":false,"add_eos_token":true})");
  CHECK(texts() == Strings{"▁the", "</s>"});
  EncodeOptions pair;
  pair.pair = "the";
  folder.Write("tokenizer_config.json", R"({"tokenizer_class":"T5TokenizerFast"})");
  CHECK(texts(pair) == Strings{"▁the", "</s>", "▁the", "</s>"});
  folder.Write("tokenizer_config.json", R"({"tokenizer_class":"MBartTokenizer"})");
  const auto refused = LoadTokenizer(folder.path());
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::kUnsupported);
}

TEST_CASE("a SentencePiece model cut off anywhere is a sentence or a model", "[text][bad_files]") {
  const std::string bytes = ModelBytes("bpe_rules");
  std::size_t num_refused = 0;
  for (std::size_t size = 0; size < bytes.size(); size += 7) {
    const auto tokenizer = ParseTokenizerModel(bytes.substr(0, size), "cut.model");
    if (!tokenizer) {
      ++num_refused;
      CHECK_THAT(tokenizer.error().message, Catch::Matchers::StartsWith("cut.model: "));
    }
  }
  CHECK(num_refused > 100);
}

}  // namespace
}  // namespace headscope
