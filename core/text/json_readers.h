// Common parts of the readers of tokenizer.json.
//
// Errors   kFormat, kUnsupported.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/io/json.h"
#include "core/text/split.h"

namespace headscope::text {

// Limits on nested sequences, and on the steps of one sequence.
inline constexpr int kMaxNesting = 8;
inline constexpr std::size_t kMaxSteps = 64;

// Makes the error for a type that the format has and the program does not support.
[[nodiscard]] tl::unexpected<Error> NotYet(const std::string& name,
                                           std::string_view part,
                                           std::string_view type);

// Reads {"pattern": {"String": ...}} or {"pattern": {"Regex": ...}}.
[[nodiscard]] Result<Pattern> ParsePattern(const JsonObject& object);

// Reads a character of `object`, by default `fallback`.
[[nodiscard]] Result<std::string> ParseCharacter(const JsonObject& object,
                                                 std::string_view key,
                                                 const std::string& fallback);

// Calls `add` for every step of `object`'s list `key`, with the object and its name.
template <typename Add>
[[nodiscard]] Status ForEachStep(const JsonObject& object, std::string_view key, const Add& add) {
  HEADSCOPE_TRY(auto steps, object.Array(key));
  if (!steps) {
    return Fail(ErrorCode::kFormat,
                object.name() + ": the list \"" + std::string(key) + "\" is missing");
  }
  if (steps->size() > kMaxSteps) {
    return Fail(ErrorCode::kFormat,
                object.name() + ": \"" + std::string(key) + "\" has more than " +
                    std::to_string(kMaxSteps) + " steps");
  }
  for (const JsonValue step : *steps) {
    const std::optional<JsonObject> step_object = JsonObject::Of(step, object.name());
    if (!step_object) {
      return Fail(ErrorCode::kFormat,
                  object.name() + ": \"" + std::string(key) + "\" holds a step that is no object");
    }
    HEADSCOPE_TRY(add(*step_object));
  }
  return {};
}

}  // namespace headscope::text
