#include "app/state/text/text_edit.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/utf8.h"

namespace headscope {
namespace {

constexpr std::size_t kMostChanges = 1000;
constexpr std::size_t kMostKept = std::size_t{32} << 20;  // bytes of changes that can be undone

// How long the line break at the beginning of `text` is; 0: there is none.
std::size_t LineBreak(std::string_view text) {
  if (text.starts_with("\r\n")) {
    return 2;
  }
  if (text.starts_with('\n') || text.starts_with('\r')) {
    return 1;
  }
  if (text.starts_with("\u0085")) {
    return 2;
  }
  return text.starts_with("\u2028") || text.starts_with("\u2029") ? 3 : 0;
}

std::string SizeOf(std::size_t bytes) {
  constexpr std::size_t kKilo = 1024;
  if (bytes >= kKilo * kKilo) {
    return fmt::format("{} MB", bytes / (kKilo * kKilo));
  }
  return bytes >= kKilo ? fmt::format("{} KB", bytes / kKilo) : Counted(bytes, "byte", "bytes");
}

bool IsBlank(std::string_view text) {
  return text == " " || text == "\t" || text == "\n" || text == "\u3000" || text == "\u00A0";
}

}  // namespace

std::string SayTaken(const Taken& taken, const TextRules& rules) {
  std::string words;
  const auto say = [&words](const std::string& sentence) {
    words += (words.empty() ? "" : "; ") + sentence;
  };
  if (taken.line_breaks > 0) {
    say(Counted(taken.line_breaks, "line break became a blank", "line breaks became blanks"));
  }
  if (taken.replaced_bytes > 0) {
    say(Counted(
        taken.replaced_bytes, "byte was no UTF-8: now \uFFFD", "bytes were no UTF-8: now \uFFFD"));
  }
  if (taken.left_out_bytes > 0) {
    say(fmt::format("{} left out: this field holds {}",
                    SizeOf(taken.left_out_bytes),
                    SizeOf(rules.most_bytes)));
  }
  return words;
}

TextSpan TextEdit::selection() const {
  return {std::min(caret_, anchor_), std::max(caret_, anchor_)};
}

std::string_view TextEdit::selected() const {
  const TextSpan span = selection();
  return std::string_view(text_).substr(span.begin, span.end - span.begin);
}

std::size_t TextEdit::Reset(std::string_view bytes) {
  ValidText valid = ValidUtf8(bytes);
  text_ = std::move(valid.text);
  ++revision_;
  caret_ = text_.size();
  anchor_ = caret_;
  undo_.clear();
  redo_.clear();
  last_kind_ = Kind::kOther;
  return valid.replaced;
}

Taken TextEdit::Type(char32_t character) {
  const bool is_text = character >= 0x20 && character != 0x7F && character <= 0x10FFFF &&
                       !(character >= 0xD800 && character <= 0xDFFF);
  std::string typed;
  if (is_text) {
    AppendCharacter(typed, character);
  }
  return Put(typed, Kind::kTyped);
}

Taken TextEdit::Insert(std::string_view bytes) {
  return Put(bytes, Kind::kOther);
}

Taken TextEdit::Put(std::string_view bytes, Kind kind) {
  Taken taken;
  ValidText valid = ValidUtf8(bytes);
  taken.replaced_bytes = valid.replaced;
  std::string clean;
  clean.reserve(valid.text.size());
  for (std::string_view rest = valid.text; !rest.empty();) {
    const std::size_t length = LineBreak(rest);
    if (length > 0) {
      clean += rules_.many_lines ? '\n' : ' ';
      taken.line_breaks += rules_.many_lines ? 0U : 1U;
    } else {
      clean += rest.front();
    }
    rest.remove_prefix(std::max<std::size_t>(length, 1));
  }
  const TextSpan span = selection();
  const std::size_t kept = text_.size() - (span.end - span.begin);
  const std::size_t room = rules_.most_bytes - std::min(rules_.most_bytes, kept);
  if (clean.size() > room) {
    const std::size_t fits = IsPlace(clean, room) ? room : PlaceBefore(clean, room);
    taken.left_out_bytes = clean.size() - fits;
    clean.resize(fits);
  }
  if (!clean.empty()) {
    Replace(span, clean, kind);
  }
  return taken;
}

void TextEdit::Erase(Stride stride, Toward toward) {
  if (has_selection()) {
    Replace(selection(), {}, Kind::kOther);
    return;
  }
  const std::size_t from = caret_;
  const std::size_t anchor = anchor_;
  const Kind kind = last_kind_;
  Step(stride, toward, Moves::kCaret);
  const TextSpan span{std::min(from, caret_), std::max(from, caret_)};
  caret_ = from;
  anchor_ = anchor;
  last_kind_ = kind;
  if (span.begin != span.end) {
    Replace(span, {}, stride == Stride::kWord ? Kind::kOther : Kind::kErased);
  }
}

// One step of undo holds a word that was typed, or the letters before it that were erased.
bool TextEdit::Continues(const Change& change, Kind kind) const {
  if (undo_.empty() || last_kind_ != kind) {
    return false;
  }
  const Change& last = undo_.back();
  if (kind == Kind::kTyped) {
    const std::string_view before =
        std::string_view(last.inserted).substr(PlaceBefore(last.inserted, last.inserted.size()));
    return change.removed.empty() && change.at == last.at + last.inserted.size() &&
           (IsBlank(change.inserted) || !IsBlank(before));
  }
  return kind == Kind::kErased &&
         (change.at + change.removed.size() == last.at || change.at == last.at);
}

void TextEdit::Replace(TextSpan span, std::string_view by, Kind kind) {
  Change change{.at = span.begin,
                .removed = text_.substr(span.begin, span.end - span.begin),
                .inserted = std::string(by),
                .caret_before = caret_,
                .anchor_before = anchor_};
  text_.replace(span.begin, span.end - span.begin, by);
  ++revision_;
  // What stands on both sides may have become one grapheme.
  caret_ = PlaceFrom(text_, span.begin + by.size());
  anchor_ = caret_;
  change.caret_after = caret_;
  redo_.clear();
  if (Continues(change, kind)) {
    Change& last = undo_.back();
    if (kind == Kind::kTyped) {
      last.inserted += change.inserted;
    } else if (change.at == last.at) {
      last.removed += change.removed;
    } else {
      last.removed = change.removed + last.removed;
      last.at = change.at;
    }
    last.caret_after = caret_;
  } else {
    undo_.push_back(std::move(change));
    ForgetOldest();
  }
  last_kind_ = kind;
}

void TextEdit::ForgetOldest() {
  std::size_t bytes = 0;
  for (const Change& change : undo_) {
    bytes += change.removed.size() + change.inserted.size();
  }
  while (undo_.size() > kMostChanges || (bytes > kMostKept && undo_.size() > 1)) {
    bytes -= undo_.front().removed.size() + undo_.front().inserted.size();
    undo_.erase(undo_.begin());
  }
}

void TextEdit::MoveTo(std::size_t at, Moves moves) {
  caret_ = PlaceFrom(text_, std::min(at, text_.size()));
  if (moves == Moves::kCaret) {
    anchor_ = caret_;
  }
  last_kind_ = Kind::kOther;
}

void TextEdit::Step(Stride stride, Toward toward, Moves moves) {
  const bool to_start = toward == Toward::kStart;
  if (stride == Stride::kWord) {
    MoveTo(to_start ? WordStartBefore(text_, caret_) : WordEndAfter(text_, caret_), moves);
  } else {
    MoveTo(to_start ? PlaceBefore(text_, caret_) : PlaceAfter(text_, caret_), moves);
  }
}

void TextEdit::SelectAll() {
  Select({0, text_.size()});
}

void TextEdit::Select(TextSpan span) {
  MoveTo(span.begin, Moves::kCaret);
  MoveTo(span.end, Moves::kSelection);
}

void TextEdit::Apply(const Change& change, bool back) {
  const std::string& out = back ? change.inserted : change.removed;
  const std::string& in = back ? change.removed : change.inserted;
  text_.replace(change.at, out.size(), in);
  ++revision_;
  caret_ = back ? change.caret_before : change.caret_after;
  anchor_ = back ? change.anchor_before : change.caret_after;
  last_kind_ = Kind::kOther;
}

void TextEdit::Undo() {
  if (undo_.empty()) {
    return;
  }
  Apply(undo_.back(), true);
  redo_.push_back(std::move(undo_.back()));
  undo_.pop_back();
}

void TextEdit::Redo() {
  if (redo_.empty()) {
    return;
  }
  Apply(redo_.back(), false);
  undo_.push_back(std::move(redo_.back()));
  redo_.pop_back();
}

}  // namespace headscope
