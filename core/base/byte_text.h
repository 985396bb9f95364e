// Numbers of bytes for people: "960 bytes", "1.5 kB", "20.3 GB", of a thousand each.
#pragma once

#include <cstdint>
#include <string>

namespace headscope {

[[nodiscard]] std::string ByteText(std::uint64_t bytes);

// "20.3 MB, but 1.2 MB is free"; in bytes where both would read alike.
[[nodiscard]] std::string RoomText(std::uint64_t needed, std::uint64_t free);

}  // namespace headscope
