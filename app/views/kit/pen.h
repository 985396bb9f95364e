// Cursors that give places one after another, and write there: down a panel, and along a line from
// both of its ends.
//
// Units    window pixels; distances that are given as plain numbers are unscaled.
// Threads  UI thread, between NewFrame and Render.
#pragma once

#include <string>
#include <string_view>

#include "app/views/kit/ui.h"
#include "app/views/kit/widgets.h"

namespace headscope {

// A line of a panel. What is written at one of its ends takes its width and the gap from the rest.
class Row {
 public:
  // Words stand in the middle of its height, or at its top.
  Row(Ui* ui, const Rect& place, bool is_at_top = false)
      : ui_(ui), whole_(place), rest_(place), is_at_top_(is_at_top) {}

  [[nodiscard]] Ui* ui() const { return ui_; }
  [[nodiscard]] const Rect& whole() const { return whole_; }
  [[nodiscard]] const Rect& rest() const { return rest_; }
  // A place of that width, as high as the line.
  Rect Left(float width);
  Rect Right(float width);
  void Skip(float unscaled) { static_cast<void>(Left(ui_->Px(unscaled))); }
  void SkipRight(float unscaled) { static_cast<void>(Right(ui_->Px(unscaled))); }

  // Words, cut where the rest ends; returns their width.
  float Text(std::string_view words, Type type, Rgb color);
  // The same at the right end, never cut.
  float TextRight(std::string_view words, Type type, Rgb color);
  // In the middle of the rest, never cut.
  void TextMiddle(std::string_view words, Type type, Rgb color);
  // A column: words that are cut `gap` before it ends.
  void Cell(float width, std::string_view words, Type type, Rgb color, float gap = 0.0F);
  // The same, the words at its right end.
  void CellRight(float width, std::string_view words, Type type, Rgb color);

  // A button of its own width; whether it was pressed.
  bool Button(const char* id, const ButtonLook& look);
  bool ButtonRight(const char* id, const ButtonLook& look);

 private:
  float Draw(const Rect& place, std::string_view words, Type type, Rgb color, float most = 0.0F);

  Ui* ui_;
  Rect whole_;
  Rect rest_;
  bool is_at_top_;
};

// Down a panel, or a part of one.
struct Pen {
  Ui* ui;
  float x;
  float y;
  float width;

  void Skip(float unscaled) { y += ui->Px(unscaled); }
  // The next place, over the whole width.
  Rect Take(float height);
  Row Line(float unscaled) { return {ui, Take(ui->Px(unscaled))}; }
  // A pen of its own over a part of the width, from here on.
  [[nodiscard]] Pen Part(float from, float wide) const { return {ui, x + from, y, wide}; }

  // One line of words, cut at the right, and so far down.
  void Text(std::string_view words, Type type, Rgb color, float down);
  void Paragraph(std::string_view words, Type type, Rgb color, int most_lines = 0);
  void Small(std::string_view words, Rgb color) { Paragraph(words, Type::kSmall, color); }
  // A heading, and in smaller words beside it what it is about. Returns the rest of its line.
  Row Heading(std::string_view words, std::string_view about = {}, float line = 20.0F);
  // The same below a rule, with what it is about in a paragraph.
  void Title(std::string_view words, std::string_view about = {});
  // A line whose words stand at its top.
  Row TopLine(float unscaled) { return {ui, Take(ui->Px(unscaled)), true}; }
};

// A raised card that is pressed as a whole: a title and what it leads to. `least`: its height at
// least, in window pixels. Whether it was pressed.
bool DrawCard(Pen* pen, const std::string& title, std::string_view about, float least = 0.0F);
// The height that it takes.
[[nodiscard]] float CardHeight(const Ui& ui, float width, std::string_view about);

// In place of what is not there: words at the top left of its area. Returns a pen below them.
Pen DrawWordsInstead(Ui* ui, const Rect& area, std::string_view words);

}  // namespace headscope
