// What a forward reads of a probe's texts.
//
// Threads  any.
#pragma once

#include <cstdint>
#include <span>

#include "core/heads/probe.h"
#include "core/model/forward_input.h"

namespace headscope {

// The texts, which have one length, side by side.
[[nodiscard]] ForwardInput InputOf(std::span<const ProbeSequence* const> texts);

}  // namespace headscope
