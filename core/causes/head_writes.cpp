#include "core/causes/head_writes.h"

#include <span>

#include <fmt/format.h>

#include "core/causes/likely_words.h"
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
  HEADSCOPE_TRY(CheckRow(row, std::ssize(model.decoder ? input.target_ids : input.ids)));
  ShareRun run(*forward, {.row = row}, nullptr);
  HEADSCOPE_TRY(forward->RunChanged(input, {}, &run, &run, stop));
  return WritesOf(model, run, words, head, most, stop);
}

Result<HeadWrites> WritesOf(const ModelDescription& model,
                            const ShareRun& run,
                            const WordLayer& words,
                            HeadIndex head,
                            std::int64_t most,
                            const std::stop_token& stop) {
  if (!WritesWords(model, head)) {
    return Fail(ErrorCode::kInput,
                fmt::format("{} writes nothing into the rows that say words", HeadName(head)));
  }
  const std::vector<float> without = run.LastWithout(head);
  FloatMatrix states(2, std::ssize(without));
  states.row(0) = Eigen::Map<const Eigen::RowVectorXf>(run.Last().data(), states.cols());
  states.row(1) = Eigen::Map<const Eigen::RowVectorXf>(without.data(), states.cols());
  HEADSCOPE_TRY(const FloatMatrix logits, words.Logits(states, stop));
  const Eigen::RowVectorXf change = logits.row(0) - logits.row(1);
  const double mean = change.cast<double>().mean();
  HeadWrites made;
  const auto take = [&](double sign, std::vector<MovedWord>* to) {
    const Eigen::RowVectorXf signed_change = static_cast<float>(sign) * change;
    const std::span<const float> all(signed_change.data(),
                                     static_cast<std::size_t>(signed_change.size()));
    for (const LikelyWord& word : LikeliestWords(all, most)) {
      const double moved = sign * word.logit - mean;
      if (sign * moved > 0.0) {
        to->push_back({word.id, moved});
      }
    }
  };
  take(1.0, &made.raised);
  take(-1.0, &made.lowered);
  return made;
}

}  // namespace headscope
