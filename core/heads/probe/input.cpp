#include "core/heads/probe/input.h"

namespace headscope {

ForwardInput InputOf(std::span<const ProbeSequence* const> texts) {
  ForwardInput input{.ids = {}, .embeddings = {}};
  input.texts = std::ssize(texts);
  for (const ProbeSequence* text : texts) {
    input.ids.insert(input.ids.end(), text->ids.begin(), text->ids.end());
    if (!text->segment_ids.empty()) {
      // Texts without segments run next to texts with segments: all of theirs are 0.
      input.segment_ids.resize(input.ids.size() - text->ids.size());
      input.segment_ids.insert(
          input.segment_ids.end(), text->segment_ids.begin(), text->segment_ids.end());
    }
  }
  if (!input.segment_ids.empty()) {
    input.segment_ids.resize(input.ids.size());
  }
  return input;
}

void AddTargets(std::span<const ProbeSequence* const> targets, ForwardInput* input) {
  for (const ProbeSequence* target : targets) {
    input->target_ids.insert(input->target_ids.end(), target->ids.begin(), target->ids.end());
  }
}

}  // namespace headscope
