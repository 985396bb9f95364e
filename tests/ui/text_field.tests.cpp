#include <string>

#include "app/views/kit/text_box.h"
#include "app/views/screens.h"
#include "tests/support/catch.h"
#include "tests/ui/panel_driver.h"

namespace headscope::test {
namespace {

constexpr KeyPress kBackspace{.key = Key::kBackspace};
constexpr KeyPress kUndo{.key = Key::kLetter, .letter = 'Z', .ctrl = true};
constexpr KeyPress kAll{.key = Key::kLetter, .letter = 'A', .ctrl = true};
constexpr KeyPress kPaste{.key = Key::kLetter, .letter = 'V', .ctrl = true};

const std::string kEveryScript =
    "\u4E2D\u6587 \u0627\u0644\u0633\u0644\u0627\u0645 \u0928\u092E\u0938\u094D\u0924\u0947 "
    "\U0001F600";

// A picture of six tokens, and a sentence that has the keys.
void StartTyping(PanelDriver* driver, const std::string& text = "") {
  driver->app.ShowSomething(6);
  driver->app.Do(EditText{text});
  driver->Frames(3);
  driver->Type("/");
  driver->Frame();
}

void QueueText(PanelDriver* driver, const std::string& text) {
  for (const char32_t character : PanelDriver::Characters(text)) {
    driver->Queue({.key = Key::kCharacter, .character = character});
  }
}

const std::string& Sentence(const PanelDriver& driver) {
  return driver.state().input.text;
}

TEST_CASE("every key counts, however many come in one frame", "[ui][field]") {
  PanelDriver driver;
  StartTyping(&driver, "the quick brown fox jumps over");
  for (int i = 0; i < 20; ++i) {
    driver.Queue(kBackspace);
  }
  driver.Frames(2);
  CHECK(Sentence(driver) == "the quick ");
  driver.Queue(kAll);
  QueueText(&driver, kEveryScript);
  driver.Queue({.key = Key::kHome});
  QueueText(&driver, "a ");
  driver.Queue({.key = Key::kEnd});
  driver.Queue(kBackspace);
  driver.Frames(2);
  CHECK(Sentence(driver) == "a " + kEveryScript.substr(0, kEveryScript.size() - 4));
}

TEST_CASE("any script is typed, edited in the middle and undone", "[ui][field]") {
  PanelDriver driver;
  StartTyping(&driver);
  driver.Type(kEveryScript);
  CHECK(Sentence(driver) == kEveryScript);
  CHECK(driver.app.CountRequests<AttendRequest>() > 4);
  driver.Press(Key::kHome);
  driver.Press(Key::kRight);
  driver.Type("x");
  CHECK(Sentence(driver).starts_with("\u4E2Dx\u6587"));
  driver.PressCtrl('Z');
  CHECK(Sentence(driver) == kEveryScript);
  driver.PressCtrl('Y');
  CHECK(Sentence(driver).starts_with("\u4E2Dx\u6587"));
}

TEST_CASE("letters in a field are no shortcuts, shortcuts before it no letters", "[ui][field]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.app.Do(EditText{""});
  driver.Frames(3);
  const Theme theme = driver.state().theme;
  const Curve curve = driver.state().settings.curve;
  QueueText(&driver, "t/tcr 12");
  driver.Queue({.key = Key::kEscape});
  QueueText(&driver, "c");
  driver.Frames(8);
  CHECK(Sentence(driver) == "tcr 12");
  CHECK(driver.state().theme != theme);
  CHECK(driver.state().settings.curve != curve);
  CHECK(CurrentScreen(driver.state()).kind.id == "inspect");
}

TEST_CASE("a field's undo is its own, and flags' is theirs", "[ui][field]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.Frames(3);
  driver.TypeAtOnce("f");
  driver.TypeAtOnce("1seen", Key::kEnter);
  driver.Frames(8);
  REQUIRE(FlagsInView(driver.state()).flags.size() == 1);
  driver.Type("/");
  driver.Type("x");
  driver.Queue(kUndo);
  driver.Queue(kUndo);
  driver.Frames(3);
  CHECK(Sentence(driver) == "a b c");
  CHECK(FlagsInView(driver.state()).flags.size() == 1);
  driver.Press(Key::kEscape);
  driver.PressCtrl('Z');
  CHECK(FlagsInView(driver.state()).flags.empty());
}

TEST_CASE("pasted lines become one, and the field says so until the next key", "[ui][field]") {
  PanelDriver driver;
  StartTyping(&driver);
  ImGui::SetClipboardText("one\ntwo\r\nthree");
  driver.Queue(kPaste);
  driver.Frames(2);
  CHECK(Sentence(driver) == "one two three");
  CHECK(driver.Says("2 line breaks became blanks"));
  driver.Type("!");
  CHECK_FALSE(driver.Says("2 line breaks became blanks"));
  ImGui::SetClipboardText("a\xFF");
  driver.Queue(kPaste);
  driver.Frames(2);
  CHECK(Sentence(driver) == "one two three!a\uFFFD");
  CHECK(driver.Says("1 byte was no UTF-8"));
}

TEST_CASE("what is copied or cut is on the clipboard", "[ui][field]") {
  PanelDriver driver;
  StartTyping(&driver, "red \U0001F600 cat");
  driver.Queue({.key = Key::kLeft, .ctrl = true, .shift = true});
  driver.Queue({.key = Key::kLetter, .letter = 'C', .ctrl = true});
  driver.Frame();
  CHECK(std::string(ImGui::GetClipboardText()) == "cat");
  driver.Queue(kAll);
  driver.Queue({.key = Key::kLetter, .letter = 'X', .ctrl = true});
  driver.Frames(2);
  CHECK(std::string(ImGui::GetClipboardText()) == "red \U0001F600 cat");
  CHECK(Sentence(driver).empty());
}

TEST_CASE("the pointer sets the caret, words and all are selected by clicks", "[ui][field]") {
  PanelDriver driver;
  StartTyping(&driver, "alpha beta gamma");
  Field& field = driver.field(kSentenceField);
  const PixelBox caret = field.Caret(8);  // in "beta"
  const auto [left, top] = std::pair{field.screen_x(), field.screen_y()};
  const float x = left + static_cast<float>(caret.x) + 1.0F;
  const float y = top + static_cast<float>(caret.y + caret.height / 2.0);
  driver.Click(x, y);
  CHECK(field.edit.caret() == 8);
  driver.Frames(40);
  driver.ClickTwice(x, y);
  CHECK(field.edit.selected() == "beta");
  driver.Frames(40);
  driver.ClickTwice(x, y);
  driver.ClickAgain();
  CHECK(field.edit.selected() == "alpha beta gamma");
  driver.Frames(40);
  driver.Drag(x, y, 500.0F, 0.0F);
  CHECK(field.edit.selected() == "ta gamma");
  driver.Click(900.0F, 500.0F);  // beside it
  CHECK_FALSE(driver.memory().fields.has_focus());
}

TEST_CASE("a text of a megabyte is set in part, wherever the caret is", "[ui][field]") {
  PanelDriver driver;
  StartTyping(&driver);
  std::string text;
  while (text.size() < (std::size_t{1} << 20)) {
    text += "the cat \u4E2D\u6587 ";
  }
  ImGui::SetClipboardText(text.c_str());
  driver.Queue(kPaste);
  driver.Frames(2);
  CHECK(Sentence(driver) == text);
  const Field& field = driver.field(kSentenceField);
  const auto in_view = [&] {
    const PixelBox caret = field.Caret(field.edit.caret());
    const TextSpan part = field.part();
    return part.end - part.begin < 4096 && part.begin <= field.edit.caret() &&
           field.edit.caret() <= part.end && caret.x >= 0.0 && caret.x < 1600.0;
  };
  CHECK(in_view());
  CHECK(field.part().end == text.size());
  driver.Press(Key::kHome);
  CHECK(in_view());
  CHECK(field.part().begin == 0);
  for (int i = 0; i < 700; ++i) {
    driver.Queue({.key = Key::kRight, .ctrl = true});
  }
  driver.Frames(2);
  CHECK(field.edit.caret() > 3000);
  CHECK(in_view());
  driver.Type("here");
  CHECK(Sentence(driver).size() == text.size() + 4);
  CHECK(in_view());
}

TEST_CASE("what nothing would show, or lines of a file, stay until they are edited",
          "[ui][field]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.app.Do(SetInput{InputText{.text = "two\nlines \xFF", .pair = {}, .ids = {}}});
  driver.app.Answer(4);
  driver.Frames(3);
  CHECK(Sentence(driver) == "two\nlines \xFF");
  driver.Type("/");
  driver.Press(Key::kEnd);
  driver.Frames(2);
  CHECK(Sentence(driver) == "two\nlines \xFF");
  driver.Type("!");
  CHECK(Sentence(driver) == "two\nlines \uFFFD!");
}

TEST_CASE("Tab goes from the sentence to the target and out", "[ui][field]") {
  PanelDriver driver;
  driver.app.ShowEncoderDecoder();
  driver.Frames(3);
  driver.Type("/");
  CHECK(driver.memory().fields.IsFocused(kSentenceField));
  driver.Press(Key::kTab);
  CHECK(driver.memory().fields.IsFocused(kTargetField));
  driver.Type("ein \u00DC");
  CHECK(driver.state().input.target == "ein \u00DC");
  driver.Press(Key::kTab);
  CHECK_FALSE(driver.memory().fields.has_focus());
  driver.Press(Key::kTab);
  CHECK_FALSE(driver.memory().fields.has_focus());
}

TEST_CASE("a note has lines, any script, and is saved by Enter", "[ui][field]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.Frames(3);
  driver.TypeAtOnce("f");
  driver.Frames(3);
  QueueText(&driver, "1first \U0001F600");
  driver.Queue({.key = Key::kEnter, .shift = true});
  QueueText(&driver, "\u0627\u0644 second");
  driver.Frames(8);
  CHECK(driver.state().dialogs.flag.note == "first \U0001F600\n\u0627\u0644 second");
  driver.Queue({.key = Key::kUp});
  driver.Queue({.key = Key::kHome});
  QueueText(&driver, "my ");
  driver.Queue({.key = Key::kEnter});
  driver.Frames(4);
  REQUIRE(FlagsInView(driver.state()).flags.size() == 1);
  CHECK(FlagsInView(driver.state()).flags[0].note == "my first \U0001F600\n\u0627\u0644 second");
}

TEST_CASE("a field that is not drawn any more has no keys", "[ui][field]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.Frames(3);
  driver.PressCtrl('K');
  driver.Frames(3);
  CHECK(driver.memory().fields.has_focus());
  driver.app.Do(ClosePopup);
  driver.Frames(3);
  CHECK_FALSE(driver.memory().fields.has_focus());
  const Theme theme = driver.state().theme;
  driver.Type("t");
  CHECK(driver.state().theme != theme);
}

TEST_CASE("ids are typed in place of a text", "[ui][field]") {
  PanelDriver driver;
  StartTyping(&driver);
  driver.Type("ids: 5, 17, 3");
  CHECK(driver.state().input.ids == std::vector<std::int32_t>{5, 17, 3});
  CHECK(driver.field(kSentenceField).edit.text() == "ids: 5, 17, 3");
  driver.Type("x");
  driver.Frames(2);
  CHECK(driver.Says("\"3x\""));
  CHECK(driver.field(kSentenceField).edit.text() == "ids: 5, 17, 3x");
  driver.Press(Key::kBackspace);
  driver.Frames(2);
  CHECK_FALSE(driver.Says("\"3x\""));
  CHECK(driver.state().input.ids.size() == 3);
}

TEST_CASE("a pair has a field for each sentence", "[ui][field]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.app.Do(SetInput{InputText{.text = "one", .pair = "two", .ids = {}}});
  driver.Frames(3);
  driver.Type("/");
  driver.Type("!");
  driver.Press(Key::kTab);
  driver.Type("three");
  CHECK(driver.state().input.text == "one!");
  CHECK(driver.state().input.pair == "three");
}

TEST_CASE("a caret that rests asks for no frame", "[ui][field]") {
  PanelDriver driver;
  StartTyping(&driver, "abc");
  driver.Frames(5);
  CHECK_FALSE(driver.wants_frame());
}

}  // namespace
}  // namespace headscope::test
