#include "core/causes/text_losses.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/stop.h"
#include "core/causes/word_layer.h"

namespace headscope {

const RowSaid* SaidOfToken(const NamedLosses* losses, std::size_t token) {
  const bool is_there = losses != nullptr && token > 0 && token - 1 < losses->losses.rows.size() &&
                        losses->losses.rows[token - 1].next.has_value();
  return is_there ? &losses->losses.rows[token - 1] : nullptr;
}

Result<TextLosses> LossesOf(const WordLayer& words,
                            std::span<const float> states,
                            std::span<const std::int32_t> ids,
                            const std::stop_token& stop) {
  constexpr std::int64_t kRowsInChunk = 16;
  HEADSCOPE_CHECK(!words.is_masked(), "a row of a masked model says its own word");
  TextLosses made;
  const auto rows = std::ssize(ids);
  const Eigen::Map<const FloatMatrix> all(states.data(), rows, std::ssize(states) / rows);
  double sum = 0.0;
  std::int64_t losses = 0;
  for (std::int64_t first = 0; first < rows; first += kRowsInChunk) {
    HEADSCOPE_TRY(CheckStop(stop));
    const FloatMatrix some = all.middleRows(first, std::min(kRowsInChunk, rows - first));
    HEADSCOPE_TRY(const auto logits, words.Logits(some, stop));
    for (Eigen::Index i = 0; i < logits.rows(); ++i) {
      const std::span<const float> row{logits.data() + i * logits.cols(),
                                       static_cast<std::size_t>(logits.cols())};
      RowSaid& said = made.rows.emplace_back();
      said.likeliest = LikeliestWords(row, 1).front();
      const auto next = static_cast<std::size_t>(first + i) + 1;
      if (next < ids.size()) {
        said.next = JudgeWord(row, ids[next]);
        sum += said.next->loss;
        ++losses;
      }
    }
  }
  if (losses > 0) {
    made.loss = sum / static_cast<double>(losses);
  }
  return made;
}

}  // namespace headscope
