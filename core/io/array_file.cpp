#include "core/io/array_file.h"

#include <array>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "core/base/mapped_file.h"
#include "core/base/quote.h"
#include "core/io/json.h"
#include "core/io/npy.h"
#include "core/io/zip_file.h"

namespace headscope {
namespace {

constexpr std::string_view kNpyEnding = ".npy";

// Stores one array under its name.
void Take(NpyArray array, const std::string& name, ArrayFile* file) {
  if (!array.is_text) {
    array.numbers.name = name;
    file->numbers.emplace(name, std::move(array.numbers));
  } else if (array.shape.empty()) {
    file->metadata.emplace(name, array.texts.empty() ? "" : std::move(array.texts.front()));
  } else {
    file->texts.emplace(name, std::move(array.texts));
  }
}

using Unpacked = std::vector<std::vector<std::byte>>;

Result<ArrayFile> ParseNpz(std::span<const std::byte> bytes, const std::string& name) {
  HEADSCOPE_TRY(const auto entries, ListZip(bytes, name));
  ArrayFile file;
  auto unpacked = std::make_shared<Unpacked>();
  std::uint64_t budget = kSmallZipBytes + kMostGrowth * bytes.size();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const ZipEntry& entry = entries[i];
    std::string key = entry.name;
    if (key.ends_with(kNpyEnding)) {
      key.erase(key.size() - kNpyEnding.size());
    }
    const std::string full = fmt::format("{}: {}", name, Quoted(key));
    std::span<const std::byte> content = entry.packed;
    if (entry.method != 0) {
      auto own = Unpack(bytes, i, entry, name, &budget);
      if (!own) {
        file.unreadable.emplace(key, own.error().message);
        continue;
      }
      unpacked->push_back(std::move(*own));
      content = unpacked->back();
    }
    Result<NpyArray> array = ParseNpyArray(content, full);
    if (!array) {
      file.unreadable.emplace(key, array.error().message);
      continue;
    }
    Take(std::move(*array), key, &file);
  }
  file.keeper = std::move(unpacked);
  return file;
}

template <typename Integer>
void CopyIntegers(std::span<const std::byte> bytes, std::vector<std::int64_t>* list) {
  for (; bytes.size() >= sizeof(Integer); bytes = bytes.subspan(sizeof(Integer))) {
    Integer number = 0;
    std::memcpy(&number, bytes.data(), sizeof(Integer));
    list->push_back(static_cast<std::int64_t>(number));
  }
}

// Returns false if the numbers are of another type.
bool ReadIntegers(const TensorView& tensor, std::vector<std::int64_t>* list) {
  using Copy = decltype(&CopyIntegers<std::int64_t>);
  constexpr std::array<std::pair<DataType, Copy>, 6> kCopies = {
      {{DataType::kI64, CopyIntegers<std::int64_t>},
       {DataType::kU64, CopyIntegers<std::uint64_t>},
       {DataType::kI32, CopyIntegers<std::int32_t>},
       {DataType::kU32, CopyIntegers<std::uint32_t>},
       {DataType::kI16, CopyIntegers<std::int16_t>},
       {DataType::kU16, CopyIntegers<std::uint16_t>}}};
  for (const auto& [type, copy] : kCopies) {
    if (type == tensor.type) {
      copy(tensor.bytes, list);
      return true;
    }
  }
  return false;
}

// Returns the elements of a list in the metadata.
Result<JsonArray> List(const JsonDocument& document, const char* of) {
  std::optional<JsonArray> array = document.root().Array();
  if (!array) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: expected a JSON array of {}", document.name(), of));
  }
  return std::move(*array);
}

}  // namespace

Result<ArrayFile> ParseArrays(std::span<const std::byte> bytes, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("\x93NUMPY")) {
    HEADSCOPE_TRY(auto array, ParseNpyArray(bytes, name));
    ArrayFile file;
    Take(std::move(array), kOnlyArray, &file);
    return file;
  }
  if (text.starts_with("PK\x03\x04") || text.starts_with("PK\x05\x06")) {
    return ParseNpz(bytes, name);
  }
  HEADSCOPE_TRY(auto parsed, ParseSafetensorsBytes(bytes, name));
  ArrayFile file;
  file.header = parsed.header;
  file.numbers = std::move(parsed.tensors);
  file.metadata = std::move(parsed.metadata);
  return file;
}

Result<ArrayFile> ArrayFile::Open(const std::filesystem::path& path) {
  HEADSCOPE_TRY(auto mapped, MappedFile::Open(path));
  auto keeper = std::make_shared<std::pair<MappedFile, std::shared_ptr<const void>>>();
  keeper->first = std::move(mapped);
  HEADSCOPE_TRY(auto file, ParseArrays(keeper->first.bytes(), path.string()));
  keeper->second = std::move(file.keeper);
  file.keeper = std::move(keeper);
  file.path = path;
  return file;
}

std::string ArrayFile::Text(std::string_view name) const {
  const auto found = metadata.find(name);
  return found != metadata.end() ? found->second : "";
}

Result<std::optional<std::vector<std::string>>> ArrayFile::Texts(std::string_view name) const {
  if (const auto list = texts.find(name); list != texts.end()) {
    return std::optional(list->second);
  }
  if (const auto reason = unreadable.find(name); reason != unreadable.end()) {
    return Fail(ErrorCode::kUnsupported, reason->second);
  }
  if (numbers.contains(name)) {
    HEADSCOPE_TRY(const auto list, Integers(name));
    std::vector<std::string> texts_of;
    for (const std::int64_t number : *list) {
      texts_of.push_back(fmt::format("{}", number));
    }
    return std::optional(std::move(texts_of));
  }
  const auto text = metadata.find(name);
  if (text == metadata.end()) {
    return std::optional<std::vector<std::string>>();
  }
  const std::string full = fmt::format("{}: {}", path.string(), Quoted(name));
  HEADSCOPE_TRY(const auto document, JsonDocument::Parse(text->second, full));
  HEADSCOPE_TRY(const auto array, List(document, "texts"));
  std::vector<std::string> list;
  for (const JsonValue element : array) {
    const std::optional<std::string_view> one = element.Text();
    if (!one && !element.Integer()) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: element {} is neither text nor a whole number, expected only "
                              "these",
                              full,
                              list.size()));
    }
    list.push_back(one ? std::string(*one) : element.Minified());
  }
  return std::optional(std::move(list));
}

Result<std::optional<std::vector<std::int64_t>>> ArrayFile::Integers(std::string_view name) const {
  const std::string full = fmt::format("{}: {}", path.string(), Quoted(name));
  std::vector<std::int64_t> list;
  if (const auto found = numbers.find(name); found != numbers.end()) {
    if (!ReadIntegers(found->second, &list)) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: is {}, expected whole numbers such as I32 or I64",
                              full,
                              Name(found->second.type)));
    }
    return std::optional(std::move(list));
  }
  const auto text = metadata.find(name);
  if (text == metadata.end()) {
    return std::optional<std::vector<std::int64_t>>();
  }
  HEADSCOPE_TRY(const auto document, JsonDocument::Parse(text->second, full));
  HEADSCOPE_TRY(const auto array, List(document, "whole numbers"));
  for (const JsonValue element : array) {
    const std::optional<std::int64_t> one = element.Integer();
    if (!one) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: element {} is no whole number", full, list.size()));
    }
    list.push_back(*one);
  }
  return std::optional(std::move(list));
}

}  // namespace headscope
