// Patterns of tokenizer.json: what they match was taken from the tokenizers library.
#include "core/text/regex.h"

#include <dlfcn.h>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace headscope::text {
namespace {

using Strings = std::vector<std::string>;

Strings Matches(const std::string& pattern, const std::string& text) {
  const auto regex = Regex::Compile(pattern, "tiny");
  REQUIRE(regex.has_value());
  const auto ranges = regex->FindAll(text);
  REQUIRE(ranges.has_value());
  Strings matches;
  for (const ByteRange& range : *ranges) {
    matches.push_back(text.substr(range.begin, range.end - range.begin));
  }
  return matches;
}

struct RegexCase {
  std::string pattern;
  std::string text;
  Strings matches;
};

void CheckMatches(const RegexCase& test) {
  CAPTURE(test.pattern, test.text);
  CHECK(Matches(test.pattern, test.text) == test.matches);
}

TEST_CASE("classes hold classes, intersections and what is not in a class", "[text][regex]") {
  const RegexCase test = GENERATE(
      RegexCase{" ?[^(\\s|[.,!?…。，、।۔،])]+", "ab, (cd)。 ef|g", {"ab", "cd", " ef", "g"}},
      RegexCase{"[a[bc]]+", "abcd", {"abc"}},
      RegexCase{"[\\s&&[^\\n]]+", " \t\n ", {" \t", " "}},
      RegexCase{"[a-z&&[^aeiou]&&[^x-z]]+", "headxyz", {"h", "d"}},
      RegexCase{"[^a-c&&[b-d]]+", "abcde", {"a", "de"}},
      RegexCase{"[\\p{L}&&[^\\p{Lu}]]+", "aBcÉé", {"a", "c", "é"}},
      RegexCase{"[^[^a]b]+", "abca", {"a", "a"}},
      RegexCase{"[[^a]a]+", "abc", {"abc"}},
      RegexCase{"[\\W]+", "ab, cd", {", "}},
      RegexCase{"[^\\W\\d]+", "a1b_", {"a", "b_"}},
      RegexCase{"[]a]+", "a]b", {"a]"}},
      RegexCase{"[^]a]+", "a]b", {"b"}},
      RegexCase{"[a^-]+", "^a-b", {"^a-"}},
      RegexCase{"[a&&]", "a", {}},
      RegexCase{"[a&b]+", "a&b", {"a&b"}});
  CheckMatches(test);
}

TEST_CASE("named sets and escapes hold what Oniguruma's do", "[text][regex]") {
  const RegexCase test = GENERATE(
      // U+00B2 is a word character by itself and at its limits, but in no class.
      RegexCase{"\\w+", "m² x", {"m²", "x"}},
      RegexCase{"[^\\w\\s]+", "m² x!", {"²", "!"}},
      RegexCase{"[\\w]+", "m² x", {"m", "x"}},
      RegexCase{"[[:word:]]+", "m²", {"m"}},
      RegexCase{"\\p{Word}+", "m²", {"m²"}},
      RegexCase{"\\P{Word}+", "m²+", {"+"}},
      RegexCase{"[[:punct:]]+", "a+b-€c", {"+", "-€"}},
      RegexCase{"[^[:punct:]]+", "a+b-€c", {"a", "b", "c"}},
      RegexCase{"[[:^punct:]&&[^b]]+", "a+b-€c", {"a", "c"}},
      RegexCase{"[:punct:]+", "a+cup", {"cup"}},
      RegexCase{"[]\\][:punct:]]+", "a+]b", {"+]"}},
      RegexCase{"\\p{Punct}+", "a+b-€c", {"-"}},
      RegexCase{"[[:alpha:]]+", "aⅧ1", {"aⅧ"}},
      RegexCase{"[[:^alpha:]]+", "a12b", {"12"}},
      // Scripts, not their extensions: U+3001 is common to several.
      RegexCase{"\\p{Han}+", "中文、日", {"中文", "日"}},
      RegexCase{"\\p{^Han}+", "中、b", {"、b"}},
      RegexCase{"\\P{Uppercase_Letter}+", "aBc", {"a", "c"}},
      RegexCase{"\\p{old italic}+", "a\U00010300b", {"\U00010300"}},
      RegexCase{"\\h+", "xfaceg", {"face"}},
      RegexCase{"\\H+", "xfaceg", {"x", "g"}},
      RegexCase{"[\\h\\u00e9]+", "xféq", {"fé"}},
      RegexCase{"\\u3042", "あい", {"あ"}},
      RegexCase{"a\\vb",
                "a\x0b"
                "b a\nb",
                {"a\x0b"
                 "b"}});
  CheckMatches(test);
}

TEST_CASE("repetitions and options mean what they mean in Ruby", "[text][regex]") {
  const RegexCase test = GENERATE(RegexCase{"\\d{1,3}+", "1234567", {"1234567"}},  // not possessive
                                  RegexCase{"\\d{1,3}", "1234567", {"123", "456", "7"}},
                                  RegexCase{"(?:ab|c){1,2}+x", "abccx", {"abccx"}},
                                  RegexCase{"[ab]{2}+", "ababa", {"abab"}},
                                  RegexCase{"a{2}?b", "b aab", {"b", "aab"}},  // not lazy
                                  RegexCase{"a{1,2}?", "aa", {"a", "a"}},
                                  RegexCase{"xa{,2}", "xaaax", {"xaa", "x"}},
                                  RegexCase{"a{x", "a{x", {"a{x"}},
                                  RegexCase{"é{2}+", "éééé", {"éééé"}},
                                  RegexCase{"(?m:a.b)", "a\nb", {"a\nb"}},
                                  RegexCase{"a.b", "a\nb", {}},
                                  RegexCase{"(?i:DO)n", "don dON", {"don"}},
                                  RegexCase{"a(?#a remark)b", "ab", {"ab"}},
                                  RegexCase{"\\\\g", "a\\gb", {"\\g"}},
                                  RegexCase{"(?~ab)", "xab", {"x", "b"}},
                                  RegexCase{"(?<=^|,\\s*)\\w", "a, b c", {"a", "b"}});
  CheckMatches(test);
}

TEST_CASE("what Oniguruma refuses is refused by name", "[text][regex]") {
  const std::string pattern = GENERATE(std::string("("),
                                       std::string("[a"),
                                       std::string("[a[b]"),
                                       std::string("a\\"),
                                       std::string("\\u12"),
                                       std::string("(?R)"),
                                       std::string("\\g<0>"),
                                       std::string("(?<a>b)\\\\\\g<a>"),
                                       std::string("\\C"),
                                       std::string("\\p{Nonsense}"),
                                       std::string(200, '['),
                                       std::string(70'000, 'a'));
  const auto regex = Regex::Compile(pattern, "tiny");
  REQUIRE_FALSE(regex.has_value());
  CHECK(regex.error().code == ErrorCode::kUnsupported);
  CHECK_THAT(regex.error().message, test::Says("tiny: the pattern"));
}

TEST_CASE("an empty match follows no match at once, and an empty text has none", "[text][regex]") {
  CHECK(Matches("", "ab") == Strings{"", "", ""});
  CHECK(Matches("", "").empty());
  CHECK(Matches("a*", "baac") == Strings{"", "aa", ""});
  CHECK(Matches("a|(?=c)", "abc") == Strings{"a", ""});
}

TEST_CASE("a message names the part that is wrong, on one line", "[text][regex]") {
  const auto regex = Regex::Compile("\\p{No\nsuch}", "tiny");
  REQUIRE_FALSE(regex.has_value());
  CHECK(regex.error().message ==
        "tiny: the pattern \"\\p{No\\nsuch}\" cannot be used: invalid character property name: "
        "\"No\\nsuch\"");
}

// Oniguruma has functions of these names, too, and takes their options for others.
TEST_CASE("libraries that ask for POSIX patterns get the C library's", "[text][regex]") {
  for (const char* const name : {"regcomp", "regexec", "regfree"}) {
    Dl_info info = {};
    REQUIRE(dladdr(dlsym(RTLD_DEFAULT, name), &info) != 0);
    const std::string library = std::filesystem::path(info.dli_fname).filename().string();
    CHECK_FALSE(library.starts_with("libonig"));
  }
}

}  // namespace
}  // namespace headscope::text
