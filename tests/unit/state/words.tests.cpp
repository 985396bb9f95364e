// What the tooltip, the bars of a row and the status line say.
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "app/state/inspect/cell_words.h"
#include "app/state/inspect/row_words.h"
#include "app/state/status_words.h"
#include "app/state/work_under_way.h"
#include "tests/support/catch.h"
#include "tests/support/distinct_layer.h"
#include "tests/support/screens.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

using Kind = CellLine::Kind;

std::vector<float> RowOf(const DistinctLayer& made, std::int64_t head, std::int64_t query) {
  std::vector<float> row(static_cast<std::size_t>(made.layer->shape().keys));
  made.layer->Row(head, query, row);
  return row;
}

RowWeights WeightsOf(const std::shared_ptr<const Encoding>& tokens,
                     const DistinctLayer& made,
                     std::int64_t query,
                     std::span<const float> row) {
  const AttentionRule& rule = made.layer->rule();
  return {.query_tokens = tokens,
          .key_tokens = tokens,
          .query = query,
          .first_visible = rule.FirstVisible(query),
          .last_visible = rule.LastVisible(query, made.layer->shape().keys),
          .weights = row};
}

TEST_CASE("a cell's tooltip tells weight, rank, score and dot product", "[state][words]") {
  const DistinctLayer made = MakeCounted({1, 2, 4, 1, 8});
  const auto tokens = Words({"the", "cat", "saw", "the", "dog"});
  const std::vector<float> row = RowOf(made, 0, 3);  // 1, 2, 4, 1 of 8
  const CellSource source{.query_tokens = *tokens,
                          .key_tokens = *tokens,
                          .map = {made.layer, 0},
                          .row = row,
                          .query = 3};
  CHECK(LinesOfCell(source, {3, 1}) ==
        std::vector<CellLine>{{"query 3 “the” → key 1 “cat”", Kind::kTitle},
                              {"weight 0.250000   rank 2 of 4", Kind::kNumber},
                              {"score  0.6931", Kind::kNumber},
                              {"q·k    1.3863 × 0.5", Kind::kDetail}});
  CHECK(LinesOfCell(source, {3, 2}) ==
        std::vector<CellLine>{{"query 3 “the” → key 2 “saw”", Kind::kTitle},
                              {"weight 0.500000   rank 1 of 4", Kind::kNumber},
                              {"score  1.3863", Kind::kNumber},
                              {"q·k    2.7726 × 0.5", Kind::kDetail}});
  // Two equal ones share the better rank.
  CHECK(LinesOfCell(source, {3, 0})[1].text == "weight 0.125000   rank 3 of 4");
  CHECK(LinesOfCell(source, {3, 3})[1].text == "weight 0.125000   rank 3 of 4");
  // What was made of weights has no score of its own.
  CellSource joined = source;
  joined.cell = "mean weight";
  CHECK(LinesOfCell(joined, {3, 1}) ==
        std::vector<CellLine>{{"query 3 “the” → key 1 “cat”", Kind::kTitle},
                              {"mean weight 0.250000   rank 2 of 4", Kind::kNumber}});
}

TEST_CASE("a head of a cut tells scores of its own columns and scale", "[state][words]") {
  // Two heads of four columns as one of eight.
  const DistinctLayer made = MakeDistinct({.id = {}, .heads = 2, .queries = 5, .keys = 5});
  LayerAttention::Content content;
  content.shape = {
      .queries = 5, .keys = 5, .heads = 1, .kv_heads = 1, .head_dim = 8, .value_dim = 8};
  content.rule = made.layer->rule();
  content.row_max.resize(5);
  content.row_inverse_sum.resize(5);
  content.thumbnails.resize(1);
  content.cut = HeadCut{.source = made.layer, .columns = {{0, 1, 2, 3, 4, 5, 6, 7}}};
  const MapView map{std::make_shared<const LayerAttention>(std::move(content)), 0};
  const auto tokens = Words({"the", "cat", "saw", "the", "dog"});
  std::vector<float> row(5);
  map.layer->Row(0, 3, row);
  const CellSource source{
      .query_tokens = *tokens, .key_tokens = *tokens, .map = map, .row = row, .query = 3};
  const double dot = made.layer->DotProduct(0, 3, 1) + made.layer->DotProduct(1, 3, 1);
  const double scale = 0.5 * std::sqrt(4.0 / 8.0);
  const auto lines = LinesOfCell(source, {3, 1});
  REQUIRE(lines.size() == 4);
  CHECK(lines[2].text == fmt::format("score  {:.4f}", scale * dot));
  CHECK(lines[3].text == fmt::format("q·k    {:.4f} × {:.4g}", dot, scale));
}

TEST_CASE("a cell without numbers says why", "[state][words]") {
  const DistinctLayer made = MakeCounted({1, 2, 4, 1, 8});
  const auto tokens = Words({"the", "cat", "saw", "the", "dog"});
  const std::vector<float> row = RowOf(made, 0, 3);
  const CellSource source{.query_tokens = *tokens,
                          .key_tokens = *tokens,
                          .map = {made.layer, 0},
                          .row = row,
                          .query = 3};
  SECTION("the key comes after the query") {
    CHECK(LinesOfCell(source, {3, 4}) ==
          std::vector<CellLine>{{"query 3 “the” → key 4 “dog”", Kind::kTitle},
                                {"masked: this key comes after the query", Kind::kNote}});
  }
  SECTION("the row at hand is another one") {
    CHECK(LinesOfCell(source, {2, 1}) ==
          std::vector<CellLine>{{"query 2 “saw” → key 1 “cat”", Kind::kTitle}});
  }
}

TEST_CASE("outside of a window of attention a cell says so", "[state][words]") {
  LayerAttention::Content content = MakeCounted({1, 2, 4, 1, 8}).layer->content();
  content.rule.window = 2;
  content.row_max.clear();
  content.row_inverse_sum.clear();
  content.thumbnails.clear();
  const DistinctLayer made = WithExactWeights(std::move(content));
  const auto tokens = NumberedWords(5);
  const std::vector<float> row = RowOf(made, 0, 3);  // keys 2 and 3: 4, 1 of 5
  const CellSource source{.query_tokens = *tokens,
                          .key_tokens = *tokens,
                          .map = {made.layer, 0},
                          .row = row,
                          .query = 3};
  CHECK(LinesOfCell(source, {3, 0})[1].text == "masked: outside of the window of attention");
  CHECK(LinesOfCell(source, {3, 2})[1].text == "weight 0.800000   rank 1 of 2");
}

TEST_CASE("a tooltip tells the parts that positions have in a score", "[state][words]") {
  LayerAttention::Content content = MakeCounted({1, 2, 4, 1, 8}).layer->content();
  const AttentionShape shape = content.shape;
  PositionVectors positions{.heads = shape.heads,
                            .head_dim = shape.head_dim,
                            .span = 1,
                            .row = {0, 0, 0},
                            .keys = {},
                            .queries = {}};
  positions.keys.assign(static_cast<std::size_t>(shape.heads * shape.head_dim), 1.0F);
  content.rule.positions = std::make_shared<const PositionVectors>(positions);
  const auto layer = std::make_shared<const LayerAttention>(std::move(content));
  const auto tokens = NumberedWords(5);
  std::vector<float> row(5);
  layer->Row(0, 3, row);
  const CellSource source{
      .query_tokens = *tokens, .key_tokens = *tokens, .map = {layer, 0}, .row = row, .query = 3};
  const std::vector<CellLine> lines = LinesOfCell(source, {3, 1});
  REQUIRE(lines.size() == 7);
  const PositionScore part = layer->PositionPart(0, 3, 1);
  CHECK(part.query_content != 0.0);
  CHECK(lines[2].text == fmt::format("score  {:.4f}", layer->Score(0, 3, 1)));
  CHECK(lines[4].text == "content with content    +0.6931");
  CHECK(lines[5].text == fmt::format("content with position   {:+.4f}", part.query_content));
  CHECK(lines[6].text == "position with content   +0.0000");
}

TEST_CASE("tokens are told as they read, and as the vocabulary has them", "[state][words]") {
  const DistinctLayer made = MakeCounted({1, 2});
  Encoding marked = *Words({"the", "cat"});
  marked.tokens[1].text = "Ġcat";
  const std::vector<float> row = RowOf(made, 0, 1);
  const CellSource source{
      .query_tokens = marked, .key_tokens = marked, .map = {made.layer, 0}, .row = row, .query = 1};
  CHECK(LinesOfCell(source, {1, 0}).front().text == "query 1 “cat” → key 0 “the”");
  CHECK(LinesOfCell(source, {1, 0}).back() ==
        CellLine{"in the vocabulary: Ġcat → the", Kind::kSmall});
}

TEST_CASE("in cross-attention the key's word is the other text's", "[state][words]") {
  const DistinctLayer made =
      MakeDistinct({.id = {ModelPart::kCross, 0}, .queries = 2, .keys = 4, .causal = false});
  const auto queries = Words({"der", "Hund"});
  const auto keys = Words({"the", "old", "dog", "."});
  const std::vector<float> row = RowOf(made, 0, 1);
  const CellSource source{.query_tokens = *queries,
                          .key_tokens = *keys,
                          .map = {made.layer, 0},
                          .row = row,
                          .query = 1};
  CHECK(LinesOfCell(source, {1, 3}).front().text == "query 1 “Hund” → key 3 “.”");
}

TEST_CASE("the tooltip's numbers are those of the exact row", "[state][words]") {
  const DistinctLayer made = MakeDistinct({.id = {}, .heads = 2, .queries = 9, .keys = 9});
  const auto tokens = NumberedWords(9);
  for (std::int64_t head = 0; head < 2; ++head) {
    for (std::int64_t query = 0; query < 9; ++query) {
      const std::vector<float> row = RowOf(made, head, query);
      for (std::int64_t key = 0; key <= query; ++key) {
        std::int64_t rank = 1;
        for (std::int64_t other = 0; other <= query; ++other) {
          rank += made.At(head, query, other) > made.At(head, query, key) ? 1 : 0;
        }
        const CellSource source{.query_tokens = *tokens,
                                .key_tokens = *tokens,
                                .map = {made.layer, head},
                                .row = row,
                                .query = query};
        const auto lines = LinesOfCell(source, {query, key});
        CHECK(lines[1].text ==
              fmt::format("weight {}   rank {} of {}",
                          WeightText(static_cast<float>(made.At(head, query, key))),
                          rank,
                          query + 1));
      }
    }
  }
}

TEST_CASE("small weights keep their digits", "[state][words]") {
  CHECK(WeightText(0.0F) == "0.000000");
  CHECK(WeightText(1.0F) == "1.000000");
  CHECK(WeightText(0.001F) == "0.001000");
  CHECK(WeightText(0.00098F) == "9.800e-04");
  CHECK(WeightText(3.21e-12F) == "3.210e-12");
}

TEST_CASE("the bars of a row: largest first, equal ones in reading order", "[state][words]") {
  const DistinctLayer made = MakeCounted({1, 2, 4, 1, 8});
  const auto tokens = Words({"the", "cat", "saw", "the", "dog"});
  const std::vector<float> row = RowOf(made, 0, 3);
  const RowBars told = BarsOfRow(WeightsOf(tokens, made, 3, row), 12);
  CHECK(told.row == "the (3)");
  CHECK(told.sums == ", largest first; sums to 1.0000");
  REQUIRE(told.bars.size() == 4);  // the dog comes after the row's own token
  CHECK(told.bars[0] == RowBar{.key = 2, .token = "saw", .number = "0.5000", .length = row[2]});
  CHECK(told.bars[1] == RowBar{.key = 1, .token = "cat", .number = "0.2500", .length = row[1]});
  CHECK(told.bars[2] == RowBar{.key = 0, .token = "the", .number = "0.1250", .length = row[0]});
  CHECK(told.bars[3] == RowBar{.key = 3, .token = "the", .number = "0.1250", .length = row[3]});
  CHECK(told.others == 0);
}

TEST_CASE("what has no bar is added up", "[state][words]") {
  const DistinctLayer made = MakeCounted({1, 2, 4, 1, 8}, false);
  const auto tokens = NumberedWords(5);
  const std::vector<float> row = RowOf(made, 0, 0);                    // of 16
  const RowBars told = BarsOfRow(WeightsOf(tokens, made, 0, row), 3);  // one line for the others
  REQUIRE(told.bars.size() == 2);
  CHECK(told.bars[0].key == 4);
  CHECK(told.bars[1].key == 2);
  CHECK(told.others == 3);
  CHECK(told.rest == "0.2500");
  // However little it is, it has digits.
  const DistinctLayer uneven = MakeCounted({100000, 1, 1, 1}, false);
  const RowBars little = BarsOfRow(WeightsOf(NumberedWords(4), uneven, 0, RowOf(uneven, 0, 0)), 2);
  CHECK(little.others == 3);
  CHECK(little.rest == "3e-05");
  CHECK(BarsOfRow(WeightsOf(tokens, made, 0, row), -3).bars.empty());
  CHECK(BarsOfRow(WeightsOf(tokens, made, 0, row), -3).others == 5);
}

TEST_CASE("a long row has at most twelve bars", "[state][words]") {
  const DistinctLayer made = MakeDistinct({.id = {}, .queries = 40, .keys = 40});
  const auto tokens = NumberedWords(40);
  const std::vector<float> row = RowOf(made, 0, 39);
  const RowBars told = BarsOfRow(WeightsOf(tokens, made, 39, row), 100);
  REQUIRE(std::ssize(told.bars) == kMostBars);
  CHECK(told.others == 28);
  double shown = 0.0;
  for (std::size_t i = 0; i < told.bars.size(); ++i) {
    const double weight = made.At(0, 39, told.bars[i].key);
    CHECK(told.bars[i].number == fmt::format("{:.4f}", weight));
    CHECK((i == 0 || weight <= made.At(0, 39, told.bars[i - 1].key)));
    shown += weight;
  }
  CHECK(told.rest == fmt::format("{:.4f}", 1.0 - shown));
}

TEST_CASE("weights of a file that are no weights get a place and a bar", "[state][words]") {
  const auto tokens = NumberedWords(4);
  const std::vector<float> row = {std::numeric_limits<float>::quiet_NaN(), -2.0F, 7.0F, 2e-5F};
  const RowWeights weights{.query_tokens = tokens,
                           .key_tokens = tokens,
                           .query = 3,
                           .first_visible = 0,
                           .last_visible = 4,
                           .weights = row};
  const RowBars told = BarsOfRow(weights, 12);
  REQUIRE(told.bars.size() == 4);
  CHECK(told.bars[0] == RowBar{.key = 2, .token = "w2", .number = "7.0000", .length = 1.0F});
  CHECK(told.bars[1] == RowBar{.key = 3, .token = "w3", .number = "2.0e-05", .length = 2e-5F});
  CHECK(told.bars[2] == RowBar{.key = 1, .token = "w1", .number = "-2.0e+00", .length = 0.0F});
  CHECK(told.bars[3] == RowBar{.key = 0, .token = "w0", .number = "nan", .length = 0.0F});
}

TEST_CASE("the status line tells heads, time, backend and flags", "[state][words]") {
  StateDriver driver;
  CHECK(StatusOf(driver.state, false).done.empty());
  driver.ShowSomething(6);
  StatusWords told = StatusOf(driver.state, false);
  CHECK(told.done == "12 heads in 5.0 ms");
  CHECK(told.others == std::vector<std::string>{"stub, float32"});
  CHECK(told.convention == "rows are queries, columns are keys; heads count from 0");
  CHECK(StatusOf(driver.state, true).done.empty());

  driver.state.shown.milliseconds = 412.4;
  CHECK(StatusOf(driver.state, false).done == "12 heads in 412 ms");
  driver.state.shown.milliseconds = 12345.0;
  CHECK(StatusOf(driver.state, false).done == "12 heads in 12.3 s");

  driver.Do(SetCurve{Curve::kLog});
  HeadFlag flag;
  flag.role = "broad";
  driver.state.works.front().flags.flags = {flag, flag};
  driver.state.works.front().session.saved = false;
  driver.state.works.front().session.writable = false;
  CHECK(StatusOf(driver.state, false).others == std::vector<std::string>{"stub, float32",
                                                                         "2 flagged, not saved",
                                                                         "log floors at 0.000001"});
  driver.state.works.front().session.saved = true;
  CHECK(StatusOf(driver.state, false).others[1] == "2 flagged, saved");
}

TEST_CASE("a model of one head has one head", "[state][words]") {
  StateDriver driver;
  driver.Open("single", 1, 1);
  driver.Do(EditText{"a b"});
  driver.Answer(2);
  CHECK(StatusOf(driver.state, false).done == "1 head in 5.0 ms");
}

TEST_CASE("the status line tells which head counts are shown", "[state][words]") {
  StateDriver driver;
  driver.ShowSomething(6);
  driver.Do(SetScreen{&kCountsScreen});
  auto split = std::make_shared<SplitResult>();
  split->layer = 0;
  for (const std::int64_t heads : {1, 2, 4}) {
    SplitCount& count = split->counts.emplace_back();
    count.heads = heads;
    count.attention = EvenLayer(0, heads, 6);
  }
  driver.Event(driver.state.counts.request, SplitReady{split});
  driver.Event(driver.state.counts.request, Finished{});
  CHECK(StatusOf(driver.state, false).done == "L0 under 3 head counts");
}

TEST_CASE("what is under way is named", "[state][words]") {
  StateDriver driver;
  driver.ShowSomething(6);
  driver.Do(EditText{"longer"});
  CHECK(WorkWords(driver.state) == "computing");
  driver.Event(driver.state.pending.request, Progress{.done = 1, .total = 3, .what = "layer 1"});
  CHECK(WorkWords(driver.state) == "computing layer 1");
  driver.Do(OpenFolder{"/models/beta"});
  CHECK(WorkWords(driver.state) == "opening beta");
}

}  // namespace
}  // namespace headscope::test
