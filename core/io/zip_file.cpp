#include "core/io/zip_file.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <zip.h>

#include "core/base/counted.h"
#include "core/base/quote.h"

namespace headscope {
namespace {

constexpr std::uint32_t kLocal = 0x04034B50;
constexpr std::uint32_t kCentral = 0x02014B50;
constexpr std::uint32_t kEnd = 0x06054B50;
constexpr std::uint32_t kEnd64 = 0x06064B50;
constexpr std::uint32_t kEnd64Locator = 0x07064B50;
constexpr std::uint32_t kIn64 = 0xFFFFFFFF;  // the number is in the zip64 field
constexpr std::size_t kLocalBytes = 30;
constexpr std::size_t kCentralBytes = 46;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::size_t kLocatorBytes = 20;
constexpr std::size_t kMostComment = 65'535;
constexpr std::uint16_t kEncrypted = 1;

template <typename Number>
Number At(std::span<const std::byte> bytes, std::size_t offset) {
  Number number{};
  std::memcpy(&number, bytes.data() + offset, sizeof(number));
  return number;
}

std::optional<std::span<const std::byte>> Part(std::span<const std::byte> bytes,
                                               std::uint64_t begin,
                                               std::uint64_t size) {
  if (begin > bytes.size() || size > bytes.size() - begin) {
    return std::nullopt;
  }
  return bytes.subspan(begin, size);
}

tl::unexpected<Error> BadZip(const std::string& name, std::string_view what) {
  return Fail(ErrorCode::kFormat, fmt::format("{}: {}; is the file whole?", name, what));
}

struct Directory {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  std::uint64_t entries = 0;
};

// Reads the record at the end of the zip, or its zip64 form before it.
Result<Directory> FindDirectory(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.size() < kEndBytes) {
    return BadZip(name, "expected a zip, found too few bytes for one");
  }
  const std::size_t last = bytes.size() - kEndBytes;
  const std::size_t first = last - std::min(last, kMostComment);
  std::size_t end = last + 1;
  while (end > first && At<std::uint32_t>(bytes, end - 1) != kEnd) {
    --end;
  }
  if (end == first) {
    return BadZip(name, "the zip's list of files, which stands at its end, is not there");
  }
  --end;
  Directory directory{.begin = At<std::uint32_t>(bytes, end + 16),
                      .size = At<std::uint32_t>(bytes, end + 12),
                      .entries = At<std::uint16_t>(bytes, end + 10)};
  const bool has_locator =
      end >= kLocatorBytes && At<std::uint32_t>(bytes, end - kLocatorBytes) == kEnd64Locator;
  if (has_locator) {
    const auto at = At<std::uint64_t>(bytes, end - kLocatorBytes + 8);
    const auto record = Part(bytes, at, kEnd64Bytes);
    if (!record || At<std::uint32_t>(*record, 0) != kEnd64) {
      return BadZip(name, "the zip's larger record of its end is not where it should be");
    }
    directory = {.begin = At<std::uint64_t>(*record, 48),
                 .size = At<std::uint64_t>(*record, 40),
                 .entries = At<std::uint64_t>(*record, 32)};
  }
  return directory;
}

// Reads an entry's 64-bit sizes, in the order in which its 32-bit fields announce them.
Status ReadLarge(std::span<const std::byte> extra,
                 const std::string& name,
                 std::initializer_list<std::uint64_t*> numbers) {
  constexpr std::uint16_t kZip64 = 1;
  std::span<const std::byte> field;
  while (extra.size() >= 4) {
    const auto body = Part(extra, 4, At<std::uint16_t>(extra, 2));
    if (!body) {
      break;
    }
    if (At<std::uint16_t>(extra, 0) == kZip64) {
      field = *body;
      break;
    }
    extra = extra.subspan(4 + body->size());
  }
  for (std::uint64_t* number : numbers) {
    if (*number != kIn64) {
      continue;
    }
    if (field.size() < sizeof(std::uint64_t)) {
      return BadZip(name, "a large size in the zip's list of files is missing");
    }
    *number = At<std::uint64_t>(field, 0);
    field = field.subspan(sizeof(std::uint64_t));
  }
  return {};
}

struct DiscardRead {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseFile {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

}  // namespace

Result<std::vector<ZipEntry>> ListZip(std::span<const std::byte> bytes, const std::string& name) {
  HEADSCOPE_TRY(const auto directory, FindDirectory(bytes, name));
  const auto list = Part(bytes, directory.begin, directory.size);
  if (!list) {
    return BadZip(name, "the zip's list of files lies past the end of the file");
  }
  if (directory.entries > kMostZipEntries) {
    return Fail(
        ErrorCode::kUnsupported,
        fmt::format(
            "{}: holds {} files, expected at most {}", name, directory.entries, kMostZipEntries));
  }
  std::vector<ZipEntry> entries;
  std::uint64_t held = 0;
  std::span<const std::byte> rest = *list;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    if (rest.size() < kCentralBytes || At<std::uint32_t>(rest, 0) != kCentral) {
      return BadZip(
          name, fmt::format("the zip lists {}, found {}", Counted(directory.entries, "file"), i));
    }
    const std::size_t name_bytes = At<std::uint16_t>(rest, 28);
    const std::size_t extra_bytes = At<std::uint16_t>(rest, 30);
    const std::size_t comment_bytes = At<std::uint16_t>(rest, 32);
    const auto tail = Part(rest, kCentralBytes, name_bytes + extra_bytes + comment_bytes);
    if (!tail) {
      return BadZip(name, "the zip's list of files is cut short");
    }
    ZipEntry entry;
    entry.name.assign(reinterpret_cast<const char*>(tail->data()), name_bytes);
    entry.method = At<std::uint16_t>(rest, 10);
    entry.size = At<std::uint32_t>(rest, 24);
    std::uint64_t packed = At<std::uint32_t>(rest, 20);
    std::uint64_t offset = At<std::uint32_t>(rest, 42);
    HEADSCOPE_TRY(
        ReadLarge(tail->subspan(name_bytes, extra_bytes), name, {&entry.size, &packed, &offset}));
    if ((At<std::uint16_t>(rest, 8) & kEncrypted) != 0) {
      return Fail(
          ErrorCode::kUnsupported,
          fmt::format("{}: {} is encrypted, expected a plain zip", name, Quoted(entry.name)));
    }
    const auto local = Part(bytes, offset, kLocalBytes);
    if (!local || At<std::uint32_t>(*local, 0) != kLocal) {
      return BadZip(name, fmt::format("{} is not where the zip says", Quoted(entry.name)));
    }
    const std::uint64_t begin =
        offset + kLocalBytes + At<std::uint16_t>(*local, 26) + At<std::uint16_t>(*local, 28);
    const auto body = Part(bytes, begin, packed);
    if (!body || (entry.method == 0 && entry.size != packed)) {
      return BadZip(
          name,
          fmt::format(
              "{} has {} bytes, which the zip does not hold", Quoted(entry.name), entry.size));
    }
    held += packed;
    // The same bytes listed as many files would be unpacked that many times.
    if (held > bytes.size()) {
      return BadZip(name, "the files in the zip overlap");
    }
    entry.packed = *body;
    entries.push_back(std::move(entry));
    rest = rest.subspan(kCentralBytes + tail->size());
  }
  return entries;
}

Result<std::vector<std::byte>> Unpack(std::span<const std::byte> bytes,
                                      std::size_t index,
                                      const ZipEntry& entry,
                                      const std::string& name,
                                      std::uint64_t* budget) {
  if (entry.size > *budget) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: {} unpacks to {} bytes, more than such a zip may; save it with "
                            "numpy.savez, which does not compress",
                            name,
                            Quoted(entry.name),
                            entry.size));
  }
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  if (source == nullptr) {
    return Fail(ErrorCode::kOutOfMemory, fmt::format("{}: no memory to unpack it with", name));
  }
  const std::unique_ptr<zip_t, DiscardRead> archive(
      zip_open_from_source(source, ZIP_RDONLY, &error));
  if (archive == nullptr) {
    zip_source_free(source);
    return BadZip(name, "the zip cannot be opened");
  }
  const std::unique_ptr<zip_file_t, CloseFile> file(zip_fopen_index(archive.get(), index, 0));
  if (file == nullptr) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: {} is packed in a way that is not read here; save it with "
                            "numpy.savez",
                            name,
                            Quoted(entry.name)));
  }
  std::vector<std::byte> unpacked(entry.size);
  std::size_t done = 0;
  while (done < unpacked.size()) {
    const zip_int64_t got = zip_fread(file.get(), unpacked.data() + done, unpacked.size() - done);
    if (got <= 0) {
      return BadZip(name, fmt::format("{} does not unpack", Quoted(entry.name)));
    }
    done += static_cast<std::size_t>(got);
  }
  // Nothing may follow; reading past the end also checks the checksum.
  std::byte more{};
  if (zip_fread(file.get(), &more, 1) != 0) {
    return BadZip(name, fmt::format("{} does not unpack to what the zip says", Quoted(entry.name)));
  }
  *budget -= entry.size;
  return unpacked;
}

}  // namespace headscope
