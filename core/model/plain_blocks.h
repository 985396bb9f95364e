// Families in which only some layers have attention: the others become blocks between those that are
// counted.
//
// Errors   kFormat: no layer has attention, or the list does not fit the layers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "core/model/family_kit.h"

namespace headscope {

// Reads from "layer_types" which layers have attention: those that are not `other`, or "mamba", as files
// older than transformers 5 have it. Without the list it is what `usual` says.
[[nodiscard]] Result<std::vector<bool>> ReadAttending(const JsonObject& json,
                                                      std::string_view other,
                                                      std::vector<bool> usual);

// kFormat, naming `key`: no layer has attention.
[[nodiscard]] Status RequireAttention(const JsonObject& json,
                                      std::string_view key,
                                      const std::vector<bool>& attends);

inline constexpr std::int64_t kMaxTaps = 64;  // of a convolution: tokens that it joins
inline constexpr std::int64_t kMaxKeyHeads =
    256;  // of a memory: each has rows of its own to describe
inline constexpr std::string_view kStateSpaces = "state spaces (Mamba 2)";

// Makes blocks of the layers without attention: of their norms and MLPs, and what `fill` adds by the
// layer's number. `called` is what the model's note calls that.
void MakePlainBlocks(const std::vector<bool>& attends,
                     std::string_view called,
                     const std::function<void(std::size_t layer, PlainBlock* block)>& fill,
                     ModelDescription* model);

}  // namespace headscope
