#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/text/tokenizer.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/support/mixed_lines.h"

namespace headscope {
namespace {

const std::filesystem::path kData = test::SharedData();
const std::filesystem::path kHashes =
    test::SourceFolder() / "tests" / "golden" / "data" / "tokenizers";
constexpr std::size_t kNumSentences = 2000;

std::vector<std::string> Sentences() {
  std::ifstream file(kData / "ud" / "en_ewt-ud-dev.conllu", std::ios::binary);
  const std::string prefix = "# text = ";
  std::vector<std::string> sentences;
  for (std::string line; sentences.size() < kNumSentences && std::getline(file, line);) {
    if (line.rfind(prefix, 0) == 0) {
      sentences.push_back(line.substr(prefix.size()));
    }
  }
  return sentences;
}

// FNV-1a over little-endian ids, as make_tokenizer_vectors.py has it.
std::uint64_t Hash(const std::vector<std::int32_t>& ids) {
  std::uint64_t value = 0xCBF29CE484222325;
  for (const std::int32_t id : ids) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      value = (value ^ ((static_cast<std::uint32_t>(id) >> shift) & 0xFFU)) * 0x100000001B3;
    }
  }
  return value;
}

void CheckTexts(const std::filesystem::path& folder,
                const std::string& name,
                const std::vector<std::string>& texts) {
  const auto tokenizer = LoadTokenizer(folder);
  REQUIRE(tokenizer.has_value());
  std::ifstream file(kHashes / (name + ".txt"));
  std::string line;
  REQUIRE(std::getline(file, line));  // what wrote it
  for (const std::string& text : texts) {
    REQUIRE(std::getline(file, line));
    std::size_t count = 0;
    std::uint64_t hash = 0;
    std::istringstream(line) >> count >> std::hex >> hash;
    const auto encoding = (*tokenizer)->Encode(text, {});
    REQUIRE(encoding.has_value());
    CAPTURE(text);
    CHECK(encoding->tokens.size() == count);
    CHECK(Hash(encoding->Ids()) == hash);
  }
}

void CheckSentences(const std::filesystem::path& folder, const std::string& name) {
  const std::vector<std::string> sentences = Sentences();
  REQUIRE(sentences.size() == kNumSentences);
  CheckTexts(folder, name, sentences);
}

TEST_CASE("stories260K gives the tokenizers library's ids for 2,000 sentences", "[text][shared]") {
  CheckSentences(kData / "models" / "stories260K" / "hf", "stories260k");
}

TEST_CASE("GPT-2 gives the tokenizers library's ids for 2,000 sentences", "[text][shared]") {
  CheckSentences(kData / "tokenizers" / "gpt2", "gpt2");
}

TEST_CASE("5,000 mixed lines give the tokenizers library's ids", "[text][shared]") {
  const std::vector<std::string> lines = MixedLines(5000);
  CheckTexts(kData / "tokenizers" / "gpt2", "mixed_gpt2", lines);
  CheckTexts(kData / "tokenizers" / "bert-base-uncased", "mixed_bert-base-uncased", lines);
  CheckTexts(kData / "models" / "stories260K" / "hf", "mixed_stories260k", lines);
}

}  // namespace
}  // namespace headscope
