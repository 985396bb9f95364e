// A text that is being edited: letters, caret, selection, undo. Knows nothing of windows or fonts.
//
// Units    byte offsets; caret and anchor always stand between graphemes, the text is always UTF-8.
// Errors   none; what could not be taken is told by Taken.
// Threads  plain value.
// Cost     an edit moves the letters after it; what it looks at else does not grow with the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/figure/text_breaks.h"

namespace headscope {

struct TextRules {
  bool many_lines = false;  // else a line break becomes a blank
  std::size_t most_bytes = std::size_t{1} << 20;
};

// What became of a text that was put in.
struct Taken {
  std::size_t line_breaks = 0;     // that became blanks
  std::size_t replaced_bytes = 0;  // no UTF-8: each became U+FFFD
  std::size_t left_out_bytes = 0;  // past the limit
  [[nodiscard]] bool whole() const {
    return line_breaks == 0 && replaced_bytes == 0 && left_out_bytes == 0;
  }
};
// "2 line breaks became blanks"; empty where all was taken as it was.
[[nodiscard]] std::string SayTaken(const Taken& taken, const TextRules& rules);

enum class Stride { kGrapheme, kWord };
enum class Toward { kStart, kEnd };
enum class Moves { kCaret, kSelection };  // with the caret its anchor, or the caret alone

class TextEdit {
 public:
  explicit TextEdit(TextRules rules = {}) : rules_(rules) {}

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const TextRules& rules() const { return rules_; }
  [[nodiscard]] std::uint64_t revision() const { return revision_; }  // another for each change
  [[nodiscard]] std::size_t caret() const { return caret_; }
  [[nodiscard]] TextSpan selection() const;
  [[nodiscard]] bool has_selection() const { return caret_ != anchor_; }
  [[nodiscard]] std::string_view selected() const;
  [[nodiscard]] bool can_undo() const { return !undo_.empty(); }
  [[nodiscard]] bool can_redo() const { return !redo_.empty(); }

  // Another text, from outside: taken as it is (lines too), the caret at its end, nothing to undo.
  // Returns how many bytes were no UTF-8.
  std::size_t Reset(std::string_view bytes);

  // In place of the selection. Typing is undone word by word, the others one by one.
  Taken Type(char32_t character);
  Taken Insert(std::string_view bytes);
  void Erase(Stride stride, Toward toward);  // the selection, if there is one

  void MoveTo(std::size_t at, Moves moves);
  void Step(Stride stride, Toward toward, Moves moves);  // in the order of the letters
  void SelectAll();
  void Select(TextSpan span);

  void Undo();
  void Redo();

 private:
  enum class Kind : std::uint8_t { kTyped, kErased, kOther };
  struct Change {
    std::size_t at = 0;
    std::string removed;
    std::string inserted;
    std::size_t caret_before = 0;
    std::size_t anchor_before = 0;
    std::size_t caret_after = 0;
  };

  Taken Put(std::string_view bytes, Kind kind);
  void Replace(TextSpan span, std::string_view by, Kind kind);
  [[nodiscard]] bool Continues(const Change& change, Kind kind) const;
  void ForgetOldest();
  void Apply(const Change& change, bool back);

  TextRules rules_;
  std::string text_;
  std::uint64_t revision_ = 0;
  std::size_t caret_ = 0;
  std::size_t anchor_ = 0;
  std::vector<Change> undo_;
  std::vector<Change> redo_;
  Kind last_kind_ = Kind::kOther;  // of the newest change, while nothing came in between
};

}  // namespace headscope
