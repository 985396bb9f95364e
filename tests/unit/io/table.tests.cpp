// Tables as they are written for programs, for LaTeX and as Markdown.
#include "core/io/table.h"

#include "core/io/csv_table.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

const Table kTable{.title = "Best 50 %",
                   .caption = "A & B, a_b \u2192 c.",
                   .columns = {{"relation", "relation"}, {"score", "score", true}},
                   .rows = {{{"obj, \"x\""}, {"83 %", 0.8321}}, {{"a|b"}, {"\u2013"}}}};

TEST_CASE("A table with commas has whole numbers, and reads back", "[io][table]") {
  const std::string csv = TableCsv(kTable);
  CHECK(csv == "relation,score\n\"obj, \"\"x\"\"\",0.8321\na|b,\n");
  const auto read = ParseCsv(csv, "t.csv");
  REQUIRE(read.has_value());
  CHECK(read->rows[0][0].text == "obj, \"x\"");
  CHECK(read->rows[1][1].text.empty());
}

TEST_CASE("A table with tabs has a cell for each column, whatever stands in it", "[io][table]") {
  Table table = kTable;
  table.rows[1][0].words = "a\tb\nc";
  CHECK(TableTabs(table) == "relation\tscore\nobj, \"x\"\t0.8321\na b c\t\n");
}

TEST_CASE("A table for LaTeX has booktabs' rules, and no sign of LaTeX's own", "[io][table]") {
  const std::string tex = TableTex(kTable);
  CHECK(tex.starts_with(kTexStart));
  for (const char* part : {"\\begin{tabular}{lr}",
                           "\\toprule",
                           "relation & score \\\\\n\\midrule\n",
                           "obj, \"x\" & 83 \\% \\\\\n",
                           "a|b & -- \\\\\n",
                           "\\bottomrule",
                           "\\caption{Best 50 \\%. A \\& B, a\\_b $\\rightarrow$ c.}"}) {
    CAPTURE(part);
    CHECK(tex.find(part) != tex.npos);
  }
}

TEST_CASE("A table as Markdown keeps its columns apart", "[io][table]") {
  const std::string text = TableMarkdown(kTable);
  CHECK(text.starts_with("**Best 50 %**\n\n| relation | score |\n| :--- | ---: |\n"));
  CHECK(text.find("| a\\|b | \u2013 |\n") != text.npos);
}

}  // namespace
}  // namespace headscope
