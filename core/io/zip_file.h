// The files inside a zip in memory: those stored as they are lie in it, others are unpacked.
//
// Errors   kFormat (no zip, cut short, offsets or sizes that the file does not hold), kUnsupported
//          (encrypted, other methods than deflate, more than the bounds allow); each names the zip.
// Threads  any; the bytes given must outlive what is read from them.
// Cost     the list of files; unpacking holds what it unpacks, in all at most kSmallZipBytes and
//          kMostGrowth times the zip.
// Source   PKWARE APPNOTE 6.3, zip64 included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace headscope {

inline constexpr std::uint64_t kSmallZipBytes = std::uint64_t{32} << 20U;
inline constexpr std::uint64_t kMostGrowth = 12;
inline constexpr std::uint64_t kMostZipEntries = 65'536;

struct ZipEntry {
  std::string name;
  std::span<const std::byte> packed;  // as it lies in the zip
  std::uint64_t size = 0;             // unpacked, as the zip says
  std::uint16_t method = 0;           // 0: stored, `packed` is the file
};

// In the zip's own order; `name` stands in messages.
[[nodiscard]] Result<std::vector<ZipEntry>> ListZip(std::span<const std::byte> bytes,
                                                    const std::string& name);

// Unpacks one entry of a list that ListZip made of `bytes`. `budget`: what is left of the bound,
// less what was unpacked afterwards.
[[nodiscard]] Result<std::vector<std::byte>> Unpack(std::span<const std::byte> bytes,
                                                    std::size_t index,
                                                    const ZipEntry& entry,
                                                    const std::string& name,
                                                    std::uint64_t* budget);

}  // namespace headscope
