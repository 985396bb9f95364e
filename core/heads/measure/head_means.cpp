#include "core/heads/measure/head_means.h"

namespace headscope {

void HeadMean::AddText(double text_sum, double text_chance, double text_control, double text_rows) {
  const double own = text_sum / text_rows;
  sum += text_sum;
  chance += text_chance;
  control += text_control;
  rows += text_rows;
  texts += 1.0;
  mean += own;
  mean_square += own * own;
}

void AddMeans(const MeanTotals& from, MeanTotals* to) {
  for (const auto& [id, heads] : from) {
    AddHeads(heads, &(*to)[id]);
  }
}

HeadScore MeanScore(const HeadMean& head) {
  HeadScore score;
  if (head.rows == 0.0) {
    return score;
  }
  score.score = head.sum / head.rows;
  score.chance = head.chance / head.rows;
  score.rows = static_cast<std::int64_t>(head.rows);
  score.sequences = static_cast<std::int64_t>(head.texts);
  if (head.texts > 1.0) {
    score.error = StandardError(head.mean, head.mean_square, head.texts);
  }
  return score;
}

}  // namespace headscope
