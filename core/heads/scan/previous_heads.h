// The heads that look at the previous token, found on a few repeats of our own: those that later
// heads may have their keys from (core/heads/effect/key_composition.h). The same whatever else is scanned.
//
// Shapes   [layers heads]
// Errors   what the forward returns; kCancelled. A model that repeats cannot be made for has none.
// Threads  the backend's.
// Cost     a forward over ten sequences of some 41 tokens.
// Source   docs/reference.md, "Roles": what is strong there is one here.
#pragma once

#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/model/forward.h"

namespace headscope {

// `texts`: what the repeats are drawn from.
[[nodiscard]] Result<std::vector<bool>> FindPreviousHeads(Forward* forward,
                                                          std::span<const std::string> texts,
                                                          const std::stop_token& stop);

}  // namespace headscope
