// Which texts of a probe a scan runs over.
//
// Errors   kInput: too few are left.
// Threads  plain values.
#pragma once

#include <cstdint>

#include "core/base/error.h"
#include "core/heads/probe/probe.h"

namespace headscope {

inline constexpr std::int64_t kFewestSentences = 30;  // that a decision about a relation needs

// Without the texts with words that the model does not know: what it does with those says nothing.
[[nodiscard]] Status KeepKnown(ProbeCorpus* corpus);

// So many of the texts, evenly from all of them; 0 or less: all.
void KeepSome(std::int64_t count, ProbeCorpus* corpus);

}  // namespace headscope
