#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <unicode/unistr.h>
#include <zip.h>

#include "core/base/atomic_file.h"
#include "core/base/check.h"
#include "core/io/npy.h"

namespace headscope {
namespace {

constexpr std::uint64_t kMaxTextBytes = 1ULL << 30U;

// Only discards: an archive that was closed successfully is released first.
struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, Discard>;

// The content of one entry of the zip; it must stay alive until the zip is closed.
struct Contents {
  std::string name;
  std::string header;
  std::u32string text;
  std::unique_ptr<ReadyBytes> ready;
  ByteSource* bytes = nullptr;  // follow the header
  std::uint64_t num_bytes = 0;
  std::span<const std::byte> rest;  // of the piece being read
  std::optional<Error> failure;     // from `bytes`
};

// Format 1.0; the numbers start at a multiple of 64 bytes.
std::string HeaderText(std::string_view type, const std::vector<std::int64_t>& shape) {
  constexpr std::size_t kBeforeDictionary = 10;
  std::string dictionary =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                  type,
                  fmt::join(shape, ", "),
                  shape.size() == 1 ? "," : "");
  const std::size_t used = kBeforeDictionary + dictionary.size() + 1;
  dictionary.append((64 - used % 64) % 64, ' ');
  dictionary += '\n';
  HEADSCOPE_CHECK(dictionary.size() < 65536, "a shape has a few dimensions");
  std::string text = "\x93NUMPY\x01";
  text += '\0';
  text += static_cast<char>(dictionary.size() & 0xFFU);
  text += static_cast<char>(dictionary.size() >> 8U);
  return text + dictionary;
}

// Copies the next bytes; fewer than `length` at the end, -1 if they cannot be made.
zip_int64_t Read(Contents* contents, std::byte* to, zip_uint64_t length) {
  zip_uint64_t done = 0;
  while (done < length) {
    if (contents->rest.empty()) {
      Result<std::span<const std::byte>> next = contents->bytes->Next();
      if (!next) {
        contents->failure = std::move(next.error());
        return -1;
      }
      if (next->empty()) {
        break;
      }
      contents->rest = *next;
    }
    const std::size_t count = std::min<std::size_t>(contents->rest.size(), length - done);
    std::copy_n(contents->rest.begin(), count, to + done);
    contents->rest = contents->rest.subspan(count);
    done += count;
  }
  return static_cast<zip_int64_t>(done);
}

// The callback by which libzip reads an entry.
zip_int64_t Serve(void* user, void* data, zip_uint64_t length, zip_source_cmd_t command) {
  auto* contents = static_cast<Contents*>(user);
  switch (command) {
    case ZIP_SOURCE_OPEN:
      contents->bytes->Rewind();
      contents->rest = std::as_bytes(std::span(contents->header));
      return 0;
    case ZIP_SOURCE_READ:
      return Read(contents, static_cast<std::byte*>(data), length);
    case ZIP_SOURCE_STAT: {
      auto* status = static_cast<zip_stat_t*>(data);
      zip_stat_init(status);
      status->size = contents->header.size() + contents->num_bytes;
      status->valid |= ZIP_STAT_SIZE;
      return sizeof(zip_stat_t);
    }
    case ZIP_SOURCE_ERROR: {
      const int codes[] = {ZIP_ER_READ, 0};
      std::memcpy(data, codes, sizeof(codes));
      return sizeof(codes);
    }
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE:
      return 0;
    case ZIP_SOURCE_SUPPORTS:
      return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN,
                                            ZIP_SOURCE_READ,
                                            ZIP_SOURCE_CLOSE,
                                            ZIP_SOURCE_STAT,
                                            ZIP_SOURCE_ERROR,
                                            ZIP_SOURCE_FREE,
                                            -1);
    default:
      return -1;
  }
}

tl::unexpected<Error> TooLong(const std::string& file, const std::string& entry) {
  return Fail(
      ErrorCode::kOutOfMemory,
      fmt::format("{}: {}: expected texts of at most {} bytes as a NumPy array, found more; "
                  "write a .safetensors file in its place",
                  file,
                  entry,
                  kMaxTextBytes));
}

// Stores texts as code points, each padded with zeros to the length of the longest.
Status FillTexts(const NpzEntry& entry, const std::string& file, Contents& contents) {
  std::vector<icu::UnicodeString> texts;
  std::size_t width = 1;
  for (const std::string& text : entry.texts) {
    if (text.size() > kMaxTextBytes / sizeof(char32_t)) {
      return TooLong(file, entry.name);
    }
    texts.push_back(icu::UnicodeString::fromUTF8(text));
    width = std::max(width, static_cast<std::size_t>(texts.back().countChar32()));
  }
  if (width > kMaxTextBytes / sizeof(char32_t) / texts.size()) {
    return TooLong(file, entry.name);
  }
  contents.text.resize(width * texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    UErrorCode error = U_ZERO_ERROR;
    static_assert(sizeof(UChar32) == sizeof(char32_t));
    const auto length = static_cast<std::size_t>(texts[i].countChar32());
    std::vector<UChar32> code_points(length + 1);
    texts[i].toUTF32(code_points.data(), static_cast<std::int32_t>(code_points.size()), error);
    HEADSCOPE_CHECK(U_SUCCESS(error) != 0, "the buffer has the size that was asked for");
    std::memcpy(contents.text.data() + i * width, code_points.data(), length * sizeof(char32_t));
  }
  contents.header = HeaderText(fmt::format("<U{}", width), entry.text_shape);
  return {};
}

Status Fill(const NpzEntry& entry, const std::string& file, Contents& contents) {
  contents.name = entry.name + ".npy";
  if (!entry.texts.empty()) {
    std::int64_t count = 1;
    for (const std::int64_t dimension : entry.text_shape) {
      count *= dimension;
    }
    HEADSCOPE_CHECK(count == static_cast<std::int64_t>(entry.texts.size()),
                    "a shape covers its texts");
    HEADSCOPE_TRY(FillTexts(entry, file, contents));
    contents.num_bytes = contents.text.size() * sizeof(char32_t);
    contents.ready = std::make_unique<ReadyBytes>(std::as_bytes(std::span(contents.text)));
  } else {
    const TensorView& numbers = entry.numbers;
    const std::optional<std::string> type = NumpyType(numbers.type);
    if (!type) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("{}: {}: NumPy has no numbers of type {}; convert them to F32",
                              file,
                              entry.name,
                              Name(numbers.type)));
    }
    const std::optional<std::uint64_t> bytes = CheckedByteCount(numbers.shape, numbers.type);
    HEADSCOPE_CHECK(bytes && (entry.bytes != nullptr || *bytes == numbers.bytes.size()),
                    "a tensor's shape covers its bytes");
    contents.header = HeaderText(*type, numbers.shape);
    contents.num_bytes = *bytes;
    contents.ready = std::make_unique<ReadyBytes>(numbers.bytes);
  }
  contents.bytes = entry.bytes != nullptr ? entry.bytes : contents.ready.get();
  return {};
}

bool Add(zip_t* archive, Contents* contents) {
  // 1980-01-01, the first day that a zip can store.
  constexpr zip_uint16_t kFirstDay = (1U << 5U) | 1U;
  zip_source_t* source = zip_source_function(archive, Serve, contents);
  if (source == nullptr) {
    return false;
  }
  const zip_int64_t index = zip_file_add(archive, contents->name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return false;
  }
  const auto entry = static_cast<zip_uint64_t>(index);
  return zip_set_file_compression(archive, entry, ZIP_CM_STORE, 0) == 0 &&
         zip_file_set_dostime(archive, entry, 0, kFirstDay, 0) == 0;
}

// The file that libzip writes to; to libzip it looks empty when read.
struct Sink {
  OutputFile* file = nullptr;
  zip_uint64_t at = 0;
  zip_uint64_t size = 0;
  std::optional<Error> failure;
};

zip_int64_t Seek(Sink* sink, void* data, zip_uint64_t length) {
  zip_error_t error;
  zip_error_init(&error);
  const zip_int64_t at = zip_source_seek_compute_offset(sink->at, sink->size, data, length, &error);
  zip_error_fini(&error);
  if (at < 0) {
    return -1;
  }
  sink->at = static_cast<zip_uint64_t>(at);
  return 0;
}

zip_int64_t WriteTo(Sink* sink, const void* data, zip_uint64_t length) {
  const std::span bytes(static_cast<const std::byte*>(data), length);
  if (Status status = sink->file->WriteAt(sink->at, bytes); !status) {
    sink->failure = std::move(status.error());
    return -1;
  }
  sink->at += length;
  sink->size = std::max(sink->size, sink->at);
  return static_cast<zip_int64_t>(length);
}

zip_int64_t Receive(void* user, void* data, zip_uint64_t length, zip_source_cmd_t command) {
  auto* sink = static_cast<Sink*>(user);
  switch (command) {
    case ZIP_SOURCE_STAT: {
      auto* status = static_cast<zip_stat_t*>(data);
      zip_stat_init(status);
      status->size = 0;
      status->valid |= ZIP_STAT_SIZE;
      return sizeof(zip_stat_t);
    }
    case ZIP_SOURCE_ERROR: {
      const int codes[] = {ZIP_ER_WRITE, 0};
      std::memcpy(data, codes, sizeof(codes));
      return sizeof(codes);
    }
    case ZIP_SOURCE_WRITE:
      return WriteTo(sink, data, length);
    case ZIP_SOURCE_SEEK_WRITE:
      return Seek(sink, data, length);
    case ZIP_SOURCE_TELL_WRITE:
      return static_cast<zip_int64_t>(sink->at);
    case ZIP_SOURCE_OPEN:
    case ZIP_SOURCE_READ:
    case ZIP_SOURCE_SEEK:
    case ZIP_SOURCE_TELL:
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE:
    case ZIP_SOURCE_BEGIN_WRITE:
    case ZIP_SOURCE_COMMIT_WRITE:
    case ZIP_SOURCE_ROLLBACK_WRITE:
    case ZIP_SOURCE_REMOVE:
      return 0;
    case ZIP_SOURCE_SUPPORTS:
      return ZIP_SOURCE_SUPPORTS_WRITABLE;
    default:
      return -1;
  }
}

Status WriteArchive(const std::string& name, OutputFile* file, std::deque<Contents>* entries) {
  const auto failed = [&](const char* reason) {
    return Fail(ErrorCode::kIo, fmt::format("{}: cannot be written ({})", name, reason));
  };
  Sink sink{.file = file, .failure = {}};
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* target = zip_source_function_create(Receive, &sink, &error);
  Archive archive(target == nullptr
                      ? nullptr
                      : zip_open_from_source(target, ZIP_CREATE | ZIP_TRUNCATE, &error));
  const std::string reason = archive == nullptr ? zip_error_strerror(&error) : "";
  zip_error_fini(&error);
  if (archive == nullptr) {
    zip_source_free(target);
    return failed(reason.c_str());
  }
  for (Contents& contents : *entries) {
    if (!Add(archive.get(), &contents)) {
      return failed(zip_strerror(archive.get()));
    }
  }
  if (zip_close(archive.get()) != 0) {
    if (sink.failure) {
      return PassOn(std::move(*sink.failure));
    }
    for (Contents& contents : *entries) {
      if (contents.failure) {
        return PassOn(std::move(*contents.failure));
      }
    }
    return failed(zip_strerror(archive.get()));
  }
  static_cast<void>(archive.release());
  return {};
}

}  // namespace

Status WriteNpz(const std::filesystem::path& path, std::span<const NpzEntry> entries) {
  HEADSCOPE_CHECK(!entries.empty(), "an archive holds something");
  std::deque<Contents> contents;
  for (const NpzEntry& entry : entries) {
    HEADSCOPE_TRY(Fill(entry, path.string(), contents.emplace_back()));
  }
  return WriteFileAtomically(
      path, [&](OutputFile* file) { return WriteArchive(path.string(), file, &contents); });
}

}  // namespace headscope
