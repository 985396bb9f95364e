#include <algorithm>
#include <array>

#include "core/base/half.h"
#include "core/model/gguf_model.h"
#include "core/model/tensor_needs.h"
#include "tests/fuzz/input.h"

namespace {

using namespace headscope;

void CheckTensor(const std::string& name, const TensorView& tensor) {
  HEADSCOPE_CHECK(name == tensor.name, "a tensor stands under its name");
  HEADSCOPE_CHECK(CheckedByteCount(tensor.shape, tensor.type) == tensor.bytes.size(),
                  "a shape covers its bytes");
  if (IsFloatingPoint(tensor.type)) {
    // Every byte is there to be read; a stretch at a time, from odd places too.
    std::array<float, 1000> values;
    const std::int64_t count = ElementCount(tensor);
    for (std::int64_t first = 0; first < count; first += std::ssize(values)) {
      const std::int64_t size = std::min<std::int64_t>(std::ssize(values), count - first);
      ConvertToFloat(tensor, first, std::span(values).first(static_cast<std::size_t>(size)));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Result<GgufContents> parsed = ParseGgufBytes(fuzz::Bytes(data, size), "fuzz.gguf");
  if (!parsed) {
    fuzz::CheckMessage(parsed.error(), "fuzz.gguf: ");
    return 0;
  }
  std::size_t covered = parsed->header.size();
  for (const auto& [name, tensor] : parsed->tensors) {
    CheckTensor(name, tensor);
    covered += tensor.bytes.size();
  }
  HEADSCOPE_CHECK(covered <= size, "the header and the tensors fit into the file");
  GgufFile file{.metadata = std::move(parsed->metadata),
                .weights = WeightStore("fuzz.gguf", {}, std::move(parsed->tensors))};
  const auto tokenizer = GgufTokenizer(file.metadata);
  if (!tokenizer) {
    fuzz::CheckMessage(tokenizer.error(), "fuzz.gguf");
  }
  Result<ModelDescription> model = DescribeGguf(&file);
  if (!model) {
    fuzz::CheckMessage(model.error(), "fuzz.gguf");
    return 0;
  }
  const auto summary =
      CheckTensors(&*model, file.weights.tensors(), "fuzz.gguf", Expectation::kFile);
  if (!summary) {
    fuzz::CheckMessage(summary.error(), "fuzz.gguf: ");
    return 0;
  }
  for (const auto& [name, tensor] : file.weights.tensors()) {
    CheckTensor(name, tensor);  // now with rows interleaved
  }
  return 0;
}
