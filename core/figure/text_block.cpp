#include "core/figure/text_block.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/figure/pango_text.h"

namespace headscope {
namespace {

constexpr int kLargestPicture = 16384;  // pixels along a side

struct UnrefMetrics {
  void operator()(PangoFontMetrics* metrics) const { pango_font_metrics_unref(metrics); }
};

PixelBox InPixels(const PangoRectangle& box) {
  return {FromPango(box.x), FromPango(box.y), FromPango(box.width), FromPango(box.height)};
}

}  // namespace

struct TextBlock::State {
  PangoSetUp pango = SetUpPango();
  PangoLayout* layout = pango.layout.get();
  // For each byte of the text, and its end, the byte in the displayed text, and back.
  std::vector<int> set_of = {0};
  std::vector<std::size_t> text_of = {0};
  double line_height = 0.0;
  double own_baseline = 0.0;

  [[nodiscard]] int SetOf(std::size_t at) const { return set_of[std::min(at, set_of.size() - 1)]; }
  [[nodiscard]] std::size_t TextOf(int at) const {
    const auto place = static_cast<std::size_t>(std::max(at, 0));
    return text_of[std::min(place, text_of.size() - 1)];
  }

  // Replaces invisible characters by signs; with Lines::kMany line breaks are kept.
  [[nodiscard]] std::string WithSigns(std::string_view utf8, Lines lines) {
    std::string out;
    out.reserve(utf8.size());
    set_of.clear();
    text_of.clear();
    const char* const begin = utf8.data();
    const char* const end = begin + utf8.size();
    for (const char* at = begin; at < end;) {
      const gunichar character = g_utf8_get_char(at);
      const char* const next = g_utf8_next_char(at);
      const bool is_line_end = character == '\n' && lines == Lines::kMany;
      const gunichar shown = is_line_end ? character : VisibleSign(character);
      set_of.insert(
          set_of.end(), static_cast<std::size_t>(next - at), static_cast<int>(out.size()));
      Append(shown, &out);
      text_of.resize(out.size(), static_cast<std::size_t>(at - begin));
      at = next;
    }
    set_of.push_back(static_cast<int>(out.size()));
    text_of.push_back(utf8.size());
    return out;
  }

  void Measure() {
    const std::unique_ptr<PangoFontMetrics, UnrefMetrics> metrics(
        pango_context_get_metrics(pango.context.get(),
                                  pango_layout_get_font_description(layout),
                                  pango_language_from_string("en")));
    own_baseline = FromPango(pango_font_metrics_get_ascent(metrics.get()));
    line_height = own_baseline + FromPango(pango_font_metrics_get_descent(metrics.get()));
  }

  // Pango's own cursor movement does not stop at the ends of the text but steps out of it.
  [[nodiscard]] std::size_t Beside(std::size_t at, int direction) const {
    int index = SetOf(at);
    int trailing = 0;
    pango_layout_move_cursor_visually(layout, TRUE, index, 0, direction, &index, &trailing);
    if (index < 0 || index == G_MAXINT) {
      return at;
    }
    return TextOf(Ahead(index, trailing));
  }

  // Returns the position `characters` characters after `index`.
  [[nodiscard]] int Ahead(int index, int characters) const {
    const char* const text = pango_layout_get_text(layout);
    const char* at = text + index;
    for (; characters > 0 && *at != '\0'; --characters) {
      at = g_utf8_next_char(at);
    }
    return static_cast<int>(at - text);
  }
};

TextBlock::TextBlock() : state_(std::make_unique<State>()) {}
TextBlock::~TextBlock() = default;

TextBlock::Direction TextBlock::DirectionOf(std::string_view utf8) {
  constexpr std::size_t kEnough = 512;  // to find a letter that has a direction
  const std::size_t end = utf8.size() <= kEnough ? utf8.size() : PlaceBefore(utf8, kEnough);
  TextBlock block;
  block.Set(utf8.substr(0, end), {}, Lines::kOne);
  return block.right_to_left() ? Direction::kRightToLeft : Direction::kLeftToRight;
}

void TextBlock::Set(std::string_view utf8,
                    const TextStyle& style,
                    Lines lines,
                    Direction direction) {
  State& state = *state_;
  const std::string text = state.WithSigns(utf8, lines);
  SetStyle(state.layout, style);
  state.Measure();
  const bool wraps = lines == Lines::kMany && style.max_width_px > 0.0;
  pango_layout_set_single_paragraph_mode(state.layout, lines == Lines::kOne ? TRUE : FALSE);
  pango_layout_set_width(state.layout,
                         wraps ? static_cast<int>(style.max_width_px * PANGO_SCALE) : -1);
  pango_layout_set_wrap(state.layout, PANGO_WRAP_WORD_CHAR);
  pango_layout_set_auto_dir(state.layout, direction == Direction::kOfText ? TRUE : FALSE);
  pango_context_set_base_dir(
      state.pango.context.get(),
      direction == Direction::kRightToLeft ? PANGO_DIRECTION_RTL : PANGO_DIRECTION_LTR);
  pango_layout_context_changed(state.layout);
  pango_layout_set_text(state.layout, text.data(), static_cast<int>(text.size()));
}

double TextBlock::width() const {
  return FromPango(LogicalOf(state_->layout).width);
}

double TextBlock::height() const {
  return FromPango(LogicalOf(state_->layout).height);
}

double TextBlock::line_height() const {
  return state_->line_height;
}

double TextBlock::baseline() const {
  return FromPango(pango_layout_get_baseline(state_->layout));
}

double TextBlock::own_baseline() const {
  return state_->own_baseline;
}

bool TextBlock::right_to_left() const {
  const PangoLayoutLine* const line = pango_layout_get_line_readonly(state_->layout, 0);
  return line != nullptr && line->resolved_dir == PANGO_DIRECTION_RTL;
}

PixelBox TextBlock::Caret(std::size_t at) const {
  PangoRectangle strong;
  pango_layout_get_cursor_pos(state_->layout, state_->SetOf(at), &strong, nullptr);
  PixelBox box = InPixels(strong);
  box.width = 0.0;
  return box;
}

std::size_t TextBlock::PlaceAt(double x, double y) const {
  const auto units = [](double pixels) {
    return static_cast<int>(std::clamp(pixels, -1e6, 1e6) * PANGO_SCALE);
  };
  int index = 0;
  int trailing = 0;
  pango_layout_xy_to_index(state_->layout, units(x), units(y), &index, &trailing);
  return state_->TextOf(state_->Ahead(index, trailing));
}

std::vector<PixelBox> TextBlock::Boxes(TextSpan span) const {
  std::vector<PixelBox> boxes;
  const int begin = state_->SetOf(span.begin);
  const int end = state_->SetOf(span.end);
  const LayoutIteratorHandle at(pango_layout_get_iter(state_->layout));
  do {
    const PangoLayoutLine* const line = pango_layout_iter_get_line_readonly(at.get());
    const int line_end = line->start_index + line->length;
    if (begin >= end || line->start_index >= end || line_end < begin) {
      continue;
    }
    PangoRectangle logical;
    pango_layout_iter_get_line_extents(at.get(), nullptr, &logical);
    int* ranges = nullptr;
    int count = 0;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): read, not changed
    pango_layout_line_get_x_ranges(const_cast<PangoLayoutLine*>(line),
                                   std::max(begin, line->start_index),
                                   std::min(end, line_end),
                                   &ranges,
                                   &count);
    const int* edge = ranges;
    for (int i = 0; i < count; ++i) {
      const int left = *edge++;
      const int right = *edge++;
      if (right > left) {
        boxes.push_back(InPixels({left, logical.y, right - left, logical.height}));
      }
    }
    g_free(ranges);
    if (end > line_end && line->length == 0) {  // a selected empty line gets a narrow box
      boxes.push_back(InPixels({logical.x, logical.y, 4 * PANGO_SCALE, logical.height}));
    }
  } while (pango_layout_iter_next_line(at.get()) != FALSE);
  return boxes;
}

std::size_t TextBlock::LeftOf(std::size_t at) const {
  return state_->Beside(at, -1);
}

std::size_t TextBlock::RightOf(std::size_t at) const {
  return state_->Beside(at, 1);
}

TextSpan TextBlock::LineOf(std::size_t at) const {
  int number = 0;
  pango_layout_index_to_line_x(state_->layout, state_->SetOf(at), FALSE, &number, nullptr);
  const PangoLayoutLine* const line = pango_layout_get_line_readonly(state_->layout, number);
  if (line == nullptr) {
    return {0, state_->text_of.back()};
  }
  int end = line->start_index + line->length;
  const PangoLayoutLine* const next = pango_layout_get_line_readonly(state_->layout, number + 1);
  if (next != nullptr && next->start_index == end && line->length > 0) {
    // The end of a wrapped line is the beginning of the next: its last place is before that.
    const char* const text = pango_layout_get_text(state_->layout);
    end = static_cast<int>(g_utf8_prev_char(text + end) - text);
  }
  return {state_->TextOf(line->start_index), state_->TextOf(end)};
}

TextPicture TextBlock::Draw(double x, double y, int width, int height, Rgb color) const {
  TextPicture picture;
  if (width <= 0 || height <= 0 || width > kLargestPicture || height > kLargestPicture) {
    return picture;
  }
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height));
  const Cairo cairo(cairo_create(surface.get()));
  if (cairo_status(cairo.get()) != CAIRO_STATUS_SUCCESS) {
    return picture;
  }
  cairo_set_source_rgb(cairo.get(), color.r / 255.0, color.g / 255.0, color.b / 255.0);
  cairo_translate(cairo.get(), -x, -y);
  pango_cairo_show_layout(cairo.get(), state_->layout);
  cairo_surface_flush(surface.get());
  const unsigned char* const pixels = cairo_image_surface_get_data(surface.get());
  const int stride = cairo_image_surface_get_stride(surface.get());
  picture.width = width;
  picture.height = height;
  picture.rgba.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4);
  std::uint8_t* to = picture.rgba.data();
  for (int row = 0; row < height; ++row) {
    const auto* const line =
        reinterpret_cast<const std::uint32_t*>(pixels + static_cast<std::ptrdiff_t>(row) * stride);
    for (int column = 0; column < width; ++column) {
      // Cairo's colours are premultiplied; here OpenGL's blending multiplies by alpha.
      const std::uint32_t pixel = line[column];
      const std::uint32_t alpha = pixel >> 24U;
      for (const unsigned shift : {16U, 8U, 0U}) {
        const std::uint32_t part = (pixel >> shift) & 0xFFU;
        *to++ = static_cast<std::uint8_t>(alpha == 0U ? 0U : (part * 255U + alpha / 2U) / alpha);
      }
      *to++ = static_cast<std::uint8_t>(alpha);
    }
  }
  return picture;
}

}  // namespace headscope
