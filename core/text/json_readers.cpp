#include "core/text/json_readers.h"

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/text/unicode.h"

namespace headscope::text {

tl::unexpected<Error> NotYet(const std::string& name,
                             std::string_view part,
                             std::string_view type) {
  return Fail(ErrorCode::kUnsupported,
              fmt::format("{}: the {} {} is not yet supported", name, part, Quoted(type)));
}

Result<Pattern> ParsePattern(const JsonObject& object) {
  HEADSCOPE_TRY(auto pattern, object.Object("pattern"));
  if (!pattern || pattern->Has("String") == pattern->Has("Regex")) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: \"pattern\" must be {{\"String\": ...}} or {{\"Regex\": ...}}",
                            object.name()));
  }
  const bool is_regex = pattern->Has("Regex");
  HEADSCOPE_TRY(auto text, pattern->String(is_regex ? "Regex" : "String"));
  if (!is_regex) {
    return Pattern(std::move(text));
  }
  HEADSCOPE_TRY(auto regex, Regex::Compile(text, object.name()));
  return Pattern(std::move(regex));
}

Result<std::string> ParseCharacter(const JsonObject& object,
                                   std::string_view key,
                                   const std::string& fallback) {
  Result<std::string> text = object.String(key, fallback);
  if (!text) {
    return text;
  }
  std::size_t end = 0;
  if (!text->empty()) {
    NextCharacter(*text, end);
  }
  if (text->empty() || end != text->size()) {
    return Fail(
        ErrorCode::kFormat,
        fmt::format(
            "{}: {} is {}, expected one character", object.name(), Quoted(key), Quoted(*text)));
  }
  return text;
}

}  // namespace headscope::text
