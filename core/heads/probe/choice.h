// Chooses the texts of a probe that a scan runs over.
//
// Errors   kInput: too few are left.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/error.h"
#include "core/heads/probe/probe.h"

namespace headscope {

inline constexpr std::int64_t kFewestSentences = 30;  // for a decision about a relation

// Removes texts with words unknown to the model: what it does with those says nothing.
[[nodiscard]] Status KeepKnown(ProbeCorpus* corpus);

// Keeps `count` texts, evenly spaced; 0 or less: all.
void KeepSome(std::int64_t count, ProbeCorpus* corpus);

// Whether a sequence is one of at most `most` that are evenly spaced, or the control of one. Its place
// decides, so that every share of a scan chooses the same.
[[nodiscard]] bool IsAmongSome(const ProbeCorpus& corpus, std::size_t place, std::size_t most);

}  // namespace headscope
