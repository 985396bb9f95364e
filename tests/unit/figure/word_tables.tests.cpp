#include "core/figure/word_tables.h"

#include "core/figure/loss_chart.h"
#include "tests/support/catch.h"
#include "tests/support/next_word.h"

namespace headscope {
namespace {

using test::SomeNextWord;

std::string CellAt(const Table& table, std::size_t row, std::size_t column) {
  return table.rows.at(row).at(column).words;
}

TEST_CASE("shares are a map of heads and a list of all parts", "[figure][word]") {
  NextWord word = *SomeNextWord();
  LogitShares& shares = *word.prediction.shares;
  shares.parts.push_back(
      {.kind = SharePart::Kind::kMlp, .layer = {ModelPart::kWhole, 1}, .share = -3.0});
  const EffectMap map = ShareMapOf(word).value();
  CHECK(map.title == "Shares in “man”");
  CHECK(map.shape.count() == 8);
  CHECK(map.values[3] == 2.0);
  CHECK(map.values[6] == -0.5);
  CHECK_FALSE(map.values[0].has_value());
  CHECK(map.caption.find("at row 2, “old”") != std::string::npos);
  CHECK(map.caption.find("add up to 1.5000; the logit is 1.5000") != std::string::npos);
  const Table parts = SharePartsOf(word).value();
  REQUIRE(parts.rows.size() == 3);
  CHECK(CellAt(parts, 0, 0) == "L1 MLP");
  CHECK(CellAt(parts, 1, 0) == "L0H3");
  CHECK(parts.rows[2][1].number == -0.5);
  shares.question.against = 8;
  word.over = "captain";
  CHECK(ShareMapOf(word)->title == "Shares in “man” over “captain”");
  CHECK(SplitWords(word) == "the lead of “man” over “captain” at row 2, “old”");
  word.prediction.shares.reset();
  CHECK(ShareMapOf(word).error().code == ErrorCode::kInput);
  CHECK(SharePartsOf(word).error().code == ErrorCode::kInput);
}

TEST_CASE("the stream's words are a line a layer to read, and a line a token in numbers",
          "[figure][word]") {
  NextWord word = *SomeNextWord();
  CHECK(LensOfWord(word).error().code == ErrorCode::kInput);
  word.prediction.lens = {{0, {{5, 2.0, 0.4}, {8, 1.0, 0.3}}}, {1, word.prediction.rows[0].top}};
  word.lens = {{"a", "captain"}, word.top};
  const Table lens = LensOfWord(word).value();
  REQUIRE(lens.rows.size() == 2);
  CHECK(CellAt(lens, 0, 0) == "L0");
  CHECK(CellAt(lens, 0, 1) == "a 40.0 %");
  CHECK(CellAt(lens, 1, 2) == "captain 20.0 %");
  CHECK(CellAt(lens, 0, 3).empty());
  const Table numbers = LensNumbers(word).value();
  REQUIRE(numbers.rows.size() == 5);
  CHECK(numbers.rows[1][1].number == 2.0);
  CHECK(numbers.rows[1][2].number == 8.0);
  CHECK(numbers.rows[1][4].number == 1.0);
}

TEST_CASE("each token has the loss of the row before it, whole and without heads",
          "[figure][word]") {
  const auto said = [](double loss) {
    NamedLosses losses;
    losses.losses.rows = {
        {.next = ActualWord{.id = 1, .rank = 3, .probability = 0.1, .loss = loss}, .likeliest = {}},
        {.next = {}, .likeliest = {}}};
    losses.losses.loss = loss;
    losses.likeliest = {"x", "y"};
    return std::make_shared<const NamedLosses>(std::move(losses));
  };
  ShownLosses losses{.tokens = {"a", "b"}, .whole = said(2.0), .without = nullptr};
  Table table = LossTable(losses).value();
  REQUIRE(table.rows.size() == 1);
  CHECK(CellAt(table, 0, 1) == "b");
  CHECK(table.rows[0][2].number == 2.0);
  CHECK(table.rows[0].size() == table.columns.size());
  const Chart chart = LossChart(losses, ColorsOf(Theme::kPrint)).value();
  CHECK(chart.up.high == 2.0);
  CHECK(chart.marks.size() == 1);
  CHECK(chart.ticks.size() == 2);
  losses.without = said(5.0);
  losses.off = "L0H3 (zero)";
  CHECK(LossTable(losses)->rows[0].back().number == 5.0);
  CHECK(LossChart(losses, ColorsOf(Theme::kPrint))->marks.size() == 2);
  CHECK(LossChart(losses, ColorsOf(Theme::kPrint))->up.high == 5.0);
  losses.whole = nullptr;
  CHECK(LossTable(losses).error().code == ErrorCode::kInput);
}

}  // namespace
}  // namespace headscope
