// Writes our JSON files.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace headscope {

// A missing number is written as null, and never left out.
[[nodiscard]] inline nlohmann::ordered_json OrNull(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

// File names and tokens may be invalid UTF-8: such bytes become U+FFFD. `indent` -1 writes one line.
[[nodiscard]] inline std::string JsonText(const nlohmann::ordered_json& json, int indent = -1) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

// Writes an object with one line for each field, and one for each entry of the lists named.
[[nodiscard]] std::string JsonInLines(const nlohmann::ordered_json& object,
                                      std::initializer_list<std::string_view> lists);

}  // namespace headscope
