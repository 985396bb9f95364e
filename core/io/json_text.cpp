#include "core/io/json_text.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace headscope {

std::string JsonInLines(const nlohmann::ordered_json& object,
                        std::initializer_list<std::string_view> lists) {
  std::vector<std::string> fields;
  for (const auto& [name, value] : object.items()) {
    std::string text;
    if (value.empty() || std::ranges::find(lists, name) == lists.end()) {
      text = JsonText(value);
    } else {
      std::vector<std::string> entries;
      for (const auto& entry : value) {
        entries.push_back(JsonText(entry));
      }
      text = fmt::format("[\n    {}\n  ]", fmt::join(entries, ",\n    "));
    }
    fields.push_back(fmt::format("  {}: {}", JsonText(name), text));
  }
  return fmt::format("{{\n{}\n}}\n", fmt::join(fields, ",\n"));
}

}  // namespace headscope
