#include "core/heads/scan/previous_heads.h"

#include <algorithm>
#include <numeric>

#include "core/base/check.h"
#include "core/heads/scan/part.h"
#include "core/heads/scan/scan.h"

namespace headscope {

Result<std::vector<bool>> FindPreviousHeads(Forward* forward,
                                            std::span<const std::string> texts,
                                            const std::stop_token& stop) {
  const Model& model = forward->model();
  RepeatSettings settings;
  settings.texts = texts;
  settings.controls = false;
  Result<ProbeCorpus> repeats = MakeRepeats(model, ReadVocabulary(model), settings);
  if (!repeats) {
    const ModelDescription& shape = model.description();
    return std::vector<bool>(static_cast<std::size_t>(shape.layers * shape.heads));
  }
  // Repeats of one period are enough: 20, or the only one.
  const std::size_t group = std::min<std::size_t>(1, repeats->groups.size() - 1);
  std::erase_if(repeats->sequences,
                [&](const ProbeSequence& sequence) { return sequence.group != group; });
  for (ProbeSequence& sequence : repeats->sequences) {
    sequence.group = 0;
  }
  repeats->groups = {repeats->groups[group]};
  ScanBatch all(repeats->sequences.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  HEADSCOPE_TRY(const auto sums, RunBatch(forward, *repeats, {}, all, stop));
  const HeadMetric* const metric = FindMetric("previous_token");
  HEADSCOPE_CHECK(metric != nullptr, "the previous token is a metric");
  const GroupSums& groups = sums.rows[static_cast<std::size_t>(metric - AllMetrics().data())];
  const HeadsOfScan heads = DescribeScan(model, *repeats).heads;
  std::vector<bool> found;
  for (std::size_t head = 0; head < heads.count(); ++head) {
    const auto questions = static_cast<std::int64_t>(heads.count());
    found.push_back(DecideShare(groups, *metric, heads, head, questions, std::nullopt).verdict ==
                    Verdict::kStrong);
  }
  return found;
}

}  // namespace headscope
