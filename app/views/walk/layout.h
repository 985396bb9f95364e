// Where the matrices of the walk stand: three rows, from what is read to what is added.
//
// Units    window pixels, from the top left of the content; pictures at whole pixels.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "app/render/scene.h"
#include "app/state/walk/state.h"
#include "core/headcount/walk.h"

namespace headscope {

enum class WalkPiece {
  kInput,
  kQueryWeight,
  kKeyWeight,
  kValueWeight,
  kQueries,
  kKeys,
  kValues,
  kScores,
  kWeights,
  kBlended,
  kConcatenated,
  kOutputWeight,
  kOutput
};
inline constexpr std::size_t kWalkPieces = 13;

// The matrix of a piece.
[[nodiscard]] const WalkMatrix& MatrixOf(const LayerWalk& walk, WalkPiece piece);
// Whether the step is about it.
[[nodiscard]] bool IsOfStage(WalkPiece piece, WalkStage stage);

struct WalkPlace {
  Rect caption;
  Rect picture;
};
struct WalkSign {
  Rect place;  // centred in it
  std::string text;
};
struct WalkLayout {
  std::array<WalkPlace, kWalkPieces> places;
  std::vector<WalkSign> signs;
  float width = 0.0F;  // of the content, no smaller than what was asked for
  float height = 0.0F;

  [[nodiscard]] const WalkPlace& Of(WalkPiece piece) const {
    return places[static_cast<std::size_t>(piece)];
  }
};

// As large as fits; no smaller than what can be read, so that the content may be larger than the
// room and scrolls.
[[nodiscard]] WalkLayout LayOutWalk(const LayerWalk& walk, float width, float height, float scale);

}  // namespace headscope
