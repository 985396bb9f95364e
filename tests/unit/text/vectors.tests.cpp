#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/text/tokenizer.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

const std::filesystem::path kData = HEADSCOPE_SHARED_DATA;
const std::filesystem::path kHashes =
    std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "tests" / "golden" / "data" / "tokenizers";
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

void CheckSentences(const std::filesystem::path& folder, const std::string& name) {
  const auto tokenizer = LoadTokenizer(folder);
  REQUIRE(tokenizer.has_value());
  std::ifstream file(kHashes / (name + ".txt"));
  std::string line;
  REQUIRE(std::getline(file, line));  // what wrote it
  const std::vector<std::string> sentences = Sentences();
  REQUIRE(sentences.size() == kNumSentences);
  for (const std::string& sentence : sentences) {
    REQUIRE(std::getline(file, line));
    std::size_t count = 0;
    std::uint64_t hash = 0;
    std::istringstream(line) >> count >> std::hex >> hash;
    const auto encoding = (*tokenizer)->Encode(sentence, {});
    REQUIRE(encoding.has_value());
    CAPTURE(sentence);
    CHECK(encoding->tokens.size() == count);
    CHECK(Hash(encoding->Ids()) == hash);
  }
}

TEST_CASE("stories260K gives the tokenizers library's ids for 2,000 sentences", "[text][shared]") {
  CheckSentences(kData / "models" / "stories260K" / "hf", "stories260k");
}

TEST_CASE("GPT-2 gives the tokenizers library's ids for 2,000 sentences", "[text][shared]") {
  CheckSentences(kData / "tokenizers" / "gpt2", "gpt2");
}

}  // namespace
}  // namespace headscope
