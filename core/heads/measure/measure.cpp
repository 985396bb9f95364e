#include "core/heads/measure/measure.h"

#include <fmt/format.h>

#define HEADSCOPE_ENTRY(name) std::vector<HeadMeasure> name##Measures();
namespace headscope {
#include "registry/measures.inc"
}
#undef HEADSCOPE_ENTRY

namespace headscope {

std::span<const HeadMeasure> AllMeasures() {
#define HEADSCOPE_ENTRY(name) name##Measures,
  static const std::vector<HeadMeasure> kMeasures = InPlaces<HeadMeasure>({
#include "registry/measures.inc"
  });
#undef HEADSCOPE_ENTRY
  return kMeasures;
}

const HeadMeasure* FindMeasure(std::string_view id) {
  return FindById(AllMeasures(), id);
}

std::string TokenMapId(std::string_view map) {
  return fmt::format("token_map:{}", map);
}

std::vector<HeadScore> MeasureScores(const HeadMeasure& measure,
                                     const MeanTotals& means,
                                     const HeadsOfScan& heads) {
  std::vector<HeadScore> scores(heads.count());
  const auto found = means.find(measure.id);
  if (found == means.end()) {
    return scores;
  }
  for (std::size_t head = 0; head < scores.size(); ++head) {
    const HeadMean& own = found->second[head];
    HeadScore& score = scores[head];
    score = MeanScore(own);
    if (score.score && !measure.words.control.empty()) {
      score.control = own.control / own.rows;
    }
    score.rows = measure.has_rows ? score.rows : 0;
  }
  const auto layer = static_cast<std::size_t>(heads.heads);
  for (std::size_t first = 0; measure.is_over_layer_mean && first < scores.size(); first += layer) {
    double sum = 0.0;
    for (std::size_t head = first; head < first + layer; ++head) {
      sum += scores[head].score.value_or(0.0);
    }
    const double mean = sum / static_cast<double>(heads.heads);
    for (std::size_t head = first; head < first + layer; ++head) {
      if (scores[head].score) {
        scores[head].score = mean > 0.0 ? *scores[head].score / mean : 0.0;
      }
    }
  }
  return scores;
}

}  // namespace headscope
