#include "core/heads/scan/weight_means.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/heads/effect/eigenvalue_copying.h"
#include "core/heads/effect/key_composition.h"
#include "core/heads/effect/token_maps.h"
#include "core/heads/measure/measure.h"
#include "core/heads/probe/probe.h"
#include "core/heads/scan/previous_heads.h"
#include "core/model/latent_attention.h"
#include "core/model/output_layer.h"
#include "core/model/scaled_context.h"

namespace headscope {
namespace {

void AddNumbers(const std::vector<double>& numbers, HeadMeans* means) {
  means->resize(numbers.size());
  for (std::size_t head = 0; head < numbers.size(); ++head) {
    (*means)[head].AddText(numbers[head], 0.0, 0.0, 1.0);
  }
}

// The score's error is the spread of random matrices: one above and one below it.
void AddComposition(const KeyComposition& composition, HeadMeans* means) {
  means->resize(composition.largest.size());
  for (std::size_t head = 0; head < means->size(); ++head) {
    if (const auto& largest = composition.largest[head]) {
      const double lift = *largest - composition.random_mean;
      (*means)[head].AddText(lift + composition.random_spread, 0.0, 0.0, 1.0);
      (*means)[head].AddText(lift - composition.random_spread, 0.0, 0.0, 1.0);
    }
  }
}

}  // namespace

Status AddWeightMeans(Forward* forward,
                      const MeasureSources& sources,
                      const std::stop_token& stop,
                      BatchSums* sums) {
  MeanTotals& means = sums->means;
  const ModelDescription& shape = forward->model().description();
  Status apart = RefuseLatents(shape, "this score");
  if (apart) {
    apart = RefuseScaledContext(shape, "this score");
  }
  if (!apart) {
    for (const std::string_view score : {kEigenvalueCopying, kKeyComposition}) {
      sums->why_not.emplace(score, apart.error().message);
    }
    for (const std::string_view map : kTokenMaps) {
      sums->why_not.emplace(TokenMapId(map), apart.error().message);
    }
    return {};
  }
  if (OutputLayerOf(forward->model())) {
    HEADSCOPE_TRY(const auto copying, EigenvalueCopying(forward, stop));
    AddNumbers(copying, &means[kEigenvalueCopying]);
  }
  const std::vector<std::string> texts = ReadProbeTexts(sources.probes);
  HEADSCOPE_TRY(const auto writers, FindPreviousHeads(forward, texts, stop));
  if (std::ranges::count(writers, true) > 0) {
    HEADSCOPE_TRY(auto composition, ComposeKeys(forward, writers, stop));
    AddComposition(composition, &means[kKeyComposition]);
    sums->key_writers = std::move(composition.writer);
  }
  const auto maps = ReadTokenMaps(sources.token_maps);
  if (!maps) {
    for (const std::string_view map : kTokenMaps) {
      sums->why_not.emplace(TokenMapId(map), maps.error().message);
    }
    return {};
  }
  return AddTokenMaps(forward, *maps, stop, &means);
}

}  // namespace headscope
