#include "app/views/walk/layout.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

namespace headscope {
namespace {

// Unscaled pixels.
constexpr float kWalkLayoutPad = 18.0F;
constexpr float kCaption = 40.0F;
constexpr float kGap = 12.0F;
constexpr float kWalkLayoutRowGap = 12.0F;
constexpr float kWalkLayoutMostCell = 26.0F;
constexpr float kLeastCaption = 92.0F;
constexpr float kLeastWidth = 640.0F;

// A piece, or the sign before the next one.
struct Item {
  WalkPiece piece = WalkPiece::kInput;
  float share = 0.0F;    // of the width; 0: a sign
  bool is_even = false;  // cells as wide as they are high
  std::string sign = {};
  float sign_width = 0.0F;
};

Item Sign(std::string text, float width) {
  return {.sign = std::move(text), .sign_width = width};
}

struct Size {
  float width = 0.0F;
  float height = 0.0F;
};

Size Fit(
    const WalkMatrix& matrix, const Item& item, float most_width, float most_height, float scale) {
  const auto rows = static_cast<float>(std::max<std::int64_t>(1, matrix.rows));
  const auto cols = static_cast<float>(std::max<std::int64_t>(1, matrix.cols));
  const float cell = kWalkLayoutMostCell * scale;
  if (!item.is_even) {
    return {std::floor(std::min(most_width, cols * cell)),
            std::floor(std::min(most_height, rows * cell))};
  }
  // A matrix that is far longer one way than the other has cells that are longer, too.
  const float side = std::min({most_width / cols, most_height / rows, cell});
  const float least = 0.3F * std::min({most_width, most_height, cell * std::max(rows, cols)});
  return {std::floor(std::clamp(side * cols, std::min(least, most_width), most_width)),
          std::floor(std::clamp(side * rows, std::min(least, most_height), most_height))};
}

struct WalkRow {
  std::vector<Item> items;
  float height_share = 0.0F;
  float least_height = 0.0F;  // unscaled
};

std::array<WalkRow, 3> Rows(const LayerWalk& walk) {
  using Piece = WalkPiece;
  WalkRow project{.items = {{Piece::kInput, 2.1F},
                            Sign("×", 22.0F),
                            {Piece::kQueryWeight, 1.7F, true},
                            {Piece::kKeyWeight, 1.7F, true},
                            {Piece::kValueWeight, 1.7F, true},
                            Sign("=", 22.0F),
                            {Piece::kQueries, 0.9F},
                            {Piece::kKeys, 0.9F},
                            {Piece::kValues, 0.9F}},
                  .height_share = 0.36F,
                  .least_height = 84.0F};
  WalkRow attend{.items = {{Piece::kScores, 2.6F, true},
                           Sign("softmax →", 84.0F),
                           {Piece::kWeights, 2.6F, true},
                           Sign(fmt::format("× V{} =", walk.value.own_head), 66.0F),
                           {Piece::kBlended, 1.4F}},
                 .height_share = 0.36F,
                 .least_height = 84.0F};
  WalkRow mix{.items = {{Piece::kConcatenated, 3.2F},
                        Sign("×", 22.0F),
                        {Piece::kOutputWeight, 1.6F, true},
                        Sign(walk.output_bias > 0.0F ? "+ b =" : "=",
                             walk.output_bias > 0.0F ? 44.0F : 22.0F),
                        {Piece::kOutput, 2.6F}},
              .height_share = 0.28F,
              .least_height = 70.0F};
  return {project, attend, mix};
}

}  // namespace

const WalkMatrix& MatrixOf(const LayerWalk& walk, WalkPiece piece) {
  // In the order of the pieces.
  const std::array<const WalkMatrix*, kWalkPieces> all = {&walk.input,
                                                          &walk.query.weight,
                                                          &walk.key.weight,
                                                          &walk.value.weight,
                                                          &walk.query.used,
                                                          &walk.key.used,
                                                          &walk.value.used,
                                                          &walk.scores,
                                                          &walk.weights,
                                                          &walk.blended,
                                                          &walk.concatenated,
                                                          &walk.output_weight,
                                                          &walk.output};
  return *all[static_cast<std::size_t>(piece)];
}

bool IsOfStage(WalkPiece piece, WalkStage stage) {
  using Piece = WalkPiece;
  const auto is_one_of = [piece](std::initializer_list<Piece> all) {
    return std::ranges::find(all, piece) != all.end();
  };
  switch (stage) {
    case WalkStage::kWidth:
      return piece == Piece::kInput;
    case WalkStage::kProject:
      return piece < Piece::kScores;
    case WalkStage::kAttend:
      return is_one_of({Piece::kQueries, Piece::kKeys, Piece::kScores, Piece::kWeights});
    case WalkStage::kBlend:
      return is_one_of({Piece::kValues, Piece::kWeights, Piece::kBlended});
    case WalkStage::kConcatenate:
      return is_one_of({Piece::kBlended, Piece::kConcatenated});
    case WalkStage::kMix:
      break;
  }
  return is_one_of({Piece::kConcatenated, Piece::kOutputWeight, Piece::kOutput});
}

WalkLayout LayOutWalk(const LayerWalk& walk, float width, float height, float scale) {
  WalkLayout layout;
  const float pad = kWalkLayoutPad * scale;
  const float room = std::max(width, kLeastWidth * scale) - 2.0F * pad;
  const float captions = 3.0F * (kCaption + kWalkLayoutRowGap) * scale;
  const float pictures = height - 2.0F * pad - captions;
  float y = pad * 0.6F;
  float right = 0.0F;
  for (const WalkRow& row : Rows(walk)) {
    float shares = 0.0F;
    float taken = 0.0F;
    for (const Item& item : row.items) {
      shares += item.share;
      taken += (item.share > 0.0F ? 0.0F : item.sign_width * scale) + kGap * scale;
    }
    taken -= kGap * scale;
    const float each = std::max(1.0F, (room - taken) / shares);
    const float most = std::max(row.least_height * scale, pictures * row.height_share);
    const float top = y + kCaption * scale;
    float tallest = 0.0F;
    float x = pad;
    for (const Item& item : row.items) {
      if (item.share == 0.0F) {
        layout.signs.push_back({{x, top, item.sign_width * scale, 0.0F}, item.sign});
        x += (item.sign_width + kGap) * scale;
        continue;
      }
      const float slot = each * item.share;
      // The inputs of all three are the same rows.
      const bool is_beside =
          item.piece == WalkPiece::kKeyWeight || item.piece == WalkPiece::kValueWeight;
      const float high =
          is_beside ? std::min(most, layout.Of(WalkPiece::kQueryWeight).picture.height) : most;
      const Size size = Fit(MatrixOf(walk, item.piece), item, slot, high, scale);
      WalkPlace& place = layout.places[static_cast<std::size_t>(item.piece)];
      place.picture = {std::round(x), std::round(top), size.width, size.height};
      const float words = std::max(size.width, std::min(slot, kLeastCaption * scale));
      place.caption = {place.picture.x, y, words, kCaption * scale};
      tallest = std::max(tallest, size.height);
      x += words + kGap * scale;
    }
    for (WalkSign& sign : layout.signs) {
      if (sign.place.y == top) {
        sign.place.height = tallest;
      }
    }
    right = std::max(right, x - kGap * scale);
    y = top + tallest + kWalkLayoutRowGap * scale;
  }
  layout.width = std::max(width, right + pad);
  layout.height = std::max(height, y);
  return layout;
}

}  // namespace headscope
