#include "core/io/csv_table.h"

#include "tests/support/catch.h"

namespace headscope {
namespace {

using test::Says;

std::vector<std::string> Texts(const CsvRow& row) {
  std::vector<std::string> texts;
  for (const CsvField& field : row) {
    texts.push_back(field.text);
  }
  return texts;
}

using Row = std::vector<std::string>;

TEST_CASE("a table is read with quotes, line ends and separators of spreadsheets", "[io][csv]") {
  const auto table = ParseCsv("head,note\r\nL0H1,\"a, \"\"b\"\"\nc\"\r\n\r\nL0H2,\n", "f.csv");
  REQUIRE(table);
  CHECK(Texts(table->header) == Row{"head", "note"});
  REQUIRE(table->rows.size() == 2);
  CHECK(Texts(table->rows[0]) == Row{"L0H1", "a, \"b\"\nc"});
  CHECK(Texts(table->rows[1]) == Row{"L0H2", ""});
  CHECK(table->rows[1][0].place ==
        TextPlace{5, 1});  // the quoted field has two lines, one is empty
  CHECK(table->Column("note") == 1U);
  CHECK_FALSE(table->Column("Note"));
  CHECK(Texts(ParseCsv("\xEF\xBB\xBFhead;note\nL0H1;a,b", "f").value().rows[0]) ==
        Row{"L0H1", "a,b"});
  CHECK(Texts(ParseCsv("head\tnote\nL0H1\ta;b", "f").value().rows[0]) == Row{"L0H1", "a;b"});
  CHECK(ParseCsv("", "f").value().header.empty());
}

TEST_CASE("columns count characters, not bytes", "[io][csv]") {
  const auto table = ParseCsv("a,b\näöü,x\n", "f");
  CHECK(table.value().rows[0][1].place == TextPlace{2, 5});
}

TEST_CASE("a wrong table is refused with line and column", "[io][csv]") {
  const auto [text, words] = GENERATE(table<const char*, const char*>(
      {{"a,b\n1\n", "f.csv: line 2, column 1: expected 2 fields as the header has, found 1"},
       {"a,b\n1,2,3\n", "f.csv: line 2, column 5: expected 2 fields as the header has, found 3"},
       {"a,b\n1,\"2\n", "f.csv: line 2, column 3: expected a field that ends with a quote"},
       {"a,b\n1,\"2\"3\n", "f.csv: line 2, column 6: expected the end of the field"},
       {"a,b,a\n", "f.csv: line 1, column 5: the column \"a\" stands twice"}}));
  const auto table = ParseCsv(text, "f.csv");
  REQUIRE_FALSE(table);
  CHECK(table.error().code == ErrorCode::kFormat);
  CHECK_THAT(table.error().message, Says(words));
}

TEST_CASE("what is written reads back as it was", "[io][csv]") {
  const std::string field =
      GENERATE("", "plain", "a,b", "a;b", "\"", "two\nlines", "\r\n", " x ", "=1+1", "\xC3\xA4\t");
  const auto table = ParseCsv("a,b\n" + CsvText(field) + ",x\n", "f");
  REQUIRE(table);
  CHECK(table->rows.at(0).at(0).text == field);
}

}  // namespace
}  // namespace headscope
