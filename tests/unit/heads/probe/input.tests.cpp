#include "core/heads/probe/input.h"

#include <algorithm>

#include "core/heads/measure/metric.h"
#include "core/model/config.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tiny_model.h"

namespace headscope {

TEST_CASE("texts side by side keep their segments, those without one have 0", "[heads]") {
  const ProbeSequence plain{.ids = {5, 6}};
  const ProbeSequence pair{.ids = {7, 8}, .segment_ids = {0, 1}};
  const auto of = [](std::vector<const ProbeSequence*> texts) { return InputOf(texts); };
  CHECK(of({&plain, &plain}).segment_ids.empty());
  CHECK(of({&plain, &plain}).ids == std::vector<std::int32_t>{5, 6, 5, 6});
  CHECK(of({&pair}).texts == 1);
  CHECK(of({&pair}).segment_ids == std::vector<std::int32_t>{0, 1});
  const ForwardInput mixed = of({&plain, &pair, &plain});
  CHECK(mixed.texts == 3);
  CHECK(mixed.ids == std::vector<std::int32_t>{5, 6, 7, 8, 5, 6});
  CHECK(mixed.segment_ids == std::vector<std::int32_t>{0, 0, 0, 1, 0, 0});
  const auto bert = std::ranges::find(AllFamilies(), "bert", &Family::id);
  CHECK(CheckInput(test::TinyModel((*bert)->example).description, mixed));
}

TEST_CASE("unknown tokens are no rows, no repeats and no words", "[heads][probe]") {
  const auto token = [](std::int32_t id, const std::string& text, bool special, bool unknown) {
    Token made;
    made.id = id;
    made.text = made.display = text;
    made.word = special ? -1 : id;
    made.special = special;
    made.unknown = unknown;
    return made;
  };
  Encoding encoding;
  encoding.tokens = {token(0, "<s>", true, false),
                     token(5, "a", false, false),
                     token(1, "<unk>", false, true),
                     token(5, "a", false, false),
                     token(1, "<unk>", false, true),
                     token(7, "<0x0A>", false, true),  // a byte is what it is
                     token(7, "<0x0A>", false, true)};
  const ProbeSequence sequence = SequenceOf(encoding);
  CHECK(sequence.special == std::vector<std::uint8_t>{1, 0, 1, 0, 1, 0, 0});
  CHECK(sequence.word == std::vector<std::int32_t>{-1, 5, -1, 5, -1, 7, 7});
  CHECK(sequence.separator == std::vector<std::uint8_t>{1, 0, 0, 0, 0, 0, 0});
  const auto copies = EarlierCopies(sequence);
  CHECK(copies[3] == std::vector<std::int32_t>{1});
  CHECK(copies[4].empty());
  CHECK(copies[6] == std::vector<std::int32_t>{5});
}

TEST_CASE("texts whose words the model does not know are told, and hold no case",
          "[heads][probe]") {
  const auto model = Model::Open(test::SourceFolder() / "assets/models/copy-h8");
  REQUIRE(model);
  const VocabularyFacts vocabulary = ReadVocabulary(**model);
  const test::TempFolder folder;
  const auto read = [&](const char* name, const std::string& text) {
    auto corpus = ReadProbe(**model, vocabulary, folder.Write(name, text), {});
    REQUIRE(corpus);
    return std::move(*corpus);
  };
  const ProbeCorpus lines = read("a.txt", "the cat sat on the mat\na0 the a0\n");
  REQUIRE(lines.sequences.size() == 2);
  CHECK(lines.sequences[0].special == std::vector<std::uint8_t>(7, 1));
  CHECK(lines.sequences[1].special == std::vector<std::uint8_t>{1, 0, 1, 0});
  CHECK(UnknownWordsOf(lines.notes) == "7 of 9 words of these texts are unknown to the model");
  CHECK_THAT(lines.notes.front(), test::Says("a.txt: line 1, and 1 text more: "));
  for (const HeadMetric& metric : AllMetrics()) {
    INFO(metric.id);
    if (metric.targets != nullptr) {
      const TargetRows rows = metric.targets(lines.sequences[0], {});
      for (std::size_t i = 0; i < rows.size(); ++i) {
        CHECK_FALSE(rows[i].qualifies);
      }
    }
  }
  const ProbeCorpus trees = read("b.conllu",
                                 "# text = the cat\n1\tthe\t_\t_\t_\t_\t2\tdet\t_\t_\n"
                                 "2\tcat\t_\t_\t_\t_\t0\troot\t_\t_\n\n");
  CHECK(trees.sequences[0].annotated_word == std::vector<std::int32_t>{-1, -1, -1});
  CHECK(UnknownWordsOf(read("c.txt", "a0 a1 a0\n").notes).empty());
}

TEST_CASE("a tokenizer that says more than the model has closes those texts alone",
          "[heads][probe]") {
  const test::TinyModel tiny(R"({"model_type": "gpt2", "n_layer": 1, "n_head": 2, "n_embd": 8,
                                 "n_positions": 64, "vocab_size": 6})");
  const test::TempFolder folder;
  tiny.Write(folder.path());
  folder.Write("tokenizer.json", R"({"added_tokens":[{"id":8,"content":"<s>","special":true}],
      "pre_tokenizer":{"type":"WhitespaceSplit"},
      "post_processor":{"type":"TemplateProcessing","single":[
          {"SpecialToken":{"id":"<s>","type_id":0}},{"Sequence":{"id":"A","type_id":0}}],
          "special_tokens":{"<s>":{"id":"<s>","ids":[8],"tokens":["<s>"]}}},
      "model":{"type":"WordLevel","unk_token":"u",
               "vocab":{"u":0,"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7}}})");
  const auto model = Model::Open(folder.path());
  REQUIRE(model);
  REQUIRE((*model)->tokenizer() != nullptr);
  const VocabularyFacts vocabulary = ReadVocabulary(**model);
  CHECK(vocabulary.begin.empty());
  CHECK(MakeRepeats(**model, vocabulary, {}));
  const auto texts = ReadProbe(**model, vocabulary, folder.Write("a.txt", "a b a\n"), {});
  REQUIRE_FALSE(texts);
  CHECK_THAT(texts.error().message, test::Says("past the 6 ids"));
}

}  // namespace headscope
