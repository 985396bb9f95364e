#include <vector>

#include "core/base/half.h"
#include "core/io/json.h"
#include "core/io/torch_file.h"
#include "tests/fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  const std::span<const std::byte> bytes = fuzz::Bytes(data, size);
  static_cast<void>(IsTorchFile(bytes));
  const auto settings = TorchSettings(bytes, "fuzz.bin", kCheckpointSettings);
  if (!settings) {
    fuzz::CheckMessage(settings.error(), "fuzz.bin: ");
  } else if (settings->has_value()) {
    HEADSCOPE_CHECK(JsonDocument::Parse(**settings, "fuzz.bin").has_value(),
                    "settings are given as JSON");
  }
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
