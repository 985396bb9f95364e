#include "app/views/compare/layout.h"

#include <algorithm>
#include <cmath>

namespace headscope {
namespace {

// Unscaled pixels.
constexpr float kHigh = 640.0F;  // enough for the heads over the pair
constexpr float kWide = 560.0F;  // enough for something beside the heads
constexpr float kListWidth = 250.0F;
constexpr float kLeastGrid = 200.0F;
constexpr float kFrame = 100.0F;  // of the map of heads: names and the bar of colours
constexpr float kRow = 30.0F;
constexpr float kSide = 300.0F;
constexpr float kHeader = 40.0F;
constexpr float kFooter = 74.0F;
constexpr float kCompareLayoutPad = 14.0F;
constexpr float kLeastMap = 216.0F;  // of which whole-pixel cells leave 200 or more

// What two maps can have as their sides, beside and below each other.
struct PairSides {
  float beside = 0.0F;
  float below = 0.0F;
};
PairSides SidesOf(float width, float height, const PairWish& wish, float pad) {
  const float half = (width - pad) / 2.0F;
  const float names = HasNamesOnce(half, wish) ? wish.left / 2.0F : wish.left;
  return {.beside = std::min(half - names - wish.right, height - wish.top),
          .below = std::min(width - wish.left - wish.right, (height - pad) / 2.0F - wish.top)};
}

// The height in which the maps of a pair of that width are as large as they have to be.
float LeastPairHeight(float width, const PairWish& wish, float scale) {
  constexpr float kEndless = 1e6F;
  const float pad = kCompareLayoutPad * scale;
  const float inner = width - 2.0F * pad;
  const float least = kLeastMap * scale;
  float maps = std::min(least, inner - wish.left - wish.right) + wish.top;
  if (wish.has_two) {
    const PairSides sides = SidesOf(inner, kEndless, wish, pad);
    // Smaller maps that are seen together are worth more than larger ones that have to be scrolled.
    maps = sides.beside >= std::min(0.75F * least, sides.below)
               ? std::min(least, sides.beside) + wish.top
               : 2.0F * (std::min(least, sides.below) + wish.top) + pad;
  }
  return std::ceil(std::max(0.0F, maps) + (kHeader + kFooter) * scale);
}

}  // namespace

bool HasNamesOnce(float half, const PairWish& wish) {
  return wish.left / 2.0F <= half / 3.0F;
}

CompareLayout LayOutCompare(const Rect& area,
                            std::int64_t layers,
                            const PairWish& wish,
                            float scale) {
  CompareLayout layout;
  const float rows = (kFrame + kRow * static_cast<float>(layers)) * scale;
  const bool has_sides = area.width >= kWide * scale;
  const bool is_low = area.height < kHigh * scale && has_sides;
  if (is_low) {
    const float side = std::round(std::min(kSide * scale, area.width * 0.36F));
    const float grid = std::round(std::clamp(rows, area.height * 0.3F, area.height * 0.6F));
    layout.heads = {area.x, area.y, side, grid};
    layout.list = {area.x, area.y + grid, side, area.height - grid};
    layout.pair = {area.x + side, area.y, area.width - side, area.height};
  } else {
    const float top = std::round(std::max(kLeastGrid * scale, std::min(rows, area.height * 0.34F)));
    const float list = has_sides ? std::round(kListWidth * scale) : 0.0F;
    layout.heads = {area.x, area.y, area.width - list, top};
    layout.list = {area.x + area.width - list, area.y, list, top};
    layout.pair = {area.x, area.y + top, area.width, std::max(0.0F, area.height - top)};
  }
  if (const float least = LeastPairHeight(layout.pair.width, wish, scale);
      least > layout.pair.height) {
    layout.scrolled = is_low ? layout.pair : area;
    layout.pair.height = least;
  }
  return layout;
}

PairLayout LayOutPair(const Rect& area, const PairWish& wish, float scale) {
  const float pad = kCompareLayoutPad * scale;
  const float header = kHeader * scale;
  const float footer = kFooter * scale;
  PairLayout layout;
  layout.header = {area.x + pad, area.y, std::max(0.0F, area.width - 2.0F * pad), header};
  const Rect maps{area.x + pad,
                  area.y + header,
                  std::max(0.0F, area.width - 2.0F * pad),
                  std::max(0.0F, area.height - header - footer)};
  layout.footer = {maps.x, maps.y + maps.height, maps.width, footer};
  // One map: in the middle, with room for the labels at its left.
  const float width = std::min(maps.width, maps.height * 1.2F);
  layout.first = {maps.x + std::floor((maps.width - width) / 2.0F), maps.y, width, maps.height};
  if (!wish.has_two) {
    return layout;
  }
  // Beside or below each other: as the maps are larger, with their labels.
  const PairSides sides = SidesOf(maps.width, maps.height, wish, pad);
  layout.first = maps;
  layout.second = maps;
  if (sides.beside >= sides.below) {
    const float half = std::max(0.0F, std::floor((maps.width - pad) / 2.0F));
    layout.first.width = half;
    layout.second.x += half + pad;
    layout.second.width = half;
  } else {
    const float half = std::max(0.0F, std::floor((maps.height - pad) / 2.0F));
    layout.first.height = half;
    layout.second.y += half + pad;
    layout.second.height = half;
  }
  return layout;
}

Rect MatchingLayout::HeadOfA(std::int64_t head) const {
  return {area.x + step_a * static_cast<float>(head), area.y, step_a, height};
}

Rect MatchingLayout::HeadOfB(std::int64_t head) const {
  return {
      area.x + step_b * static_cast<float>(head), area.y + area.height - height, step_b, height};
}

MatchingLayout LayOutMatching(const Rect& area,
                              std::int64_t heads_a,
                              std::int64_t heads_b,
                              float scale) {
  constexpr float kMostStep = 72.0F;
  MatchingLayout layout{.area = area};
  const auto step = [&](std::int64_t heads) {
    return std::min(area.width / static_cast<float>(std::max<std::int64_t>(1, heads)),
                    kMostStep * scale);
  };
  layout.step_a = step(heads_a);
  layout.step_b = step(heads_b);
  layout.height = 24.0F * scale;
  return layout;
}

}  // namespace headscope
