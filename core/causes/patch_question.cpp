// What is asked of patching: which heads have what is taken over, and which reach others directly.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/causes/patching.h"

namespace headscope {

PatchLengths LengthsOf(const PatchPair& pair) {
  return {std::ssize(pair.clean.ids), std::ssize(pair.clean.target_ids)};
}

std::vector<HeadIndex> HeadsTaken(const ModelDescription& model,
                                  const PatchQuestion& question,
                                  PatchLengths lengths) {
  std::vector<HeadIndex> heads = AllHeadsOf(model);
  const bool is_of_keys = question.what == PatchWhat::kKeys || question.what == PatchWhat::kValues;
  std::erase_if(heads, [&](HeadIndex head) {
    const bool is_of_target =
        head.part == ModelPart::kDecoder || (head.part == ModelPart::kCross && !is_of_keys);
    return question.at.value_or(0) >= (is_of_target ? lengths.target : lengths.text);
  });
  return heads;
}

Status CheckRowTaken(const ModelDescription& model,
                     const PatchQuestion& question,
                     PatchLengths lengths) {
  if (!question.at || (*question.at >= 0 && !HeadsTaken(model, question, lengths).empty())) {
    return {};
  }
  return Fail(ErrorCode::kInput,
              fmt::format("row {} is to be taken over, and the texts have the rows 0 to {}",
                          *question.at,
                          std::max(lengths.text, model.decoder ? lengths.target : 0) - 1));
}

bool ReachesDirectly(HeadIndex sender, const HeadReading& receiver) {
  const HeadIndex to = receiver.head;
  const bool reads_encoder = to.part == ModelPart::kCross && receiver.input != HeadInput::kQueries;
  if (reads_encoder) {
    return sender.part == ModelPart::kEncoder;
  }
  // A layer of the decoder attends to itself, then to the encoder.
  const auto place = [](HeadIndex head) {
    return 2 * head.layer + (head.part == ModelPart::kCross ? 1 : 0);
  };
  return StackThatRuns(sender.part) == StackThatRuns(to.part) && place(sender) < place(to);
}

std::vector<HeadIndex> SendersTo(const ModelDescription& model,
                                 std::span<const HeadReading> receivers) {
  std::vector<HeadIndex> senders = AllHeadsOf(model);
  std::erase_if(senders, [&](HeadIndex head) {
    // The decoder's words know the encoder by cross-attention alone, which is another head.
    return receivers.empty() ? head.part == ModelPart::kEncoder
                             : !std::ranges::all_of(receivers, [head](const HeadReading& to) {
                                 return ReachesDirectly(head, to);
                               });
  });
  return senders;
}

std::string WhyNoSender(std::span<const HeadReading> receivers) {
  std::vector<std::string> names;
  bool reads_encoder = false;
  bool reads_own = false;
  for (const HeadReading& to : receivers) {
    names.push_back(HeadName(to.head));
    const bool is_of_encoder = to.head.part == ModelPart::kCross && to.input != HeadInput::kQueries;
    reads_encoder = reads_encoder || is_of_encoder;
    reads_own = reads_own || !is_of_encoder;
  }
  return reads_encoder && reads_own
             ? "no head reaches all of these directly: keys and values of cross-attention come from "
               "the encoder, all else from the same stack; ask for them apart"
             : fmt::format("no head is before {}", fmt::join(names, ", "));
}

std::vector<std::vector<HeadIndex>> SendersOf(const PatchPaths& paths) {
  std::vector<std::vector<HeadIndex>> senders;
  for (const HeadIndex head : paths.from) {
    senders.push_back({head});
  }
  senders.push_back(paths.from);
  return senders;
}

}  // namespace headscope
