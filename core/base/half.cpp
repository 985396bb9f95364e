#include "core/base/half.h"

#include <bit>
#include <cstring>

#include "core/base/check.h"

namespace headscope {
namespace {

template <typename Stored, typename Convert>
void ConvertEach(std::span<const std::byte> bytes,
                 std::int64_t first,
                 std::span<float> out,
                 Convert convert) {
  const std::byte* source = bytes.data() + static_cast<std::size_t>(first) * sizeof(Stored);
  for (std::size_t i = 0; i < out.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, source + i * sizeof(Stored), sizeof(Stored));
    out[i] = convert(stored);
  }
}

}  // namespace

float HalfToFloat(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16U;
  const std::uint32_t exponent = (bits >> 10U) & 0x1FU;
  std::uint32_t mantissa = bits & 0x3FFU;
  if (exponent == 0x1FU) {
    return std::bit_cast<float>(sign | 0x7F800000U | (mantissa << 13U));
  }
  if (exponent != 0) {
    return std::bit_cast<float>(sign | ((exponent + 112U) << 23U) | (mantissa << 13U));
  }
  // Zero and subnormal halves: mantissa * 2^-24.
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
}

float Bfloat16ToFloat(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

bool IsFloatingPoint(DataType type) {
  return type == DataType::kF64 || type == DataType::kF32 || type == DataType::kF16 ||
         type == DataType::kBf16;
}

void ConvertToFloat(const TensorView& tensor, std::int64_t first, std::span<float> out) {
  if (out.empty()) {
    return;  // an empty tensor may have no address to copy from
  }
  switch (tensor.type) {
    case DataType::kF64:
      ConvertEach<double>(tensor.bytes, first, out, [](double v) { return static_cast<float>(v); });
      return;
    case DataType::kF32:
      std::memcpy(out.data(),
                  tensor.bytes.data() + static_cast<std::size_t>(first) * sizeof(float),
                  out.size_bytes());
      return;
    case DataType::kF16:
      ConvertEach<std::uint16_t>(tensor.bytes, first, out, HalfToFloat);
      return;
    case DataType::kBf16:
      ConvertEach<std::uint16_t>(tensor.bytes, first, out, Bfloat16ToFloat);
      return;
    default:
      HEADSCOPE_CHECK(false, "the caller has checked that the tensor is floating point");
  }
}

}  // namespace headscope
