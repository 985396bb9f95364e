#include <vector>

#include "core/base/half.h"
#include "core/io/safetensors.h"
#include "tests/fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  const std::span<const std::byte> bytes = fuzz::Bytes(data, size);
  const Result<SafetensorsHeader> parsed = ParseSafetensorsBytes(bytes, "fuzz.safetensors");
  if (!parsed) {
    fuzz::CheckMessage(parsed.error(), "fuzz.safetensors: ");
    return 0;
  }
  std::size_t covered = 8 + parsed->header.size();
  for (const auto& [name, tensor] : parsed->tensors) {
    HEADSCOPE_CHECK(name == tensor.name, "a tensor stands under its name");
    HEADSCOPE_CHECK(CheckedByteCount(tensor.shape, tensor.type) == tensor.bytes.size(),
                    "a shape covers its bytes");
    covered += tensor.bytes.size();
    if (IsFloatingPoint(tensor.type)) {
      // Every byte is there to be read.
      std::vector<float> values(static_cast<std::size_t>(ElementCount(tensor)));
      ConvertToFloat(tensor, 0, values);
    }
  }
  HEADSCOPE_CHECK(covered == size, "header and tensors make up the file");
  return 0;
}
