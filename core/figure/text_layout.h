// Short texts set by Pango: any script, right to left, beyond 16 bits; measured and drawn into grey
// pixels or cairo surfaces.
//
// Units    pixels; sizes are pixel heights of the em square.
// Errors   a font that is missing falls back by fontconfig; never fails. Control characters show as
//          signs, invalid bytes as U+FFFD; past 16 KiB or 32,000 pixels a text is shortened.
// Threads  one thread at a time per TextSetter (each thread makes its own).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

enum class FontFamily { kSans, kMono };  // Inter, JetBrains Mono

struct TextStyle {
  FontFamily family = FontFamily::kSans;
  double size_px = 14.0;
  bool bold = false;
  double max_width_px = 0.0;  // > 0: shortened with an ellipsis in the middle
};

struct TextExtent {
  double width = 0.0;
  double height = 0.0;
  double baseline = 0.0;
};

// Coverage 0..255, row-major [height, width].
struct TextBitmap {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> coverage;
};

class TextSetter {
 public:
  TextSetter();
  ~TextSetter();
  TextSetter(const TextSetter&) = delete;
  TextSetter& operator=(const TextSetter&) = delete;

  [[nodiscard]] TextExtent Measure(std::string_view utf8, const TextStyle& style);
  [[nodiscard]] TextBitmap Render(std::string_view utf8, const TextStyle& style);
  // Draws into a cairo context (cairo_t*), top left at (x, y), turned by `radians` about that
  // corner, with the context's source.
  void Draw(void* cairo_context,
            double x,
            double y,
            double radians,
            std::string_view utf8,
            const TextStyle& style);
  // The lines of a longer text set `width_px` wide; each is drawn with a Draw of its own.
  [[nodiscard]] std::vector<std::string> Wrap(std::string_view utf8,
                                              const TextStyle& style,
                                              double width_px);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
