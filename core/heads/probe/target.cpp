#include "core/heads/probe/target.h"

#include <algorithm>

#include "core/base/check.h"

namespace headscope {
namespace {

// Shifts the ids that the control has and its sequence lacks by half their number.
std::vector<std::int32_t> OtherText(const ProbeSequence& sequence, const ProbeSequence& control) {
  std::vector<std::int32_t> ids = control.ids;
  std::vector<std::size_t> others;
  for (std::size_t place = 0; place < ids.size(); ++place) {
    if (ids[place] != sequence.ids[place]) {
      others.push_back(place);
    }
  }
  for (std::size_t i = 0; i < others.size(); ++i) {
    ids[others[i]] = control.ids[others[(i + others.size() / 2) % others.size()]];
  }
  return ids;
}

template <typename Value>
void PutBefore(Value value, std::size_t size, std::vector<Value>* values) {
  if (!values->empty()) {
    values->insert(values->begin(), value);
    values->resize(size);
  }
}

// `ids`: what the target reads after its start token.
ProbeSequence TargetOf(const ModelDescription& model,
                       const ProbeSequence& sequence,
                       std::span<const std::int32_t> ids) {
  ProbeSequence target = sequence;
  target.ids.assign(1, model.start_id);
  target.ids.insert(target.ids.end(), ids.begin(), ids.end());
  target.ids.resize(
      std::min(target.ids.size(), static_cast<std::size_t>(model.decoder->positions)));
  const std::size_t size = target.ids.size();
  target.segment_ids.clear();
  PutBefore<std::uint8_t>(1, size, &target.special);
  PutBefore<std::uint8_t>(1, size, &target.separator);
  PutBefore(-1, size, &target.word);
  PutBefore<std::int64_t>(0, size, &target.count);
  PutBefore(-1, size, &target.annotated_word);
  std::erase_if(target.hidden, [&](const HiddenToken& next) {
    return static_cast<std::size_t>(next.query) + 1 >= size;
  });
  for (HiddenToken& next : target.hidden) {
    next = {next.query + 1, next.key + 1, next.other + 1};
  }
  return target;
}

}  // namespace

Result<ProbeCorpus> MakeTargets(const Model& model, const ProbeCorpus& corpus) {
  const ModelDescription& description = model.description();
  HEADSCOPE_CHECK(description.decoder.has_value(), "only a decoder reads a target");
  if (description.has_target_vocabulary) {
    return Fail(ErrorCode::kUnsupported,
                "the decoder has a vocabulary of its own, so the probe's tokens are no target for "
                "it; its encoder alone is scanned");
  }
  ProbeCorpus targets = corpus;
  bool has_end = false;  // the sequence's last token ends the text
  for (std::size_t i = 0; i < corpus.sequences.size(); ++i) {
    const ProbeSequence& sequence = corpus.sequences[i];
    const std::vector<std::int32_t> ids =
        sequence.is_control ? OtherText(corpus.sequences[i - 1], sequence) : sequence.ids;
    if (!sequence.is_control) {  // a control is as long as its sequence
      has_end = std::ranges::find(description.end_ids, ids.back()) != description.end_ids.end();
    }
    targets.sequences[i] =
        TargetOf(description, sequence, std::span(ids).first(ids.size() - (has_end ? 1 : 0)));
  }
  return targets;
}

}  // namespace headscope
