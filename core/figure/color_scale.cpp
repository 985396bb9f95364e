#include "core/figure/color_scale.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "core/base/parse_number.h"
#include "core/figure/theme.h"

namespace headscope {
namespace {

template <typename Enum, std::size_t kCount>
using NameTable = std::array<std::pair<Enum, std::string_view>, kCount>;

constexpr NameTable<Curve, 3> kCurveNames = {
    {{Curve::kLinear, "linear"}, {Curve::kSqrt, "sqrt"}, {Curve::kLog, "log"}}};
constexpr NameTable<Curve, 3> kCurveWords = {
    {{Curve::kLinear, "linear"}, {Curve::kSqrt, "square root"}, {Curve::kLog, "logarithm"}}};
constexpr NameTable<RangeMode, 5> kRangeNames = {{{RangeMode::kFixed, "fixed"},
                                                  {RangeMode::kRow, "row"},
                                                  {RangeMode::kHead, "head"},
                                                  {RangeMode::kLayer, "layer"},
                                                  {RangeMode::kGlobal, "global"}}};
// Whose rows a measured range is measured over.
constexpr NameTable<RangeMode, 3> kRangeWords = {{{RangeMode::kHead, "this head's"},
                                                  {RangeMode::kLayer, "the layer's"},
                                                  {RangeMode::kGlobal, "all"}}};
constexpr NameTable<Colormap, 5> kColormapNames = {{{Colormap::kViridis, "viridis"},
                                                    {Colormap::kCividis, "cividis"},
                                                    {Colormap::kBlues, "blues"},
                                                    {Colormap::kGreys, "greys"},
                                                    {Colormap::kDiverging, "diverging"}}};

template <typename Enum, std::size_t kCount>
std::string_view NameIn(const NameTable<Enum, kCount>& table, Enum value) {
  for (const auto& [entry, name] : table) {
    if (entry == value) {
      return name;
    }
  }
  return {};
}

template <typename Enum, std::size_t kCount>
std::optional<Enum> ParseIn(const NameTable<Enum, kCount>& table, std::string_view text) {
  for (const auto& [entry, name] : table) {
    if (name == text) {
      return entry;
    }
  }
  return std::nullopt;
}

float LogPosition(float low, float high, float weight) {
  const float floor = std::max(low, kLogFloor);
  if (!(high > floor)) {
    return weight >= high ? 1.0F : 0.0F;
  }
  return std::log(std::max(weight, floor) / floor) / std::log(high / floor);
}

std::string Short(float value) {
  return ShortNumber(static_cast<double>(value), 4);
}

}  // namespace

std::string_view Name(Curve curve) {
  return NameIn(kCurveNames, curve);
}
std::string_view Name(RangeMode mode) {
  return NameIn(kRangeNames, mode);
}
std::string_view Name(Colormap colormap) {
  return NameIn(kColormapNames, colormap);
}
std::optional<Curve> ParseCurve(std::string_view text) {
  return ParseIn(kCurveNames, text);
}
std::optional<Colormap> ParseColormap(std::string_view text) {
  return ParseIn(kColormapNames, text);
}

bool ParseRange(std::string_view text, ColorScale* scale) {
  const std::optional<RangeMode> mode = ParseIn(kRangeNames, text);
  if (mode && *mode != RangeMode::kFixed) {
    scale->range = *mode;
    return true;
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    return false;
  }
  const auto low = ParseAs<float>(text.substr(0, colon));
  const auto high = ParseAs<float>(text.substr(colon + 1));
  if (!low || !high || !(*low >= 0.0F) || !(*high > *low) || std::isinf(*high)) {
    return false;
  }
  scale->range = RangeMode::kFixed;
  scale->low = *low;
  scale->high = *high;
  return true;
}

std::array<Rgb, kColormapSize> InkTable(Rgb ground, Rgb ink) {
  std::array<Rgb, kColormapSize> table = {};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const float part = static_cast<float>(i) / static_cast<float>(kColormapSize - 1);
    const auto mix = [part](std::uint8_t from, std::uint8_t to) {
      const auto low = static_cast<float>(from);
      return static_cast<std::uint8_t>(std::lround(low + part * (static_cast<float>(to) - low)));
    };
    table[i] = {mix(ground.r, ink.r), mix(ground.g, ink.g), mix(ground.b, ink.b)};
  }
  return table;
}

Rgb MaskedColor(Theme theme) {
  return theme == Theme::kDark ? RgbOf(0x1D242D) : RgbOf(0xE6EAF0);
}

float Position(const ColorScale& scale, float weight) {
  float position = 0.0F;
  if (scale.curve == Curve::kLog) {
    position = LogPosition(scale.low, scale.high, weight);
  } else if (!(scale.high > scale.low)) {
    position = weight >= scale.high ? 1.0F : 0.0F;
  } else {
    position = std::clamp((weight - scale.low) / (scale.high - scale.low), 0.0F, 1.0F);
    if (scale.curve == Curve::kSqrt) {
      position = std::sqrt(position);
    }
  }
  return std::clamp(position, 0.0F, 1.0F);
}

Rgb ColorOf(const ColorScale& scale, Theme theme, float weight) {
  if (!(weight >= 0.0F)) {  // kMasked or not a number
    return MaskedColor(theme);
  }
  const float t = Position(scale, weight);
  const auto index =
      static_cast<std::size_t>(std::lround(t * static_cast<float>(kColormapSize - 1)));
  return ColormapTable(scale.colormap, theme)[index];
}

ColorScale ScaleOfRow(const ColorScale& scale, std::span<const float> row) {
  ColorScale own = scale;
  if (scale.range == RangeMode::kRow) {
    own.low = 0.0F;
    own.high = 0.0F;
    for (const float weight : row) {
      own.high = std::max(own.high, weight);
    }
  }
  return own;
}

ColorScale MeasuredScale(const ColorScale& scale, float largest) {
  ColorScale measured = scale;
  if (scale.range == RangeMode::kFixed || scale.range == RangeMode::kRow) {
    return measured;
  }
  measured.low = 0.0F;
  measured.high = largest > 0.0F ? largest : 1.0F;
  measured.range = largest > 0.0F ? scale.range : RangeMode::kFixed;
  return measured;
}

std::string_view CurveWords(Curve curve) {
  return NameIn(kCurveWords, curve);
}

std::string ShortNumber(double value, int digits) {
  std::string text = fmt::format("{:.{}g}", value, digits);
  if (const std::size_t zero = text.find("e-0"); zero != std::string::npos) {
    text.erase(zero + 2, 1);
  }
  return text;
}

std::string Describe(const ColorScale& scale) {
  std::string words(CurveWords(scale.curve));
  if (scale.curve == Curve::kLog) {
    words += ", floored at " + Short(std::max(scale.low, kLogFloor));
  }
  if (scale.range == RangeMode::kRow) {
    return words + ", 0 to the largest of each row";
  }
  words += fmt::format(", {} to {}", Short(scale.low), Short(scale.high));
  if (scale.range == RangeMode::kFixed && scale.high < 1.0F) {
    words += ", larger weights alike";
  }
  const std::string_view largest_of = NameIn(kRangeWords, scale.range);
  if (!largest_of.empty()) {
    words += fmt::format(", the largest of {} rows that see two keys or more", largest_of);
  }
  return words;
}

}  // namespace headscope
