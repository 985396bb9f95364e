// What a model is known by, whatever its folder is called.
//
// Units    SHA-256, hexadecimal, over config.json, the weights' headers and sizes, and 16 KiB from
//          the start, the middle and the end of each tensor (docs/architecture.md, "Files").
// Cost     at most 48 KiB read for each tensor, whatever its size.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/io/weight_store.h"

namespace headscope {

[[nodiscard]] std::string Fingerprint(std::span<const std::byte> config,
                                      const WeightStore& weights);

}  // namespace headscope
