// Attention made elsewhere, in each of its formats: whatever opens is drawn.
#include "core/attention/attention_file.h"
#include "tests/fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  Result<ArrayFile> arrays = ParseArrays(fuzz::Bytes(data, size), "fuzz");
  if (!arrays) {
    fuzz::CheckMessage(arrays.error(), "fuzz");
    return 0;
  }
  const auto file = AttentionFile::Make(std::move(*arrays), "fuzz", "", {});
  if (!file) {
    fuzz::CheckMessage(file.error(), "fuzz");
    return 0;
  }
  for (std::size_t part = 0; part < (*file)->parts().size(); ++part) {
    const GivenPart& about = (*file)->parts()[part];
    for (std::size_t layer = 0; layer < about.layers.size(); ++layer) {
      const auto made = (*file)->Layer(part, layer, 16, {});
      HEADSCOPE_CHECK(made.has_value(), "a layer of an open file is there");
      std::vector<float> row(static_cast<std::size_t>(about.keys));
      (*made)->Row(about.heads - 1, about.queries - 1, row);
      for (const float weight : (*made)->thumbnail(0).mean) {
        HEADSCOPE_CHECK(weight >= 0.0F || weight == kMasked, "what is drawn can be drawn");
      }
    }
  }
  HEADSCOPE_CHECK((*file)->encoding() != nullptr, "there are tokens or numbers");
  return 0;
}
