#include "core/attention/attention_history.h"

#include <algorithm>
#include <limits>

#include "core/model/past.h"

namespace headscope {
namespace {

bool IsSameText(const ForwardInput& left, const ForwardInput& right) {
  return left.ids == right.ids && left.segment_ids == right.segment_ids &&
         left.embeddings == right.embeddings && left.key_embeddings == right.key_embeddings &&
         left.value_embeddings == right.value_embeddings;
}

// Returns how many first tokens of the text are the same in both and computed in the same way.
std::int64_t SharedText(const StackDescription& stack,
                        const ForwardInput& before,
                        const ForwardInput& now) {
  if (IsSameText(before, now)) {
    return std::numeric_limits<std::int64_t>::max();
  }
  if (before.ids.empty() || now.ids.empty() ||
      before.segment_ids.empty() != now.segment_ids.empty()) {
    return 0;
  }
  const std::int64_t shared = UnchangedTokens(stack, before.ids, now.ids);
  return now.segment_ids.empty()
             ? shared
             : std::min(shared, UnchangedTokens(stack, before.segment_ids, now.segment_ids));
}

}  // namespace

void AttentionHistory::Keep(KeptLayer layer,
                            std::shared_ptr<const ForwardInput> input,
                            std::int64_t thumbnail_size) {
  const std::pair key(layer.attention->part(), layer.attention->layer());
  entries_[key] = {std::move(layer), std::move(input), thumbnail_size};
}

KeptLayers AttentionHistory::Find(const ModelDescription& model,
                                  const ForwardInput& input,
                                  LayerId last,
                                  std::int64_t thumbnail_size) const {
  const StackDescription& stack = StackOf(model, last.part);
  const bool reads_target = HasTargetQueries(last.part);
  KeptLayers kept;
  kept.tokens =
      reads_target ? static_cast<std::int64_t>(input.target_ids.size()) : TokenCount(model, input);
  for (std::int64_t layer = 0; layer <= last.layer; ++layer) {
    const auto found = entries_.find({last.part, layer});
    if (found == entries_.end() || found->second.thumbnail_size != thumbnail_size) {
      return {};
    }
    const ForwardInput& before = *found->second.input;
    if (!reads_target) {
      kept.tokens = std::min(kept.tokens, SharedText(stack, before, input));
    } else if (IsSameText(before, input)) {
      kept.tokens =
          std::min(kept.tokens, UnchangedTokens(stack, before.target_ids, input.target_ids));
    } else {
      return {};
    }
    kept.layers.push_back(found->second.layer);
  }
  return kept;
}

}  // namespace headscope
