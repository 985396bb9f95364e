#include "app/state/text/text_edit.h"

#include <random>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace headscope {
namespace {

const std::string kFamily = "\U0001F468\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466";

void TypeAll(TextEdit* edit, std::u32string_view letters) {
  for (const char32_t letter : letters) {
    CHECK(edit->Type(letter).whole());
  }
}

TextEdit Holding(const std::string& text, TextRules rules = {}) {
  TextEdit edit(rules);
  edit.Reset(text);
  return edit;
}

TEST_CASE("letters of any script are typed where the caret is", "[state][edit]") {
  TextEdit edit;
  TypeAll(&edit, U"\u4E2D\u6587 \u0633\u0644 \u0928\u0947 \U0001F600");
  CHECK(edit.text() == "\u4E2D\u6587 \u0633\u0644 \u0928\u0947 \U0001F600");
  edit.MoveTo(3, Moves::kCaret);
  CHECK(edit.Type(U'x').whole());
  CHECK(edit.text().starts_with("\u4E2Dx\u6587"));
  CHECK(edit.caret() == 4);
  const std::string before = edit.text();
  for (const char32_t nothing : {U'\b', U'\x7F', static_cast<char32_t>(0xD800), U'\n'}) {
    CHECK(edit.Type(nothing).whole());
  }
  CHECK(edit.text() == before);
}

TEST_CASE("Backspace takes a whole grapheme", "[state][edit]") {
  for (const std::string& one : {kFamily,
                                 std::string("e\u0301\u0323"),
                                 std::string("\U0001F1E9\U0001F1EA"),
                                 std::string("\u0939\u093F")}) {
    TextEdit edit = Holding("a" + one);
    edit.Erase(Stride::kGrapheme, Toward::kStart);
    CHECK(edit.text() == "a");
    edit.Undo();
    CHECK(edit.text() == "a" + one);
    edit.MoveTo(1, Moves::kCaret);
    edit.Erase(Stride::kGrapheme, Toward::kEnd);
    CHECK(edit.text() == "a");
  }
}

TEST_CASE("words are erased and stepped over whole", "[state][edit]") {
  TextEdit edit = Holding("the cat, the hat");
  edit.Erase(Stride::kWord, Toward::kStart);
  CHECK(edit.text() == "the cat, the ");
  edit.Step(Stride::kWord, Toward::kStart, Moves::kCaret);
  CHECK(edit.caret() == 9);
  edit.Step(Stride::kWord, Toward::kStart, Moves::kSelection);
  CHECK(edit.selected() == "cat, ");
  edit.Erase(Stride::kGrapheme, Toward::kEnd);
  CHECK(edit.text() == "the the ");
  edit.MoveTo(0, Moves::kCaret);
  edit.Erase(Stride::kWord, Toward::kEnd);
  CHECK(edit.text() == " the ");
  edit.Erase(Stride::kGrapheme, Toward::kStart);  // nothing before it
  CHECK(edit.text() == " the ");
}

TEST_CASE("typing is undone by words, pasting and erasing by themselves", "[state][edit]") {
  TextEdit edit;
  TypeAll(&edit, U"one two ");
  CHECK(edit.Insert("pasted words ").whole());
  TypeAll(&edit, U"x");
  for (int i = 0; i < 3; ++i) {
    edit.Erase(Stride::kGrapheme, Toward::kStart);
  }
  CHECK(edit.text() == "one two pasted word");
  const std::vector<std::string> back = {
      "one two pasted words x", "one two pasted words ", "one two ", "one ", ""};
  for (const std::string& text : back) {
    edit.Undo();
    CHECK(edit.text() == text);
  }
  CHECK_FALSE(edit.can_undo());
  edit.Undo();
  CHECK(edit.text().empty());
  for (int i = 0; i < 9; ++i) {
    edit.Redo();
  }
  CHECK(edit.text() == "one two pasted word");
  edit.Undo();
  CHECK(edit.Type(U'!').whole());
  CHECK_FALSE(edit.can_redo());
}

TEST_CASE("what is selected is replaced, and comes back", "[state][edit]") {
  TextEdit edit = Holding("red cat");
  edit.Select(WordAt(edit.text(), 1));
  CHECK(edit.selected() == "red");
  CHECK(edit.Type(U'\u4E2D').whole());
  CHECK(edit.text() == "\u4E2D cat");
  edit.Undo();
  CHECK(edit.text() == "red cat");
  CHECK(edit.selected() == "red");
  edit.SelectAll();
  CHECK(edit.Insert("new").whole());
  CHECK(edit.text() == "new");
}

TEST_CASE("a line break becomes a blank and is counted", "[state][edit]") {
  TextEdit line;
  Taken taken = line.Insert("a\nb\r\nc\rd\u2028e");
  CHECK(line.text() == "a b c d e");
  CHECK(taken.line_breaks == 4);
  CHECK(SayTaken(taken, line.rules()) == "4 line breaks became blanks");
  CHECK(SayTaken({.line_breaks = 1}, {}) == "1 line break became a blank");
  TextEdit lines({.many_lines = true});
  taken = lines.Insert("a\r\nb");
  CHECK(taken.whole());
  CHECK(lines.text() == "a\nb");
  CHECK(SayTaken(taken, lines.rules()).empty());
}

TEST_CASE("no UTF-8 is replaced, too much is left out, and both are said", "[state][edit]") {
  TextEdit edit({.most_bytes = 8});
  Taken taken = edit.Insert("a\xFFz");
  CHECK(edit.text() == "a\uFFFDz");
  CHECK(SayTaken(taken, edit.rules()) == "1 byte was no UTF-8: now \uFFFD");
  taken = edit.Insert("\u4E2D\u6587");
  CHECK(edit.text() == "a\uFFFDz\u4E2D");
  CHECK(taken.left_out_bytes == 3);
  CHECK(SayTaken(taken, edit.rules()) == "3 bytes left out: this field holds 8 bytes");
  taken = edit.Type(U'x');
  CHECK(taken.left_out_bytes == 1);
  CHECK(edit.text().size() == 8);
  edit.SelectAll();
  CHECK(edit.Insert(kFamily).left_out_bytes == kFamily.size());  // no part of a grapheme
}

TEST_CASE("a text from outside is taken as it is", "[state][edit]") {
  TextEdit edit;
  CHECK(edit.Reset("two\nlines\xFF") == 1);
  CHECK(edit.text() == "two\nlines\uFFFD");
  CHECK(edit.caret() == edit.text().size());
  CHECK_FALSE(edit.can_undo());
}

TEST_CASE("any edits keep valid UTF-8 and the caret on a place; undo and redo are exact",
          "[state][edit]") {
  std::mt19937 random(GENERATE(1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U));
  const std::vector<std::string> pieces = {"a",
                                           " ",
                                           "\n",
                                           "\u0301",
                                           "\u200D",
                                           "\U0001F468",
                                           "\U0001F1E9",
                                           "\u0939",
                                           "\u093F",
                                           "\u094D",
                                           "\u0644\u0627",
                                           "\u4E2D\u6587",
                                           "\xFF",
                                           "\xE4\xB8",
                                           kFamily,
                                           "the cat "};
  const auto pick = [&random](std::size_t count) { return random() % count; };
  TextEdit edit({.many_lines = pick(2) == 0, .most_bytes = 400});
  std::vector<std::string> history = {edit.text()};
  for (int step = 0; step < 600; ++step) {
    const auto stride = pick(2) == 0 ? Stride::kGrapheme : Stride::kWord;
    const auto toward = pick(2) == 0 ? Toward::kStart : Toward::kEnd;
    const auto moves = pick(2) == 0 ? Moves::kCaret : Moves::kSelection;
    const std::string before = edit.text();
    bool edits = true;
    switch (pick(9)) {
      case 0:
      case 1:
        static_cast<void>(edit.Insert(pieces[pick(pieces.size())]));
        break;
      case 2:
      case 3:
        static_cast<void>(
            edit.Type(static_cast<char32_t>(U"ab \u0301\u200D\U0001F469\u0928"[pick(7)])));
        break;
      case 4:
        edit.Erase(stride, toward);
        break;
      case 5:
        edit.MoveTo(pick(500), moves);
        break;
      case 6:
        edit.Step(stride, toward, moves);
        break;
      case 7:
        edit.Undo();
        edits = false;
        break;
      default:
        edit.Redo();
        edits = false;
        break;
    }
    CAPTURE(step, before, edit.text());
    REQUIRE(ValidUtf8(edit.text()).replaced == 0);
    REQUIRE(IsPlace(edit.text(), edit.caret()));
    REQUIRE(IsPlace(edit.text(), edit.selection().begin));
    REQUIRE(IsPlace(edit.text(), edit.selection().end));
    REQUIRE(edit.text().size() <= 400);
    if (edits && edit.text() != before) {
      const std::string after = edit.text();
      TextEdit copy = edit;
      copy.Undo();
      copy.Redo();
      REQUIRE(copy.text() == after);
    }
  }
  const std::string last = edit.text();
  TextEdit copy = edit;
  int steps = 0;
  while (copy.can_undo()) {
    copy.Undo();
    ++steps;
  }
  CHECK(copy.text().empty());
  for (; steps > 0; --steps) {
    copy.Redo();
  }
  CHECK(copy.text() == last);
}

}  // namespace
}  // namespace headscope
