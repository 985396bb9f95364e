#include "core/heads/measure/head_pairs.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/attention/row_divergence.h"
#include "core/base/random.h"
#include "core/heads/measure/measure.h"
#include "core/heads/scan/score_report.h"
#include "tests/reference/row_divergence_reference.h"
#include "tests/support/backends.h"
#include "tests/support/made_rows.h"
#include "tests/support/near.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::EvenMap;
using test::Map;
using test::Near;
using test::OneHot;
using test::PlainSequence;

using Layer = std::vector<Map>;  // of each head

// Shows a layer of these maps of one text, in blocks of `at_once` rows of one head.
void Show(const Layer& layer, bool causal, std::int64_t at_once, AttentionObserver* observer) {
  const auto n = static_cast<std::int64_t>(layer.front().size());
  const auto heads = static_cast<std::int64_t>(layer.size());
  AttentionRule rule;
  rule.causal = causal;
  observer->OnProjections(
      {{.queries = n, .keys = n, .heads = heads, .kv_heads = heads}, rule, {}, {}, {}});
  for (std::int64_t head = heads - 1; head >= 0; --head) {
    for (std::int64_t begin = 0; begin < n; begin += at_once) {
      AttentionBlock block;
      block.head_begin = head;
      block.head_end = head + 1;
      block.query_begin = begin;
      block.query_end = std::min(n, begin + at_once);
      block.keys = n;
      std::vector<float> weights;
      for (std::int64_t query = begin; query < block.query_end; ++query) {
        const auto& row = layer[static_cast<std::size_t>(head)][static_cast<std::size_t>(query)];
        weights.insert(weights.end(), row.begin(), row.end());
      }
      block.weights = weights;
      observer->OnBlock(block);
    }
  }
}

struct Read {
  HeadPairs pairs;
  MeanTotals means;
};

// [layer][text] of maps.
Read ReadPairs(const std::vector<ProbeSequence>& sequences,
               const std::vector<std::vector<Layer>>& layers,
               bool causal) {
  std::vector<const ProbeSequence*> texts;
  for (const ProbeSequence& sequence : sequences) {
    texts.push_back(&sequence);
  }
  PairReader reader(texts, std::ssize(layers), std::ssize(layers.front().front()));
  for (std::int64_t layer = 0; layer < std::ssize(layers); ++layer) {
    AttentionObserver* const observer = reader.BeginLayer({ModelPart::kWhole, layer});
    for (const Layer& text : layers[static_cast<std::size_t>(layer)]) {
      Show(text, causal, 5, observer);
    }
    REQUIRE(reader.EndLayer({ModelPart::kWhole, layer}));
  }
  return {reader.sums(), {{"layer_divergence", reader.means()}}};
}

Map RandomMap(std::size_t tokens, bool causal, RandomStream* random) {
  Map map(tokens, std::vector<float>(tokens, 0.0F));
  for (std::size_t q = 0; q < tokens; ++q) {
    const std::size_t seen = causal ? q + 1 : tokens;
    float sum = 0.0F;
    for (std::size_t k = 0; k < seen; ++k) {
      map[q][k] = static_cast<float>(std::exp(2.0 * random->Normal()));
      sum += map[q][k];
    }
    for (float& weight : map[q]) {
      weight /= sum;
    }
  }
  return map;
}

std::vector<ProbeSequence> Texts(std::size_t count, std::size_t tokens) {
  return std::vector<ProbeSequence>(count, PlainSequence(std::vector<std::int32_t>(tokens, 2)));
}

HeadScore ScoreOfHead(Read read, const HeadsOfScan& heads, const char* id, std::size_t head) {
  AddPairMeans(read.pairs, heads, &read.means);
  const HeadMeasure* const measure = FindMeasure(id);
  REQUIRE(measure != nullptr);
  return MeasureScores(*measure, read.means, heads)[head];
}

}  // namespace

TEST_CASE("heads that look at different tokens are ln 2 apart, equal ones nothing",
          "[heads][pairs]") {
  const auto at = [](std::size_t key) {
    return OneHot(9, [=](std::size_t q) { return std::min(q, key); });
  };
  // Row 1 sees two tokens: of the three heads only the first two differ in every row.
  const Layer same = {EvenMap(9, true), EvenMap(9, true), EvenMap(9, true)};
  const Layer apart = {at(0), at(1), at(1)};
  const HeadsOfScan heads{.layers = 2, .heads = 3};
  const Read read = ReadPairs(Texts(2, 9), {{same, same}, {apart, apart}}, true);
  CHECK(read.pairs.rows == 16.0);
  for (std::size_t head = 0; head < 3; ++head) {
    CHECK(*ScoreOfHead(read, heads, "layer_divergence", head).score == 0.0);
    CHECK(*ScoreOfHead(read, heads, "effective_heads", head).score == Near(1.0, 1e-9));
    CHECK(*ScoreOfHead(read, heads, "nearest_head", head).score == 0.0);
  }
  const double ln2 = std::numbers::ln2;
  CHECK(*ScoreOfHead(read, heads, "layer_divergence", 3).score == Near(ln2, 1e-6));
  CHECK(*ScoreOfHead(read, heads, "layer_divergence", 4).score == Near(0.5 * ln2, 1e-6));
  CHECK(*ScoreOfHead(read, heads, "layer_divergence", 4).error == Near(0.0, 1e-12));
  CHECK(ScoreOfHead(read, heads, "layer_divergence", 4).rows == 16);
  CHECK(*ScoreOfHead(read, heads, "nearest_head", 3).score == Near(ln2, 1e-6));
  CHECK(*ScoreOfHead(read, heads, "nearest_head", 4).score == 0.0);
  CHECK(NearestHeads(read.pairs, heads)[4].head == 5);
  CHECK(NearestHeads(read.pairs, heads)[5].head == 4);
  // Eigenvalues 2, 1, 0 of 3.
  const double entropy = 2.0 / 3.0 * std::log(1.5) + 1.0 / 3.0 * std::log(3.0);
  CHECK(*ScoreOfHead(read, heads, "effective_heads", 5).score == Near(std::exp(entropy), 1e-9));
}

TEST_CASE("pairs of heads are the plain sums over rows", "[heads][pairs]") {
  for (const bool causal : {true, false}) {
    RandomStream random(21);
    const std::size_t tokens = 9;  // as many rows as are read of a text
    std::vector<ProbeSequence> texts = Texts(3, tokens);
    texts[0].special[4] = 1;  // its row does not count
    texts[2].is_control = true;
    std::vector<std::vector<Layer>> layers(2, std::vector<Layer>(3));
    for (auto& layer : layers) {
      for (Layer& text : layer) {
        for (int head = 0; head < 4; ++head) {
          text.push_back(RandomMap(tokens, causal, &random));
        }
      }
    }
    const HeadsOfScan heads{.layers = 2, .heads = 4};
    const Read read = ReadPairs(texts, layers, causal);
    CHECK(read.pairs.rows == 7.0 + 8.0);
    for (std::size_t one = 0; one < 8; ++one) {
      double to_others = 0.0;
      for (std::size_t two = one / 4 * 4; two < one / 4 * 4 + 4; ++two) {
        double apart = 0.0;
        double shared = 0.0;
        for (std::size_t text = 0; text < 2; ++text) {
          for (std::size_t q = 1; q < tokens; ++q) {
            const auto& p = layers[one / 4][text][one % 4][q];
            const auto& r = layers[one / 4][text][two % 4][q];
            if (text == 0 && q == 4) {
              continue;
            }
            apart += RowDivergenceReference(p, r);
            for (std::size_t k = 0; k < tokens; ++k) {
              shared += static_cast<double>(p[k]) * static_cast<double>(r[k]);
            }
          }
        }
        const std::size_t place = PairPlace(heads, one, two);
        CHECK(read.pairs.apart[place] == Near(apart, 1e-4));
        CHECK(read.pairs.shared[place] == Near(shared, 1e-9));
        to_others += apart / 3.0;
      }
      CHECK(*ScoreOfHead(read, heads, "layer_divergence", one).score ==
            Near(to_others / 15.0, 1e-5));
    }
  }
}

TEST_CASE("of a long text eight rows are read, spread over it", "[heads][pairs]") {
  // Heads differ in rows of the second half alone.
  const std::size_t tokens = 101;
  const Map first = OneHot(tokens, [](std::size_t) { return std::size_t{0}; });
  const Map second =
      OneHot(tokens, [](std::size_t q) { return q > 50 ? std::size_t{1} : std::size_t{0}; });
  const HeadsOfScan heads{.layers = 1, .heads = 2};
  const Read read = ReadPairs(Texts(1, tokens), {{{first, second}}}, true);
  CHECK(read.pairs.rows == 8.0);
  CHECK(*ScoreOfHead(read, heads, "nearest_head", 0).score == Near(0.5 * std::numbers::ln2, 1e-6));
}

TEST_CASE("a report names each head's nearest, through parts too", "[heads][pairs]") {
  const auto model = test::TinyModel(R"({"model_type": "gpt2", "n_layer": 2, "n_head": 3,
      "n_embd": 12, "n_positions": 64, "vocab_size": 90, "bos_token_id": 0})")
                         .Open();
  const auto repeats =
      MakeRepeats(*model, ReadVocabulary(*model), {.sequences = 3, .from_texts = false});
  REQUIRE(repeats);
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  ScanPart part{.about = DescribeScan(*model, *repeats), .done = {}};
  const auto batches = CutBatches(*repeats);
  for (std::size_t batch = 0; batch < batches.size(); ++batch) {
    auto sums = RunBatch(&forward, *repeats, {.measures = true}, batches[batch], {});
    REQUIRE(sums);
    part.done.emplace(static_cast<std::int64_t>(batch), std::move(*sums));
  }
  const std::string text = PartText(part);
  const auto again = ParsePart(text, "p.json");
  REQUIRE(again);
  const auto total = TotalOf(*again);
  REQUIRE(total);
  CHECK(total->head_pairs == TotalOf(part)->head_pairs);
  const std::string json = ReportJson(MakeReport(part.about, *total));
  CHECK_THAT(json, test::Says(R"("nearest": "L1H)") && test::Says(R"("effective_heads")"));
  std::string cut = text;
  // A number less of the first batch's.
  const std::size_t first = cut.find(",[", cut.find("\"head_pairs\":[")) + 2;
  cut.erase(first, cut.find(',', first) + 1 - first);
  CHECK_FALSE(ParsePart(cut, "p.json"));
}

}  // namespace headscope
