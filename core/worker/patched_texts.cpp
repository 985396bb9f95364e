#include "core/worker/patched_texts.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/counted.h"

namespace headscope {
namespace {

// What was compared, on which texts.
std::string MetricCaption(const PatchedTexts& patched,
                          const std::string& clean,
                          const std::string& corrupted) {
  if (!patched.file.empty()) {
    const std::string pairs =
        patched.pairs == patched.pairs_in_all
            ? Counted(patched.pairs, "pair")
            : fmt::format("the first {} of {} pairs", patched.pairs, patched.pairs_in_all);
    return fmt::format(
        "Over {} of {}: the mean change over the mean difference. Metric: the logit of the right "
        "token minus that of the wrong one: {:.3f} in the clean texts (A), {:.3f} in the corrupted "
        "ones (B)",
        pairs,
        patched.file,
        patched.clean,
        patched.corrupted);
  }
  return fmt::format(
      "Clean (A): “{}”. Corrupted (B): “{}”. Metric: the logit of “{}” minus that of “{}” {} “{}” "
      "(token {}): {:.3f} in A, {:.3f} in B",
      clean,
      corrupted,
      patched.right.name,
      patched.wrong.name,
      patched.is_masked ? "at" : "after",
      patched.row_name,
      patched.row,
      patched.clean,
      patched.corrupted);
}

std::string PathCaption(const PatchPaths& paths) {
  return fmt::format(" Direct paths to {}: other heads keep what they give, MLPs {}.",
                     ReceiverWords(paths),
                     paths.freezes_mlps ? "too" : "are computed anew");
}

}  // namespace

std::string RowTakenWords(const PatchedTexts& patched) {
  if (!patched.at) {
    return "";
  }
  return patched.at_name.empty() ? fmt::format("row {} alone", *patched.at)
                                 : fmt::format("row {} alone (“{}”)", *patched.at, patched.at_name);
}

std::string_view InputName(HeadInput input) {
  constexpr std::array<std::string_view, 3> kNames = {"queries", "keys", "values"};
  return kNames[static_cast<std::size_t>(input)];
}

std::string ReceiverWords(const PatchPaths& paths) {
  if (paths.to.empty()) {
    return "the logits";
  }
  std::vector<std::string> words;
  for (std::size_t i = 0; i < paths.to.size(); ++i) {
    const HeadReading& to = paths.to[i];
    const bool is_as_before = i > 0 && paths.to[i - 1].input == to.input;
    words.push_back(is_as_before
                        ? HeadName(to.head)
                        : fmt::format("the {} of {}", InputName(to.input), HeadName(to.head)));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

EffectMap EffectMapOf(const PatchedTexts& patched,
                      const HeadsOfScan& heads,
                      const std::string& clean,
                      const std::string& corrupted) {
  const bool is_denoising = patched.direction == PatchDirection::kDenoise;
  EffectMap map;
  map.title = patched.paths ? fmt::format("Direct effect on {}", ReceiverWords(*patched.paths))
                            : fmt::format("Patching: {}{}",
                                          PatchName(patched.what),
                                          patched.at ? fmt::format(", row {}", *patched.at) : "");
  map.words =
      is_denoising
          ? "share of the difference that comes back with it; right: towards the clean text"
          : "share of the difference that is lost with it; right: towards the corrupted text";
  map.caption = fmt::format(
      "{}; {}.{}",
      MetricCaption(patched, clean, corrupted),
      is_denoising ? "denoising, parts of A put into B" : "noising, parts of B put into A",
      patched.paths ? PathCaption(*patched.paths)
      : patched.at  ? fmt::format(" Taken over: {}.", RowTakenWords(patched))
                    : "");
  if (patched.layers > 0) {
    map.shape = {patched.first.part, patched.layers, std::ssize(patched.positions)};
    map.columns = patched.positions;
    for (const double metric : patched.metrics) {
      map.values.emplace_back(patched.ScoreOf(metric));
    }
    return map;
  }
  map.shape = heads;
  map.at = patched.at;
  map.values.resize(heads.count());
  const bool has_errors = !patched.scores.empty() && patched.scores.front().error;
  map.errors.resize(has_errors ? heads.count() : 0);
  map.restored.resize(has_errors ? heads.count() : 0);
  for (std::size_t i = 0; i < patched.metrics.size(); ++i) {
    if (patched.heads[i].part != heads.part) {
      continue;
    }
    const std::size_t place = heads.PlaceOf(patched.heads[i]);
    map.values.at(place) = patched.ScoreOf(patched.metrics[i]);
    if (has_errors) {
      map.errors.at(place) = *patched.scores[i].error;
      map.restored.at(place) = patched.scores[i].restored;
    }
  }
  return map;
}

}  // namespace headscope
