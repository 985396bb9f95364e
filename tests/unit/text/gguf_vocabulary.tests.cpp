#include "core/text/gguf_vocabulary.h"

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/text/tiny_tokenizers.h"

namespace headscope {
namespace {

using Strings = std::vector<std::string>;

std::shared_ptr<const Tokenizer> Make(const GgufVocabulary& vocabulary) {
  auto tokenizer = MakeTokenizer(vocabulary);
  if (!tokenizer) {
    FAIL(tokenizer.error().message);
  }
  return *tokenizer;
}

GgufVocabulary Named(const std::string& model) {
  GgufVocabulary vocabulary;
  vocabulary.name = "tiny.gguf";
  vocabulary.model = model;
  return vocabulary;
}

GgufVocabulary LlamaVocabulary() {
  GgufVocabulary vocabulary = Named("llama");
  vocabulary.tokens = {
      "<unk>", "<s>", "</s>", "<0xC3>", "<0xA9>", "▁", "a", "b", "ab", "▁a", "▁ab"};
  vocabulary.scores = {0, 0, 0, 0, 0, -4, -5, -6, -1, -2, -3};
  vocabulary.types = {2, 3, 3, 6, 6, 1, 1, 1, 1, 1, 1};
  vocabulary.bos_id = 1;
  vocabulary.eos_id = 2;
  vocabulary.unknown_id = 0;
  return vocabulary;
}

TEST_CASE("llama vocabularies join by score, mark blanks and spell bytes", "[text][gguf]") {
  const auto tokenizer = Make(LlamaVocabulary());
  // "ab" has a better score than "▁a", and "▁ab" is what comes of it.
  CHECK(Texts(EncodeOrFail(*tokenizer, "ab  ba")) == Strings{"<s>", "▁ab", "▁", "▁", "b", "a"});
  CHECK(Texts(EncodeOrFail(*tokenizer, "é")) == Strings{"<s>", "▁", "<0xC3>", "<0xA9>"});
  CHECK(Texts(EncodeOrFail(*tokenizer, "a</s>")) == Strings{"<s>", "▁a", "</s>"});
  GgufVocabulary silent = LlamaVocabulary();
  silent.add_bos = false;
  silent.add_eos = true;
  silent.add_space_prefix = false;
  CHECK(Texts(EncodeOrFail(*Make(silent), "ab")) == Strings{"ab", "</s>"});
}

TEST_CASE("Gemma 4's vocabulary merges in order, over blanks too, and spells bytes",
          "[text][gguf]") {
  GgufVocabulary vocabulary = Named("gemma4");
  vocabulary.tokens = {"<unk>", "<bos>", "<0xC3>", "<0xA9>", "▁", "a", "b", "\n", "▁a", "ab", "b▁"};
  vocabulary.types = {2, 3, 6, 6, 1, 1, 1, 1, 1, 1, 1};
  vocabulary.merges = {"▁ a", "a b", "b ▁"};
  vocabulary.bos_id = 1;
  const auto tokenizer = Make(vocabulary);
  // "▁a" comes before "ab", and a word may end with its blank.
  CHECK(Texts(EncodeOrFail(*tokenizer, "ab ab")) == Strings{"<bos>", "ab", "▁a", "b"});
  CHECK(Texts(EncodeOrFail(*tokenizer, "b  b\n")) == Strings{"<bos>", "b▁", "▁", "b", "\n"});
  CHECK(Texts(EncodeOrFail(*tokenizer, "é<bos>")) == Strings{"<bos>", "<0xC3>", "<0xA9>", "<bos>"});
}

TEST_CASE("bert vocabularies say which pieces begin a word", "[text][gguf]") {
  GgufVocabulary vocabulary = Named("bert");
  vocabulary.tokens = {"[UNK]", "[CLS]", "[SEP]", "▁un", "able", "▁."};
  vocabulary.types = {3, 3, 3, 1, 1, 1};
  vocabulary.unknown_id = 0;
  vocabulary.separator_id = 2;
  vocabulary.cls_id = 1;
  const auto tokenizer = Make(vocabulary);
  CHECK(Texts(EncodeOrFail(*tokenizer, "Unable. x")) ==
        Strings{"[CLS]", "un", "##able", ".", "[UNK]", "[SEP]"});
}

TEST_CASE("what the user defined is worth a tenth for each byte after the first", "[text][gguf]") {
  const auto texts = [](const std::string& own, float rival) {
    GgufVocabulary vocabulary = Named("t5");
    const std::string overlap = "a" + own.substr(0, own.size() - 1);
    vocabulary.tokens = {"<unk>", "a", "c", overlap, own};
    vocabulary.scores = {0, -1, -1, rival, 0};
    vocabulary.types = {2, 1, 1, 1, 4};
    vocabulary.unknown_id = 0;
    vocabulary.add_space_prefix = false;
    vocabulary.add_eos = false;
    return Texts(EncodeOrFail(*Make(vocabulary), "a" + own));
  };
  // Beside it stands "a", beside its rival "c": the same.
  CHECK(texts("bc", 0.09F) == Strings{"a", "bc"});
  CHECK(texts("bc", 0.11F) == Strings{"ab", "c"});
  CHECK(texts("éc", 0.19F) == Strings{"a", "éc"});
  CHECK(texts("éc", 0.21F) == Strings{"aé", "c"});
}

TEST_CASE("byte-level vocabularies cut as their kind does", "[text][gguf]") {
  const Strings pieces = BytePieces({"12", "123", "1234", "<|end|>"});
  GgufVocabulary vocabulary = Named("gpt2");
  vocabulary.tokens.assign(pieces.begin(), pieces.end());
  vocabulary.types.assign(pieces.size(), 1);
  vocabulary.types.back() = 3;
  vocabulary.merges = {"1 2", "12 3", "123 4"};
  const auto texts = [&](const std::string& pre) {
    vocabulary.pre = pre;
    return Texts(EncodeOrFail(*Make(vocabulary), "1234<|end|>"));
  };
  CHECK(texts("") == Strings{"1234", "<|end|>"});
  CHECK(texts("gpt-2") == Strings{"1234", "<|end|>"});
  CHECK(texts("llama-bpe") == Strings{"123", "4", "<|end|>"});
  CHECK(texts("qwen2") == Strings{"1", "2", "3", "4", "<|end|>"});
  CHECK(texts("tekken") == Strings{"1", "2", "3", "4", "<|end|>"});
  CHECK(texts("gpt-4o") == Strings{"123", "4", "<|end|>"});
  CHECK(texts("viking") == Strings{"1", "2", "3", "4", "<|end|>"});
  CHECK(texts("bloom") == Strings{"1234", "<|end|>"});
  CHECK(texts("smollm") == Strings{"1", "2", "3", "4", "<|end|>"});
  vocabulary.pre = "klingon";
  const auto refused = MakeTokenizer(vocabulary);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::kUnsupported);
  CHECK_THAT(refused.error().message, test::Says("klingon"));
}

TEST_CASE("GGUF vocabularies that contradict themselves are refused", "[text][bad_files]") {
  std::vector<GgufVocabulary> broken(6, LlamaVocabulary());
  broken[0].tokens.clear();
  broken[1].scores.pop_back();
  broken[2].types.push_back(1);
  broken[3].types[0] = 7;
  broken[4].bos_id = 11;
  broken[5].charsmap = "xy";
  for (const GgufVocabulary& vocabulary : broken) {
    const auto tokenizer = MakeTokenizer(vocabulary);
    REQUIRE_FALSE(tokenizer.has_value());
    CHECK(tokenizer.error().code == ErrorCode::kFormat);
    CHECK_THAT(tokenizer.error().message, Catch::Matchers::StartsWith("tiny.gguf: "));
  }
}

}  // namespace
}  // namespace headscope
