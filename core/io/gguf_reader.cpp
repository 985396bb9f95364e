// Reads the bytes of a GGUF file: everything is checked here, once.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/quote.h"
#include "core/base/stop.h"
#include "core/io/gguf.h"

namespace headscope {
namespace {

constexpr std::uint32_t kDefaultAlignment = 32;
constexpr std::uint32_t kMaxAlignment = 1U << 20U;
constexpr std::uint64_t kMaxKeyBytes = 65'535;
constexpr std::uint32_t kMaxGgufDimensions = 4;
constexpr int kMaxNesting = 4;
// The smallest entries. Metadata: a key's length, one byte of key, a type, one byte of value.
// Tensor: length and one byte of name, number of dimensions, type and offset.
constexpr std::uint64_t kLeastEntryBytes = 8 + 1 + 4 + 1;
constexpr std::uint64_t kLeastTensorBytes = 8 + 1 + 4 + 4 + 8;

struct StoredType {
  std::uint32_t id = 0;
  std::string_view name;
};

constexpr std::array kStoredTypes = std::to_array<StoredType>({
    {0, "F32"},     {1, "F16"},    {2, "Q4_0"},     {3, "Q4_1"},    {6, "Q5_0"},     {7, "Q5_1"},
    {8, "Q8_0"},    {9, "Q8_1"},   {10, "Q2_K"},    {11, "Q3_K"},   {12, "Q4_K"},    {13, "Q5_K"},
    {14, "Q6_K"},   {15, "Q8_K"},  {16, "IQ2_XXS"}, {17, "IQ2_XS"}, {18, "IQ3_XXS"}, {19, "IQ1_S"},
    {20, "IQ4_NL"}, {21, "IQ3_S"}, {22, "IQ2_S"},   {23, "IQ4_XS"}, {24, "I8"},      {25, "I16"},
    {26, "I32"},    {27, "I64"},   {28, "F64"},     {29, "IQ1_M"},  {30, "BF16"},    {34, "TQ1_0"},
    {35, "TQ2_0"},  {39, "MXFP4"}, {40, "NVFP4"},   {41, "Q1_0"},
});

// Bytes of one value; 0 if its length varies.
std::uint64_t FixedSize(GgufType type) {
  switch (type) {
    case GgufType::kU8:
    case GgufType::kI8:
    case GgufType::kBool:
      return 1;
    case GgufType::kU16:
    case GgufType::kI16:
      return 2;
    case GgufType::kU32:
    case GgufType::kI32:
    case GgufType::kF32:
      return 4;
    case GgufType::kU64:
    case GgufType::kI64:
    case GgufType::kF64:
      return 8;
    case GgufType::kString:
    case GgufType::kArray:
      break;
  }
  return 0;
}

}  // namespace

class GgufReader {
 public:
  GgufReader(std::span<const std::byte> bytes, const std::string& name, const std::stop_token& stop)
      : bytes_(bytes), name_(name), poll_(stop, 16'384) {}

  Result<GgufContents> Read() {
    HEADSCOPE_TRY(ReadStart());
    contents_.metadata.name_ = name_;
    for (std::uint64_t i = 0; i < num_entries_; ++i) {
      HEADSCOPE_TRY(ReadEntry());
    }
    HEADSCOPE_TRY(CheckWhole());
    for (std::uint64_t i = 0; i < num_tensors_; ++i) {
      HEADSCOPE_TRY(ReadTensorInfo());
    }
    HEADSCOPE_TRY(PlaceTensors());
    return std::move(contents_);
  }

 private:
  struct Placement {
    TensorView* tensor = nullptr;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };

  [[nodiscard]] tl::unexpected<Error> Refuse(std::string_view what,
                                             ErrorCode code = ErrorCode::kFormat) const {
    return Fail(code, fmt::format("{}: {}", name_, what));
  }
  [[nodiscard]] tl::unexpected<Error> CutShort(std::string_view where) const {
    return Refuse(fmt::format("expected {}, found the end of the file after {}; was it cut short?",
                              where,
                              Counted(bytes_.size(), "byte")));
  }
  [[nodiscard]] std::uint64_t left() const { return bytes_.size() - at_; }

  template <typename T>
  Status Take(T* value, std::string_view where) {
    if (left() < sizeof(T)) {
      return CutShort(where);
    }
    std::memcpy(value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return {};
  }

  Status TakeText(std::string_view* text, std::uint64_t most, std::string_view where) {
    std::uint64_t length = 0;
    HEADSCOPE_TRY(Take(&length, where));
    if (length > left()) {
      return CutShort(fmt::format("{} of {}", where, Counted(length, "byte")));
    }
    if (length > most) {
      return Refuse(fmt::format("expected {} of at most {} bytes, found {}", where, most, length));
    }
    *text = {reinterpret_cast<const char*>(bytes_.data() + at_), length};
    at_ += length;
    return {};
  }

  Status ReadStart() {
    std::array<char, 4> magic = {};
    HEADSCOPE_TRY(Take(&magic, "\"GGUF\""));
    if (std::string_view(magic.data(), magic.size()) != "GGUF") {
      return Refuse(fmt::format("expected a GGUF file, which starts with \"GGUF\", found {}",
                                Quoted({magic.data(), magic.size()})));
    }
    std::uint32_t version = 0;
    HEADSCOPE_TRY(Take(&version, "the version"));
    if (version != 2 && version != 3) {
      constexpr std::uint32_t kLowBytes = 0xFFFFU;
      const bool is_big_endian = version != 0 && (version & kLowBytes) == 0;
      return Refuse(is_big_endian
                        ? std::string("is a big-endian GGUF file, expected a little-endian one; "
                                      "convert it with gguf_convert_endian.py of the gguf package")
                        : fmt::format("is GGUF version {}, expected 2 or 3; convert the model "
                                      "again with a current converter",
                                      version),
                    ErrorCode::kUnsupported);
    }
    HEADSCOPE_TRY(Take(&num_tensors_, "the number of tensors"));
    HEADSCOPE_TRY(Take(&num_entries_, "the number of metadata entries"));
    if (num_entries_ > left() / kLeastEntryBytes || num_tensors_ > left() / kLeastTensorBytes) {
      return CutShort(fmt::format("{} and {}",
                                  Counted(num_entries_, "metadata entry", "metadata entries"),
                                  Counted(num_tensors_, "tensor")));
    }
    return {};
  }

  // Skips a list, checking every length on the way.
  Status PassList(GgufType element, std::uint64_t count, std::string_view where, int depth) {
    const std::uint64_t size = FixedSize(element);
    // The fewest bytes of an element: its value, a string's length, or a list's type and length.
    const std::uint64_t least = size != 0 ? size : element == GgufType::kString ? 8 : 12;
    if (count > left() / least) {
      return CutShort(fmt::format("{} of {}", where, Counted(count, "value")));
    }
    if (size != 0) {
      at_ += count * size;
      return {};
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      HEADSCOPE_TRY(poll_.Check());
      if (element == GgufType::kString) {
        std::string_view ignored;
        HEADSCOPE_TRY(TakeText(&ignored, bytes_.size(), where));
      } else {
        GgufType inner = GgufType::kU8;
        std::uint64_t inner_count = 0;
        HEADSCOPE_TRY(TakeListStart(&inner, &inner_count, where, depth));
        HEADSCOPE_TRY(PassList(inner, inner_count, where, depth + 1));
      }
    }
    return {};
  }

  Status TakeType(GgufType* type, std::string_view where) {
    std::uint32_t id = 0;
    HEADSCOPE_TRY(Take(&id, where));
    if (id > static_cast<std::uint32_t>(GgufType::kF64)) {
      return Refuse(fmt::format("{} is of type {}, expected one of 0 to 12", where, id));
    }
    *type = static_cast<GgufType>(id);
    return {};
  }

  Status TakeListStart(GgufType* element, std::uint64_t* count, std::string_view where, int depth) {
    if (depth >= kMaxNesting) {
      return Refuse(fmt::format("{} holds lists over {} deep", where, kMaxNesting));
    }
    HEADSCOPE_TRY(TakeType(element, where));
    return Take(count, where);
  }

  Status ReadEntry() {
    HEADSCOPE_TRY(poll_.Check());
    std::string_view key;
    HEADSCOPE_TRY(TakeText(&key, kMaxKeyBytes, "a metadata key"));
    const std::string where = Quoted(key);
    GgufMetadata::Value value;
    HEADSCOPE_TRY(TakeType(&value.type, where));
    if (value.type == GgufType::kArray) {
      HEADSCOPE_TRY(TakeListStart(&value.element, &value.count, where, 0));
      const std::uint64_t begin = at_;
      HEADSCOPE_TRY(PassList(value.element, value.count, where, 1));
      value.bytes = bytes_.subspan(begin, at_ - begin);
    } else if (value.type == GgufType::kString) {
      std::string_view text;
      HEADSCOPE_TRY(TakeText(&text, bytes_.size(), where));
      value.bytes = std::as_bytes(std::span(text));
    } else {
      const std::uint64_t size = FixedSize(value.type);
      if (left() < size) {
        return CutShort(where);
      }
      value.bytes = bytes_.subspan(at_, size);
      at_ += size;
    }
    if (!contents_.metadata.values_.emplace(key, value).second) {
      return Refuse(fmt::format("metadata {} is there twice", where));
    }
    return {};
  }

  // Checks the metadata that decides how the rest is read.
  Status CheckWhole() {
    HEADSCOPE_TRY(
        const auto alignment,
        contents_.metadata.Integer("general.alignment", 1, kMaxAlignment, kDefaultAlignment));
    alignment_ = static_cast<std::uint64_t>(alignment);
    if (!std::has_single_bit(alignment_)) {
      return Refuse(
          fmt::format("\"general.alignment\" is {}, expected a power of two", alignment_));
    }
    return {};
  }

  Status ReadTensorInfo() {
    HEADSCOPE_TRY(poll_.Check());
    std::string_view tensor_name;
    HEADSCOPE_TRY(TakeText(&tensor_name, kMaxKeyBytes, "a tensor's name"));
    const std::string where = "tensor " + Quoted(tensor_name);
    std::uint32_t num_dimensions = 0;
    HEADSCOPE_TRY(Take(&num_dimensions, where));
    if (num_dimensions > kMaxGgufDimensions) {
      return Refuse(fmt::format(
          "{} has {} dimensions, expected at most {}", where, num_dimensions, kMaxGgufDimensions));
    }
    TensorView tensor;
    tensor.name = tensor_name;
    for (std::uint32_t i = 0; i < num_dimensions; ++i) {
      std::uint64_t size = 0;
      HEADSCOPE_TRY(Take(&size, where));
      if (!std::in_range<std::int64_t>(size)) {
        return Refuse(fmt::format("{} has a dimension of {}, which no file holds", where, size));
      }
      tensor.shape.push_back(static_cast<std::int64_t>(size));
    }
    std::ranges::reverse(tensor.shape);
    std::uint32_t type = 0;
    Placement placement;
    HEADSCOPE_TRY(Take(&type, where));
    HEADSCOPE_TRY(Take(&placement.offset, where));
    const auto* stored = std::ranges::find(kStoredTypes, type, &StoredType::id);
    const auto known = stored == kStoredTypes.end() ? std::nullopt : DataTypeNamed(stored->name);
    if (!known) {
      return Refuse(fmt::format("{} is stored as {}, expected F32, F16, BF16, Q8_0, Q4_0, Q4_1, "
                                "Q5_0, Q5_1, Q2_K to Q6_K, IQ4_NL, IQ4_XS or MXFP4; quantize the "
                                "model to one of these",
                                where,
                                stored == kStoredTypes.end() ? fmt::format("type {}", type)
                                                             : std::string(stored->name)),
                    ErrorCode::kUnsupported);
    }
    tensor.type = *known;
    const std::optional<std::uint64_t> size = CheckedByteCount(tensor.shape, tensor.type);
    if (!size) {
      return Refuse(
          fmt::format("{} is {} {}, which is larger than any file or no whole number of blocks",
                      where,
                      stored->name,
                      ShapeText(tensor.shape)));
    }
    placement.size = *size;
    const auto [entry, is_new] =
        contents_.tensors.emplace(std::string(tensor_name), std::move(tensor));
    if (!is_new) {
      return Refuse(where + " is there twice");
    }
    placement.tensor = &entry->second;
    placements_.push_back(placement);
    return {};
  }

  // Offsets count from the first aligned byte after the infos.
  Status PlaceTensors() {
    contents_.header = {reinterpret_cast<const char*>(bytes_.data()), at_};
    const std::uint64_t begin =
        std::min<std::uint64_t>((at_ + alignment_ - 1) / alignment_ * alignment_, bytes_.size());
    const std::span<const std::byte> data = bytes_.subspan(begin);
    std::ranges::sort(placements_, {}, [](const Placement& placement) {
      return std::pair(placement.offset, placement.size);
    });
    std::uint64_t end = 0;
    for (const Placement& placement : placements_) {
      const auto where = [&] { return "tensor " + Quoted(placement.tensor->name); };
      if (placement.offset > data.size() || placement.size > data.size() - placement.offset) {
        return Refuse(fmt::format(
            "{} has {} from {} on, expected them within the {} of data; was the file cut short?",
            where(),
            Counted(placement.size, "byte"),
            placement.offset,
            Counted(data.size(), "byte")));
      }
      if (placement.offset % alignment_ != 0) {
        return Refuse(fmt::format(
            "{} starts at {}, expected a multiple of {}", where(), placement.offset, alignment_));
      }
      if (placement.offset < end) {
        return Refuse(where() + " overlaps the one before it");
      }
      placement.tensor->bytes = data.subspan(placement.offset, placement.size);
      end = placement.offset + placement.size;
    }
    return {};
  }

  std::span<const std::byte> bytes_;
  const std::string& name_;
  StopPoll poll_;
  std::uint64_t at_ = 0;
  std::uint64_t num_tensors_ = 0;
  std::uint64_t num_entries_ = 0;
  std::uint64_t alignment_ = kDefaultAlignment;
  GgufContents contents_;
  std::vector<Placement> placements_;
};

Result<GgufContents> ParseGgufBytes(std::span<const std::byte> bytes,
                                    const std::string& name,
                                    const std::stop_token& stop) {
  return GgufReader(bytes, name, stop).Read();
}

}  // namespace headscope
