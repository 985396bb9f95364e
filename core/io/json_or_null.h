// Our JSON files write a missing number as null, and never leave it out.
#pragma once

#include <optional>

#include <nlohmann/json.hpp>

namespace headscope {

inline nlohmann::ordered_json OrNull(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace headscope
