#include "app/views/kit/ui.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <imgui.h>

#include "core/base/utf8.h"

namespace headscope {

float Ui::Px(float unscaled) const {
  return std::round(unscaled * scale);
}

void Ui::WakeIn(double seconds) {
  wake_in_s = wake_in_s < 0.0 ? seconds : std::min(wake_in_s, seconds);
}

TextStyle StyleOf(const Ui& ui, Type type, float max_width) {
  TextStyle style;
  double size = 14.0;
  switch (type) {
    case Type::kBody:
      break;
    case Type::kSmall:
      size = 12.5;
      break;
    case Type::kBold:
      style.bold = true;
      break;
    case Type::kTitle:
      style.bold = true;
      size = 22.0;
      break;
    case Type::kMono:
      style.family = FontFamily::kMono;
      size = 12.0;
      break;
    case Type::kMonoSmall:
      style.family = FontFamily::kMono;
      size = 11.0;
      break;
  }
  style.size_px = size * static_cast<double>(ui.scale);
  style.max_width_px = static_cast<double>(max_width);
  return style;
}

LabelTexture LabelOf(const Ui& ui, std::string_view text, Type type, float max_width) {
  return ui.renderer->Label(text, StyleOf(ui, type, max_width));
}

float DrawText(
    const Ui& ui, float x, float y, std::string_view text, Type type, Rgb color, float max_width) {
  const LabelTexture label = LabelOf(ui, text, type, max_width);
  if (label.texture != nullptr) {
    x = std::round(x);
    y = std::round(y);
    const ImVec2 end{x + label.width, y + label.height};
    if (!ImGui::IsRectVisible({x, y}, end)) {  // of the help, most is scrolled out
      return label.width;
    }
    ImGui::GetWindowDrawList()->AddImage(
        label.texture, {x, y}, end, {label.u0, label.v0}, {label.u1, label.v1}, ToImGui(color));
  }
  return label.width;
}

float DrawTextIn(
    const Ui& ui, const Rect& rect, std::string_view text, Type type, Rgb color, float max_width) {
  const LabelTexture label = LabelOf(ui, text, type, max_width);
  return DrawText(
      ui, rect.x, rect.y + (rect.height - label.height) / 2.0F, text, type, color, max_width);
}

float TextWidth(const Ui& ui, std::string_view text, Type type) {
  return LabelOf(ui, text, type).width;
}

float LineHeight(const Ui& ui, Type type) {
  return std::round(static_cast<float>(StyleOf(ui, type).size_px) * 1.45F);
}

namespace {

// How many bytes of a word that is wider than a line fit into it, whole characters, at least one.
std::size_t FittingBytes(const Ui& ui, std::string_view word, float width, Type type) {
  const auto starts_character = [word](std::size_t at) {
    return at >= word.size() || StartsCharacter(word[at]);
  };
  // No letter is narrower than a sixth of its height: more need not be measured.
  const double narrow = StyleOf(ui, type).size_px / 6.0;
  std::size_t most =
      std::min(word.size(),
               static_cast<std::size_t>(4.0 * std::max(1.0, static_cast<double>(width) / narrow)));
  std::size_t fits = 0;
  while (fits < most) {  // fits: known to fit; most: known not to need more
    std::size_t middle = (fits + most + 1) / 2;
    while (middle < most && !starts_character(middle)) {
      ++middle;
    }
    if (TextWidth(ui, word.substr(0, middle), type) <= width) {
      fits = middle;
    } else {
      most = middle - 1;
      while (most > fits && !starts_character(most)) {
        --most;
      }
    }
  }
  std::size_t first = 1;
  while (!starts_character(first)) {
    ++first;
  }
  return std::max(fits, first);
}

struct Piece {
  std::string_view text;
  bool ends_line = false;
  bool goes_on = false;  // the word does, without a space
};

constexpr float kWidestWord = 1000.0F;  // a texture holds no more, and would cut it off

// The next word, or what fits of one; `text` goes on after it.
Piece NextPiece(const Ui& ui, std::string_view* text, float width, Type type) {
  const std::size_t end = std::min(text->find_first_of(" \n"), text->size());
  std::string_view word = text->substr(0, end);
  const float widest = std::min(width, kWidestWord);
  if (!word.empty() && TextWidth(ui, word.substr(0, 512), type) > widest) {
    word = word.substr(0, FittingBytes(ui, word, widest, type));
    text->remove_prefix(word.size());
    return {.text = word, .goes_on = true};
  }
  const bool ends_line = end < text->size() && (*text)[end] == '\n';
  text->remove_prefix(std::min(end + 1, text->size()));
  return {.text = word, .ends_line = ends_line};
}

// Word by word: a word's texture is shared by every paragraph that uses it.
template <typename Place>
float SetParagraph(const Ui& ui,
                   float width,
                   std::string_view text,
                   Type type,
                   int most_lines,
                   const Place& place) {
  const float line_height = LineHeight(ui, type);
  const float space = TextWidth(ui, " ", type);
  float at = 0.0F;
  float top = 0.0F;
  while (!text.empty()) {
    const Piece piece = NextPiece(ui, &text, width, type);
    const float word_width = TextWidth(ui, piece.text, type);
    const bool is_beyond = at > 0.0F && at + word_width > width;
    const bool is_last_line =
        most_lines > 0 && top + 1.5F * line_height > static_cast<float>(most_lines) * line_height;
    const float mark = is_last_line && !text.empty() ? TextWidth(ui, "…", type) + space : 0.0F;
    const bool is_cut = mark > 0.0F && (piece.ends_line || at + word_width + mark > width);
    if (is_cut || (is_last_line && is_beyond)) {
      place(at, top, "…", 0.0F);
      break;
    }
    if (is_beyond) {
      at = 0.0F;
      top += line_height;
    }
    place(at, top, piece.text, word_width);
    at += word_width + (piece.goes_on ? 0.0F : space);
    if (piece.ends_line) {
      at = 0.0F;
      top += line_height;
    }
  }
  return top + line_height;
}

}  // namespace

float DrawParagraph(const Ui& ui,
                    float x,
                    float y,
                    float width,
                    std::string_view text,
                    Type type,
                    Rgb color,
                    int most_lines) {
  return SetParagraph(
      ui,
      width,
      text,
      type,
      most_lines,
      [&](float dx, float dy, std::string_view word, float word_width) {
        DrawText(ui, x + dx, y + dy, word, type, color, word_width > width ? width : 0.0F);
      });
}

void DrawBeginning(
    const Ui& ui, const Rect& rect, std::string_view text, Type type, Rgb color, float width) {
  if (TextWidth(ui, text, type) <= width) {
    DrawTextIn(ui, rect, text, type, color);
    return;
  }
  const float top = rect.y + (rect.height - LineHeight(ui, type)) / 2.0F;
  DrawParagraph(ui, rect.x, top, width, text, type, color, 1);
}

float ParagraphHeight(const Ui& ui, std::string_view text, float width, Type type, int most_lines) {
  return SetParagraph(
      ui, width, text, type, most_lines, [](float, float, std::string_view, float) {});
}

float DrawNumber(const Ui& ui, float x, float y, std::string_view text, Rgb color) {
  ImFont* font = ui.fonts.mono != nullptr ? ui.fonts.mono : ImGui::GetFont();
  const float size = font->FontSize;
  ImGui::GetWindowDrawList()->AddText(font,
                                      size,
                                      {std::round(x), std::round(y)},
                                      ToImGui(color),
                                      text.data(),
                                      text.data() + text.size());
  return NumberWidth(ui, text);
}

float NumberWidth(const Ui& ui, std::string_view text) {
  ImFont* font = ui.fonts.mono != nullptr ? ui.fonts.mono : ImGui::GetFont();
  return font
      ->CalcTextSizeA(font->FontSize, 1e9F, 0.0F, text.data(), text.data() + text.size(), nullptr)
      .x;
}

std::uint32_t ToImGui(Rgb color, float alpha) {
  const auto a = static_cast<std::uint32_t>(std::lround(std::clamp(alpha, 0.0F, 1.0F) * 255.0F));
  return IM_COL32(color.r, color.g, color.b, 0) | (a << IM_COL32_A_SHIFT);
}

Rgb Blend(Rgb below, Rgb above, float amount) {
  const auto mix = [amount](std::uint8_t a, std::uint8_t b) {
    const float value =
        static_cast<float>(a) + (static_cast<float>(b) - static_cast<float>(a)) * amount;
    return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0F, 255.0F)));
  };
  return {mix(below.r, above.r), mix(below.g, above.g), mix(below.b, above.b)};
}

Rgb ReadableOn(const Ui& ui, Rgb fill) {
  return ReadableOn(ui.colors(), fill);
}

}  // namespace headscope
