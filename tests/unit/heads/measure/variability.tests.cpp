#include <cmath>
#include <optional>

#include "core/base/random.h"
#include "core/heads/measure/measure.h"
#include "tests/support/made_rows.h"

namespace headscope {
namespace {

using test::EvenMap;
using test::Map;
using test::OneHot;
using test::PlainSequence;
using test::ShowMaps;

// None: the run is not measured.
std::optional<HeadScore> Variability(const std::vector<ProbeSequence>& sequences,
                                     const std::vector<Map>& maps,
                                     bool causal) {
  const auto all = AllMeasures();
  const auto measure = std::ranges::find(all, "variability", &HeadMeasure::id);
  REQUIRE(measure != all.end());
  std::vector<const ProbeSequence*> texts;
  for (const ProbeSequence& sequence : sequences) {
    texts.push_back(&sequence);
  }
  const auto reader = measure->reader({texts, 1, 1});
  if (reader == nullptr) {
    return std::nullopt;
  }
  ShowMaps(maps, causal, reader->BeginLayer({}));
  REQUIRE(reader->EndLayer({}));
  MeanTotals means;
  reader->AddTo(&means["variability"]);
  return MeasureScores(*measure, means, {.layers = 1, .heads = 1}).front();
}

std::vector<ProbeSequence> TextsOfOne(std::size_t count, std::size_t tokens) {
  return std::vector<ProbeSequence>(count, PlainSequence(std::vector<std::int32_t>(tokens, 2)));
}

Map DrawnMap(std::size_t tokens, bool causal, RandomStream* random) {
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

}  // namespace

TEST_CASE("attention by position alone does not vary, by content alone it does", "[heads]") {
  for (const bool causal : {true, false}) {
    const auto same =
        Variability(TextsOfOne(6, 12), std::vector<Map>(6, EvenMap(12, causal)), causal);
    REQUIRE(same.has_value());
    CHECK(std::abs(*same->score) < 1e-6);
    CHECK(same->rows == 6 * 9);
    CHECK(same->sequences == 6);
    CHECK(same->chance == 0.0);
  }
  // Each text looks somewhere else: each row is 1 - 1/S away from the mean of the S.
  std::vector<Map> apart;
  for (std::size_t text = 0; text < 5; ++text) {
    apart.push_back(OneHot(8, [=](std::size_t q) { return (q + text) % 8; }));
  }
  const auto score = Variability(TextsOfOne(5, 8), apart, false);
  REQUIRE(score.has_value());
  CHECK(std::abs(*score->score - (1.0 - 1.0 / 5.0)) < 1e-6);
}

TEST_CASE("variability is the plain sum over the first ten tokens", "[heads]") {
  for (const bool causal : {true, false}) {
    RandomStream random(11);
    std::vector<Map> maps;
    for (int text = 0; text < 7; ++text) {
      maps.push_back(DrawnMap(14, causal, &random));
    }
    double expected = 0.0;
    for (const Map& map : maps) {
      double apart = 0.0;
      double all = 0.0;
      for (std::size_t q = 1; q < 10; ++q) {
        for (std::size_t k = 0; k < 10; ++k) {
          double mean = 0.0;
          for (const Map& other : maps) {
            mean += static_cast<double>(other[q][k]) / 7.0;
          }
          apart += std::abs(static_cast<double>(map[q][k]) - mean);
          all += static_cast<double>(map[q][k]);
        }
      }
      expected += apart / (2.0 * all) / 7.0;
    }
    const auto score = Variability(TextsOfOne(7, 14), maps, causal);
    REQUIRE(score.has_value());
    CHECK(std::abs(*score->score - expected) < 1e-12);
    CHECK(expected > 0.2);
  }
}

TEST_CASE("controls have no part in variability, and four texts are too few", "[heads]") {
  std::vector<ProbeSequence> texts = TextsOfOne(10, 6);
  std::vector<Map> maps;
  RandomStream random(12);
  for (std::size_t text = 0; text < texts.size(); ++text) {
    texts[text].is_control = text % 2 == 1;
    maps.push_back(texts[text].is_control ? DrawnMap(6, true, &random) : EvenMap(6, true));
  }
  const auto score = Variability(texts, maps, true);
  REQUIRE(score.has_value());
  CHECK(std::abs(*score->score) < 1e-6);
  CHECK(score->sequences == 5);
  CHECK_FALSE(
      Variability(TextsOfOne(4, 6), std::vector<Map>(4, EvenMap(6, true)), true).has_value());
}

}  // namespace headscope
