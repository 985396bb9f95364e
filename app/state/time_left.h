// How long work still takes, in words: "12 s left", "3 min left".
#pragma once

#include <cmath>
#include <string>

#include <fmt/format.h>

namespace headscope {

[[nodiscard]] inline std::string TimeLeft(double seconds) {
  return seconds < 60.0 ? fmt::format("{:.0f} s left", std::ceil(seconds))
                        : fmt::format("{:.0f} min left", std::ceil(seconds / 60.0));
}

}  // namespace headscope
