#include "core/text/display.h"

#include <string>
#include <utility>
#include <vector>

#include "core/text/words.h"
#include "tests/support/catch.h"
#include "tests/unit/text/tiny_tokenizers.h"

namespace headscope {
namespace {

using Ids = std::vector<std::int32_t>;
using Strings = std::vector<std::string>;

TEST_CASE("tokens are shown so that people can read them", "[text][display]") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"the", "the"},
      {" the", "the"},
      {"  the", "␣the"},
      {"a b", "a␣b"},
      {" ", "␣"},
      {"   ", "␣␣␣"},
      {"\n", "⏎"},
      {" \n", "␣⏎"},
      {"\t", "⇥"},
      {"\xe2\x80", "⟨E2 80⟩"},
      {" \xe2\x80", "⟨E2 80⟩"},
      {"a\xe2\x80 b", "a⟨E2 80⟩␣b"},
      {std::string(1, '\0'), "⟨U+0000⟩"},
      {"\x1b", "⟨U+001B⟩"},
      {"\u00a0", "⟨U+00A0⟩"},
      {"\u200d", "⟨U+200D⟩"},
      {"👩\u200d🚀", "👩\u200d🚀"},
      {"a\u202eb", "a⟨U+202E⟩b"},
      {"\u0301", "◌\u0301"},
      {"e\u0301", "e\u0301"},
      {" مرحبا", "مرحبا"},
      {"", "∅"},
  };
  for (const auto& [bytes, display] : cases) {
    CAPTURE(bytes);
    CHECK(text::Display(bytes) == display);
  }
}

TEST_CASE("pieces give their bytes in every style", "[text][display]") {
  text::PieceStyle bytes;
  bytes.byte_characters = true;
  CHECK(text::BytesOf("Ġthe", bytes) == " the");
  CHECK(text::BytesOf("âĢ", bytes) == "\xe2\x80");
  CHECK(text::BytesOf("not 字", bytes) == "not 字");
  text::PieceStyle llama;
  llama.blank_marker = "▁";
  llama.markers.byte_fallback = true;
  CHECK(text::BytesOf("▁the▁", llama) == " the ");
  CHECK(text::BytesOf("<0xE2>", llama) == "\xe2");
  CHECK(text::BytesOf("<0xe2>", llama) == "<0xe2>");
  CHECK(text::BytesOf("<0xG0>", llama) == "<0xG0>");
}

// Words of tokens that cut `text` at the bars.
Ids WordsOf(const std::string& text) {
  std::string whole;
  std::vector<Token> tokens(1);
  for (const char c : text) {
    if (c == '|') {
      tokens.back().end = static_cast<std::int64_t>(whole.size());
      tokens.emplace_back();
      tokens.back().begin = static_cast<std::int64_t>(whole.size());
    } else {
      whole += c;
    }
  }
  tokens.back().end = static_cast<std::int64_t>(whole.size());
  text::AssignWords(whole, tokens, 0);
  return Words({tokens});
}

TEST_CASE("tokens of one word have one index", "[text][words]") {
  CHECK(WordsOf("un|believ|able| cat|s") == Ids{0, 0, 0, 1, 1});
  CHECK(WordsOf("(|hello|)|.|.| x") == Ids{0, 1, 2, 2, 2, 3});
  CHECK(WordsOf("Lily|'|s| cat") == Ids{0, 1, 1, 2});
  CHECK(WordsOf("say| '|hi|'") == Ids{0, 1, 2, 3});
  CHECK(WordsOf("don|\xe2\x80|\x99|t") == Ids{0, 1, 1, 1});
  CHECK(WordsOf(" |J|ohn") == Ids{0, 0, 0});
  CHECK(WordsOf("a|  | b|\n|\n|c") == Ids{0, 1, 2, 3, 4, 5});
  CHECK(WordsOf("👩|\u200d|🚀|!") == Ids{0, 0, 0, 0});
  CHECK(WordsOf("e|\u0301|t") == Ids{0, 0, 0});
  CHECK(WordsOf("snake|_|case|4|2") == Ids{0, 0, 0, 0, 0});
  CHECK(WordsOf("\xff|\xfe|a") == Ids{0, 0, 0});
}

// Names of tokens that cut `text` at the bars, as labels show them.
std::vector<std::string> NamesOf(const std::string& text) {
  Encoding encoding;
  std::string whole;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find('|', begin), text.size());
    Token token;
    token.begin = std::ssize(whole);
    whole += text.substr(begin, end - begin);
    token.end = std::ssize(whole);
    token.display = text::Display(text.substr(begin, end - begin));
    encoding.tokens.push_back(token);
    begin = end + 1;
  }
  text::AssignWords(whole, encoding.tokens, 0);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < encoding.tokens.size(); ++i) {
    names.push_back(TokenName(encoding, i));
  }
  return names;
}

TEST_CASE("pieces of a word show that they are", "[text][words]") {
  using Names = std::vector<std::string>;
  CHECK(NamesOf("old| sa|il|or| gave") == Names{"old", "sa", "·il", "·or", "gave"});
  CHECK(NamesOf("Lily|'|s| cat|.") == Names{"Lily", "'", "·s", "cat", "."});
  CHECK(NamesOf(" |J|ohn") == Names{"␣", "J", "·ohn"});  // a blank is no piece
  CHECK(NamesOf("caf|\xc3|\xa9") == Names{"caf", "·⟨C3⟩", "·⟨A9⟩"});
  CHECK(NamesOf("이|것| 은") == Names{"이", "·것", "은"});
  CHECK(NamesOf("كت|اب") == Names{"كت", "·اب"});
  // Nobody sets blanks there, so nobody knows where a word ends.
  CHECK(NamesOf("他|在|家") == Names{"他", "在", "家"});
  CHECK(NamesOf("カ|タ|カナ") == Names{"カ", "タ", "カナ"});
  CHECK(NamesOf("สวัส|ดี") == Names{"สวัส", "ดี"});
}

TEST_CASE("a special token and a second text begin anew", "[text][words]") {
  Encoding encoding;
  const auto add = [&encoding](const char* display, std::int32_t word, std::int32_t segment) {
    Token token;
    token.display = display;
    token.word = word;
    token.segment = segment;
    encoding.tokens.push_back(token);
  };
  add("[CLS]", -1, 0);
  add("[SEP]", -1, 0);
  add("un", 0, 0);
  add("do", 0, 0);
  add("ing", 0, 1);
  const auto continues = [&encoding](std::size_t index) { return ContinuesWord(encoding, index); };
  CHECK_FALSE(continues(0));
  CHECK_FALSE(continues(1));
  CHECK_FALSE(continues(2));
  CHECK(continues(3));
  CHECK_FALSE(continues(4));
}

TEST_CASE("raw ids are grouped as their text was", "[text][words]") {
  const auto tokenizer =
      Parse({.model = BpeJson(BytePieces({"Ġc", "Ġca", "Ġcat", "'s"}),
                              {"\"Ġ c\"", "\"Ġc a\"", "\"Ġca t\"", "\"' s\""}),
             .pre_tokenizer = R"({"type":"ByteLevel","add_prefix_space":false})"});
  const Encoding encoding = EncodeOrFail(*tokenizer, "a cat's tail, 😀!\n\nno\u2019t e\u0301 x");
  const Encoding described = tokenizer->Describe(encoding.Ids());
  CHECK(Words(described) == Words(encoding));
  CHECK(Displays(described) == Displays(encoding));
  CHECK(Texts(described) == Texts(encoding));
}

}  // namespace
}  // namespace headscope
