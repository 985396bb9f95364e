// The parts of a model that have attention maps of their own.
#pragma once

#include <cstdint>
#include <string_view>

namespace headscope {

// Most models have one stack of layers (kWhole); an encoder-decoder has three kinds of maps.
enum class ModelPart { kWhole, kEncoder, kDecoder, kCross };

struct LayerId {
  ModelPart part = ModelPart::kWhole;
  std::int64_t layer = 0;
  friend bool operator==(const LayerId&, const LayerId&) = default;
};

// The name used by --part and in file keys; for the whole model it is "attention".
[[nodiscard]] constexpr std::string_view PartName(ModelPart part) {
  switch (part) {
    case ModelPart::kEncoder:
      return "encoder";
    case ModelPart::kDecoder:
      return "decoder";
    case ModelPart::kCross:
      return "cross";
    case ModelPart::kWhole:
      break;
  }
  return "attention";
}

// The first letter of layer and head names: "L5H1", "X0H1".
[[nodiscard]] constexpr char PartLetter(ModelPart part) {
  switch (part) {
    case ModelPart::kEncoder:
      return 'E';
    case ModelPart::kDecoder:
      return 'D';
    case ModelPart::kCross:
      return 'X';
    case ModelPart::kWhole:
      break;
  }
  return 'L';
}

// Whether a part's queries (rows) or keys (columns) are tokens of the target text rather than of
// the input text.
[[nodiscard]] constexpr bool HasTargetQueries(ModelPart part) {
  return part == ModelPart::kDecoder || part == ModelPart::kCross;
}
[[nodiscard]] constexpr bool HasTargetKeys(ModelPart part) {
  return part == ModelPart::kDecoder;
}

}  // namespace headscope
