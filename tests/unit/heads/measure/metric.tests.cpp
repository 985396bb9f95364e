#include "core/heads/measure/metric.h"

#include <cmath>
#include <set>

#include "core/attention/capture.h"
#include "core/heads/measure/measure.h"
#include "core/heads/scan/scan.h"
#include "core/model/config.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/made_rows.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::EvenMap;
using test::Map;
using test::OneHot;
using test::PlainSequence;
using test::ReadRows;
using test::ScoreIn;

}  // namespace

TEST_CASE("every metric and measure has its words, and an id of its own", "[heads]") {
  std::set<std::string> ids;
  for (const HeadMetric& metric : AllMetrics()) {
    INFO(metric.id);
    CHECK(ids.insert(metric.id).second);
    CHECK_FALSE(metric.name.empty());
    CHECK_FALSE(metric.words.about.empty());
    CHECK_FALSE(metric.words.formula.empty());
    CHECK_FALSE(metric.words.chance.empty());
    CHECK_FALSE(metric.words.source.empty());
    CHECK_FALSE(metric.words.pitfall.empty());
    CHECK_FALSE(metric.words.needs.empty());
    CHECK(metric.is_share() != (metric.sum != nullptr));
    CHECK((!metric.is_place || metric.needs_control));
    CHECK((!metric.needs_control || metric.has_control_sequences));
    CHECK((metric.even != nullptr) == (metric.sum != nullptr));
    CHECK(metric.role.empty() == (metric.threshold == 0.0));
    CHECK(metric.target.empty() == (metric.sum != nullptr));
  }
  CHECK(FindMetric("no such metric") == nullptr);
  for (const HeadMeasure& measure : AllMeasures()) {
    INFO(measure.id);
    CHECK(ids.insert(measure.id).second);
    CHECK_FALSE(measure.name.empty());
    CHECK_FALSE(measure.words.about.empty());
    CHECK_FALSE(measure.words.formula.empty());
    CHECK_FALSE(measure.words.chance.empty());
    CHECK_FALSE(measure.words.source.empty());
    CHECK_FALSE(measure.words.pitfall.empty());
    CHECK_FALSE(measure.words.needs.empty());
    CHECK(measure.words.control.empty() == measure.words.control_name.empty());
  }
}

TEST_CASE("perfect patterns score one, and others what they hold", "[heads]") {
  const std::vector<ProbeSequence> abab = {PlainSequence({2, 3, 4, 2, 3, 4})};
  const auto back = [&](std::size_t steps) {
    return ReadRows(
        abab, {OneHot(6, [&](std::size_t q) { return q >= steps ? q - steps : 0; })}, true);
  };
  CHECK(ScoreIn(back(1), "previous_token").score == 1.0);
  CHECK(ScoreIn(back(1), "previous_token").rows == 5);
  CHECK(ScoreIn(back(1), "previous_token").hits == 1.0);
  CHECK(ScoreIn(back(2), "induction").score == 1.0);
  CHECK(ScoreIn(back(2), "induction").rows == 3);
  CHECK(ScoreIn(back(2), "duplicate_token").score == 0.0);
  CHECK(ScoreIn(back(3), "duplicate_token").score == 1.0);
  CHECK(ScoreIn(back(2), "offset:-2").score == 1.0);
  CHECK(ScoreIn(back(0), "self").score == 1.0);
  CHECK(ScoreIn(back(9), "first_token").score == 1.0);
  // A causal model sees nothing that follows: there is no such row.
  CHECK_FALSE(ScoreIn(back(1), "next_token").score.has_value());
  const auto ahead = ReadRows(
      abab, {OneHot(6, [](std::size_t q) { return std::min(q + 1, std::size_t{5}); })}, false);
  CHECK(ScoreIn(ahead, "next_token").score == 1.0);
  CHECK(ScoreIn(ahead, "next_token").rows == 5);
  // Rows of 1, 2, 3 and 4 keys; by hand: (.5 + .3 + .5) / 3.
  const Map mixed = {{1, 0, 0, 0}, {.5F, .5F, 0, 0}, {.2F, .3F, .5F, 0}, {.1F, .15F, .5F, .25F}};
  const ScanSums sums = ReadRows({PlainSequence({2, 3, 4, 5})}, {mixed}, true);
  CHECK(std::abs(*ScoreIn(sums, "previous_token").score - (0.5 + 0.3 + 0.5) / 3.0) < 1e-7);
  CHECK(std::abs(*ScoreIn(sums, "previous_token").chance - (1.0 / 2 + 1.0 / 3 + 1.0 / 4) / 3.0) <
        1e-12);
  CHECK(std::abs(*ScoreIn(sums, "confidence").score - (0.5 + 0.5 + 0.5) / 3.0) < 1e-7);
  CHECK(std::abs(*ScoreIn(sums, "distance").score - (0.5 + 0.7 + (0.3 + 0.3 + 0.5)) / 3.0) < 1e-6);
}

TEST_CASE("even attention scores chance in every metric", "[heads]") {
  for (const bool causal : {true, false}) {
    std::vector<ProbeSequence> sequences = {PlainSequence({0, 2, 3, 9, 1, 2, 3, 9, 2}),
                                            PlainSequence({4, 5, 5, 9, 1, 6, 7, 5, 3})};
    sequences[0].hidden = {{.query = 6, .key = 3, .other = 1}};  // asked for by the second 3
    const Map even = EvenMap(9, causal);
    const ScanSums sums = ReadRows(sequences, {even, even}, causal);
    for (const HeadMetric& metric : AllMetrics()) {
      const HeadScore score = ScoreIn(sums, metric.id);
      INFO(metric.id << (causal ? ", causal" : ""));
      CHECK(score.score.has_value() ==
            (metric.IsOf(ModelPart::kWhole) &&
             !(causal && (metric.id == "next_token" || metric.id.find('+') != std::string::npos))));
      if (score.score) {
        CHECK(std::abs(*score.score - *score.chance) < 1e-6 * std::max(1.0, *score.chance));
      }
    }
  }
}

TEST_CASE("a head at a fixed distance has no more than its control on text", "[heads]") {
  // Distances of copies vary, so that one of them is right now and then only.
  std::vector<std::int32_t> ids;
  RandomStream random(3);
  for (int i = 0; i < 400; ++i) {
    ids.push_back(static_cast<std::int32_t>(2 + random.Below(7)));
  }
  const ScanSums sums = ReadRows(
      {PlainSequence(ids)}, {OneHot(400, [](std::size_t q) { return q >= 5 ? q - 5 : 0; })}, true);
  for (const char* id : {"duplicate_token", "induction"}) {
    const HeadScore score = ScoreIn(sums, id);
    INFO(id << " " << *score.score << " " << *score.control);
    CHECK(std::abs(*score.score - *score.control) < 0.08);
  }
}

TEST_CASE("a control sequence measures the same rows and keys where another token stands",
          "[heads]") {
  std::vector<ProbeSequence> pair = {PlainSequence({2, 3, 4, 2, 3, 4}),
                                     PlainSequence({2, 3, 4, 5, 6, 7})};
  pair[1].is_control = true;
  const auto look = [](std::size_t back) {
    return OneHot(6, [=](std::size_t q) { return q >= back ? q - back : 0; });
  };
  // It goes two back whatever stands there: score = control.
  const HeadScore fixed = ScoreIn(ReadRows(pair, {look(2), look(2)}, true), "induction");
  CHECK(fixed.score == 1.0);
  CHECK(fixed.control == 1.0);
  // It rests on the first token where nothing repeats. Row 3 looks at key 1, which is no first one.
  const HeadScore real = ScoreIn(ReadRows(pair, {look(2), look(9)}, true), "induction");
  CHECK(real.score == 1.0);
  CHECK(real.control == 0.0);
  CHECK(real.sequences == 1);
}

TEST_CASE("scores are plain sums over the maps of every kind of model", "[heads]") {
  for (const Family* family : AllFamilies()) {
    const auto model = test::TinyModel(family->example).Open();
    ProbeCorpus corpus{.probe = "test", .groups = {""}, .sequences = {}};
    corpus.sequences = {PlainSequence({2, 3, 9, 2, 3, 9, 1}),
                        PlainSequence({0, 5, 5, 1, 7, 7, 5}),
                        PlainSequence({4, 4, 4, 4})};
    const auto backend = MakeReferenceBackend();
    Forward forward(model, backend.get());
    const std::int64_t layers = model->description().layers;
    const std::int64_t heads = model->description().heads;
    BatchSums total;
    for (const ScanBatch& batch : CutBatches(corpus)) {
      const Result<BatchSums> sums = RunBatch(&forward, corpus, {}, batch, {});
      REQUIRE(sums);
      total.Add(*sums);
    }
    // The same, a map at a time.
    for (const std::string_view id :
         {"previous_token", "first_token", "duplicate_token", "entropy"}) {
      const HeadMetric& metric = *FindMetric(id);
      std::vector<double> expected(static_cast<std::size_t>(layers * heads), 0.0);
      std::int64_t rows = 0;
      for (const ProbeSequence& sequence : corpus.sequences) {
        const auto take = [&](std::shared_ptr<const LayerAttention> layer) -> Status {
          const auto n = static_cast<std::size_t>(sequence.tokens());
          std::vector<float> map(n * n);
          for (std::int64_t head = 0; head < heads; ++head) {
            layer->Map(head, map);
            for (std::size_t q = 0; q < n; ++q) {
              const auto weight = [&](std::size_t k) {
                return static_cast<double>(map[q * n + k]);
              };
              double share = 0.0;
              bool counts = sequence.special[q] == 0;
              if (id == "previous_token" || id == "first_token") {
                counts = counts && q >= 1;
                share = counts ? weight(id == "first_token" ? 0 : q - 1) : 0.0;
              } else if (id == "duplicate_token") {
                bool any = false;
                for (std::size_t k = 0; k < q; ++k) {
                  const bool same = sequence.ids[k] == sequence.ids[q];
                  any = any || same;
                  share += same ? weight(k) : 0.0;
                }
                counts = counts && any;
              } else {
                counts = counts && q >= 1;
                for (std::size_t k = 0; counts && k < n; ++k) {
                  share -= weight(k) > 0.0 ? weight(k) * std::log(weight(k)) : 0.0;
                }
              }
              if (counts) {
                expected[static_cast<std::size_t>(layer->layer() * heads + head)] += share;
                rows += layer->layer() == 0 && head == 0 ? 1 : 0;
              }
            }
          }
          return {};
        };
        CaptureOptions options{.part = PartsOf(model->description()).front()};
        options.last_layer = layers - 1;
        REQUIRE(
            CaptureAttention(&forward, {.ids = sequence.ids, .embeddings = {}}, options, take, {}));
      }
      const auto place = static_cast<std::size_t>(&metric - AllMetrics().data());
      for (std::size_t head = 0; head < expected.size(); ++head) {
        const HeadScore score = ScoreOf(total.rows[place][0], metric, head);
        INFO(family->id << " " << id << " head " << head);
        CHECK(score.rows == rows);
        CHECK(std::abs(*score.score - expected[head] / static_cast<double>(rows)) < 1e-6);
      }
    }
  }
}

}  // namespace headscope
