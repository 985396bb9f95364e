// Tokens along the large map: keys slanted on top, queries on the left; thinned out where they
// would touch.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/maps/big_map.h"
#include "core/text/indexed_name.h"
#include "core/text/words.h"

namespace headscope {
namespace {

constexpr float kLongest = 108.0F;       // unscaled pixels, then shortened in the middle
constexpr float kSlant = 0.9F;           // radians, about 50 degrees
constexpr float kLineOfSlanted = 11.0F;  // what a slanted label needs across its line

// Labels between the pointed one's neighbours step aside for it.
bool TooNear(std::int64_t index, std::optional<std::int64_t> pointed, double cell, double spacing) {
  return pointed && index != *pointed &&
         static_cast<double>(std::abs(index - *pointed)) * cell < spacing;
}

}  // namespace

std::string AxisName(const Ui& ui, const Encoding& encoding, std::int64_t index) {
  const auto& known = ui.memory->repeated;
  const auto found = std::find_if(known.begin(), known.end(), [&](const RepeatedTokens& text) {
    return text.encoding.get() == &encoding;
  });
  if (found == known.end() || TokenAt(encoding, index) == nullptr) {
    return TokenLabel(encoding, index);
  }
  std::string word = TokenWord(encoding, index);
  return found->repeats[static_cast<std::size_t>(index)] ? IndexedName(word, index) : word;
}

LabelTexture AxisLabel(const Ui& ui, const Encoding& encoding, std::int64_t index) {
  return LabelOf(ui, AxisName(ui, encoding, index), Type::kMono, ui.Px(kLongest));
}

float LongestLabel(const Ui& ui, const Encoding& encoding) {
  // Of a long text only the tokens with the most bytes are measured: setting a label takes time.
  constexpr std::ptrdiff_t kAllOf = 64;
  constexpr std::ptrdiff_t kOfMore = 16;
  std::vector<std::size_t> tokens(encoding.tokens.size());
  std::iota(tokens.begin(), tokens.end(), std::size_t{0});
  if (std::ssize(tokens) > kAllOf) {
    const auto bytes = [&](std::size_t token) { return encoding.tokens[token].display.size(); };
    std::ranges::nth_element(tokens, tokens.begin() + kOfMore, std::ranges::greater{}, bytes);
    tokens.resize(kOfMore);
  }
  float longest = ui.Px(24.0F);
  for (const std::size_t token : tokens) {
    longest = std::max(longest, AxisLabel(ui, encoding, static_cast<std::int64_t>(token)).width);
  }
  return longest;
}

void DrawSlanted(float x, float y, const LabelTexture& label, Rgb color) {
  if (label.texture == nullptr) {
    return;
  }
  const float along_x = std::cos(kSlant);
  const float along_y = -std::sin(kSlant);
  const float down_x = -along_y;
  const float down_y = along_x;
  const float left = x - down_x * label.height / 2.0F;
  const float top = y - down_y * label.height / 2.0F;
  const ImVec2 a{left, top};
  const ImVec2 b{left + along_x * label.width, top + along_y * label.width};
  const ImVec2 c{b.x + down_x * label.height, b.y + down_y * label.height};
  const ImVec2 d{left + down_x * label.height, top + down_y * label.height};
  ImGui::GetWindowDrawList()->AddImageQuad(label.texture,
                                           a,
                                           b,
                                           c,
                                           d,
                                           {label.u0, label.v0},
                                           {label.u1, label.v0},
                                           {label.u1, label.v1},
                                           {label.u0, label.v1},
                                           ToImGui(color));
}

void KnowTokens(Ui* ui, const std::shared_ptr<const Encoding>& encoding) {
  constexpr std::size_t kMostTexts = 4;
  auto& known = ui->memory->repeated;
  for (const RepeatedTokens& text : known) {
    if (text.encoding == encoding) {
      return;
    }
  }
  std::unordered_map<std::string, int> counts;
  for (std::size_t i = 0; i < encoding->tokens.size(); ++i) {
    ++counts[TokenName(*encoding, i)];
  }
  RepeatedTokens marks{.encoding = encoding, .repeats = {}};
  for (std::size_t i = 0; i < encoding->tokens.size(); ++i) {
    marks.repeats.push_back(counts[TokenName(*encoding, i)] > 1);
  }
  if (known.size() == kMostTexts) {
    known.erase(known.begin());
  }
  known.push_back(std::move(marks));
}

AxisRoom RoomForLabels(const Ui& ui, const BigMap& map) {
  const float queries = LongestLabel(ui, *map.query_tokens);
  const float keys =
      map.key_tokens == map.query_tokens ? queries : LongestLabel(ui, *map.key_tokens);
  const float height = LineHeight(ui, Type::kMono);
  return {.left = queries + ui.Px(10.0F),
          .top = keys * std::sin(kSlant) + height * 0.6F + ui.Px(6.0F),
          // The last label begins in the last column; the panel has a margin besides.
          .right = std::max(0.0F, keys * std::cos(kSlant) - ui.Px(16.0F))};
}

void DrawAxisLabels(const Ui& ui, const MapGeometry& geometry, const BigMap& map) {
  const ThemeColors& colors = ui.colors();
  const auto pointed_key = map.point ? map.point->key : std::nullopt;
  const std::int64_t marked = map.query;
  const float longest = ui.Px(kLongest);
  const double spacing = static_cast<double>(ui.Px(13.0F));

  const auto draw_query = [&](std::int64_t query) {
    const double middle = geometry.QueryY(query) + geometry.cell_height() / 2.0;
    const auto y = static_cast<float>(middle);
    if (y < geometry.target.y || y > geometry.target.y + geometry.target.height) {
      return;
    }
    const std::string text = AxisName(ui, *map.query_tokens, query);
    const LabelTexture label = LabelOf(ui, text, Type::kMono, longest);
    DrawText(ui,
             geometry.target.x - ui.Px(8.0F) - label.width,
             y - label.height / 2.0F,
             text,
             Type::kMono,
             query == marked ? colors.text : colors.muted,
             longest);
  };
  const LabelRun rows = ThinLabels(geometry.first_query,
                                   geometry.shown_queries,
                                   geometry.cell_height(),
                                   spacing,
                                   geometry.queries);
  for (std::int64_t query = rows.first; query < rows.last; query += rows.step) {
    if (query != marked && !TooNear(query, marked, geometry.cell_height(), spacing)) {
      draw_query(query);
    }
  }
  if (marked >= 0) {
    draw_query(marked);
  }

  const float panel_end = ui.layout.detail.x + ui.layout.detail.width;
  const auto draw_key = [&](std::int64_t key) {
    const auto x = static_cast<float>(geometry.KeyX(key) + geometry.cell_width() / 2.0);
    if (x < geometry.target.x || x > geometry.target.x + geometry.target.width) {
      return;
    }
    const std::string text = AxisName(ui, *map.key_tokens, key);
    LabelTexture label = LabelOf(ui, text, Type::kMono, longest);
    const float fits = (panel_end - x) / std::cos(kSlant);
    if (label.width > fits) {
      // In steps, so that a map that moves does not make a texture for every pixel.
      const float step = ui.Px(12.0F);
      if (fits < 3.0F * step) {
        return;
      }
      label = LabelOf(ui, text, Type::kMono, std::floor(fits / step) * step);
    }
    DrawSlanted(
        x, geometry.target.y - ui.Px(7.0F), label, key == pointed_key ? colors.text : colors.muted);
  };
  // Slanted lines lie nearer to each other than their beginnings.
  const auto key_spacing = static_cast<double>(ui.Px(kLineOfSlanted) / std::sin(kSlant));
  const LabelRun columns = ThinLabels(
      geometry.first_key, geometry.shown_keys, geometry.cell_width(), key_spacing, geometry.keys);
  for (std::int64_t key = columns.first; key < columns.last; key += columns.step) {
    if (key != pointed_key && !TooNear(key, pointed_key, geometry.cell_width(), key_spacing)) {
      draw_key(key);
    }
  }
  if (pointed_key) {
    draw_key(*pointed_key);
  }
}

}  // namespace headscope
