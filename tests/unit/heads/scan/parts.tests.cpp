// Scores of the decoder's heads and of cross-attention's.
#include <algorithm>
#include <cmath>
#include <set>

#include "core/attention/capture.h"
#include "core/heads/probe/target.h"
#include "core/heads/scan/head_examples.h"
#include "core/heads/scan/score_report.h"
#include "core/heads/scan/text_scores.h"
#include "core/io/annotated_text.h"
#include "core/model/config.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/copying_bart.h"
#include "tests/support/made_rows.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::PlainSequence;

constexpr std::size_t kDecoder = 0;  // places in BatchSums::more
constexpr std::size_t kCross = 1;

std::vector<const Family*> EncoderDecoders() {
  std::vector<const Family*> found;
  for (const Family* family : AllFamilies()) {
    if (test::TinyModel(family->example).description.decoder) {
      found.push_back(family);
    }
  }
  return found;
}

BatchSums ScanAll(Forward* forward, const ProbeCorpus& corpus, const ProbeCorpus& targets) {
  BatchSums total;
  for (const ScanBatch& batch : CutBatches(corpus)) {
    const Result<BatchSums> sums =
        RunBatch(forward, corpus, {.measures = true, .targets = &targets}, batch, {});
    REQUIRE(sums);
    total.Add(*sums);
  }
  return total;
}

const MetricSums& SumsOf(const BatchSums& sums, std::string_view id) {
  const HeadMetric* const metric = FindMetric(id);
  REQUIRE(metric != nullptr);
  return sums.rows[static_cast<std::size_t>(metric - AllMetrics().data())][0];
}

// A row of a map: its share of a metric, by hand; none: it does not count.
std::optional<double> ShareByHand(std::string_view id,
                                  const ProbeSequence& target,
                                  const ProbeSequence* source,
                                  std::size_t q,
                                  const std::vector<double>& row) {
  if (target.special[q] != 0) {
    return std::nullopt;
  }
  const ProbeSequence& of_keys = source != nullptr ? *source : target;
  double share = 0.0;
  bool any = false;
  const auto add = [&](std::ptrdiff_t key) {
    if (key >= 0 && key < std::ssize(row)) {
      share += row[static_cast<std::size_t>(key)];
      any = true;
    }
  };
  const auto is_copy = [&](std::ptrdiff_t key) {
    const auto k = static_cast<std::size_t>(key);
    return of_keys.special[k] == 0 && of_keys.ids[k] == target.ids[q];
  };
  const auto place = static_cast<std::ptrdiff_t>(q);
  if (id == "previous_token") {
    add(place - 1);
  } else if (id == "first_token") {
    add(q >= 1 ? 0 : -1);
  } else if (id == "duplicate_token" || id == "induction") {
    for (std::ptrdiff_t k = 0; k < place; ++k) {
      const std::ptrdiff_t key = k + (id == "induction" ? 1 : 0);
      if (is_copy(k) && key < place) {
        add(key);
      }
    }
  } else if (id.starts_with("source:")) {
    add(place - 1 + std::stol(std::string(id.substr(7))));
  } else if (id == "source_token" || id == "source_next_token") {
    for (std::ptrdiff_t k = 0; k < of_keys.tokens(); ++k) {
      if (is_copy(k)) {
        add(k + (id == "source_token" ? 0 : 1));
      }
    }
  } else if (id == "separator") {
    const std::size_t first = source != nullptr ? 0 : 1;
    for (std::size_t k = first; k < of_keys.separator.size(); ++k) {
      any = any || of_keys.separator[k] != 0;
      share += k < row.size() && of_keys.separator[k] != 0 ? row[k] : 0.0;
    }
  } else if (q >= 1) {
    any = true;
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (id == "entropy") {
        share -= row[k] > 0.0 ? row[k] * std::log(row[k]) : 0.0;
      } else if (id == "confidence") {
        share = std::max(share, row[k]);
      } else {
        const auto from = place - (source != nullptr ? 1 : 0);
        share += row[k] * static_cast<double>(std::abs(from - static_cast<std::ptrdiff_t>(k)));
      }
    }
  }
  return any ? std::optional(share) : std::nullopt;
}

ProbeCorpus SmallCorpus() {
  ProbeCorpus corpus{.probe = "test", .groups = {""}, .sequences = {}};
  corpus.sequences = {PlainSequence({2, 3, 9, 2, 3, 9, 1}),
                      PlainSequence({0, 5, 5, 1, 7, 7, 5}),
                      PlainSequence({4, 4, 4, 4})};
  return corpus;
}

}  // namespace

TEST_CASE("scores of decoder and cross heads are plain sums over their maps", "[heads]") {
  REQUIRE(EncoderDecoders().size() == 8);  // BART, Marian, T5, T5Gemma, Switch, LED, LongT5, pairs
  for (const Family* family : EncoderDecoders()) {
    const auto model = test::TinyModel(family->example).Open();
    const ProbeCorpus corpus = SmallCorpus();
    const auto targets = MakeTargets(*model, corpus);
    REQUIRE(targets);
    const auto backend = MakeReferenceBackend();
    Forward forward(model, backend.get());
    const BatchSums total = ScanAll(&forward, corpus, *targets);
    REQUIRE(total.more.size() == 2);
    const StackDescription& stack = *model->description().decoder;
    for (const auto& [part, place, ids] :
         {std::tuple(ModelPart::kDecoder,
                     kDecoder,
                     std::vector<std::string_view>{"previous_token",
                                                   "first_token",
                                                   "separator",
                                                   "duplicate_token",
                                                   "induction",
                                                   "entropy",
                                                   "confidence",
                                                   "distance"}),
          std::tuple(ModelPart::kCross,
                     kCross,
                     std::vector<std::string_view>{"source:+0",
                                                   "source:-1",
                                                   "source:+1",
                                                   "source:+3",
                                                   "source_token",
                                                   "source_next_token",
                                                   "first_token",
                                                   "separator",
                                                   "entropy",
                                                   "confidence",
                                                   "distance"})}) {
      for (const std::string_view id : ids) {
        std::vector<double> expected(static_cast<std::size_t>(stack.layers * stack.heads), 0.0);
        std::int64_t rows = 0;
        for (std::size_t text = 0; text < corpus.sequences.size(); ++text) {
          const ProbeSequence& target = targets->sequences[text];
          const ProbeSequence* const source =
              part == ModelPart::kCross ? &corpus.sequences[text] : nullptr;
          const auto n = static_cast<std::size_t>(target.tokens());
          const auto m = static_cast<std::size_t>((source != nullptr ? *source : target).tokens());
          const auto take = [&](std::shared_ptr<const LayerAttention> layer) -> Status {
            std::vector<float> map(n * m);
            for (std::int64_t head = 0; head < stack.heads; ++head) {
              layer->Map(head, map);
              for (std::size_t q = 0; q < n; ++q) {
                const std::size_t seen = source != nullptr ? m : q + 1;
                const std::vector<double> row(
                    map.begin() + static_cast<std::ptrdiff_t>(q * m),
                    map.begin() + static_cast<std::ptrdiff_t>(q * m + seen));
                const auto share = ShareByHand(id, target, source, q, row);
                expected[static_cast<std::size_t>(layer->layer() * stack.heads + head)] +=
                    share.value_or(0.0);
                rows += share && layer->layer() == 0 && head == 0 ? 1 : 0;
              }
            }
            return {};
          };
          CaptureOptions options{.part = part};
          options.last_layer = stack.layers - 1;
          ForwardInput input{.ids = corpus.sequences[text].ids, .embeddings = {}};
          input.target_ids = target.ids;
          REQUIRE(CaptureAttention(&forward, input, options, take, {}));
        }
        REQUIRE(rows > 0);
        for (std::size_t head = 0; head < expected.size(); ++head) {
          const HeadScore score = ScoreOf(SumsOf(total.more[place], id), *FindMetric(id), head);
          INFO(family->id << " " << PartName(part) << " " << id << " head " << head);
          CHECK(score.rows == rows);
          REQUIRE(score.score);
          CHECK(std::abs(*score.score - expected[head] / static_cast<double>(rows)) < 1e-6);
        }
      }
    }
  }
}

TEST_CASE("the encoder scores the same whether its decoder is scanned or not", "[heads]") {
  for (const Family* family : EncoderDecoders()) {
    INFO(family->id);
    const auto model = test::TinyModel(family->example).Open();
    ProbeCorpus corpus = SmallCorpus();
    corpus.sequences[0].ids.back() = 6;  // a text that ends otherwise would run by itself
    const auto targets = MakeTargets(*model, corpus);
    REQUIRE(targets);
    const auto backend = MakeReferenceBackend();
    Forward forward(model, backend.get());
    const auto alone = RunBatch(&forward, corpus, {.measures = true}, CutBatches(corpus)[0], {});
    REQUIRE(alone);
    CHECK(ScanAll(&forward, corpus, *targets).rows == alone->rows);
  }
}

TEST_CASE("even cross-attention scores chance in every metric", "[heads]") {
  const ProbeSequence source = PlainSequence({2, 3, 9, 1, 2, 3, 4, 0});
  const ProbeSequence target = PlainSequence({0, 2, 3, 9, 1, 2, 3});
  const std::array rows = {&target};
  const std::array keys = {&source};
  RowReader reader(rows, 1, 1, 1, keys);
  AttentionObserver* const watcher = reader.BeginLayer({ModelPart::kCross, 0});
  watcher->OnProjections(
      {{.queries = 7, .keys = 8, .heads = 1, .kv_heads = 1}, {.causal = false}, {}, {}, {}});
  const std::vector<float> even(7 * 8, 1.0F / 8.0F);
  AttentionBlock block;
  block.head_end = 1;
  block.query_end = 7;
  block.keys = 8;
  block.weights = even;
  watcher->OnBlock(block);
  REQUIRE(reader.EndLayer({ModelPart::kCross, 0}));
  for (const HeadMetric& metric : AllMetrics()) {
    INFO(metric.id);
    const HeadScore score = test::ScoreIn(reader.sums(), metric.id);
    const bool is_too_far = metric.id == "source:+8" || metric.id == "source:-8" ||
                            metric.id == "source:-7" || metric.id == "source:-6";
    CHECK(score.score.has_value() == (metric.IsOf(ModelPart::kCross) && !is_too_far));
    if (score.score) {
      CHECK(std::abs(*score.score - *score.chance) < 1e-6 * std::max(1.0, *score.chance));
    }
  }
}

TEST_CASE("heads that are set by hand get the roles that they have, and no others", "[heads]") {
  const auto model = test::CopyingBart().Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  auto corpus = MakeRepeats(*model, ReadVocabulary(*model), {.sequences = 20, .from_texts = false});
  REQUIRE(corpus);
  CHECK(corpus->groups == std::vector<std::string>{"10", "20"});
  const auto targets = MakeTargets(*model, *corpus);
  REQUIRE(targets);
  const BatchSums total = ScanAll(&forward, *corpus, *targets);
  const ScoreReport report = MakeReport(DescribeScan(*model, *corpus), total);
  std::set<std::tuple<std::string, std::string, std::string>> found;
  for (const ScoreReport* part : {&report, &report.more[kDecoder], &report.more[kCross]}) {
    for (const Suggestion& one : part->suggested) {
      CHECK(one.verdict == Verdict::kStrong);
      found.emplace(HeadName(one.head), one.role, one.metric);
    }
  }
  using Found = std::set<std::tuple<std::string, std::string, std::string>>;
  CHECK(found == Found{{"D0H0", "positional", "previous_token"},
                       {"X0H0", "positional", "source:+0"},
                       {"X0H1", "duplicate", "source_token"}});
  const Suggestion& place = report.more[kCross].suggested[0];
  CHECK_THAT(place.why, test::Says("X0H0 puts 1.00"));
  CHECK_THAT(place.why, test::Says("of its attention on the source token at the same place"));
  CHECK_THAT(place.why, test::Says("with another token there 1.00"));
  const Suggestion& token = report.more[kCross].suggested[1];
  CHECK_THAT(token.why, test::Says("on source tokens equal to the one that it has read"));
  CHECK_THAT(token.why, test::Says("the same places with the wrong token .0"));

  // Of texts, which have no control, place and token cannot be told apart.
  ProbeCorpus texts = *corpus;
  texts.draw.clear();
  texts.groups = {""};
  std::erase_if(texts.sequences, [](const ProbeSequence& one) { return one.is_control; });
  for (ProbeSequence& sequence : texts.sequences) {
    sequence.group = 0;
  }
  const auto text_targets = MakeTargets(*model, texts);
  REQUIRE(text_targets);
  const ScoreReport of_texts =
      MakeReport(DescribeScan(*model, texts), ScanAll(&forward, texts, *text_targets));
  CHECK(of_texts.more[kCross].suggested.empty());
  const auto same = std::ranges::find(of_texts.more[kCross].scores, "source:+0", &NamedScores::id);
  CHECK(same->heads[0].score > 0.99);
  CHECK_FALSE(same->heads[0].control);
}

TEST_CASE("heads of random decoders get no role", "[heads]") {
  for (const char* const config :
       {R"({"model_type": "bart", "encoder_layers": 2, "decoder_layers": 2,
            "encoder_attention_heads": 4, "decoder_attention_heads": 4, "d_model": 24,
            "encoder_ffn_dim": 20, "decoder_ffn_dim": 20, "max_position_embeddings": 64,
            "vocab_size": 90})",
        R"({"model_type": "marian", "encoder_layers": 2, "decoder_layers": 2,
            "encoder_attention_heads": 4, "decoder_attention_heads": 4, "d_model": 24,
            "encoder_ffn_dim": 20, "decoder_ffn_dim": 20, "max_position_embeddings": 64,
            "pad_token_id": 3, "vocab_size": 90})",
        R"({"model_type": "t5", "num_layers": 2, "num_heads": 4, "d_model": 24, "d_kv": 6,
            "d_ff": 20, "vocab_size": 90})"}) {
    std::int64_t roles = 0;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const auto model = test::TinyModel(config, seed).Open();
      const auto backend = MakeReferenceBackend();
      Forward forward(model, backend.get());
      const auto corpus =
          MakeRepeats(*model, ReadVocabulary(*model), {.sequences = 10, .from_texts = false});
      REQUIRE(corpus);
      const auto targets = MakeTargets(*model, *corpus);
      REQUIRE(targets);
      const ScoreReport report =
          MakeReport(DescribeScan(*model, *corpus), ScanAll(&forward, *corpus, *targets));
      for (const ScoreReport& part : report.more) {
        roles += std::ssize(part.suggested);
        for (const Suggestion& one : part.suggested) {
          UNSCOPED_INFO(model->description().family << " seed " << seed << ": " << one.why);
        }
      }
    }
    CHECK(roles <= 1);
  }
}

TEST_CASE("relations are asked of the decoder as of a causal model, of cross-attention not",
          "[heads]") {
  const auto model = test::CopyingBart().Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  // 10 11 12 13: 11 hangs on 10, 10 on 12, 13 on 12; words are tokens.
  AnnotatedSentence sentence;
  for (const auto& [head, relation] :
       {std::pair(2, "nsubj"), std::pair(0, "det"), std::pair(-1, ""), std::pair(2, "obj")}) {
    AnnotatedWord word;
    word.form = relation;
    word.head = head;
    word.relation = relation;
    sentence.words.push_back(word);
  }
  ProbeSequence text = PlainSequence({0, 10, 11, 12, 13});
  text.annotation = std::make_shared<const AnnotatedSentence>(sentence);
  text.annotated_word = {-1, 0, 1, 2, 3};
  const ProbeCorpus corpus{.probe = "test", .groups = {""}, .sequences = {text}};
  const auto targets = MakeTargets(*model, corpus);
  REQUIRE(targets);
  const WordCounts counts = CountWords(corpus);
  const auto sums = RunBatch(&forward, corpus, {.counts = &counts, .targets = &*targets}, {0}, {});
  REQUIRE(sums);
  CHECK(sums->more[kCross].pairs.empty());
  std::set<std::tuple<std::string, std::string, bool>> asked;  // whether D0H0 is right
  for (const PairCase& pair : sums->more[kDecoder].pairs) {
    asked.emplace(pair.relation, DirectionName(pair.direction), BitOf(pair.right, 0));
  }
  using Asked = std::set<std::tuple<std::string, std::string, bool>>;
  CHECK(asked == Asked{{"det", "dependent-to-head", true},
                       {"det", "later-to-earlier", true},
                       {"nsubj", "head-to-dependent", false},
                       {"nsubj", "later-to-earlier", false},
                       {"obj", "dependent-to-head", true},
                       {"obj", "later-to-earlier", true}});
  const ScoreReport report = MakeReport(DescribeScan(*model, corpus), *sums);
  const auto of = [&](const ScoreReport& part, const char* id) {
    return *std::ranges::find(part.scores, id, &NamedScores::id);
  };
  CHECK(of(report, "dep:nsubj:dependent-to-head").heads[0].score);
  CHECK_THAT(of(report.more[kDecoder], "dep:nsubj:dependent-to-head").why_not,
             test::Says("no pair of it"));
  CHECK(of(report.more[kDecoder], "dep:det:dependent-to-head").heads[0].score == 1.0);
  CHECK(of(report.more[kDecoder], "tree_score").heads[0].score);
  CHECK_THAT(of(report.more[kCross], "dep:det:dependent-to-head").why_not,
             test::Says("words of one text"));

  // The cases that a head's page lists are those that are counted.
  for (const auto& [id, wrong] :
       {std::pair("dep:obj:dependent-to-head", 0), std::pair("dep:nsubj:head-to-dependent", 1)}) {
    INFO(id);
    const auto found =
        FindExamples(&forward, corpus, &*targets, {0, 0, ModelPart::kDecoder}, id, {});
    REQUIRE(found);
    CHECK(found->failing.cases() == 1);
    CHECK(found->failing.wrong() == wrong);
  }
  CHECK_FALSE(FindExamples(
      &forward, corpus, &*targets, {0, 0, ModelPart::kCross}, "dep:obj:dependent-to-head", {}));
}

TEST_CASE("one text scores all parts with its own target, and says where there is none",
          "[heads]") {
  const auto model = test::CopyingBart().Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  const auto encode = [](std::vector<std::int32_t> ids) { return DescribeAsNumbers(ids); };
  const Encoding text = encode({10, 11, 12, 13});
  const Encoding target = encode({2, 10, 12, 11});
  const auto scores = ScoreText(&forward, text, &target, {});
  REQUIRE(scores);
  REQUIRE(scores->more.size() == 2);
  const auto of = [&](const ScoreReport& report, const char* id, std::size_t head) {
    return std::ranges::find(report.scores, id, &NamedScores::id)->heads[head];
  };
  CHECK(of(scores->more[kDecoder], "previous_token", 0).score > 0.99);
  CHECK(of(scores->more[kCross], "source:+0", 0).score > 0.99);
  CHECK(of(scores->more[kCross], "source_token", 1).score > 0.99);
  CHECK(of(scores->more[kCross], "source_token", 0).score < 0.4);  // only 10 stands where it did
  const auto without = ScoreText(&forward, text, nullptr, {});
  REQUIRE(without);
  const auto& none = without->more[kCross].scores.front();
  CHECK_FALSE(none.heads[0].score);
  CHECK(none.why_not == "there is no target for the decoder to read");
}

}  // namespace headscope
