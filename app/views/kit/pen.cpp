#include "app/views/kit/pen.h"

#include <algorithm>

#include <imgui.h>

namespace headscope {

float Row::Draw(const Rect& place, std::string_view words, Type type, Rgb color, float most) {
  return is_at_top_ ? DrawText(*ui_, place.x, place.y, words, type, color, most)
                    : DrawTextIn(*ui_, place, words, type, color, most);
}

Rect Row::Left(float width) {
  const Rect place{rest_.x, rest_.y, width, rest_.height};
  rest_.x += width;
  rest_.width -= width;
  return place;
}

Rect Row::Right(float width) {
  rest_.width -= width;
  return {rest_.x + rest_.width, rest_.y, width, rest_.height};
}

float Row::Text(std::string_view words, Type type, Rgb color) {
  const float room = std::max(ui_->Px(20.0F), rest_.width);
  return Left(Draw(rest_, words, type, color, room)).width;
}

float Row::TextRight(std::string_view words, Type type, Rgb color) {
  return Draw(Right(TextWidth(*ui_, words, type)), words, type, color);
}

void Row::TextMiddle(std::string_view words, Type type, Rgb color) {
  const float width = TextWidth(*ui_, words, type);
  Draw({rest_.x + (rest_.width - width) / 2.0F, rest_.y, width, rest_.height}, words, type, color);
}

void Row::Cell(float width, std::string_view words, Type type, Rgb color, float gap) {
  const Rect place = Left(width);
  Draw(place, words, type, color, std::max(1.0F, width - ui_->Px(gap)));
}

void Row::CellRight(float width, std::string_view words, Type type, Rgb color) {
  Row(ui_, Left(width), is_at_top_).TextRight(words, type, color);
}

bool Row::Button(const char* id, const ButtonLook& look) {
  return headscope::Button(ui_, id, Left(ButtonWidth(*ui_, look)), look);
}

bool Row::ButtonRight(const char* id, const ButtonLook& look) {
  return headscope::Button(ui_, id, Right(ButtonWidth(*ui_, look)), look);
}

Rect Pen::Take(float height) {
  const Rect place{x, y, width, height};
  y += height;
  return place;
}

void Pen::Text(std::string_view words, Type type, Rgb color, float down) {
  DrawText(*ui, x, y, words, type, color, width);
  Skip(down);
}

void Pen::Paragraph(std::string_view words, Type type, Rgb color, int most_lines) {
  y += DrawParagraph(*ui, x, y, width, words, type, color, most_lines);
}

Row Pen::Heading(std::string_view words, std::string_view about, float line) {
  Row row = Line(line);
  row.Text(words, Type::kBold, ui->colors().text);
  if (!about.empty()) {
    row.Skip(10.0F);
    row.Text(about, Type::kSmall, ui->colors().dim);
  }
  return row;
}

void Pen::Title(std::string_view words, std::string_view about) {
  Skip(6.0F);
  ImGui::GetWindowDrawList()->AddLine(
      {x, y}, {x + width, y}, ToImGui(ui->colors().line), std::max(1.0F, ui->Px(1.0F)));
  Skip(8.0F);
  Line(22.0F).Text(words, Type::kBold, ui->colors().text);
  if (!about.empty()) {
    Small(about, ui->colors().muted);
    Skip(4.0F);
  }
}

float CardHeight(const Ui& ui, float width, std::string_view about) {
  return about.empty()
             ? ui.Px(38.0F)
             : ParagraphHeight(ui, about, width - 2.0F * ui.Px(14.0F), Type::kSmall) + ui.Px(46.0F);
}

bool DrawCard(Pen* pen, const std::string& title, std::string_view about, float least) {
  Ui* const ui = pen->ui;
  const ThemeColors& colors = ui->colors();
  Pen words = pen->Part(ui->Px(14.0F), pen->width - 2.0F * ui->Px(14.0F));
  const Rect card = pen->Take(std::max(least, CardHeight(*ui, pen->width, about)));
  const Pressed pressed = Area(ui, title.c_str(), card, "");
  FillRect(
      *ui, card, pressed.hovered ? Blend(colors.raised, colors.text, 0.08F) : colors.raised, 8.0F);
  FrameRect(*ui, card, pressed.hovered ? colors.accent : colors.line, 8.0F);
  words.Skip(10.0F);
  words.Text(title, Type::kBold, colors.text, 24.0F);
  if (!about.empty()) {
    words.Small(about, colors.muted);
  }
  return pressed.clicked;
}

Pen DrawWordsInstead(Ui* ui, const Rect& area, std::string_view words) {
  const float pad = ui->Px(28.0F);
  Pen pen{ui,
          area.x + pad,
          area.y + pad,
          std::max(ui->Px(60.0F), std::min(ui->Px(560.0F), area.width - 2.0F * pad))};
  pen.Paragraph(words, Type::kBody, ui->colors().muted);
  return pen;
}

}  // namespace headscope
