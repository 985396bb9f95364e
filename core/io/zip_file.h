// The files inside a zip in memory: stored ones are used in place, others are unpacked.
//
// Errors   kFormat (not a zip, cut short, offsets or sizes beyond the file), kUnsupported
//          (encrypted, methods other than deflate, larger than the bounds); each names the zip.
// Threads  any; the given bytes must outlive what is read from them.
// Cost     the list of files; unpacking allocates the unpacked size, in total at most
//          kSmallZipBytes and kMostGrowth times the zip.
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
  std::span<const std::byte> packed;  // as stored in the zip
  std::uint64_t size = 0;             // unpacked, as the zip says
  std::uint16_t method = 0;           // 0: stored, so `packed` is the file
};

// Lists the files in the zip's own order; messages call the zip `name`.
[[nodiscard]] Result<std::vector<ZipEntry>> ListZip(std::span<const std::byte> bytes,
                                                    const std::string& name);

// Unpacks one entry of a list that ListZip made of `bytes`. `budget` is what is left of the bound;
// the unpacked size is subtracted from it.
[[nodiscard]] Result<std::vector<std::byte>> Unpack(std::span<const std::byte> bytes,
                                                    std::size_t index,
                                                    const ZipEntry& entry,
                                                    const std::string& name,
                                                    std::uint64_t* budget);

}  // namespace headscope
