// How roles are decided, in sentences made from the constants that decide.
//
// Threads  immutable; any thread reads.
// Source   docs/reference.md, "score" and "Roles".
#pragma once

#include <string>

namespace headscope {

[[nodiscard]] std::string HowSharesAreDecided();
[[nodiscard]] std::string HowCopiesAreDecided();
// For relations; coreference counts as one more.
[[nodiscard]] std::string HowRelationsAreDecided();

}  // namespace headscope
