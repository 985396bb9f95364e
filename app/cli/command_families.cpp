// What opens: a line for each type of model, or the same as JSON.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/commands.h"
#include "core/io/json_text.h"
#include "core/model/family_list.h"

namespace headscope {

CommandStatus RunFamilies(const Options& options) {
  const std::vector<OpenedType> types = ListTypes();
  if (options.json) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const OpenedType& one : types) {
      nlohmann::ordered_json why_not = nlohmann::ordered_json::object();
      for (const auto& [what, why] : one.why_not) {
        why_not[what] = why;
      }
      json.push_back({{"type", one.type},
                      {"layout", one.layout},
                      {"parts", one.parts},
                      {"why_not", std::move(why_not)}});
    }
    return Print(JsonText(json) + "\n");
  }
  std::size_t widest = 0;
  for (const OpenedType& one : types) {
    widest = std::max(widest, one.type.size());
  }
  std::string lines;
  for (const OpenedType& one : types) {
    lines +=
        fmt::format("{:{}}  {:12}  {}", one.type, widest, one.layout, fmt::join(one.parts, ", "));
    for (const auto& [what, why] : one.why_not) {
      lines += fmt::format("; no {}: {}", what, why);
    }
    lines += "\n";
  }
  return Print(lines);
}

}  // namespace headscope
