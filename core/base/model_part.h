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

}  // namespace headscope
