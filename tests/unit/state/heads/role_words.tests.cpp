#include "app/state/heads/role_words.h"

#include "app/state/heads/scores.h"
#include "core/heads/flags/flags.h"
#include "tests/support/catch.h"
#include "tests/unit/state/heads/scan_stub.h"

namespace headscope::test {
namespace {

// Of 3 x 4 heads, without suggestions and with one relation.
HeadScanReport ReportWith(double share, std::int64_t pairs) {
  HeadScanReport report = *StubScan();
  NamedScores relation = StubScores("dep:iobj:dependent-to-head");
  for (HeadScore& head : relation.heads) {
    head = {};
    head.score = share;
    head.chance = 0.1;
    head.control = 0.2;
    head.rows = pairs;
    head.sequences = pairs;
  }
  report.sentences->report.scores = {relation};
  report.sentences->report.suggested.clear();
  report.repeats.reset();
  return report;
}

NamedScores OnText(const std::string& id, double score, std::int64_t rows) {
  NamedScores scores = StubScores(id);
  for (HeadScore& head : scores.heads) {
    head = {};
    if (rows > 0) {
      head.score = score;
      head.rows = rows;
    }
  }
  return scores;
}

TEST_CASE("a head without a role: too few cases is not the same as nothing there",
          "[state][scores]") {
  const HeadIndex head{1, 2};
  CHECK(NoRoleWords(ReportWith(0.85, 13), {}, head) ==
        "Not decided: iobj: indirect object looks at its verb 85 % of 13 pairs. A relation is "
        "decided from 50 pairs in 30 sentences on, other roles from 5 rows in 5 texts.");
  CHECK(NoRoleWords(ReportWith(0.85, 50), {}, head) ==
        "No role: nothing here is clear of chance and control.");
  CHECK(NoRoleWords(ReportWith(0.25, 13), {}, head) ==
        "No role: nothing here is clear of chance and control.");
}

TEST_CASE("what a part of the sentences cannot decide is listed as not decided yet",
          "[state][scores]") {
  const HeadIndex head{1, 2};
  HeadScanReport report = ReportWith(0.85, 60);
  report.all_sentences = 471;
  CHECK(UndecidedRoles(report, head) ==
        std::vector<std::string>{"iobj: indirect object looks at its verb 85 % of 60 pairs"});
  CHECK_THAT(NoRoleWords(report, {}, head),
             Says("Not decided yet over 40 of 471 sentences: iobj: indirect object"));
  // What is decided for the head is not listed, and of others there is nothing to decide.
  Suggestion one;
  one.head = head;
  one.role = "syntactic";
  one.metric = "dep:iobj:dependent-to-head";
  one.relation = "iobj";
  one.verdict = Verdict::kStrong;
  report.sentences->report.suggested = {one};
  CHECK(UndecidedRoles(report, head).empty());
  CHECK(UndecidedRoles(report, {1, 1}).size() == 1);
  report = ReportWith(0.25, 60);
  report.all_sentences = 471;
  CHECK(NoRoleWords(report, {}, head) ==
        "No role so far: nothing here is clear of chance and control over 40 of 471 sentences.");
}

TEST_CASE("a head whose roles were rejected is not called one without any", "[state][scores]") {
  HeadScanReport report = ReportWith(0.25, 13);
  Suggestion one;
  one.head = {1, 2};
  one.role = "induction";
  one.verdict = Verdict::kStrong;
  report.sentences->report.suggested = {one};
  FlagSheet flags;
  HeadFlag flag;
  flag.layer = 1;
  flag.head = 2;
  flag.rejected = {{.role = "induction", .reason = "too weak"}};
  flags.flags.push_back(flag);
  CHECK(NoRoleWords(report, flags, {1, 2}) ==
        "No role is left: what the scores suggest was rejected.");
  CHECK(NoRoleWords(report, flags, {1, 1}) ==
        "No role: nothing here is clear of chance and control.");
}

TEST_CASE("what of a role shows on the open text", "[state][scores]") {
  Suggestion one;
  one.metric = "induction";
  one.score = 0.9;
  ScoreReport text;
  text.scores = {OnText("induction", 0.0, 0), OnText("first_token", 0.904, 9)};
  CHECK(RoleOnTextWords(one, text, 5) ==
        "On this text no row asks for it: silent here, so it rests on the first token (90 %).");
  text.scores = {OnText("induction", 0.36, 11), OnText("first_token", 0.6, 9)};
  CHECK(RoleOnTextWords(one, text, 5) ==
        "On this text: 0.36 over 11 rows, less than half of that; it rests on the first token "
        "(60 %).");
  text.scores = {OnText("induction", 0.8, 1), OnText("first_token", 0.1, 9)};
  CHECK(RoleOnTextWords(one, text, 5) == "On this text: 0.80 over 1 row.");
  text.scores = {OnText("induction", 0.0, 0)};
  CHECK(RoleOnTextWords(one, text, 5) == "On this text no row asks for it: silent here.");
  // What a head adds to logits is not measured on one text: nothing is said of it.
  one.metric = "copy_effect";
  text.scores = {OnText("copy_effect", 0.0, 0)};
  CHECK(RoleOnTextWords(one, text, 5).empty());
}

TEST_CASE("of several roles the surest comes first, and a sink last", "[state][scores]") {
  HeadScanReport report = ReportWith(0.25, 13);
  const auto made = [](const char* role, Verdict verdict) {
    Suggestion one;
    one.head = {1, 2};
    one.role = role;
    one.verdict = verdict;
    return one;
  };
  report.sentences->report.suggested = {made("separator", Verdict::kStrong),
                                        made("duplicate", Verdict::kBorderline),
                                        made("induction", Verdict::kStrong)};
  const HeadSuggestions suggestions(&report);
  const auto& found = suggestions.Of({1, 2});
  REQUIRE(found.size() == 3);
  CHECK(found[0]->role == "induction");
  CHECK(found[1]->role == "separator");
  CHECK(found[2]->role == "duplicate");
}

}  // namespace
}  // namespace headscope::test
