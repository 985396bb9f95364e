#include "core/io/gguf.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/quote.h"
#include "core/base/stop.h"
#include "core/io/gguf_parts.h"

namespace headscope {
namespace {

template <typename T>
T Load(std::span<const std::byte> bytes, std::size_t index = 0) {
  static_assert(std::endian::native == std::endian::little);
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

// Returns a whole number, if the value fits signed 64 bits.
std::optional<std::int64_t> WholeNumber(GgufType type,
                                        std::span<const std::byte> bytes,
                                        std::size_t index = 0) {
  switch (type) {
    case GgufType::kU8:
      return Load<std::uint8_t>(bytes, index);
    case GgufType::kI8:
      return Load<std::int8_t>(bytes, index);
    case GgufType::kU16:
      return Load<std::uint16_t>(bytes, index);
    case GgufType::kI16:
      return Load<std::int16_t>(bytes, index);
    case GgufType::kU32:
      return Load<std::uint32_t>(bytes, index);
    case GgufType::kI32:
      return Load<std::int32_t>(bytes, index);
    case GgufType::kI64:
      return Load<std::int64_t>(bytes, index);
    case GgufType::kU64: {
      const auto value = Load<std::uint64_t>(bytes, index);
      return std::in_range<std::int64_t>(value) ? std::optional(static_cast<std::int64_t>(value))
                                                : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

const GgufMetadata::Value* GgufMetadata::Find(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

tl::unexpected<Error> GgufMetadata::Wrong(std::string_view key, std::string_view expected) const {
  const Value* value = Find(key);
  std::string found = "missing";
  if (value != nullptr) {
    const std::optional<std::int64_t> whole = WholeNumber(value->type, value->bytes);
    if (whole) {
      found = std::to_string(*whole);
    } else if (value->type == GgufType::kF32) {
      found = fmt::format("{}", Load<float>(value->bytes));
    } else if (value->type == GgufType::kF64) {
      found = fmt::format("{}", Load<double>(value->bytes));
    } else if (value->type == GgufType::kString) {
      found = Quoted({reinterpret_cast<const char*>(value->bytes.data()), value->bytes.size()});
    } else {
      found = value->type == GgufType::kArray ? "a list"
              : value->type == GgufType::kU64 ? "past 2^63"
                                              : "true or false";
    }
  }
  return Fail(ErrorCode::kFormat,
              fmt::format("{}: {} is {}, expected {}", name_, Quoted(key), found, expected));
}

Result<std::int64_t> GgufMetadata::Integer(std::string_view key,
                                           std::int64_t least,
                                           std::int64_t most,
                                           std::optional<std::int64_t> fallback) const {
  const Value* value = Find(key);
  if (value == nullptr && fallback) {
    return *fallback;
  }
  const auto number = value == nullptr ? std::nullopt : WholeNumber(value->type, value->bytes);
  if (!number || *number < least || *number > most) {
    return Wrong(key, fmt::format("a whole number from {} to {}", least, most));
  }
  return *number;
}

Result<double> GgufMetadata::Number(std::string_view key,
                                    double least,
                                    double most,
                                    std::optional<double> fallback) const {
  const Value* value = Find(key);
  if (value == nullptr && fallback) {
    return *fallback;
  }
  double number = std::numeric_limits<double>::quiet_NaN();
  if (value != nullptr) {
    if (value->type == GgufType::kF32) {
      number = static_cast<double>(Load<float>(value->bytes));
    } else if (value->type == GgufType::kF64) {
      number = Load<double>(value->bytes);
    } else if (const auto whole = WholeNumber(value->type, value->bytes)) {
      number = static_cast<double>(*whole);
    }
  }
  if (!(number >= least && number <= most)) {
    return Wrong(key, fmt::format("a number from {} to {}", least, most));
  }
  return number;
}

Result<bool> GgufMetadata::Boolean(std::string_view key, std::optional<bool> fallback) const {
  const Value* value = Find(key);
  if (value == nullptr && fallback) {
    return *fallback;
  }
  if (value == nullptr || value->type != GgufType::kBool) {
    return Wrong(key, "true or false");
  }
  return value->bytes[0] != std::byte{0};
}

Result<std::string> GgufMetadata::String(std::string_view key,
                                         std::optional<std::string> fallback) const {
  const Value* value = Find(key);
  if (value == nullptr && fallback) {
    return std::move(*fallback);
  }
  if (value == nullptr || value->type != GgufType::kString) {
    return Wrong(key, "a string");
  }
  return std::string(reinterpret_cast<const char*>(value->bytes.data()), value->bytes.size());
}

Result<const GgufMetadata::Value*> GgufMetadata::FindList(std::string_view key,
                                                          std::initializer_list<GgufType> elements,
                                                          std::string_view expected) const {
  static const Value kNone = {.type = GgufType::kArray, .element = {}, .count = 0, .bytes = {}};
  const Value* value = Find(key);
  if (value == nullptr) {
    return &kNone;
  }
  if (value->type != GgufType::kArray ||
      std::ranges::find(elements, value->element) == elements.end()) {
    return Wrong(key, expected);
  }
  return value;
}

Result<std::vector<std::string_view>> GgufMetadata::Strings(std::string_view key) const {
  HEADSCOPE_TRY(const auto list, FindList(key, {GgufType::kString}, "a list of strings"));
  // The reader has walked through this list and checked every length in it.
  std::vector<std::string_view> strings;
  strings.reserve(list->count);
  std::span<const std::byte> rest = list->bytes;
  for (std::uint64_t i = 0; i < list->count; ++i) {
    const auto length = Load<std::uint64_t>(rest);
    rest = rest.subspan(sizeof(length));
    strings.emplace_back(reinterpret_cast<const char*>(rest.data()), length);
    rest = rest.subspan(length);
  }
  return strings;
}

Result<std::vector<float>> GgufMetadata::Floats(std::string_view key) const {
  HEADSCOPE_TRY(const auto list, FindList(key, {GgufType::kF32}, "a list of 32-bit numbers"));
  std::vector<float> numbers(list->count);
  if (!numbers.empty()) {
    std::memcpy(numbers.data(), list->bytes.data(), list->bytes.size());
  }
  return numbers;
}

Result<std::vector<std::int32_t>> GgufMetadata::Integers(std::string_view key) const {
  HEADSCOPE_TRY(const auto list,
                FindList(key, {GgufType::kI32, GgufType::kU32}, "a list of 32-bit whole numbers"));
  std::vector<std::int32_t> numbers(list->count);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto whole = WholeNumber(list->element, list->bytes, i);
    if (!whole || !std::in_range<std::int32_t>(*whole)) {
      return Wrong(key, "a list of whole numbers below 2^31");
    }
    numbers[i] = static_cast<std::int32_t>(*whole);
  }
  return numbers;
}

Result<std::string_view> GgufMetadata::Bytes(std::string_view key) const {
  HEADSCOPE_TRY(const auto list,
                FindList(key, {GgufType::kU8, GgufType::kI8, GgufType::kBool}, "a list of bytes"));
  return std::string_view(reinterpret_cast<const char*>(list->bytes.data()), list->bytes.size());
}

namespace {

struct GgufPiece {
  MappedFile mapped;
  GgufContents contents;
};

Result<GgufPiece> ReadGgufPart(const std::filesystem::path& path, const std::stop_token& stop) {
  HEADSCOPE_TRY(auto mapped, MappedFile::Open(path));
  HEADSCOPE_TRY(auto contents, ParseGgufBytes(mapped.bytes(), path.string(), stop));
  return GgufPiece{std::move(mapped), std::move(contents)};
}

// Returns the number of parts given in the file; 1 for an unsplit one.
Result<std::int64_t> PartsOf(const GgufMetadata& metadata) {
  constexpr std::int64_t kMostParts = 65'535;
  HEADSCOPE_TRY(const auto count, metadata.Integer("split.count", 0, kMostParts, 0));
  return std::max<std::int64_t>(count, 1);
}

// Checks that the file is part `number` (from 1) of `count`.
Status CheckPart(const GgufMetadata& metadata, std::int64_t number, std::int64_t count) {
  HEADSCOPE_TRY(const auto parts, PartsOf(metadata));
  HEADSCOPE_TRY(const auto before,
                metadata.Integer("split.no", 0, std::max<std::int64_t>(parts - 1, 0), 0));
  if (parts == count && before == number - 1) {
    return {};
  }
  return Fail(ErrorCode::kFormat,
              fmt::format("{}: says that it is part {} of {} of a model, expected part {} of {}; "
                          "fetch the parts again, as they belong together",
                          metadata.name(),
                          before + 1,
                          parts,
                          number,
                          count));
}

// Joins all parts; `own` was read from `path`.
Result<GgufFile> JoinParts(const std::filesystem::path& path,
                           GgufPiece own,
                           std::int64_t count,
                           const std::stop_token& stop) {
  const std::string stem = path.stem().string();
  const auto name = PartOfName(stem);
  if (!name) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: is one of {} parts of a model, expected a name such as "
                            "{}-00001-of-{:05}.gguf, which tells where the others lie",
                            path.string(),
                            count,
                            stem,
                            count));
  }
  GgufFile joined;
  std::vector<WeightFile> files;
  TensorMap tensors;
  for (std::int64_t number = 1; number <= count; ++number) {
    HEADSCOPE_TRY(CheckStop(stop));
    const std::filesystem::path file = GgufPart(path, number);
    std::error_code error;
    if (number != name->number && !std::filesystem::exists(file, error)) {
      return Fail(ErrorCode::kIo,
                  fmt::format("{}: is not there, and the model is in {} parts; fetch it from where "
                              "the others came from",
                              file.string(),
                              count));
    }
    // NOLINTNEXTLINE(bugprone-use-after-move): one of the numbers is its own
    HEADSCOPE_TRY(auto part, number == name->number ? std::move(own) : ReadGgufPart(file, stop));
    HEADSCOPE_TRY(CheckPart(part.contents.metadata, number, count));
    for (auto& [tensor, view] : part.contents.tensors) {
      if (!tensors.emplace(tensor, std::move(view)).second) {
        return Fail(ErrorCode::kFormat,
                    fmt::format("{}: tensor {} lies in an earlier part, too; fetch the parts again",
                                file.string(),
                                Quoted(tensor)));
      }
    }
    files.push_back({.mapped = std::move(part.mapped), .header = part.contents.header});
    if (number == 1) {
      joined.metadata = std::move(part.contents.metadata);
    }
  }
  constexpr std::int64_t kMostTensors = std::int64_t{1} << 31U;
  const auto found = static_cast<std::int64_t>(tensors.size());
  HEADSCOPE_TRY(const auto said,
                joined.metadata.Integer("split.tensors.count", 0, kMostTensors, found));
  if (said != found) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: its parts hold {}, expected {} as \"split.tensors.count\" says; "
                            "fetch the parts again",
                            joined.metadata.name(),
                            Counted(found, "tensor"),
                            said));
  }
  joined.weights = WeightStore(GgufPart(path, 1), std::move(files), std::move(tensors));
  return joined;
}

}  // namespace

Result<GgufFile> GgufFile::Open(const std::filesystem::path& path, const std::stop_token& stop) {
  HEADSCOPE_TRY(auto part, ReadGgufPart(path, stop));
  HEADSCOPE_TRY(const auto count, PartsOf(part.contents.metadata));
  if (count > 1) {
    return JoinParts(path, std::move(part), count, stop);
  }
  std::vector<WeightFile> files;
  files.push_back({.mapped = std::move(part.mapped), .header = part.contents.header});
  return GgufFile{.metadata = std::move(part.contents.metadata),
                  .weights = WeightStore(path, std::move(files), std::move(part.contents.tensors))};
}

}  // namespace headscope
