#include "core/base/byte_text.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace headscope {
namespace {

std::string Exactly(std::uint64_t bytes) {
  return fmt::format("{} {}", bytes, bytes == 1 ? "byte" : "bytes");
}

}  // namespace

std::string ByteText(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 4> kUnits = {"kB", "MB", "GB", "TB"};
  constexpr double kStep = 1000.0;
  // From here on a number rounds to 1000 and is written in the next unit.
  constexpr double kMost = 999.95;
  if (bytes < 1000) {
    return Exactly(bytes);
  }
  double size = static_cast<double>(bytes) / kStep;
  std::size_t unit = 0;
  for (; size >= kMost && unit + 1 < kUnits.size(); ++unit) {
    size /= kStep;
  }
  return fmt::format("{:.1f} {}", size, kUnits[unit]);
}

std::string RoomText(std::uint64_t needed, std::uint64_t free) {
  const bool is_alike = ByteText(needed) == ByteText(free);
  return fmt::format("{}, but {} is free",
                     is_alike ? Exactly(needed) : ByteText(needed),
                     is_alike ? Exactly(free) : ByteText(free));
}

}  // namespace headscope
