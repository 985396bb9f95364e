// The text fields of the window: what each holds while it is edited, which of them has the keys,
// and what a key does in it. Keys are handled one by one in their order, before anything is drawn.
//
// Threads  UI thread, within a frame.
// Cost     of a long line only the part around the caret is set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/platform/key_press.h"
#include "app/state/text/text_edit.h"
#include "core/figure/text_block.h"

namespace headscope {

enum class TakesKeys { kWhenClicked, kNow, kNowSelected };  // with its text selected

// Where a field's text is set, by what it was drawn with last.
struct FieldView {
  TextStyle style;
  bool many_lines = false;
  double width = 0.0;  // of the part of the window that shows text
  double height = 0.0;
  friend bool operator==(const FieldView& a, const FieldView& b) {
    return a.style.size_px == b.style.size_px && a.style.family == b.style.family &&
           a.many_lines == b.many_lines && a.width == b.width && a.height == b.height;
  }
};

class Field {
 public:
  explicit Field(std::uint64_t key) : key_(key) {}

  TextEdit edit;
  std::string given;                 // the text as the state has it
  std::uint64_t given_revision = 0;  // of the edit that it is
  std::string said;                  // what became of a paste, until the next key

  // Whether it was a key for this field.
  bool Take(const KeyPress& press);
  void Paste(std::string_view bytes);
  void Put(const Taken& taken);  // tells what became of it

  // Sets the part of the text around `place`; the block's places begin at part().begin.
  void LayOut(const FieldView& view, std::size_t place);
  [[nodiscard]] const TextBlock& block() const { return block_; }
  [[nodiscard]] TextSpan part() const { return part_; }
  [[nodiscard]] std::size_t PlaceAt(double x, double y) const;  // of what is drawn
  [[nodiscard]] PixelBox Caret(std::size_t place) const;        // as it is drawn
  void Show(std::size_t place);                                 // scrolls there
  void Scroll(double dx, double dy);
  [[nodiscard]] std::pair<double, double> origin() const { return {left_, top_}; }

  // A picture of what is seen, made again when that has changed.
  const TextPicture& Drawn(Rgb color);
  [[nodiscard]] std::uint64_t key() const { return key_; }
  [[nodiscard]] std::uint64_t picture_revision() const { return picture_revision_; }

  // Drops all that is known of the text: another one stands here now.
  void Forget();

  // Where the view's top left stands in the window; for tests.
  [[nodiscard]] float screen_x() const { return screen_x_; }
  [[nodiscard]] float screen_y() const { return screen_y_; }
  void StandAt(float x, float y) {
    screen_x_ = x;
    screen_y_ = y;
  }

  enum class Drag { kNone, kLetters, kWords };
  Drag drag = Drag::kNone;
  TextSpan dragged_from;
  bool follows_caret = false;  // scrolls to it when it is drawn next
  bool in_dialog = false;
  bool had_nav = false;  // ImGui's own focus, last frame
  std::int64_t drawn = -1;

 private:
  bool TakeCtrl(const KeyPress& press);
  void StepAside(const KeyPress& press);   // left, right
  void StepToLine(const KeyPress& press);  // up, down
  void StepToEnd(const KeyPress& press);   // Home, End
  void MoveTo(std::size_t place, const KeyPress& press);
  void Copy(bool cut);
  [[nodiscard]] TextBlock::Direction Direction();
  void Clamp();

  std::uint64_t key_;
  TextBlock block_;
  FieldView view_;
  TextSpan part_;
  std::uint64_t set_revision_ = 0;
  bool is_set_ = false;
  double left_ = 0.0;  // where the block's top left is, from that of the view
  double top_ = 0.0;
  std::string beginning_;
  TextBlock::Direction direction_ = TextBlock::Direction::kOfText;
  double wanted_x_ = -1.0;  // that the caret keeps while it goes up and down
  float screen_x_ = 0.0F;
  float screen_y_ = 0.0F;
  TextPicture picture_;
  std::uint64_t picture_revision_ = 0;
  std::uint64_t drawn_set_ = 0;  // what the picture shows
  std::uint64_t sets_ = 0;
  std::pair<double, double> drawn_origin_;
  Rgb drawn_color_;
};

class TextFields {
 public:
  // Fields that were not drawn in the frame before lose the keys.
  void BeginFrame();
  [[nodiscard]] Field& Find(const std::string& name);
  void IsDrawn(const std::string& name);

  // Gives the field the keys, if it was drawn in the last frame or this one.
  bool Focus(const std::string& name);
  void Leave();
  // To the next field of the same kind, or out of the last one.
  void FocusNext(bool backwards);
  [[nodiscard]] Field* focused();
  [[nodiscard]] bool has_focus() const { return !focus_.empty(); }
  [[nodiscard]] bool IsFocused(const std::string& name) const { return focus_ == name; }

 private:
  std::map<std::string, std::unique_ptr<Field>> fields_;
  std::vector<std::string> order_;       // as drawn in this frame
  std::vector<std::string> last_order_;  // and in the one before
  std::string focus_;
  std::int64_t frame_ = 0;
  std::uint64_t next_key_ = 1;
};

}  // namespace headscope
