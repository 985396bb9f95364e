#include "app/render/palette.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include <epoxy/gl.h>

namespace headscope {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr int kColumns = kColormapSize + 1;  // one more for the colour of masked cells

int IndexOf(const ColorScale& scale, float weight) {
  return static_cast<int>(
      std::lround(Position(scale, weight) * static_cast<float>(kColormapSize - 1)));
}

// Returns where index `index` would begin in exact arithmetic: the search starts around it.
double Guess(const ColorScale& scale, int index) {
  const double t = (index - 0.5) / (kColormapSize - 1);
  const double low = static_cast<double>(scale.low);
  const double high = static_cast<double>(scale.high);
  if (scale.curve == Curve::kLog) {
    const double floor = std::max(low, static_cast<double>(kLogFloor));
    return floor * std::pow(std::max(high, floor) / floor, t);
  }
  return low + (high - low) * (scale.curve == Curve::kSqrt ? t * t : t);
}

// Maps floats from 0 up to integers in the same order.
std::uint32_t Rank(float weight) {
  return std::bit_cast<std::uint32_t>(weight);
}
float Weight(std::uint32_t rank) {
  return std::bit_cast<float>(rank);
}

double CurveValue(const ColorScale& scale, float weight) {
  const double value = static_cast<double>(weight);
  switch (scale.curve) {
    case Curve::kLog:
      return std::log2(std::max(value, 1e-30));
    case Curve::kSqrt:
      return std::sqrt(std::max(value - static_cast<double>(scale.low), 0.0));
    case Curve::kLinear:
      break;
  }
  return value - static_cast<double>(scale.low);
}

// Fits a straight line through the first and the last threshold along the curve.
Palette::Row FitCurve(const ColorScale& scale, const std::array<float, kColormapSize>& thresholds) {
  std::size_t first = 1;
  while (first < thresholds.size() && thresholds[first] <= 0.0F) {
    ++first;
  }
  std::size_t last = thresholds.size() - 1;
  while (last > 0 && thresholds[last] == kInfinity) {
    --last;
  }
  if (first > last) {  // a single colour
    return {0, Curve::kLinear, {0.0F, 0.0F, 0.0F, static_cast<float>(last) + 0.5F}};
  }
  if (thresholds[first] == thresholds[last]) {  // a step
    return {0, Curve::kLinear, {thresholds[first], 0.0F, 1e38F, static_cast<float>(last) + 0.5F}};
  }
  const double start = CurveValue(scale, thresholds[first]);
  const double slope =
      static_cast<double>(last - first) / (CurveValue(scale, thresholds[last]) - start);
  return {
      0,
      scale.curve,
      {scale.low, static_cast<float>(start), static_cast<float>(slope), static_cast<float>(first)}};
}

std::uint8_t Half(std::uint8_t color, std::uint8_t background) {
  return static_cast<std::uint8_t>((int{color} + int{background} + 1) / 2);
}

}  // namespace

std::array<float, kColormapSize> Thresholds(const ColorScale& scale) {
  constexpr double kNear = 1e-5;  // of the guess, relative: the threshold nearly always is
  const std::uint32_t end = Rank(kInfinity);
  std::array<float, kColormapSize> thresholds{};
  std::uint32_t floor = 0;  // no threshold is below the previous one
  for (int index = 1; index < kColormapSize; ++index) {
    const auto is_below = [&](std::uint32_t rank) { return IndexOf(scale, Weight(rank)) < index; };
    const double guess = std::max(0.0, Guess(scale, index));
    const auto around = [&](double part) {
      return std::clamp(Rank(static_cast<float>(guess * part)), floor, end - 1);
    };
    std::uint32_t low = around(1.0 - kNear);
    std::uint32_t high = around(1.0 + kNear);
    if (!is_below(low)) {
      high = std::exchange(low, floor);
    } else if (is_below(high)) {
      low = std::exchange(high, end);
    }
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (is_below(middle)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    floor = low;
    thresholds[static_cast<std::size_t>(index)] = Weight(floor);
  }
  return thresholds;
}

Palette::Palette() : thresholds_(gl::Texture::Create()), colors_(gl::Texture::Create()) {
  for (const unsigned texture : {thresholds_.id(), colors_.id()}) {
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  }
  glBindTexture(GL_TEXTURE_2D, thresholds_.id());
  glTexImage2D(GL_TEXTURE_2D, 0, GL_R32F, kColormapSize, kRows, 0, GL_RED, GL_FLOAT, nullptr);
  glBindTexture(GL_TEXTURE_2D, colors_.id());
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, kColumns, kRows, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
}

std::optional<Palette::Row> Palette::Find(const PaletteKey& key) {
  const auto found = std::find_if(
      entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.key == key; });
  if (found != entries_.end()) {
    return found->row;
  }
  if (entries_.size() == kRows) {
    return std::nullopt;
  }
  const std::array<float, kColormapSize> thresholds = Thresholds(key.scale);
  std::array<std::uint8_t, std::size_t{kColumns} * 4> colors{};
  const std::span<const Rgb, kColormapSize> table = ColormapTable(key.scale.colormap, key.theme);
  for (std::size_t column = 0; column < std::size_t{kColumns}; ++column) {
    Rgb color = column < table.size() ? table[column] : MaskedColor(key.theme);
    if (key.dimmed) {
      color = {Half(color.r, key.background.r),
               Half(color.g, key.background.g),
               Half(color.b, key.background.b)};
    }
    colors[4 * column] = color.r;
    colors[4 * column + 1] = color.g;
    colors[4 * column + 2] = color.b;
    colors[4 * column + 3] = 255;
  }
  Row row = FitCurve(key.scale, thresholds);
  row.index = static_cast<int>(entries_.size());
  glBindTexture(GL_TEXTURE_2D, thresholds_.id());
  glTexSubImage2D(
      GL_TEXTURE_2D, 0, 0, row.index, kColormapSize, 1, GL_RED, GL_FLOAT, thresholds.data());
  glBindTexture(GL_TEXTURE_2D, colors_.id());
  glTexSubImage2D(
      GL_TEXTURE_2D, 0, 0, row.index, kColumns, 1, GL_RGBA, GL_UNSIGNED_BYTE, colors.data());
  entries_.push_back({key, row});
  return row;
}

void Palette::Clear() {
  entries_.clear();
}

}  // namespace headscope
