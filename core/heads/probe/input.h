// What a forward reads of a probe's texts.
//
// Threads  any.
#pragma once

#include <cstdint>
#include <span>

#include "core/heads/probe/probe.h"
#include "core/model/forward_input.h"

namespace headscope {

// The texts, which have one length, side by side.
[[nodiscard]] ForwardInput InputOf(std::span<const ProbeSequence* const> texts);

// What an encoder-decoder's decoder reads of them, of one length too.
void AddTargets(std::span<const ProbeSequence* const> targets, ForwardInput* input);

}  // namespace headscope
