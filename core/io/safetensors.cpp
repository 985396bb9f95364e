#include "core/io/safetensors.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/quote.h"
#include "core/base/stop.h"
#include "core/io/json.h"

namespace headscope {
namespace {

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMaxJsonBytes = 100'000'000;
constexpr std::size_t kMaxTensorDimensions = 32;

// The format's types that the program cannot compute with.
constexpr std::array<std::string_view, 10> kOtherTypes = {"F8_E5M2",
                                                          "F8_E4M3",
                                                          "F8_E8M0",
                                                          "F8_E4M3FNUZ",
                                                          "F8_E5M2FNUZ",
                                                          "F6_E2M3",
                                                          "F6_E3M2",
                                                          "F4",
                                                          "F4_E2M1",
                                                          "C64"};

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  const std::string* tensor = nullptr;
};

// Makes errors about one tensor, which all begin in the same way.
class TensorComplaint {
 public:
  TensorComplaint(const std::string& file, std::string_view tensor)
      : file_(file), tensor_(tensor) {}
  [[nodiscard]] tl::unexpected<Error> operator()(std::string_view what,
                                                 ErrorCode code = ErrorCode::kFormat) const {
    return Fail(code, fmt::format("{}: tensor {}: {}", file_, Quoted(tensor_), what));
  }

 private:
  const std::string& file_;
  std::string_view tensor_;
};

Result<DataType> ParseType(JsonValue value, const TensorComplaint& complain) {
  const std::optional<std::string_view> found = value.Text();
  if (!found) {
    return complain("expected \"dtype\" to be a string");
  }
  const std::string_view text = *found;
  const std::optional<DataType> known = DataTypeNamed(text);
  if (known && !IsQuantised(*known)) {
    return *known;
  }
  if (std::ranges::find(kOtherTypes, text) != kOtherTypes.end()) {
    return complain(
        fmt::format("numbers of type {} are not supported; save the model as F32, F16 or BF16",
                    text),
        ErrorCode::kUnsupported);
  }
  return complain(
      fmt::format("expected a \"dtype\" of the format such as F32, found {}", Quoted(text)));
}

Result<std::vector<std::int64_t>> ParseShape(JsonValue value, const TensorComplaint& complain) {
  const std::optional<JsonArray> array = value.Array();
  if (!array) {
    return complain("expected \"shape\" to be a list");
  }
  std::vector<std::int64_t> shape;
  for (const JsonValue dimension : *array) {
    const std::int64_t size = dimension.Integer().value_or(-1);
    if (size < 0) {
      return complain("expected every number in \"shape\" to be a whole number from 0");
    }
    if (shape.size() == kMaxTensorDimensions) {
      return complain(
          fmt::format("expected at most {} dimensions, found more", kMaxTensorDimensions));
    }
    shape.push_back(size);
  }
  return shape;
}

Result<std::pair<std::uint64_t, std::uint64_t>> ParseOffsets(JsonValue value,
                                                             std::uint64_t data_size,
                                                             const TensorComplaint& complain) {
  const std::optional<JsonArray> array = value.Array();
  if (!array || array->size() != 2) {
    return complain("expected \"data_offsets\" to be a list of two numbers");
  }
  const std::optional<std::uint64_t> begin = array->front().Unsigned();
  const std::optional<std::uint64_t> end = array->back().Unsigned();
  if (!begin || !end) {
    return complain("expected \"data_offsets\" to be whole numbers from 0");
  }
  if (*begin > *end || *end > data_size) {
    return complain(
        fmt::format("expected data within the {} after the header, found {} to {}; was the file "
                    "cut short?",
                    Counted(data_size, "byte"),
                    *begin,
                    *end));
  }
  return std::pair(*begin, *end);
}

Result<TensorView> ParseTensor(std::string_view name,
                               JsonValue value,
                               std::span<const std::byte> data,
                               const TensorComplaint& complain) {
  const std::optional<JsonFields> object = value.Object();
  if (!object) {
    return complain("expected an object with \"dtype\", \"shape\" and \"data_offsets\"");
  }
  std::optional<JsonValue> type_value;
  std::optional<JsonValue> shape_value;
  std::optional<JsonValue> offsets_value;
  for (const JsonField& field : *object) {
    std::optional<JsonValue>* slot = field.key == "dtype"          ? &type_value
                                     : field.key == "shape"        ? &shape_value
                                     : field.key == "data_offsets" ? &offsets_value
                                                                   : nullptr;
    if (slot == nullptr) {
      continue;
    }
    if (slot->has_value()) {
      return complain(fmt::format("{} is there twice", Quoted(field.key)));
    }
    *slot = field.value;
  }
  if (!type_value || !shape_value || !offsets_value) {
    return complain("expected \"dtype\", \"shape\" and \"data_offsets\", found fewer");
  }
  HEADSCOPE_TRY(const auto type, ParseType(*type_value, complain));
  HEADSCOPE_TRY(auto shape, ParseShape(*shape_value, complain));
  HEADSCOPE_TRY(const auto offsets, ParseOffsets(*offsets_value, data.size(), complain));
  const auto [begin, end] = offsets;
  const std::optional<std::uint64_t> expected = CheckedByteCount(shape, type);
  if (!expected) {
    return complain(fmt::format("the shape {} is larger than any file", ShapeText(shape)));
  }
  if (*expected != end - begin) {
    return complain(fmt::format("expected {} bytes for {} {}, found {}",
                                *expected,
                                Name(type),
                                ShapeText(shape),
                                end - begin));
  }
  return TensorView{std::string(name), type, std::move(shape), data.subspan(begin, *expected)};
}

// Keeps only texts: some programs also write numbers here.
MetadataMap ParseMetadata(JsonValue value) {
  MetadataMap metadata;
  for (const JsonField& entry : value.Object().value_or(JsonFields())) {
    const std::optional<std::string_view> text = entry.value.Text();
    metadata.emplace(entry.key, text ? std::string(*text) : entry.value.Minified());
  }
  return metadata;
}

// Checks that the tensors follow each other from the header to the end of the file.
Status CheckCover(const TensorMap& tensors,
                  std::span<const std::byte> data,
                  const std::string& file) {
  std::vector<Range> ranges;
  ranges.reserve(tensors.size());
  for (const auto& [name, tensor] : tensors) {
    const auto begin = static_cast<std::uint64_t>(tensor.bytes.data() - data.data());
    ranges.push_back({begin, begin + tensor.bytes.size(), &name});
  }
  std::ranges::sort(ranges, [](const Range& left, const Range& right) {
    return std::pair(left.begin, left.end) < std::pair(right.begin, right.end);
  });
  std::uint64_t covered = 0;
  for (const Range& range : ranges) {
    if (range.begin != covered) {
      return TensorComplaint(file, *range.tensor)(
          fmt::format("expected its data to start at byte {}, found {}: tensors {}",
                      covered,
                      range.begin,
                      range.begin < covered ? "overlap" : "leave a hole"));
    }
    covered = range.end;
  }
  if (covered != data.size()) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: expected {} of tensors after the header, found {}",
                            file,
                            Counted(covered, "byte"),
                            data.size()));
  }
  return {};
}

Result<std::span<const std::byte>> FindHeader(std::span<const std::byte> bytes,
                                              const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("version https://git-lfs")) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: expected tensors, found a Git LFS pointer; fetch the file itself "
                            "(git lfs pull)",
                            name));
  }
  if (bytes.size() < kLengthBytes) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: expected a safetensors file, found only {}; was it cut short?",
                            name,
                            Counted(bytes.size(), "byte")));
  }
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    length |= std::to_integer<std::uint64_t>(bytes[i]) << (8U * i);
  }
  if (length > kMaxJsonBytes) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: expected a header of at most {} bytes, found a length of {}; is "
                            "this a safetensors file?",
                            name,
                            kMaxJsonBytes,
                            length));
  }
  if (length > bytes.size() - kLengthBytes) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: expected a header of {}, found {} to the end of the file; was it "
                            "cut short?",
                            name,
                            Counted(length, "byte"),
                            Counted(bytes.size() - kLengthBytes, "byte")));
  }
  return bytes.subspan(kLengthBytes, length);
}

}  // namespace

Result<SafetensorsHeader> ParseSafetensorsBytes(std::span<const std::byte> bytes,
                                                const std::string& name,
                                                const std::stop_token& stop) {
  HEADSCOPE_TRY(const auto header, FindHeader(bytes, name));
  SafetensorsHeader parsed;
  parsed.header = {reinterpret_cast<const char*>(header.data()), header.size()};
  HEADSCOPE_TRY(const auto document, JsonDocument::Parse(parsed.header, name + ": header"));
  HEADSCOPE_TRY(const auto root, JsonObject::Root(document));
  const std::span<const std::byte> data = bytes.subspan(kLengthBytes + header.size());
  bool has_metadata = false;
  StopPoll poll(stop, 256);
  for (const JsonField& entry : root.Fields()) {
    HEADSCOPE_TRY(poll.Check());
    if (entry.key == "__metadata__") {
      if (std::exchange(has_metadata, true)) {
        return Fail(ErrorCode::kFormat, fmt::format("{}: \"__metadata__\" is there twice", name));
      }
      parsed.metadata = ParseMetadata(entry.value);
      continue;
    }
    const TensorComplaint complain(name, entry.key);
    HEADSCOPE_TRY(auto tensor, ParseTensor(entry.key, entry.value, data, complain));
    if (!parsed.tensors.emplace(entry.key, std::move(tensor)).second) {
      return complain("the name is there twice");
    }
  }
  HEADSCOPE_TRY(CheckCover(parsed.tensors, data, name));
  return parsed;
}

}  // namespace headscope
