// A step on the way from a text to its pieces, and how tokenizer.json describes it: a type that one
// of several readers knows, or a sequence of such steps.
//
// Errors   the step's own; reading: kFormat, kUnsupported.
// Threads  immutable; any thread applies.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/text/json_readers.h"

namespace headscope::text {

template <typename Subject>
struct TextStep {
  std::function<Status(Subject&)> apply = [](Subject& /*subject*/) { return Status{}; };
  // The character that represents a space in the result, if this step writes one ("▁").
  std::string blank_marker = {};
  // Whether the result uses the alphabet of ByteCharacters().
  bool makes_byte_characters = false;
};

// Makes one step of several. The blank marker is that of the first step that has one.
template <typename Subject>
[[nodiscard]] TextStep<Subject> JoinSteps(std::vector<TextStep<Subject>> steps) {
  TextStep<Subject> joined;
  for (const TextStep<Subject>& step : steps) {
    joined.blank_marker = joined.blank_marker.empty() ? step.blank_marker : joined.blank_marker;
    joined.makes_byte_characters = joined.makes_byte_characters || step.makes_byte_characters;
  }
  joined.apply = [steps = std::move(steps)](Subject& subject) -> Status {
    for (const TextStep<Subject>& step : steps) {
      HEADSCOPE_TRY(step.apply(subject));
    }
    return {};
  };
  return joined;
}

// Reads a step of the type with this name.
template <typename Step>
struct StepReader {
  std::string_view type;
  Result<Step> (*read)(const JsonObject& object);
};

// `part` names the steps in messages, `list` is the key of a sequence's list.
template <typename Step>
[[nodiscard]] Result<Step> ReadStep(const JsonObject& object,
                                    std::string_view part,
                                    std::string_view list,
                                    std::span<const StepReader<Step>> readers,
                                    int nesting = 0) {
  HEADSCOPE_TRY(const auto type, object.String("type"));
  if (type == "Sequence" && nesting < kMaxNesting) {
    std::vector<Step> steps;
    HEADSCOPE_TRY(ForEachStep(object, list, [&](const JsonObject& each) -> Status {
      HEADSCOPE_TRY(auto step, ReadStep(each, part, list, readers, nesting + 1));
      steps.push_back(std::move(step));
      return {};
    }));
    return JoinSteps(std::move(steps));
  }
  const auto found = std::ranges::find(readers, type, &StepReader<Step>::type);
  return found != readers.end() ? found->read(object) : NotYet(object.name(), part, type);
}

}  // namespace headscope::text
