// Short texts set by Pango: any script, right to left, characters beyond 16 bits; measured and
// drawn into grey pixels or cairo surfaces.
//
// Units    pixels; sizes are pixel heights of the em square.
// Errors   never fails; fontconfig replaces a missing font. Control characters are shown as signs,
//          invalid bytes as U+FFFD; a text longer than 16 KiB or 32,000 pixels is shortened.
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

  friend bool operator==(const TextStyle&, const TextStyle&) = default;
};

struct TextExtent {
  double width = 0.0;
  double height = 0.0;
  double baseline = 0.0;
};

// A text as it is drawn.
struct TextShown {
  std::string utf8;  // without what an ellipsis stands for, in the order of reading
  TextExtent extent;
  bool is_right_to_left = false;
};

// Coverage 0..255, row-major [height, width].
struct TextBitmap {
  int width = 0;
  int height = 0;
  bool is_cut = false;  // an ellipsis stands for a part that had no room
  std::vector<std::uint8_t> coverage;
};

class TextSetter {
 public:
  TextSetter();
  ~TextSetter();
  TextSetter(const TextSetter&) = delete;
  TextSetter& operator=(const TextSetter&) = delete;

  [[nodiscard]] TextExtent Measure(std::string_view utf8, const TextStyle& style);
  [[nodiscard]] TextShown Shown(std::string_view utf8, const TextStyle& style);
  [[nodiscard]] TextBitmap Render(std::string_view utf8, const TextStyle& style);
  // Draws into a cairo context (cairo_t*) with the context's source, top left at (x, y), rotated by
  // `radians` about that corner.
  void Draw(void* cairo_context,
            double x,
            double y,
            double radians,
            std::string_view utf8,
            const TextStyle& style);
  // Wraps a longer text to `width_px`; each of the returned lines needs its own Draw.
  [[nodiscard]] std::vector<std::string> Wrap(std::string_view utf8,
                                              const TextStyle& style,
                                              double width_px);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
