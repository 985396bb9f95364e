// Identifies a model by its content, whatever its folder is called.
//
// Units    SHA-256, hexadecimal, over config.json, the weights' headers and sizes, and 16 KiB from
//          the start, the middle and the end of each tensor (docs/architecture.md, "Files").
// Errors   kCancelled.
// Cost     reads at most 48 KiB per tensor, whatever its size.
#pragma once

#include <cstddef>
#include <span>
#include <stop_token>
#include <string>

#include "core/base/error.h"
#include "core/io/weight_store.h"

namespace headscope {

[[nodiscard]] Result<std::string> Fingerprint(std::span<const std::byte> config,
                                              const WeightStore& weights,
                                              const std::stop_token& stop);

}  // namespace headscope
