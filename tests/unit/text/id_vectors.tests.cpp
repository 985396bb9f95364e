#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/text/tokenizer.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/unit/text/temporary_folder.h"

namespace headscope {
namespace {

const std::filesystem::path kTokenizers = test::SharedData() / "tokenizers";

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> SplitBy(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t at = text.find(separator); at != std::string::npos;
       at = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, at - begin));
    begin = at + separator.size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::vector<std::int32_t> ParseIds(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::int32_t> ids;
  for (std::int32_t id = 0; stream >> id;) {
    ids.push_back(id);
  }
  return ids;
}

void CheckVectors(const Tokenizer& tokenizer, const std::string& name) {
  const std::filesystem::path vectors = kTokenizers / "vectors" / ("ggml-vocab-" + name + ".gguf");
  const auto texts = SplitBy(ReadAll(vectors.string() + ".inp"), "\n__ggml_vocab_test__\n");
  const auto lines = SplitBy(ReadAll(vectors.string() + ".out"), "\n");
  REQUIRE(texts.size() == 47);
  REQUIRE(lines.size() == texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    CAPTURE(i, texts[i]);
    EncodeOptions options;
    options.add_special = false;
    const auto encoding = tokenizer.Encode(texts[i], options);
    REQUIRE(encoding.has_value());
    CHECK(encoding->Ids() == ParseIds(lines[i]));
  }
}

void CheckFolder(const std::filesystem::path& folder,
                 std::int64_t vocabulary_size,
                 const std::string& name) {
  const auto tokenizer = LoadTokenizer(folder);
  REQUIRE(tokenizer.has_value());
  REQUIRE(*tokenizer != nullptr);
  CHECK((*tokenizer)->vocabulary_size() == vocabulary_size);
  CheckVectors(**tokenizer, name);
}

TEST_CASE("GPT-2's tokenizer.json gives the ids of every vector", "[text][shared]") {
  CheckFolder(kTokenizers / "gpt2", 50257, "gpt-2");
}

TEST_CASE("GPT-2's vocab.json and merges.txt give the ids of every vector", "[text][shared]") {
  const TemporaryFolder folder;
  for (const char* name : {"vocab.json", "merges.txt", "tokenizer_config.json"}) {
    std::filesystem::copy_file(kTokenizers / "gpt2" / name, folder.path() / name);
  }
  CheckFolder(folder.path(), 50257, "gpt-2");
}

TEST_CASE("BERT's vocab.txt gives the ids of every vector", "[text][shared]") {
  CheckFolder(kTokenizers / "bert-base-uncased", 30522, "bert-bge");
}

}  // namespace
}  // namespace headscope
