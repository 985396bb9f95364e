#include <vector>

#include "core/base/half.h"
#include "core/io/torch_file.h"
#include "tests/fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  const std::span<const std::byte> bytes = fuzz::Bytes(data, size);
  static_cast<void>(IsTorchFile(bytes));
  const Result<SafetensorsHeader> parsed = ParseTorchBytes(bytes, "fuzz.bin");
  if (!parsed) {
    fuzz::CheckMessage(parsed.error(), "fuzz.bin: ");
    return 0;
  }
  for (const auto& [name, tensor] : parsed->tensors) {
    HEADSCOPE_CHECK(name == tensor.name, "a tensor stands under its name");
    HEADSCOPE_CHECK(CheckedByteCount(tensor.shape, tensor.type) == tensor.bytes.size(),
                    "a shape covers its bytes");
    if (IsFloatingPoint(tensor.type)) {
      // Every byte is there to be read.
      std::vector<float> values(static_cast<std::size_t>(ElementCount(tensor)));
      ConvertToFloat(tensor, 0, values);
    }
  }
  return 0;
}
