// Byte counts as readable text: "960 bytes", "1.5 kB", "20.3 GB" (1 kB is 1000 bytes).
#pragma once

#include <cstdint>
#include <string>

namespace headscope {

[[nodiscard]] std::string ByteText(std::uint64_t bytes);

// "20.3 MB, but 1.2 MB is free"; in bytes where both would read the same.
[[nodiscard]] std::string RoomText(std::uint64_t needed, std::uint64_t free);

}  // namespace headscope
