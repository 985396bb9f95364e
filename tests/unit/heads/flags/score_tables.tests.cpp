// The best head of each relation and of each role, of made-up scores whose answer is known.
#include "core/heads/flags/score_tables.h"

#include "tests/support/catch.h"
#include "tests/unit/state/heads/scan_stub.h"

namespace headscope {
namespace {

// Two heads of one layer; score and control of each.
NamedScores TwoHeads(std::string id,
                     std::pair<double, double> first,
                     std::pair<double, double> second,
                     std::int64_t rows) {
  NamedScores scores{.id = std::move(id)};
  for (const auto& [score, control] : {first, second}) {
    HeadScore one;
    one.score = score;
    one.control = control;
    one.error = 0.02;
    one.rows = rows;
    scores.heads.push_back(one);
  }
  return scores;
}

HeadScanReport MadeReport() {
  HeadScanReport report;
  ProbeScores sentences;
  sentences.report.about.heads = {ModelPart::kWhole, 1, 2};
  sentences.report.scores = {TwoHeads("coreference", {0.5, 0.4}, {0.3, 0.1}, 500),
                             TwoHeads("dep:obj:dependent-to-head", {0.9, 0.85}, {0.6, 0.2}, 40),
                             TwoHeads("dep:obj:head-to-dependent", {0.5, 0.3}, {0.4, 0.3}, 40),
                             TwoHeads("dep:det:dependent-to-head", {0.7, 0.1}, {0.6, 0.1}, 90),
                             TwoHeads("dep:amod:dependent-to-head", {0.9, 0.1}, {0.9, 0.1}, 9)};
  sentences.report.suggested = {
      test::StubSuggestion({0, 1}, "syntactic", "dep:obj:dependent-to-head"),
      test::StubSuggestion({0, 0}, "syntactic", "dep:det:dependent-to-head")};
  sentences.report.suggested[0].score = 0.6;
  sentences.report.suggested[1].score = 0.7;
  sentences.report.suggested[0].verdict = Verdict::kStrong;
  sentences.report.suggested[1].verdict = Verdict::kBorderline;
  report.sentences = std::move(sentences);
  report.why_no_repeats = "none";
  return report;
}

std::vector<std::string> WordsOf(const std::vector<TableCell>& row) {
  std::vector<std::string> words;
  for (const TableCell& cell : row) {
    words.push_back(cell.words);
  }
  return words;
}

TEST_CASE("A relation's best head lies furthest above its control", "[heads][tables]") {
  const HeadScanReport report = MadeReport();
  const std::array models = {ScannedModel{"m", &report}};
  const Table table = RelationTable(models);
  REQUIRE(table.rows.size() == 3);  // amod has too few pairs
  using Words = std::vector<std::string>;
  CHECK(WordsOf(table.rows[0]) ==
        Words{"det", "determiner \u2192 noun", "L0H0", "70 %", "2", "10 %", "90"});
  CHECK(WordsOf(table.rows[1]) ==
        Words{"obj", "object \u2192 verb", "L0H1", "60 %", "2", "20 %", "40"});
  CHECK(table.rows[2][0].words == "coreference");  // last, whatever its cases
  CHECK(table.rows[2][2].words == "L0H1");
  CHECK(table.rows[1][3].number == 0.6);
  CHECK(table.columns.size() == 7);
}

TEST_CASE("Several models stand under each relation and role", "[heads][tables]") {
  const HeadScanReport report = MadeReport();
  HeadScanReport other = MadeReport();
  other.sentences->report.scores.resize(2);  // coreference and obj alone
  other.sentences->report.suggested.clear();
  const std::array models = {ScannedModel{"one", &report}, ScannedModel{"two", &other}};
  const Table relations = RelationTable(models);
  std::vector<std::string> places;
  for (const auto& row : relations.rows) {
    places.push_back(row[0].words + " " + row[1].words);
  }
  CHECK(places == std::vector<std::string>{
                      "det one", "obj one", "obj two", "coreference one", "coreference two"});
  const Table roles = RoleTable(models);
  REQUIRE(roles.rows.size() == 1);
  CHECK(roles.rows[0][0].words == "syntactic");
  CHECK(roles.rows[0][1].words == "one");
  CHECK(roles.rows[0][3].words == "L0H1");  // strong, though the other has a higher score
  CHECK(roles.rows[0][8].number == 1.0);
  CHECK(roles.rows[0][9].number == 1.0);
}

}  // namespace
}  // namespace headscope
