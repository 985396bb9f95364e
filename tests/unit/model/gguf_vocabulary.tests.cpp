// The whole way from a GGUF file to ids: the file read here, the text side by core/text.
#include <sstream>

#include "core/model/model.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

const std::filesystem::path kVectors = test::SharedData() / "tokenizers" / "vectors";

std::vector<std::string> Split(const std::string& text, const std::string& separator) {
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

}  // namespace

TEST_CASE("GGUF vocabularies open as tokenizers and give every vector", "[model][gguf][shared]") {
  for (const std::string name : {"gpt-2", "bert-bge", "llama-spm", "phi-3", "falcon"}) {
    const std::filesystem::path path = kVectors / ("ggml-vocab-" + name + ".gguf");
    const auto tokenizer = OpenTokenizer(path);
    INFO(name << (tokenizer ? std::string() : tokenizer.error().message));
    REQUIRE(tokenizer);
    REQUIRE(*tokenizer != nullptr);
    const auto texts = Split(test::ReadText(path.string() + ".inp"), "\n__ggml_vocab_test__\n");
    const auto lines = Split(test::ReadText(path.string() + ".out"), "\n");
    REQUIRE(texts.size() == 47);
    REQUIRE(lines.size() >= texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      INFO("case " << i);
      EncodeOptions options;
      options.add_special = false;
      const auto encoding = (*tokenizer)->Encode(texts[i], options);
      REQUIRE(encoding);
      std::string ids;
      for (const std::int32_t id : encoding->Ids()) {
        ids += (ids.empty() ? "" : " ") + std::to_string(id);
      }
      std::string expected = lines[i];
      expected.erase(0, expected.find_first_not_of(' '));
      expected.erase(expected.find_last_not_of(' ') + 1);
      CHECK(ids == expected);
    }
  }
}

}  // namespace headscope
