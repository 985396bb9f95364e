#include "core/io/npy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <unicode/unistr.h>

#include "core/base/counted.h"
#include "core/base/half.h"
#include "core/base/mapped_file.h"
#include "core/base/parse_number.h"
#include "core/base/quote.h"

namespace headscope {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxHeaderBytes = 65536;
constexpr std::size_t kMaxArrayDimensions = 32;
constexpr std::size_t kMostTexts = std::size_t{1} << 20U;

struct Header {
  std::string type;
  bool is_fortran_order = false;
  std::vector<std::int64_t> shape;
  std::size_t data_begin = 0;
};

tl::unexpected<Error> BadNpy(const std::string& name, std::string_view what) {
  return Fail(ErrorCode::kFormat, fmt::format("{}: {}", name, what));
}

// Reads the header's Python dictionary {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
// and no other Python. Every function returns false or empty at the first thing that does not
// belong.
class DictionaryReader {
 public:
  explicit DictionaryReader(std::string_view text) : text_(text) {}

  bool Read(Header& header) {
    if (!Take('{')) {
      return false;
    }
    bool has_type = false;
    bool has_order = false;
    bool has_shape = false;
    while (!Take('}')) {
      const std::optional<std::string> key = String();
      if (!key || !Take(':')) {
        return false;
      }
      bool* seen = *key == "descr"           ? &has_type
                   : *key == "fortran_order" ? &has_order
                   : *key == "shape"         ? &has_shape
                                             : nullptr;
      if (seen == nullptr || *seen || !Value(*key, header)) {
        return false;
      }
      *seen = true;
      if (!Take(',') && !Sees('}')) {
        return false;
      }
    }
    SkipSpaces();
    return text_.empty() && has_type && has_order && has_shape;
  }

 private:
  bool Value(const std::string& key, Header& header) {
    if (key == "shape") {
      return Shape(header.shape);
    }
    if (key == "fortran_order") {
      header.is_fortran_order = TakeWord("True");
      return header.is_fortran_order || TakeWord("False");
    }
    if (Sees('[')) {
      // Named fields: a list of pairs that can nest. Their types do not matter here.
      header.type = "named fields";
      return SkipList();
    }
    std::optional<std::string> type = String();
    header.type = type.value_or("");
    return type.has_value();
  }

  bool Shape(std::vector<std::int64_t>& shape) {
    if (!Take('(')) {
      return false;
    }
    while (!Take(')')) {
      SkipSpaces();
      std::int64_t size = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), size);
      if (error != std::errc() || size < 0 || shape.size() == kMaxArrayDimensions) {
        return false;
      }
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      shape.push_back(size);
      if (!Take(',') && !Sees(')')) {
        return false;
      }
    }
    return true;
  }

  bool SkipList() {
    int depth = 0;
    do {
      SkipSpaces();
      if (text_.empty()) {
        return false;
      }
      depth += text_.front() == '[' || text_.front() == '(' ? 1 : 0;
      depth -= text_.front() == ']' || text_.front() == ')' ? 1 : 0;
      text_.remove_prefix(1);
    } while (depth > 0);
    return true;
  }

  std::optional<std::string> String() {
    SkipSpaces();
    if (!Sees('\'') && !Sees('"')) {
      return std::nullopt;
    }
    const std::size_t end = text_.find(text_.front(), 1);
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    std::string value(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return value;
  }

  bool Sees(char character) {
    SkipSpaces();
    return text_.starts_with(character);
  }
  bool Take(char character) {
    const bool sees = Sees(character);
    text_.remove_prefix(sees ? 1 : 0);
    return sees;
  }
  bool TakeWord(std::string_view word) {
    SkipSpaces();
    const bool sees = text_.starts_with(word);
    text_.remove_prefix(sees ? word.size() : 0);
    return sees;
  }
  void SkipSpaces() {
    text_.remove_prefix(std::min(text_.find_first_not_of(" \t\n"), text_.size()));
  }

  std::string_view text_;
};

Result<Header> ParseHeader(std::string_view text, const std::string& name) {
  if (text.starts_with("PK\x03\x04")) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: expected one NumPy array, found a zip; save it with numpy.save, "
                            "not numpy.savez",
                            name));
  }
  if (!text.starts_with(kMagic)) {
    return BadNpy(name, "expected a NumPy array (.npy), found other bytes");
  }
  constexpr std::size_t kVersionEnd = 8;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  if (text.size() < kVersionEnd + 2) {
    return BadNpy(name, "the array's header is cut short");
  }
  const unsigned version = byte(6);
  if (version < 1 || version > 3) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: expected NumPy format 1 to 3, found {}", name, version));
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  if (text.size() < kVersionEnd + length_bytes) {
    return BadNpy(name, "the array's header is cut short");
  }
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    length |= static_cast<std::size_t>(byte(kVersionEnd + i)) << (8U * i);
  }
  Header header;
  header.data_begin = kVersionEnd + length_bytes + length;
  if (length > kMaxHeaderBytes) {
    return BadNpy(name,
                  fmt::format("expected a header of at most {} bytes, found a length of {}",
                              kMaxHeaderBytes,
                              length));
  }
  if (header.data_begin > text.size()) {
    return BadNpy(name, "the array's header is cut short");
  }
  const std::string_view dictionary = text.substr(kVersionEnd + length_bytes, length);
  if (!DictionaryReader(dictionary).Read(header)) {
    return BadNpy(
        name,
        fmt::format("expected a header with 'descr', 'fortran_order' and 'shape', found {}",
                    Quoted(dictionary)));
  }
  return header;
}

struct NumpyName {
  std::string_view name;
  DataType type;
};
constexpr std::array<NumpyName, 12> kNumbers = {{{"f8", DataType::kF64},
                                                 {"f4", DataType::kF32},
                                                 {"f2", DataType::kF16},
                                                 {"i8", DataType::kI64},
                                                 {"i4", DataType::kI32},
                                                 {"i2", DataType::kI16},
                                                 {"i1", DataType::kI8},
                                                 {"u8", DataType::kU64},
                                                 {"u4", DataType::kU32},
                                                 {"u2", DataType::kU16},
                                                 {"u1", DataType::kU8},
                                                 {"b1", DataType::kBool}}};

// The type of the elements: little-endian numbers, or texts with a fixed number of units.
struct ElementType {
  std::optional<DataType> number;
  std::size_t unit = 0;   // in bytes: 4 for '<U' (UTF-32), 1 for '|S'
  std::size_t units = 0;  // per text
};

std::optional<ElementType> TypeOf(std::string_view text) {
  if (text.size() < 2 || std::string_view("<=|").find(text.front()) == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view name = text.substr(1);
  for (const NumpyName& known : kNumbers) {
    if (name == known.name && (text.front() != '|' || ByteSize(known.type) == 1)) {
      return ElementType{known.type};
    }
  }
  ElementType type;
  type.unit = name.front() == 'U' ? 4 : name.front() == 'S' ? 1 : 0;
  const auto units = ParseAs<std::size_t>(name.substr(1));
  type.units = units.value_or(0);
  const bool is_text = type.unit > 0 && units && *units <= (std::size_t{1} << 30U);
  return is_text ? std::optional(type) : std::nullopt;
}

// The header, and the elements after it.
struct Opened {
  Header header;
  ElementType type;
  std::span<const std::byte> data;
};

Result<Opened> OpenArray(std::span<const std::byte> bytes, const std::string& name) {
  HEADSCOPE_TRY(auto header,
                ParseHeader({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name));
  if (header.type == "|O" || header.type == "O") {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: holds Python objects ({}), which are pickled and not read; save "
                            "numbers, and texts with dtype=str",
                            name,
                            Quoted(header.type)));
  }
  const std::optional<ElementType> type = TypeOf(header.type);
  if (!type) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: expected numbers of type <f4, <f8 or <f2, found {}; save it with "
                            ".astype('<f4')",
                            name,
                            Quoted(header.type)));
  }
  if (header.is_fortran_order && header.shape.size() > 1) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: expected rows one after the other, found Fortran order; save it "
                            "with numpy.ascontiguousarray",
                            name));
  }
  const std::span<const std::byte> data = bytes.subspan(header.data_begin);
  // Texts are counted as numbers of one byte each.
  std::vector<std::int64_t> shape = header.shape;
  if (!type->number) {
    shape.push_back(static_cast<std::int64_t>(type->unit * type->units));
  }
  const DataType counted = type->number.value_or(DataType::kU8);
  const std::optional<std::uint64_t> expected = CheckedByteCount(shape, counted);
  if (!expected || *expected != data.size()) {
    return BadNpy(
        name,
        fmt::format("expected {} {} of {}, found {}; is the file whole?",
                    ShapeText(header.shape),
                    type->number ? "numbers" : "texts",
                    Counted(type->number ? ByteSize(counted) : type->unit * type->units, "byte"),
                    Counted(data.size(), "byte")));
  }
  return Opened{std::move(header), *type, data};
}

// Returns one text of an array without its padding of zeros.
std::string TextOf(std::span<const std::byte> bytes, std::size_t unit) {
  if (unit == 1) {
    std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    text.erase(text.find_last_not_of('\0') + 1);
    return text;
  }
  std::vector<UChar32> characters(bytes.size() / unit);
  std::memcpy(characters.data(), bytes.data(), bytes.size());
  while (!characters.empty() && characters.back() == 0) {
    characters.pop_back();
  }
  std::string text;
  icu::UnicodeString::fromUTF32(characters.data(), static_cast<std::int32_t>(characters.size()))
      .toUTF8String(text);
  return text;
}

}  // namespace

std::optional<std::string> NumpyType(DataType type) {
  const auto* const found = std::ranges::find(kNumbers, type, &NumpyName::type);
  return found == kNumbers.end()
             ? std::nullopt
             : std::optional((ByteSize(type) == 1 ? "|" : "<") + std::string(found->name));
}

Result<NpyArray> ParseNpyArray(std::span<const std::byte> bytes, const std::string& name) {
  HEADSCOPE_TRY(auto opened, OpenArray(bytes, name));
  NpyArray array;
  array.shape = std::move(opened.header.shape);
  if (opened.type.number) {
    array.numbers = {"", *opened.type.number, array.shape, opened.data};
    return array;
  }
  array.is_text = true;
  const std::size_t size = opened.type.unit * opened.type.units;
  if (size == 0) {  // empty texts take no bytes, so a shape could claim any number of them
    return array;
  }
  const std::size_t count = opened.data.size() / size;
  if (count > kMostTexts) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: holds {} texts, expected at most {}", name, count, kMostTexts));
  }
  array.texts.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    array.texts.push_back(TextOf(opened.data.subspan(i * size, size), opened.type.unit));
  }
  return array;
}

Result<FloatArray> ParseNpy(std::span<const std::byte> bytes, const std::string& name) {
  HEADSCOPE_TRY(auto opened, OpenArray(bytes, name));
  if (!opened.type.number || !IsFloatingPoint(*opened.type.number)) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: expected numbers of type <f4, <f8 or <f2, found {}; save it with "
                            ".astype('<f4')",
                            name,
                            Quoted(opened.header.type)));
  }
  const DataType type = *opened.type.number;
  FloatArray array;
  array.values.resize(opened.data.size() / ByteSize(type));
  ConvertToFloat({"", type, opened.header.shape, opened.data}, 0, array.values);
  array.shape = std::move(opened.header.shape);
  return array;
}

Result<FloatArray> ReadNpy(const std::filesystem::path& path) {
  HEADSCOPE_TRY(const auto file, MappedFile::Open(path));
  return ParseNpy(file.bytes(), path.string());
}

}  // namespace headscope
