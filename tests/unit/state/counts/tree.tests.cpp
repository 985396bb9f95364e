// The tree of head counts in the state: how layers are cut, what is compared, and the words for it.
#include "app/state/counts/head_tree.h"
#include "app/state/counts/tree_words.h"
#include "app/state/files/export_draft.h"
#include "tests/support/catch.h"
#include "tests/support/cut_layer.h"
#include "tests/support/screens.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

// Shows the head counts of a model whose selected layer has 16 columns.
struct TreeDriver : StateDriver {
  void ShowCounts() {
    ShowSomething(5);
    Do(SetScreen{&kCountsScreen});
  }
  [[nodiscard]] SplitRequest Asked() const {
    const auto* submit = Last<Submit>();
    REQUIRE(submit != nullptr);
    REQUIRE(std::holds_alternative<SplitJob>(submit->request));
    return std::get<SplitJob>(submit->request).split;
  }
  // The worker's answer to the cut under way: maps of a layer of 4 heads with 4 columns each.
  static SplitResult Cut(const SplitRequest& request) { return CutDistinct(5, request); }
  void AnswerCut(const SplitRequest& request) {
    Event(state.counts.request, SplitReady{std::make_shared<const SplitResult>(Cut(request))});
    Event(state.counts.request, Finished{});
  }
  [[nodiscard]] const LineageJob* Compared() const {
    const auto* submit = Last<Submit>();
    return submit != nullptr ? std::get_if<LineageJob>(&submit->request) : nullptr;
  }
};

}  // namespace

TEST_CASE("a layer is cut as the switches say, and again when they change", "[state][tree]") {
  TreeDriver driver;
  driver.ShowCounts();
  CHECK(driver.Asked().segments == SegmentKind::kContiguous);
  CHECK(driver.Asked().head_counts == std::vector<std::int64_t>{1, 2, 4, 8});
  driver.Do(CutAs{{.head_counts = {}, .segments = SegmentKind::kRandom, .seed = 7}});
  CHECK(driver.Asked().segments == SegmentKind::kRandom);
  CHECK(driver.Asked().seed == 7);
  driver.Do(CutAs{DrawnAnew(driver.state.tree.how)});
  CHECK(driver.Asked().seed == 8);
  driver.Do(EditCut{CutField::kCounts, "3, 6"});
  CHECK(driver.Asked().head_counts == std::vector<std::int64_t>{1, 2, 3, 4, 6, 8});
  driver.Do(EditCut{CutField::kHeadDim, "5"});
  CHECK(driver.Asked().head_dim == 5);
  driver.Do(EditCut{CutField::kScale, "0.01"});
  CHECK(driver.Asked().input_scale == 0.01);
  const int asked = driver.CountRequests<SplitJob>();
  // The width of a head counts for random and overlapping ones alone; extra counts stay.
  driver.Do(CutAs{{.head_counts = {}, .segments = SegmentKind::kStrided}});
  CHECK(driver.CountRequests<SplitJob>() == asked + 1);
  CHECK_FALSE(driver.Asked().head_dim);
  CHECK(driver.Asked().head_counts.size() == 6);
  driver.Do(SetTheme{Theme::kLight});
  CHECK(driver.CountRequests<SplitJob>() == asked + 1);
}

TEST_CASE("heads that write 0 belong to the count that they were chosen of, and go with the text",
          "[state][tree]") {
  TreeDriver driver;
  driver.ShowCounts();
  driver.AnswerCut({.head_counts = {1, 2, 4, 8}});
  CHECK(ZeroedHeads(driver.state).empty());
  driver.Do(ZeroHeads{4, {3, 1, 7, -1}});
  CHECK(ZeroedHeads(driver.state) == std::vector<std::int64_t>{1, 3});
  driver.Do(SelectCount{8, 0});
  CHECK(ZeroedHeads(driver.state).empty());
  driver.Do(SelectCount{4, 0});
  CHECK(ZeroedHeads(driver.state).size() == 2);
  driver.Do(TakeHeadsOff{{{.layer = 1, .head = 0}, {.layer = 0, .head = 1}}});
  driver.Do(TakeHeadsOff{{{.layer = 1, .head = 1}}});
  REQUIRE(driver.state.heads_off.chosen.heads.size() == 1);
  CHECK(driver.state.heads_off.chosen.heads[0].head == 1);
}

TEST_CASE("numbers that cannot be used leave the cut as it was, and say why", "[state][tree]") {
  TreeDriver driver;
  driver.ShowCounts();
  const int asked = driver.CountRequests<SplitJob>();
  for (const auto& [field, text] : {std::pair(CutField::kCounts, "3, x"),
                                    std::pair(CutField::kCounts, "0"),
                                    std::pair(CutField::kCounts, "9"),  // of 8 columns
                                    std::pair(CutField::kHeadDim, "9"),
                                    std::pair(CutField::kHeadDim, "2 3"),
                                    std::pair(CutField::kScale, "-1"),
                                    std::pair(CutField::kScale, "1x"),
                                    std::pair(CutField::kScale, "inf")}) {
    driver.Do(EditCut{field, text});
    CAPTURE(text);
    CHECK_FALSE(driver.state.tree.texts.fault.empty());
    CHECK(driver.CountRequests<SplitJob>() == asked);
  }
  driver.Do(EditCut{CutField::kScale, ""});
  CHECK(driver.state.tree.texts.fault.empty());
}

TEST_CASE("the selected head's row is compared with its parents, a pinned one with it",
          "[state][tree]") {
  TreeDriver driver;
  driver.ShowCounts();
  driver.AnswerCut({.head_counts = {1, 2, 4, 8}});
  const auto& counts = driver.state.counts.result->counts;
  // The trained count is selected; its parents are those of h = 2.
  REQUIRE(driver.Compared() != nullptr);
  CHECK(driver.Compared()->parents == counts[1].attention);
  CHECK(driver.Compared()->children == counts[2].attention);
  CHECK(driver.Compared()->parent_of == std::vector<std::int64_t>{0, 0, 1, 1});
  CHECK(driver.Compared()->adds_up);
  CHECK(HeadBeside(driver.state) == TreeHead{1, 0});
  LineageReady ready;
  for (const double divergence : {0.1, 0.4, 0.2, 0.3}) {
    ready.children.push_back({.divergence = divergence});
  }
  driver.Event(driver.state.tree.request, ready);
  driver.Event(driver.state.tree.request, Finished{});
  CHECK(driver.CountRequests<LineageJob>() == 1);
  auto heads = SeparatedHeads(driver.state);
  REQUIRE(heads.size() == 4);
  CHECK(heads[0].head == 0);
  driver.Do(SortSeparated{true});
  heads = SeparatedHeads(driver.state);
  CHECK(heads[0].head == 1);
  CHECK(heads[1].head == 3);
  CHECK(heads[3].head == 0);
  driver.Do(SelectCount{4, 2});  // of the same row
  CHECK(driver.CountRequests<LineageJob>() == 1);
  CHECK(HeadBeside(driver.state) == TreeHead{1, 1});

  driver.Do(PinCount{CountHead{8, 5}});
  CHECK(HeadBeside(driver.state) == TreeHead{3, 5});
  CHECK(driver.Compared()->parents == counts[3].attention);
  CHECK(driver.Compared()->parent_of ==
        std::vector<std::int64_t>{kNoParent, kNoParent, 5, kNoParent});
  CHECK_FALSE(driver.Compared()->adds_up);
  driver.Do(PinCount{std::nullopt});
  CHECK(HeadBeside(driver.state) == TreeHead{1, 1});
  // h = 1 has no parent: its family is that of its children.
  driver.Do(SelectCount{1, 0});
  CHECK_FALSE(HeadBeside(driver.state));
  REQUIRE(FamilyOf(driver.state));
  CHECK(FamilyOf(driver.state)->children == std::vector<std::int64_t>{0, 1});
}

TEST_CASE("a result that grows keeps what is chosen, and one that is cut off is asked for again",
          "[state][tree]") {
  TreeDriver driver;
  driver.ShowCounts();
  SplitResult whole = driver.Cut({.head_counts = {1, 2, 4, 8}});
  SplitResult first = whole;
  first.counts.resize(2);
  driver.Event(driver.state.counts.request, SplitReady{std::make_shared<const SplitResult>(first)});
  CHECK_FALSE(ChosenOf(driver.state));  // the trained count is still to come
  driver.Do(SelectCount{2, 1});
  const int asked = driver.CountRequests<SplitJob>();
  SECTION("it grows") {
    driver.Event(driver.state.counts.request,
                 SplitReady{std::make_shared<const SplitResult>(whole)});
    CHECK(driver.state.counts.chosen == CountHead{2, 1});
    CHECK(driver.state.tree.tree->rows.size() == 4);
    driver.Event(driver.state.counts.request, Finished{});
    CHECK(driver.CountRequests<SplitJob>() == asked);
  }
  SECTION("it is cut off") {
    driver.Event(driver.state.counts.request, Failed{{ErrorCode::kCancelled, "stopped"}});
    CHECK(driver.CountRequests<SplitJob>() == asked + 1);
  }
}

TEST_CASE("columns are told in words", "[state][tree][words]") {
  CHECK(ColumnWords({}) == "no columns");
  CHECK(ColumnWords({4}) == "column 4");
  CHECK(ColumnWords({96, 97, 98}) == "columns 96–98");
  CHECK(ColumnWords({0, 4, 8, 12, 16}) == "columns 0, 4, 8, … 16");
  CHECK(ColumnWords({1, 3, 5, 9}) == "columns 1, 3, 5, 9");
  CHECK(ColumnWords({1, 9}) == "columns 1, 9");
}

TEST_CASE("what other counts and other columns do to the output is told with its number",
          "[state][tree][words]") {
  TreeDriver driver;
  SplitResult split = driver.Cut({.head_counts = {1, 2, 4}});
  for (SplitCount& count : split.counts) {
    count.output_difference = count.heads == 1 ? 0.75 : 0.0;
  }
  CHECK(ResultWords(split) ==
        "Parameters and multiplies are the same for each, the output is not: at h = 1 it changes "
        "by 75.0 %.");
  split.counts[0].is_measured = false;
  CHECK(
      ResultWords(split) ==
      "Parameters and multiplies are the same for each, the output is not: how much it changes is "
      "being measured.");
  split = driver.Cut({.head_counts = {1, 2, 4}, .segments = SegmentKind::kStrided});
  split.trained_heads = 4;
  split.counts[2].output_difference = 0.4456;
  split.counts[2].effective_heads = 3.91;
  split.counts[2].unowned_columns = 6;
  split.contiguous_effective_heads = 4.94;
  CHECK(
      ResultWords(split) ==
      "Not as in the model: strided columns. The 4 heads of the trained count change the output by "
      "44.6 %: 3.9 effective heads, where contiguous columns have 4.9; 6 columns "
      "belong to no head.");
  split.counts[2].is_measured = false;
  CHECK(
      ResultWords(split) ==
      "Not as in the model: strided columns. The 4 heads of the trained count change the output by "
      "…: … effective heads, where contiguous columns have …; 6 columns belong to no "
      "head.");
}

TEST_CASE("other weights, columns and input are named with their seed and their numbers",
          "[state][tree][words]") {
  TreeDriver driver;
  SplitResult split =
      driver.Cut({.head_counts = {1, 4}, .weights = SplitWeights::kRandom, .seed = 3});
  split.counts[1].mean_divergence = 0.0951;
  split.counts[1].effective_heads = 2.04;
  CHECK(ResultWords(split) ==
        "Not as in the model: random weights of variance 1/d in this layer alone (seed 3). Its 4 "
        "heads "
        "lie 0.095 nats apart on the mean, of 0.693 at most: 2.0 effective heads.");
  split.request.weights = SplitWeights::kStepZero;
  split.counts[1].mean_divergence = 0.00047;  // which three digits would call none
  CHECK(ResultWords(split).find("weights of its own step 0. Its 4 heads lie 0.00047 nats apart") !=
        std::string::npos);
  CHECK(ChangesOf({.head_counts = {},
                   .segments = SegmentKind::kRandom,
                   .head_dim = 5,
                   .input = SplitInput::kNormal,
                   .input_scale = 0.1,
                   .seed = 7}) ==
        std::vector<std::string>{"random columns (seed 7), 5 a head",
                                 "normal numbers in place of what the layer reads (seed 7)",
                                 "the input times 0.1"});
  CHECK(ChangesOf({}).empty());
}

TEST_CASE("equal weights tell the largest weight of a row, and the scale at which h counts",
          "[state][tree][words]") {
  TreeDriver driver;
  SplitResult split =
      driver.Cut({.head_counts = {1, 2, 8}, .weights = SplitWeights::kOnes, .seed = 2});
  CHECK(ResultWords(split).find("is being measured") != std::string::npos);
  const std::vector<std::int64_t> heads = {1, 2, 8};
  for (std::size_t i = 0; i < 3; ++i) {
    split.counts[i].output_difference = i == 2 ? 2.1e-8 : 0.0;
    split.counts[i].largest_weight = 0.9996;
  }
  split.scales = {{1.0, {{1, 0.0, 0.9996}, {2, 0.0, 0.9996}, {8, 2.1e-8, 0.9996}}},
                  {0.1, {{1, 0.117, 0.981}, {2, 0.073, 0.93}, {8, 0.131, 0.742}}}};
  const std::string words = ResultWords(split);
  CHECK(
      words ==
      "Not as in the model: every weight 1; normal numbers in place of what the layer reads (seed "
      "2). All heads of a count are one head then, and h changes the scale of its scores alone. "
      "With the input × 1 the largest weight of a row is 1.000 on the mean, and the output stays "
      "within 2.1e-06 % whatever h is, since every row takes one token. With the input × 0.1 the "
      "largest weight is 0.742 to 0.981, and it changes by up to 13.1 % (h = 8).");
  // At the scale where it counts no other is told.
  split.request.input_scale = 0.1;
  for (std::size_t i = 0; i < 3; ++i) {
    split.counts[i].output_difference = split.scales[1].counts[i].output_difference;
    split.counts[i].largest_weight = split.scales[1].counts[i].largest_weight;
  }
  CHECK(ResultWords(split).find("largest weight of a row is 0.742 to 0.981 on the mean, and the "
                                "output changes by up to 13.1 % (h = 8).") != std::string::npos);
  const ScaleLine line = LineOfScale(split.scales[1]);
  CHECK(line.name == "× 0.1");
  CHECK(line.moved == "13.1 %");
  CHECK(line.heads == 8);
}

TEST_CASE("an export of head counts waits for those of the text that is open",
          "[state][tree][export]") {
  TreeDriver driver;
  driver.ShowCounts();
  driver.AnswerCut({.head_counts = {1, 2, 4, 8}});
  driver.Do(SetScreen{&kHeadsScreen});
  driver.Do(EditText{"another one"});
  driver.Answer(7);
  const int asked = driver.CountRequests<SplitJob>();
  driver.Do(OpenPopup{Popup::kExport});
  CHECK(driver.CountRequests<SplitJob>() == asked);
  CHECK(WaitsFor(driver.state).empty());  // of a head
  ExportDraft draft = driver.state.dialogs.exporting;
  draft.kind = FindFigureKind(FigureOf::kCounts);
  driver.Do(EditExport{draft});
  // They are computed for it, on whatever screen.
  CHECK(driver.CountRequests<SplitJob>() == asked + 1);
  CHECK(WaitsFor(driver.state).find("Waits for the head counts") == 0);
  driver.Do(StartExport{});
  CHECK(driver.Count<MakeFigure>() == 0);
  driver.Event(driver.state.counts.request,
               SplitReady{std::make_shared<const SplitResult>(
                   CutDistinct(7, {.head_counts = {1, 2, 4, 8}}))});
  driver.Event(driver.state.counts.request, Finished{});
  CHECK(WaitsFor(driver.state).empty());
  driver.Do(StartExport{});
  CHECK(driver.Count<MakeFigure>() == 1);
  CHECK(driver.state.counts.source_of.input.text == "another one");
}

TEST_CASE("overlapping heads overlap unless a width is typed", "[state][tree]") {
  TreeDriver driver;
  driver.ShowCounts();
  CHECK_FALSE(driver.Asked().shares_half);
  driver.Do(CutAs{{.head_counts = {}, .segments = SegmentKind::kOverlapping}});
  CHECK(driver.Asked().shares_half);
  CHECK_FALSE(driver.Asked().head_dim);
  driver.Do(EditCut{CutField::kHeadDim, "3"});
  CHECK_FALSE(driver.Asked().shares_half);
  CHECK(driver.Asked().head_dim == 3);
}

TEST_CASE("step 0 is the model's own where it lies beside it, else random weights are offered",
          "[state][tree]") {
  TreeDriver driver;
  driver.ShowCounts();
  CHECK(WeightsOffered(driver.state) == std::vector<SplitWeights>{SplitWeights::kTrained,
                                                                  SplitWeights::kRandom,
                                                                  SplitWeights::kOnes});
  // Chosen with a model before this one: what it falls back to is named as what it is.
  driver.Do(CutAs{{.head_counts = {}, .weights = SplitWeights::kStepZero}});
  CHECK(driver.Asked().weights == SplitWeights::kRandom);
  ModelInfo begun = *driver.state.model;
  begun.step_zero = "/models/alpha/step-0";
  driver.Do(OpenFolder{"/models/alpha"});
  driver.Do(ModelReady{driver.state.opening.request, std::make_shared<const ModelInfo>(begun)});
  driver.Answer(5);
  CHECK(WeightsOffered(driver.state).at(1) == SplitWeights::kStepZero);
  CHECK(driver.Asked().weights == SplitWeights::kStepZero);
  const auto* submit = driver.Last<Submit>();
  CHECK(std::get<SplitJob>(submit->request).step_zero == begun.step_zero);
}

TEST_CASE("a row says how its columns are shared, and where its parents are", "[state][tree]") {
  TreeDriver driver;
  SplitResult split = driver.Cut({.head_counts = {1, 2, 3, 4}});
  SplitTree tree = MakeSplitTree(split);
  CHECK(RowNote(split, tree, 0).empty());
  CHECK(RowNote(split, tree, 1).empty());
  CHECK(RowNote(split, tree, 2) ==
        "16 columns for 3 heads: 1 has 6, 2 have 5; its heads stand under h = 1: the columns of "
        "head 1 lie in several heads of h = 2");
  CHECK(RowNote(split, tree, 3) ==
        "its heads stand under h = 2: the columns of head 1 lie in several heads of h = 3");
  split = driver.Cut({.head_counts = {1, 4}, .segments = SegmentKind::kRandom, .seed = 2});
  tree = MakeSplitTree(split);
  const std::string note = RowNote(split, tree, 1);
  CAPTURE(note);
  CHECK(note.find("no parents, and no sum: ") == 0);
}

TEST_CASE("what one sees and what adds up are sentences with numbers", "[state][tree][words]") {
  CHECK(SeenWords({.divergence = 0.1, .own = 0.4121, .other = 0.053}, "“John” (4)", "“Mary” (2)") ==
        "The maps differ most where “John” (4) looks at “Mary” (2): 0.412 in this head, 0.053 in "
        "the other.");
  CHECK(SeenWords({.divergence = 0.0, .own = 0.2, .other = 0.2001}, "a", "b") ==
        "The same weights: no cell of the two differs by 0.001.");
  const DotSum sum{.children = {1.5, -0.25, 2.0}, .sum = 3.25, .parent = 3.25};
  const std::vector<std::int64_t> heads = {3, 4, 5};
  CHECK(SumLines(sum, heads, "h = 4, head 1", 3) ==
        std::vector<SumLine>{{"head 3", "1.5000"},
                             {"head 4", "−0.2500"},
                             {"head 5", "2.0000"},
                             {"sum", "3.2500"},
                             {"h = 4, head 1", "3.2500"}});
  CHECK(SumLines(sum, heads, "h = 4, head 1", 2).at(1) == SumLine{"2 others", "1.7500"});
}

}  // namespace headscope::test
