#include "core/text/byte_level.h"

#include <random>
#include <string>
#include <vector>

#include "core/text/unicode.h"
#include "tests/support/catch.h"
#include "tests/unit/text/tiny_tokenizers.h"

namespace headscope {
namespace {

using Strings = std::vector<std::string>;

std::string ByteLevel(bool prefix, bool regex) {
  return std::string(R"({"type":"ByteLevel","add_prefix_space":)") + (prefix ? "true" : "false") +
         ",\"use_regex\":" + (regex ? "true" : "false") + "}";
}

const Strings kMerges = {"\"h e\"", "\"Ġ t\"", "\"Ġt he\"", "\"Ã ©\"", "\"Ð ¾\"", "\"ðŁ ĺ\""};

TinyJson Tiny(bool prefix, bool regex) {
  return {.model = BpeJson(BytePieces({"he", "Ġt", "Ġthe", "Ã©", "Ð¾", "ðŁ", "ðŁĺ"}), kMerges),
          .pre_tokenizer = ByteLevel(prefix, regex)};
}

// Words of many scripts, blanks and controls, in any order.
std::string RandomText(std::mt19937& random) {
  const Strings parts = {
      "the",  " the",   "he",   " ",      "  ",         "\n",     "\t",         "\r\n",
      "'s",   "don't",  "42",   "é",      "e\u0301",    "о",      "\U0001F600", "👩‍🚀",
      "🇩🇪",   "مرحبا",  "नमस्ते", "שלום",   "字",         "\u200b", "\u00a0",     "\x01",
      "\x7f", "\u0085", "!?",   "\u202e", "\U0010ffff", "_",      "▁",          "Ġ"};
  std::uniform_int_distribution<std::size_t> pick(0, parts.size() - 1);
  std::uniform_int_distribution<int> length(0, 12);
  std::string text;
  for (int left = length(random); left > 0; --left) {
    text += parts[pick(random)];
  }
  return text;
}

TEST_CASE("every byte has a printable character of its own", "[text][byte_level]") {
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const std::string& character = text::ByteCharacters()[byte];
    CHECK(text::BytesOfPiece(character) == std::string(1, static_cast<char>(byte)));
    std::size_t end = 0;
    CHECK_FALSE(text::IsInvisible(NextCharacter(character, end)));
    CHECK(end == character.size());
  }
  CHECK(text::ByteCharacters()[' '] == "Ġ");
  CHECK(text::ByteCharacters()['\n'] == "Ċ");
  CHECK_FALSE(text::BytesOfPiece("a b").has_value());
}

TEST_CASE("byte-level pieces spell the text again and cover it", "[text][byte_level]") {
  std::mt19937 random(11);
  const bool prefix = GENERATE(false, true);
  const bool regex = GENERATE(false, true);
  const auto tokenizer = Parse(Tiny(prefix, regex));
  for (int round = 0; round < 400; ++round) {
    const std::string text = RandomText(random);
    CAPTURE(text, prefix, regex);
    const Encoding encoding = EncodeOrFail(*tokenizer, text);
    std::string spelt;
    std::int64_t end = 0;
    for (const Token& token : encoding.tokens) {
      spelt += text::BytesOfPiece(token.text).value();
      CHECK(token.begin == end);
      CHECK(token.end >= token.begin);
      end = token.end;
      CHECK_FALSE(token.display.empty());
    }
    CHECK(end == static_cast<std::int64_t>(text.size()));
    const bool gets_blank = prefix && !text.empty() && text[0] != ' ';
    CHECK(spelt == (gets_blank ? " " + text : text));
    const std::size_t first = std::min(text.find_first_not_of(' '), text.size());
    const std::size_t last = text.find_last_not_of(' ') + 1;
    CHECK(tokenizer->Spell(encoding.Ids()) == text.substr(first, last - first));
  }
}

TEST_CASE("the blank goes with the word after it", "[text][byte_level]") {
  const auto tokenizer = Parse(Tiny(false, true));
  CHECK(Texts(EncodeOrFail(*tokenizer, "the the")) == Strings{"t", "he", "Ġthe"});
  CHECK(Texts(EncodeOrFail(*tokenizer, "he  the\n")) == Strings{"he", "Ġ", "Ġthe", "Ċ"});
  const auto prefixed = Parse(Tiny(true, true));
  const Encoding encoding = EncodeOrFail(*prefixed, "the");
  CHECK(Texts(encoding) == Strings{"Ġthe"});
  CHECK(Ranges(encoding) == Strings{"0-3"});
}

TEST_CASE("a character in several tokens has its bytes shared out", "[text][byte_level]") {
  const auto tokenizer = Parse(Tiny(false, true));
  const Encoding encoding = EncodeOrFail(*tokenizer, "é😀");
  CHECK(Texts(encoding) == Strings{"Ã©", "ð", "Ł", "ĺ", "Ģ"});
  CHECK(Ranges(encoding) == Strings{"0-2", "2-3", "3-4", "4-5", "5-6"});
  CHECK(Displays(encoding) == Strings{"é", "⟨F0⟩", "⟨9F⟩", "⟨98⟩", "⟨80⟩"});
}

}  // namespace
}  // namespace headscope
