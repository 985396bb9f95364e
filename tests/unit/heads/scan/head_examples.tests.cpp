#include "core/heads/scan/head_examples.h"

#include "core/attention/capture.h"
#include "core/heads/probe/target.h"
#include "core/heads/scan/scan.h"
#include "core/io/annotated_text.h"
#include "core/model/config.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/copying_bart.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::Says;

const std::string kExampleModel = R"({"model_type": "gpt2", "n_layer": 2, "n_head": 3, "n_embd": 12,
                              "n_positions": 64, "vocab_size": 90, "bos_token_id": 0})";

struct ExampleFixture {
  std::shared_ptr<const Model> model = test::TinyModel(kExampleModel).Open();
  std::unique_ptr<Backend> backend = MakeReferenceBackend();
  Forward forward{model, backend.get()};
  ProbeCorpus corpus;

  ExampleFixture() {
    auto repeats =
        MakeRepeats(*model, ReadVocabulary(*model), {.sequences = 4, .from_texts = false});
    REQUIRE(repeats);
    corpus = std::move(*repeats);
  }
};

}  // namespace

TEST_CASE("examples are the strongest, the middle and the weakest text of a head", "[heads]") {
  ExampleFixture fixture;
  for (const char* metric : {"previous_token", "induction", "entropy"}) {
    INFO(metric);
    const auto found = FindExamples(&fixture.forward, fixture.corpus, nullptr, {1, 2}, metric, {});
    REQUIRE(found);
    const std::vector<HeadExample>& texts = found->texts;
    REQUIRE(texts.size() == 3);
    CHECK(texts[0].score >= texts[1].score);
    CHECK(texts[1].score >= texts[2].score);
    CHECK(texts[0].layer->layer() == 1);
    // Tokens are distinct within a block: they meet themselves twice and more, others hardly.
    for (const TokenPair& pair : found->pairs) {
      CHECK(pair.count >= 2);
      CHECK(pair.weight > 0.0);
      CHECK(pair.weight <= 1.0);
    }
    CHECK(found->pairs.size() == 6);
  }
  const auto none =
      FindExamples(&fixture.forward, fixture.corpus, nullptr, {1, 2}, "next_token", {});
  REQUIRE_FALSE(none);
  CHECK_THAT(none.error().message, Says("no text of the probe asks for it"));
  CHECK_FALSE(FindExamples(&fixture.forward, fixture.corpus, nullptr, {1, 2}, "copy_effect", {}));
}

TEST_CASE("what a text scores as an example is what a scan of it alone gives", "[heads]") {
  ExampleFixture fixture;
  const ProbeSequence& text = fixture.corpus.sequences[0];
  ProbeCorpus alone{.probe = "text", .draw = {}, .groups = {""}, .sequences = {text}};
  const auto sums = RunBatch(&fixture.forward, alone, {}, {0}, {});
  REQUIRE(sums);
  const auto metrics = AllMetrics();
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    INFO(metrics[i].id);
    const HeadScore score = ScoreOf(sums->rows[i][0], metrics[i], 3 + 2);
    std::shared_ptr<const LayerAttention> layer;
    REQUIRE(CaptureAttention(&fixture.forward,
                             {.ids = text.ids, .embeddings = {}},
                             {.first_layer = 1, .last_layer = 1},
                             [&](std::shared_ptr<const LayerAttention> made) -> Status {
                               layer = std::move(made);
                               return {};
                             },
                             {}));
    const auto on = ExampleMeasure(metrics[i].id).Of(text, *layer, 2);
    CHECK(on.rows == score.rows);
    if (score.score) {
      CHECK(std::abs(on.score - *score.score) <= 1e-6 * (1.0 + std::abs(on.score)));
    }
  }
}

TEST_CASE("examples of decoder and cross heads score as a scan of that text alone", "[heads]") {
  const auto model = test::CopyingBart().Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  const auto corpus =
      MakeRepeats(*model, ReadVocabulary(*model), {.sequences = 3, .from_texts = false});
  REQUIRE(corpus);
  const auto targets = MakeTargets(*model, *corpus);
  REQUIRE(targets);
  for (const auto& [head, metric] :
       {std::pair(HeadIndex{0, 0, ModelPart::kDecoder}, "previous_token"),
        std::pair(HeadIndex{0, 0, ModelPart::kCross}, "source:+0"),
        std::pair(HeadIndex{0, 1, ModelPart::kCross}, "source_token"),
        std::pair(HeadIndex{0, 1, ModelPart::kCross}, "first_token")}) {
    INFO(HeadName(head) << " " << metric);
    const auto found = FindExamples(&forward, *corpus, &*targets, head, metric, {});
    REQUIRE(found);
    REQUIRE(found->texts.size() == 3);
    const AttentionShape& shape = found->texts[0].layer->shape();
    CHECK(shape.queries - shape.keys == (head.part == ModelPart::kCross ? 1 : 0));
    const bool is_role = std::string_view(metric) != "first_token";
    CHECK((found->texts.back().score > 0.99) == is_role);
  }
  const auto none =
      FindExamples(&forward, *corpus, nullptr, {0, 0, ModelPart::kDecoder}, "previous_token", {});
  REQUIRE_FALSE(none);
  CHECK_THAT(none.error().message, test::Says("the decoder reads no probe"));
}

TEST_CASE("a relation is looked for in the direction that it is asked in", "[heads]") {
  ExampleFixture fixture;
  ProbeSequence text = fixture.corpus.sequences[0];
  AnnotatedSentence sentence;
  for (int word = 0; word < 20; ++word) {
    sentence.words.push_back({});
  }
  sentence.words[2].head = 5;  // tokens 3 and 6: a begin mark comes first
  sentence.words[2].relation = "obj";
  text.annotation = std::make_shared<const AnnotatedSentence>(sentence);
  text.annotated_word.assign(text.ids.size(), -1);
  for (std::size_t token = 1; token < text.ids.size(); ++token) {
    text.annotated_word[token] = static_cast<std::int32_t>(token) - 1;
  }
  std::shared_ptr<const LayerAttention> layer;
  REQUIRE(CaptureAttention(&fixture.forward,
                           {.ids = text.ids, .embeddings = {}},
                           {.first_layer = 0, .last_layer = 0},
                           [&](std::shared_ptr<const LayerAttention> made) -> Status {
                             layer = std::move(made);
                             return {};
                           },
                           {}));
  std::vector<float> row(text.ids.size());
  layer->Row(1, 6, row);
  for (const char* direction : {"head-to-dependent", "later-to-earlier"}) {
    const auto on = ExampleMeasure(std::string("dep:obj:") + direction).Of(text, *layer, 1);
    CHECK(on.rows == 1);
    CHECK(on.score == static_cast<double>(row[3]));
  }
  CHECK(ExampleMeasure("dep:obj:dependent-to-head").Of(text, *layer, 1).rows == 0);  // not seen
  CHECK(ExampleMeasure("dep:nsubj:later-to-earlier").Of(text, *layer, 1).rows == 0);
}

}  // namespace headscope
