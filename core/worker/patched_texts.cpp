#include "core/worker/patched_texts.h"

#include <fmt/format.h>

namespace headscope {

EffectMap EffectMapOf(const PatchedTexts& patched,
                      const HeadsOfScan& heads,
                      const std::string& clean,
                      const std::string& corrupted) {
  const bool is_denoising = patched.direction == PatchDirection::kDenoise;
  EffectMap map;
  map.title = fmt::format("Patching: {}", PatchName(patched.what));
  map.words =
      is_denoising
          ? "share of the difference that comes back with it; right: towards the clean text"
          : "share of the difference that is lost with it; right: towards the corrupted text";
  map.caption = fmt::format(
      "Clean (A): “{}”. Corrupted (B): “{}”. Metric: the logit of “{}” minus that of “{}” {} “{}” "
      "(token {}): {:.3f} in A, {:.3f} in B; {}.",
      clean,
      corrupted,
      patched.right.name,
      patched.wrong.name,
      patched.is_masked ? "at" : "after",
      patched.row_name,
      patched.row,
      patched.clean,
      patched.corrupted,
      is_denoising ? "denoising, parts of A put into B" : "noising, parts of B put into A");
  if (patched.layers > 0) {
    map.shape = {patched.first.part, patched.layers, std::ssize(patched.positions)};
    map.columns = patched.positions;
    for (const double metric : patched.metrics) {
      map.values.emplace_back(patched.ScoreOf(metric));
    }
    return map;
  }
  map.shape = heads;
  map.values.resize(heads.count());
  for (std::size_t i = 0; i < patched.metrics.size(); ++i) {
    if (patched.heads[i].part == heads.part) {
      map.values.at(heads.PlaceOf(patched.heads[i])) = patched.ScoreOf(patched.metrics[i]);
    }
  }
  return map;
}

}  // namespace headscope
