#include "core/text/oniguruma_versions.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include <oniguruma.h>

namespace headscope::text {
namespace {

constexpr bool kIsOld = ONIGURUMA_VERSION_INT < 60909;

struct Spelling {
  bool in_class;
  std::string_view later;
  std::string_view older;
};

constexpr std::array<Spelling, 5> kSpellings = {{
    {true, "[:punct:]", "[:punct:]\\p{S}"},
    {true, "[:^punct:]", "[^[:punct:]\\p{S}]"},
    {false, "\\p{Word}", "\\w"},
    {false, "\\p{^Word}", "\\W"},
    {false, "\\P{Word}", "\\W"},
}};

// Returns how many bytes form one unit here: an escape, or a bracket with the plain text right
// after it.
std::size_t StepSize(std::string_view rest) {
  if (rest.front() == '\\') {
    return 2;
  }
  if (rest.front() != '[') {
    return 1;
  }
  const std::size_t opening = rest.starts_with("[^") ? 2 : 1;
  return opening + (rest.substr(opening).starts_with(']') ? 1 : 0);
}

std::string ForOlder(std::string_view pattern) {
  std::string result;
  int nesting = 0;
  while (!pattern.empty()) {
    const auto is_next = [&](const Spelling& spelling) {
      return spelling.in_class == (nesting > 0) && pattern.starts_with(spelling.later);
    };
    const auto* const spelling = std::ranges::find_if(kSpellings, is_next);
    if (spelling != kSpellings.end()) {
      result += spelling->older;
      pattern.remove_prefix(spelling->later.size());
      continue;
    }
    if (pattern.front() == '[') {
      ++nesting;
    } else if (pattern.front() == ']' && nesting > 0) {
      --nesting;
    }
    const std::size_t size = std::min(StepSize(pattern), pattern.size());
    result += pattern.substr(0, size);
    pattern.remove_prefix(size);
  }
  return result;
}

}  // namespace

std::string ForThisOniguruma(std::string_view pattern) {
  return kIsOld ? ForOlder(pattern) : std::string(pattern);
}

}  // namespace headscope::text
