#include "core/causes/head_writes.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "core/causes/logit_shares.h"
#include "core/causes/word_layer.h"

namespace headscope {

bool WritesWords(const ModelDescription& model, HeadIndex head) {
  const bool is_part = model.decoder
                           ? head.part == ModelPart::kDecoder || head.part == ModelPart::kCross
                           : head.part == ModelPart::kWhole;
  return is_part && head.layer >= 0 && head.layer < StackOf(model, head.part).layers &&
         head.head >= 0 && head.head < StackOf(model, head.part).heads;
}

Result<HeadWrites> WritesOf(Forward* forward,
                            const WordLayer& words,
                            const ForwardInput& input,
                            std::int64_t row,
                            HeadIndex head,
                            std::int64_t most,
                            const std::stop_token& stop) {
  const ModelDescription& model = forward->model().description();
  HEADSCOPE_TRY(CheckShares(model));
  const auto rows = std::ssize(model.decoder ? input.target_ids : input.ids);
  if (row < 0 || row >= rows) {
    return Fail(ErrorCode::kInput,
                fmt::format("row {}: the text has the rows 0 to {}", row, rows - 1));
  }
  if (!WritesWords(model, head)) {
    return Fail(ErrorCode::kInput,
                fmt::format("{} writes nothing into the rows that say words", HeadName(head)));
  }
  ShareRun run(*forward, {.row = row}, nullptr);
  HEADSCOPE_TRY(forward->RunChanged(input, {}, &run, &run, stop));
  const std::vector<float> without = run.LastWithout(head);
  FloatMatrix states(2, std::ssize(without));
  states.row(0) = Eigen::Map<const Eigen::RowVectorXf>(run.Last().data(), states.cols());
  states.row(1) = Eigen::Map<const Eigen::RowVectorXf>(without.data(), states.cols());
  HEADSCOPE_TRY(const FloatMatrix logits, words.Logits(states, stop));
  const Eigen::VectorXd change = logits.row(0).cast<double>() - logits.row(1).cast<double>();
  const double mean = change.mean();
  std::vector<std::int32_t> ids(static_cast<std::size_t>(change.size()));
  std::iota(ids.begin(), ids.end(), 0);
  const auto count = std::min<std::ptrdiff_t>(most, std::ssize(ids));
  HeadWrites made;
  const auto take = [&](double sign, std::vector<MovedWord>* to) {
    const auto before = [&](std::int32_t one, std::int32_t other) {
      return change[one] == change[other] ? one < other : sign * change[one] > sign * change[other];
    };
    std::ranges::partial_sort(ids, ids.begin() + count, before);
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      const std::int32_t id = ids[static_cast<std::size_t>(i)];
      const double moved = change[id] - mean;
      if (sign * moved > 0.0) {
        to->push_back({id, moved});
      }
    }
  };
  take(1.0, &made.raised);
  take(-1.0, &made.lowered);
  return made;
}

}  // namespace headscope
