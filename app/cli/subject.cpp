#include "app/cli/subject.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/check.h"

namespace headscope {
namespace {

const PartHeads* Find(const std::vector<PartHeads>& parts, ModelPart part) {
  const auto found = std::ranges::find(parts, part, &PartHeads::part);
  return found != parts.end() ? &*found : nullptr;
}

// Names in a message what holds the part: a model, or a file.
std::string NoSuchHead(const Options& options, const std::vector<PartHeads>& parts) {
  return fmt::format("--head {}: this is not a head of the {}",
                     *options.head,
                     options.part        ? *options.part
                     : parts.size() == 1 ? "model, which has one part"
                                         : "model's parts");
}

}  // namespace

CommandResult<Subject> FindSubject(const Options& options, const std::vector<PartHeads>& parts) {
  Subject subject;
  subject.part = parts.front().part;
  if (options.part) {
    HEADSCOPE_TRY(const auto named, ParsePartName(*options.part));
    if (Find(parts, named) == nullptr) {
      return Fail(ErrorCode::kInput,
                  fmt::format("--part {}: there is no such part, but {}; leave it out",
                              *options.part,
                              subject.part == ModelPart::kWhole ? "one part only"
                                                                : PartName(subject.part)));
    }
    subject.part = named;
  }
  std::optional<HeadIndex> head;
  if (options.head) {
    head = ParseHeadName(*options.head);
    if (!head) {
      return Usage(fmt::format("--head: \"{}\" is not a head; write L5H1", *options.head));
    }
    // Plain numbers refer to the chosen part; a name includes its own.
    if (head->part == ModelPart::kWhole) {
      head->part = subject.part;
    }
    if (Find(parts, head->part) == nullptr || (options.part && head->part != subject.part)) {
      return Fail(ErrorCode::kInput, NoSuchHead(options, parts));
    }
    subject.part = head->part;
  }
  const PartHeads* found = Find(parts, subject.part);
  HEADSCOPE_CHECK(found != nullptr, "the part was found before");
  const PartHeads& about = *found;
  subject.layers = {about.layers.front(), about.layers.back()};
  const bool measured_everywhere = options.range == Name(RangeMode::kGlobal);
  if (options.layer) {
    if (!about.HasLayer(*options.layer)) {
      return Fail(
          ErrorCode::kInput,
          fmt::format(
              "--layer {}: the model has layers {}", *options.layer, LayersText(about.layers)));
    }
    subject.layer = options.layer;
    subject.layers =
        measured_everywhere ? subject.layers : LayerRange{*options.layer, *options.layer};
  } else if (head) {
    if (!about.HasLayer(head->layer) || head->head >= about.heads) {
      return Fail(ErrorCode::kInput,
                  fmt::format("--head {}: the model has layers {}, each with heads 0 to {}",
                              HeadName(*head),
                              LayersText(about.layers),
                              about.heads - 1));
    }
    subject.head = head;
    subject.layers = measured_everywhere ? subject.layers : LayerRange{head->layer, head->layer};
  }
  return subject;
}

}  // namespace headscope
