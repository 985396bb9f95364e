#include "core/io/npy.h"
#include "tests/fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  const Result<FloatArray> array = ParseNpy(fuzz::Bytes(data, size), "fuzz.npy");
  if (!array) {
    fuzz::CheckMessage(array.error(), "fuzz.npy: ");
    return 0;
  }
  HEADSCOPE_CHECK(
      CheckedByteCount(array->shape, DataType::kF32) == array->values.size() * sizeof(float),
      "a shape covers its numbers");
  return 0;
}
