// The parts of a model that have maps of their own.
#pragma once

#include <cstdint>
#include <string_view>

namespace headscope {

// One stack of layers is the whole of most models; an encoder-decoder has three kinds of maps.
enum class ModelPart { kWhole, kEncoder, kDecoder, kCross };

struct LayerId {
  ModelPart part = ModelPart::kWhole;
  std::int64_t layer = 0;
  friend bool operator==(const LayerId&, const LayerId&) = default;
};

// As --part and file keys say it; the whole is "attention".
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

// As names of layers and heads begin: "L5H1", "X0H1".
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

// Which text the two axes of a part's maps are: the target, or else what the model reads.
[[nodiscard]] constexpr bool HasTargetQueries(ModelPart part) {
  return part == ModelPart::kDecoder || part == ModelPart::kCross;
}
[[nodiscard]] constexpr bool HasTargetKeys(ModelPart part) {
  return part == ModelPart::kDecoder;
}

}  // namespace headscope
