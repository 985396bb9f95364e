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

struct Case {
  std::string pattern;
  std::string text;
  Strings matches;
};

void CheckMatches(const Case& test) {
  CAPTURE(test.pattern, test.text);
  CHECK(Matches(test.pattern, test.text) == test.matches);
}

TEST_CASE("classes hold classes, intersections and what is not in a class", "[text][regex]") {
  const Case test =
      GENERATE(Case{" ?[^(\\s|[.,!?…。，、।۔،])]+", "ab, (cd)。 ef|g", {"ab", "cd", " ef", "g"}},
               Case{"[a[bc]]+", "abcd", {"abc"}},
               Case{"[\\s&&[^\\n]]+", " \t\n ", {" \t", " "}},
               Case{"[a-z&&[^aeiou]&&[^x-z]]+", "headxyz", {"h", "d"}},
               Case{"[^a-c&&[b-d]]+", "abcde", {"a", "de"}},
               Case{"[\\p{L}&&[^\\p{Lu}]]+", "aBcÉé", {"a", "c", "é"}},
               Case{"[^[^a]b]+", "abca", {"a", "a"}},
               Case{"[[^a]a]+", "abc", {"abc"}},
               Case{"[\\W]+", "ab, cd", {", "}},
               Case{"[^\\W\\d]+", "a1b_", {"a", "b_"}},
               Case{"[]a]+", "a]b", {"a]"}},
               Case{"[^]a]+", "a]b", {"b"}},
               Case{"[a^-]+", "^a-b", {"^a-"}},
               Case{"[a&&]", "a", {}},
               Case{"[a&b]+", "a&b", {"a&b"}});
  CheckMatches(test);
}

TEST_CASE("named sets and escapes hold what Oniguruma's do", "[text][regex]") {
  const Case test = GENERATE(
      // U+00B2 is a word character by itself and at its limits, but in no class.
      Case{"\\w+", "m² x", {"m²", "x"}},
      Case{"[^\\w\\s]+", "m² x!", {"²", "!"}},
      Case{"[\\w]+", "m² x", {"m", "x"}},
      Case{"[[:word:]]+", "m²", {"m"}},
      Case{"\\p{Word}+", "m²", {"m²"}},
      Case{"\\P{Word}+", "m²+", {"+"}},
      Case{"[[:punct:]]+", "a+b-€c", {"+", "-€"}},
      Case{"[^[:punct:]]+", "a+b-€c", {"a", "b", "c"}},
      Case{"[[:^punct:]&&[^b]]+", "a+b-€c", {"a", "c"}},
      Case{"[:punct:]+", "a+cup", {"cup"}},
      Case{"[]\\][:punct:]]+", "a+]b", {"+]"}},
      Case{"\\p{Punct}+", "a+b-€c", {"-"}},
      Case{"[[:alpha:]]+", "aⅧ1", {"aⅧ"}},
      Case{"[[:^alpha:]]+", "a12b", {"12"}},
      // Scripts, not their extensions: U+3001 is common to several.
      Case{"\\p{Han}+", "中文、日", {"中文", "日"}},
      Case{"\\p{^Han}+", "中、b", {"、b"}},
      Case{"\\P{Uppercase_Letter}+", "aBc", {"a", "c"}},
      Case{"\\p{old italic}+", "a\U00010300b", {"\U00010300"}},
      Case{"\\h+", "xfaceg", {"face"}},
      Case{"\\H+", "xfaceg", {"x", "g"}},
      Case{"[\\h\\u00e9]+", "xféq", {"fé"}},
      Case{"\\u3042", "あい", {"あ"}},
      Case{"a\\vb",
           "a\x0b"
           "b a\nb",
           {"a\x0b"
            "b"}});
  CheckMatches(test);
}

TEST_CASE("repetitions and options mean what they mean in Ruby", "[text][regex]") {
  const Case test = GENERATE(Case{"\\d{1,3}+", "1234567", {"1234567"}},  // not possessive
                             Case{"\\d{1,3}", "1234567", {"123", "456", "7"}},
                             Case{"(?:ab|c){1,2}+x", "abccx", {"abccx"}},
                             Case{"[ab]{2}+", "ababa", {"abab"}},
                             Case{"a{2}?b", "b aab", {"b", "aab"}},  // not lazy
                             Case{"a{1,2}?", "aa", {"a", "a"}},
                             Case{"xa{,2}", "xaaax", {"xaa", "x"}},
                             Case{"a{x", "a{x", {"a{x"}},
                             Case{"é{2}+", "éééé", {"éééé"}},
                             Case{"(?m:a.b)", "a\nb", {"a\nb"}},
                             Case{"a.b", "a\nb", {}},
                             Case{"(?i:DO)n", "don dON", {"don"}},
                             Case{"a(?#a remark)b", "ab", {"ab"}},
                             Case{"\\\\g", "a\\gb", {"\\g"}},
                             Case{"(?~ab)", "xab", {"x", "b"}},
                             Case{"(?<=^|,\\s*)\\w", "a, b c", {"a", "b"}});
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
