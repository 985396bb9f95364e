#include "core/base/part_heads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace headscope {

std::string LayersText(const std::vector<std::int64_t>& layers) {
  if (layers.size() == 1) {
    return fmt::format("{} only", layers.front());
  }
  const bool is_range = !layers.empty() && layers.back() - layers.front() + 1 == std::ssize(layers);
  return is_range ? fmt::format("{} to {}", layers.front(), layers.back())
                  : fmt::format("{}", fmt::join(layers, ", "));
}

}  // namespace headscope
