#include "core/model/past.h"

#include <algorithm>

#include "core/model/rotary.h"

namespace headscope {

std::int64_t UnchangedTokens(const StackDescription& stack,
                             std::span<const std::int32_t> before,
                             std::span<const std::int32_t> now) {
  if (std::ranges::equal(before, now)) {
    return static_cast<std::int64_t>(now.size());
  }
  const auto turns_alike = [&](const RotaryRule& rule) {
    return TableFor(rule, static_cast<std::int64_t>(before.size())) ==
           TableFor(rule, static_cast<std::int64_t>(now.size()));
  };
  if (!stack.causal || HasPlainBlocks(stack) || !std::ranges::all_of(stack.rotary, turns_alike)) {
    return 0;
  }
  return std::ranges::mismatch(before, now).in2 - now.begin();
}

}  // namespace headscope
