#include "app/views/kit/text_fields.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <imgui.h>

namespace headscope {
namespace {

constexpr std::size_t kWholeBytes = 3072;   // a line up to this length is set whole
constexpr std::size_t kAroundBytes = 1280;  // of a longer one so much on each side of the caret
constexpr std::size_t kMarginBytes = 512;  // it is set again when the caret comes so near to an end

// Near `at`, where no grapheme is cut, and no word if that can be helped.
std::size_t GoodCut(std::string_view text, std::size_t at) {
  const std::size_t word = WordStartBefore(text, at);
  return at - word < kMarginBytes / 2 ? word : PlaceBefore(text, at);
}

}  // namespace

void Field::Put(const Taken& taken) {
  said = SayTaken(taken, edit.rules());
  follows_caret = true;
}

void Field::Paste(std::string_view bytes) {
  Put(edit.Insert(bytes));
}

void Field::Copy(bool cut) {
  if (!edit.has_selection()) {
    return;
  }
  ImGui::SetClipboardText(std::string(edit.selected()).c_str());
  if (cut) {
    edit.Erase(Stride::kGrapheme, Toward::kEnd);
  }
}

// The whole text's is known by how it begins, which seldom changes.
TextBlock::Direction Field::Direction() {
  constexpr std::size_t kBeginning = 256;
  const std::string_view beginning = std::string_view(edit.text()).substr(0, kBeginning);
  if (beginning != beginning_) {
    beginning_ = beginning;
    direction_ = TextBlock::DirectionOf(edit.text());
  }
  return direction_;
}

void Field::Forget() {
  is_set_ = false;
  left_ = 0.0;
  top_ = 0.0;
  wanted_x_ = -1.0;
  drag = Drag::kNone;
  follows_caret = true;
}

bool Field::TakeCtrl(const KeyPress& press) {
  switch (press.letter) {
    case 'A':
      edit.SelectAll();
      return true;
    case 'C':
    case 'X':
      Copy(press.letter == 'X');
      return true;
    case 'V':
      if (const char* const text = ImGui::GetClipboardText()) {
        Paste(text);
      }
      return true;
    case 'Z':
      press.shift ? edit.Redo() : edit.Undo();
      return true;
    case 'Y':
      edit.Redo();
      return true;
    default:
      return false;
  }
}

bool Field::Take(const KeyPress& press) {
  const bool moves_by_line = press.key == Key::kUp || press.key == Key::kDown;
  if (!moves_by_line) {
    wanted_x_ = -1.0;
  }
  const std::string said_before = std::exchange(said, {});
  follows_caret = true;
  const Stride stride = press.ctrl ? Stride::kWord : Stride::kGrapheme;
  switch (press.key) {
    case Key::kCharacter:
      Put(edit.Type(press.character));
      return true;
    case Key::kBackspace:
      edit.Erase(stride, Toward::kStart);
      return true;
    case Key::kDelete:
      press.shift ? Copy(true) : edit.Erase(stride, Toward::kEnd);
      return true;
    case Key::kInsert:
      if (press.shift) {
        return TakeCtrl({.letter = 'V', .ctrl = true});
      }
      if (press.ctrl) {
        Copy(false);
      }
      return true;
    case Key::kLeft:
    case Key::kRight:
      StepAside(press);
      return true;
    case Key::kUp:
    case Key::kDown:
      if (!edit.rules().many_lines) {
        break;  // a list beside it takes them
      }
      StepToLine(press);
      return true;
    case Key::kHome:
    case Key::kEnd:
      StepToEnd(press);
      return true;
    case Key::kEnter:
      if (edit.rules().many_lines && press.shift) {
        Put(edit.Insert("\n"));
        return true;
      }
      break;
    case Key::kLetter:
      if (press.ctrl && TakeCtrl(press)) {
        return true;
      }
      break;
    default:
      break;
  }
  said = said_before;
  return false;
}

void Field::MoveTo(std::size_t place, const KeyPress& press) {
  edit.MoveTo(place, press.shift ? Moves::kSelection : Moves::kCaret);
}

// Letters by what is seen; words in the direction that the line is read.
void Field::StepAside(const KeyPress& press) {
  const bool right = press.key == Key::kRight;
  LayOut(view_, edit.caret());
  if (press.ctrl) {
    const bool ahead = right != block_.right_to_left();
    edit.Step(Stride::kWord,
              ahead ? Toward::kEnd : Toward::kStart,
              press.shift ? Moves::kSelection : Moves::kCaret);
    return;
  }
  if (edit.has_selection() && !press.shift) {
    const TextSpan span = edit.selection();
    const auto x_of = [this](std::size_t place) {
      return block_.Caret(std::clamp(place, part_.begin, part_.end) - part_.begin).x;
    };
    const bool begin_is_left = x_of(span.begin) <= x_of(span.end);
    edit.MoveTo(begin_is_left == right ? span.end : span.begin, Moves::kCaret);
    return;
  }
  const std::size_t at = edit.caret() - part_.begin;
  const std::size_t to = part_.begin + (right ? block_.RightOf(at) : block_.LeftOf(at));
  // A ligature's inside may be no place; then the letters' own order is gone by.
  if (IsPlace(edit.text(), to) || to == edit.caret()) {
    MoveTo(to, press);
  } else {
    MoveTo(to > edit.caret() ? to : PlaceBefore(edit.text(), to), press);
  }
}

void Field::StepToLine(const KeyPress& press) {
  const bool down = press.key == Key::kDown;
  LayOut(view_, edit.caret());
  if (view_.many_lines) {
    const PixelBox caret = block_.Caret(edit.caret() - part_.begin);
    wanted_x_ = wanted_x_ < 0.0 ? caret.x : wanted_x_;
    const double y = down ? caret.y + 1.5 * caret.height : caret.y - 0.5 * caret.height;
    if (y > 0.0 && y < block_.height()) {
      MoveTo(part_.begin + block_.PlaceAt(wanted_x_, y), press);
      return;
    }
  }
  MoveTo(down ? edit.text().size() : 0, press);
}

void Field::StepToEnd(const KeyPress& press) {
  const bool end = press.key == Key::kEnd;
  std::size_t to = end ? edit.text().size() : 0;
  if (view_.many_lines && !press.ctrl) {
    LayOut(view_, edit.caret());
    const TextSpan line = block_.LineOf(edit.caret() - part_.begin);
    to = part_.begin + (end ? line.end : line.begin);
  }
  MoveTo(to, press);
}

void Field::LayOut(const FieldView& view, std::size_t place) {
  const std::string& text = edit.text();
  const bool is_short = view.many_lines || text.size() <= kWholeBytes;
  const bool same_text = is_set_ && set_revision_ == edit.revision() && view == view_;
  const auto holds = [&](const TextSpan& part) {
    return (part.begin == 0 || place >= part.begin + kMarginBytes) &&
           (part.end == text.size() || place + kMarginBytes <= part.end);
  };
  if (same_text && (is_short || holds(part_))) {
    return;
  }
  const bool had_part = is_set_ && place >= part_.begin && place <= part_.end;
  const double old_x = had_part ? Caret(place).x : 0.0;
  TextSpan part{0, text.size()};
  if (!is_short) {
    part.begin = place <= kAroundBytes ? 0 : GoodCut(text, place - kAroundBytes);
    part.end =
        text.size() - place <= kAroundBytes ? text.size() : PlaceFrom(text, place + kAroundBytes);
  }
  const bool moved = part.begin != part_.begin && had_part;
  part_ = part;
  view_ = view;
  TextStyle style = view.style;
  style.max_width_px = view.many_lines ? view.width : 0.0;
  block_.Set(std::string_view(text).substr(part.begin, part.end - part.begin),
             style,
             view.many_lines ? TextBlock::Lines::kMany : TextBlock::Lines::kOne,
             part.begin == 0 ? TextBlock::Direction::kOfText : Direction());
  set_revision_ = edit.revision();
  is_set_ = true;
  ++sets_;
  if (moved) {  // the caret stays where it was seen
    left_ += old_x - Caret(place).x;
  }
  Clamp();
}

// No further than the text's ends; a short one stands where its lines begin.
void Field::Clamp() {
  if (view_.many_lines) {
    left_ = 0.0;
    top_ = std::clamp(top_, std::min(0.0, view_.height - block_.height()), 0.0);
    return;
  }
  const double room = view_.width - block_.width() - 2.0;  // for the caret
  if (room >= 0.0) {
    left_ = block_.right_to_left() ? room : 0.0;
  } else {
    left_ = std::clamp(left_, room, 0.0);
  }
  // Letters of another font stand on the same line.
  top_ = (view_.height - block_.line_height()) / 2.0 + block_.own_baseline() - block_.baseline();
  left_ = std::round(left_);
  top_ = std::round(top_);
}

std::size_t Field::PlaceAt(double x, double y) const {
  return part_.begin + block_.PlaceAt(x - left_, y - top_);
}

PixelBox Field::Caret(std::size_t place) const {
  PixelBox box = block_.Caret(std::clamp(place, part_.begin, part_.end) - part_.begin);
  box.x += left_;
  box.y += top_;
  return box;
}

void Field::Show(std::size_t place) {
  const PixelBox caret = Caret(place);
  if (view_.many_lines) {
    top_ -= std::min(0.0, caret.y) + std::max(0.0, caret.y + caret.height - view_.height);
  } else {
    // Beyond an edge the caret comes a little inside, so that what follows is seen.
    const double inside = std::min(view_.width / 4.0, 24.0);
    if (caret.x < 0.0) {
      left_ += inside - caret.x;
    } else if (caret.x > view_.width - 2.0) {
      left_ -= caret.x - view_.width + inside;
    }
  }
  Clamp();
}

void Field::Scroll(double dx, double dy) {
  left_ += dx;
  top_ += dy;
  Clamp();
}

const TextPicture& Field::Drawn(Rgb color) {
  const std::pair origin{left_, top_};
  if (drawn_set_ != sets_ || drawn_origin_ != origin || drawn_color_ != color) {
    drawn_set_ = sets_;
    drawn_origin_ = origin;
    drawn_color_ = color;
    picture_ = block_.Draw(-left_,
                           -top_,
                           static_cast<int>(std::ceil(view_.width)),
                           static_cast<int>(std::ceil(view_.height)),
                           color);
    ++picture_revision_;
  }
  return picture_;
}

void TextFields::BeginFrame() {
  ++frame_;
  last_order_ = std::exchange(order_, {});
  if (std::ranges::find(last_order_, focus_) == last_order_.end()) {
    Leave();
  }
}

Field& TextFields::Find(const std::string& name) {
  std::unique_ptr<Field>& field = fields_[name];
  if (!field) {
    field = std::make_unique<Field>(next_key_++);
  }
  return *field;
}

void TextFields::IsDrawn(const std::string& name) {
  order_.push_back(name);
  Find(name).drawn = frame_;
}

bool TextFields::Focus(const std::string& name) {
  const auto found = fields_.find(name);
  if (found == fields_.end() || found->second->drawn + 1 < frame_) {
    return false;
  }
  if (focus_ != name) {
    Leave();
    focus_ = name;
    found->second->follows_caret = true;
  }
  return true;
}

void TextFields::Leave() {
  if (Field* const field = focused()) {
    field->said.clear();
    field->drag = Field::Drag::kNone;
  }
  focus_.clear();
}

void TextFields::FocusNext(bool backwards) {
  const Field* const now = focused();
  if (now == nullptr) {
    return;
  }
  std::vector<std::string> alike;
  for (const std::string& name : last_order_) {
    if (Find(name).in_dialog == now->in_dialog) {
      alike.push_back(name);
    }
  }
  if (backwards) {
    std::ranges::reverse(alike);
  }
  const auto at = std::ranges::find(alike, focus_);
  if (at == alike.end() || at + 1 == alike.end()) {
    Leave();
    return;
  }
  Focus(*(at + 1));
  focused()->edit.SelectAll();
}

Field* TextFields::focused() {
  const auto found = fields_.find(focus_);
  return focus_.empty() || found == fields_.end() ? nullptr : found->second.get();
}

}  // namespace headscope
