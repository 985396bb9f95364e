// Makes a forward's input from a probe's texts.
#pragma once

#include <cstdint>
#include <span>

#include "core/heads/probe/probe.h"
#include "core/model/forward_input.h"

namespace headscope {

// Returns the texts, all of one length, side by side.
[[nodiscard]] ForwardInput InputOf(std::span<const ProbeSequence* const> texts);

// Adds what the decoder of an encoder-decoder reads for them, also of one length.
void AddTargets(std::span<const ProbeSequence* const> targets, ForwardInput* input);

}  // namespace headscope
