#include "core/figure/text_breaks.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace headscope {
namespace {

const std::string kFamily = "\U0001F468\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466";
const std::string kThumb = "\U0001F44D\U0001F3FD";  // with a colour of skin
const std::string kFlags = "\U0001F1E9\U0001F1EA\U0001F1EB\U0001F1F7";
const std::string kMarked = "e\u0301\u0323";

std::vector<std::size_t> Places(const std::string& text) {
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (IsPlace(text, at)) {
      places.push_back(at);
    }
  }
  return places;
}

TEST_CASE("A grapheme is one step, however many code points it has", "[figure][breaks]") {
  using List = std::vector<std::size_t>;
  CHECK(Places("ab") == List{0, 1, 2});
  CHECK(Places("") == List{0});
  CHECK(Places(kMarked + "x") == List{0, 5, 6});
  CHECK(Places(kFamily) == List{0, kFamily.size()});
  CHECK(Places("a" + kThumb) == List{0, 1, 9});
  CHECK(Places(kFlags) == List{0, 8, 16});
  CHECK(Places("a\r\nb") == List{0, 1, 3, 4});
  CHECK(Places("\u4E2D\u6587") == List{0, 3, 6});
  CHECK(Places("\u0627\u0644") == List{0, 2, 4});
  CHECK(Places("\u0939\u093F\u0928\u094D\u0926\u0940").front() == 0);
  CHECK_FALSE(IsPlace("\u0939\u093F", 3));  // no caret between a letter and its vowel sign
  CHECK_FALSE(IsPlace("ab", 3));
}

TEST_CASE("Steps go from place to place and stop at the ends", "[figure][breaks]") {
  const std::string text = "a" + kFamily + kMarked + " \u4E2D" + kFlags;
  const std::vector<std::size_t> places = Places(text);
  for (std::size_t i = 0; i < places.size(); ++i) {
    CHECK(PlaceBefore(text, places[i]) == places[i == 0 ? 0 : i - 1]);
    CHECK(PlaceAfter(text, places[i]) == places[std::min(i + 1, places.size() - 1)]);
    CHECK(PlaceFrom(text, places[i]) == places[i]);
  }
  CHECK(PlaceFrom(text, 2) == 1 + kFamily.size());
}

TEST_CASE("Words begin and end where a reader says", "[figure][breaks]") {
  const std::string text = "don't stop, \u4E2D\u6587 now";
  CHECK(WordEndAfter(text, 0) == 5);
  CHECK(WordEndAfter(text, 5) == 10);
  CHECK(WordStartBefore(text, 10) == 6);
  CHECK(WordStartBefore(text, 6) == 0);
  CHECK(WordEndAfter(text, text.size()) == text.size());
  CHECK(WordStartBefore(text, 0) == 0);
  CHECK(WordAt(text, 2) == TextSpan{0, 5});
  CHECK(WordAt(text, 5) == TextSpan{0, 5});
  CHECK(WordAt(text, 6) == TextSpan{6, 10});
  CHECK(WordAt(text, 11) == TextSpan{11, 12});  // a blank is by itself
  CHECK(WordAt("", 0) == TextSpan{0, 0});
  CHECK(WordAt("...", 3) == TextSpan{2, 3});
  const std::string hindi = "\u0928\u092E\u0938\u094D\u0924\u0947 \u0926\u0941";
  CHECK(WordEndAfter(hindi, 0) == 18);
  CHECK(WordAt(hindi, 19) == TextSpan{19, hindi.size()});
}

TEST_CASE("A long text is looked at in parts, and the parts agree", "[figure][breaks]") {
  const std::string unit = GENERATE_COPY(std::string("the cat "),
                                         std::string("\u4E2D\u6587"),
                                         kFlags,
                                         kFamily + "a",
                                         std::string("x") + kMarked);
  std::string text;
  while (text.size() < 4000) {
    text += unit;
  }
  std::vector<std::size_t> ahead;
  for (std::size_t at = 0; at < text.size(); at = PlaceAfter(text, at)) {
    ahead.push_back(at);
  }
  std::vector<std::size_t> back;
  for (std::size_t at = text.size(); at > 0;) {
    at = PlaceBefore(text, at);
    back.push_back(at);
  }
  std::ranges::reverse(back);
  CHECK(ahead == back);
  for (const std::size_t at : ahead) {
    CHECK(IsPlace(text, at));
  }
  std::size_t words = 0;
  for (std::size_t at = 0; at < text.size(); ++words) {
    at = WordEndAfter(text, at);
  }
  std::size_t words_back = 0;
  for (std::size_t at = text.size(); at > 0; ++words_back) {
    at = WordStartBefore(text, at);
  }
  // What stands before the first word or after the last is a step of its own.
  CHECK(words <= words_back + 1);
  CHECK(words_back <= words + 1);
}

TEST_CASE("A letter with thousands of marks is still one", "[figure][breaks]") {
  std::string text = "a";
  for (int i = 0; i < 2000; ++i) {
    text += "\u0301";
  }
  CHECK(PlaceAfter(text + "b", 0) == text.size());
  CHECK(PlaceBefore("b" + text, text.size() + 1) == 1);
}

TEST_CASE("What is no UTF-8 is replaced and counted", "[figure][breaks]") {
  CHECK(ValidUtf8("plain \u4E2D").replaced == 0);
  CHECK(ValidUtf8("a\xFF\xFE z").text == "a\uFFFD\uFFFD z");
  CHECK(ValidUtf8("a\xFF\xFE z").replaced == 2);
  CHECK(ValidUtf8("\xE4\xB8").replaced == 2);
  CHECK(ValidUtf8(std::string("a\0b", 3)).text == "a\uFFFDb");
  CHECK(ValidUtf8("\xED\xA0\x80").replaced == 3);  // half of a pair of 16-bit units
  CHECK(ValidUtf8("\xF0\x9F\x98\x80").replaced == 0);
}

}  // namespace
}  // namespace headscope
