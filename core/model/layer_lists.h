// For family files: what config.json lists layer by layer.
//
// Errors   kFormat (a list of another length, a number that is no layer's), kUnsupported (a kind that the
//          family does not know); each names the file, the key and the layer.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/io/json.h"
#include "core/model/block_description.h"

namespace headscope {

// Returns whether `holds(layer)`, for each layer.
template <typename Holds>
[[nodiscard]] std::vector<bool> LayersWhere(std::int64_t layers, const Holds& holds) {
  std::vector<bool> found;
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    found.push_back(holds(layer));
  }
  return found;
}

// Returns whether a list names the second of two kinds, for each layer. Without a list, or with an empty one,
// `usual`.
[[nodiscard]] Result<std::vector<bool>> ReadLayerKinds(const JsonObject& json,
                                                       std::string_view key,
                                                       std::array<std::string_view, 2> kinds,
                                                       std::vector<bool> usual);

// The same of a list of 0 and 1, which may go on behind the layers, as that of a longer model does.
[[nodiscard]] Result<std::vector<bool>> ReadLayerFlags(const JsonObject& json,
                                                       std::string_view key,
                                                       std::vector<bool> usual);

// Returns whether a list names its number, for each layer; without a list, `usual`.
enum class NumberBeyond { kRefused, kIgnored };
[[nodiscard]] Result<std::vector<bool>> ReadLayerNumbers(const JsonObject& json,
                                                         std::string_view key,
                                                         NumberBeyond beyond,
                                                         std::vector<bool> usual);

// Returns the window of each layer, or 0 for none: layers that see only the last `window` keys are
// given by "layer_types" or, without it, by `slides`.
[[nodiscard]] Result<std::vector<std::int64_t>> ReadWindows(const JsonObject& json,
                                                            std::int64_t window,
                                                            std::vector<bool> slides);

// Gives each layer its window from "attention_window", a number or a list: so many keys in all, half of
// them to each side, beside the token itself.
[[nodiscard]] Status ReadSpans(const JsonObject& json, ModelDescription* model);

}  // namespace headscope
