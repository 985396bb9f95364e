#include "core/figure/tree_arcs.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/figure/figure_kind.h"
#include "core/figure/theme.h"
#include "tests/support/catch.h"
#include "tests/support/small_tree.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/figure/kind_fixture.h"

namespace headscope {
namespace {

FigureSubject SubjectOfTree() {
  FigureSubject subject;
  subject.context = test::KindContext();
  subject.context.tokens = {"<s>", "the", "old", "do", "·g", "barks", "."};
  subject.context.size_px = 1000;
  subject.layers = {test::SmallTreeMap()};
  subject.tree = std::make_shared<const TextTree>(test::SmallTree());
  return subject;
}

std::string SvgOf(const FigureSubject& subject) {
  const test::TempFolder folder;
  const auto path = folder / "tree.svg";
  REQUIRE(WriteFigure(path, *FindFigureKind(FigureOf::kHead, "arcs"), subject));
  return test::ReadText(path);
}

TextLine LineOfSeven(bool right_to_left) {
  const std::vector<LineWord> words = {
      {20.0F}, {30.0F}, {30.0F}, {20.0F}, {10.0F, true}, {40.0F}, {5.0F, true}};
  return PlaceWords(words, 10.0F, right_to_left);
}

}  // namespace

TEST_CASE("edges lie over those that they span", "[figure][tree]") {
  const std::vector<EdgeSpan> edges = {{0, 2}, {1, 2}, {2, 3}, {0, 5}, {3, 5}};
  CHECK(LevelsOf(edges) == std::vector<int>{2, 1, 1, 3, 1});
  const std::vector<EdgeSpan> crossing = {{0, 2}, {1, 3}};
  const std::vector<int> levels = LevelsOf(crossing);
  CHECK(levels[0] != levels[1]);
  CHECK(LevelsOf({}).empty());
}

TEST_CASE("arcs end at the middle of a word's pieces, also where the text runs to the left",
          "[figure][tree]") {
  const TextTree tree = test::SmallTree();
  const TextLine line = LineOfSeven(false);
  const std::vector<float> middles = WordMiddles(tree, line);
  CHECK(middles[2] == Approx((line.middles[3] - 10.0F + line.middles[4] + 5.0F) / 2.0F));
  const std::vector<float> mirrored = WordMiddles(tree, LineOfSeven(true));
  for (std::size_t word = 0; word < middles.size(); ++word) {
    CHECK(mirrored[word] == Approx(line.width - middles[word]));
  }
}

TEST_CASE(
    "the tree lies above the line and the head below, agreeing edges apart by colour and dashes",
    "[figure][tree]") {
  const TextTree tree = test::SmallTree();
  const TreeAnswers answers =
      AnswerTree(tree, {test::SmallTreeMap(), 0}, PairDirection::kDependentToHead);
  const std::vector<float> middles = WordMiddles(tree, LineOfSeven(false));
  for (const Theme theme : {Theme::kDark, Theme::kLight, Theme::kPrint}) {
    const TreeDrawing drawing = DrawTree(answers,
                                         middles,
                                         {.left = 100.0F,
                                          .top = 50.0F,
                                          .bottom = 70.0F,
                                          .rise = 40.0F,
                                          .fall = 30.0F,
                                          .theme = theme});
    const Stroke& agrees = drawing.strokes[drawing.edge_arcs[0]];
    const Stroke& differs = drawing.strokes[drawing.edge_arcs[1]];
    CHECK(agrees.dash == 0.0F);
    CHECK(differs.dash > 0.0F);
    CHECK(agrees.thickness > differs.thickness);
    CHECK_FALSE(agrees.color == differs.color);
    CHECK(Contrast(differs.color, ColorsOf(theme).panel) >= 3.0);
    CHECK(Contrast(agrees.color, ColorsOf(theme).panel) >= 3.0);
    // det: from "the" to "dog", a little beside their middles.
    CHECK(agrees.x0 == Approx(100.0F + middles[0] + 2.0F));
    CHECK(agrees.x1 == Approx(100.0F + middles[2] - 2.0F));
    for (const std::size_t arc : drawing.edge_arcs) {
      CHECK(drawing.strokes[arc].rise > 0.0F);
      CHECK(drawing.strokes[arc].rise <= 40.0F);
      CHECK(drawing.strokes[arc].y0 == 50.0F);
    }
    for (const std::size_t arc : drawing.head_arcs) {
      CHECK(drawing.strokes[arc].rise < 0.0F);
      CHECK(drawing.strokes[arc].rise >= -30.0F);
      CHECK(drawing.strokes[arc].y0 == 70.0F);
    }
    CHECK(drawing.labels.size() == answers.edges.size());
  }
}

TEST_CASE("labels that would touch give way, the agreeing ones last", "[figure][tree]") {
  TreeAnswers answers;
  answers.edges = {{0, 1, "a", EdgeMatch::kNotAsked},
                   {1, 2, "b", EdgeMatch::kAgrees},
                   {2, 3, "c", EdgeMatch::kDiffers}};
  TreeDrawing drawing;
  drawing.labels = {{.edge = 0, .x = 10.0F, .y = 0.0F},
                    {.edge = 1, .x = 15.0F, .y = 0.0F},
                    {.edge = 2, .x = 15.0F, .y = 30.0F}};
  const std::vector<float> widths = {20.0F, 20.0F, 20.0F};
  CHECK(LabelsWithRoom(drawing, answers, widths, 12.0F) == std::vector<bool>{false, true, true});
}

TEST_CASE("a head beside a tree is a figure with its relations as text", "[figure][tree]") {
  const std::string svg = SvgOf(SubjectOfTree());
  for (const char* const words :
       {">det<", ">amod<", ">nsubj<", ">punct<", ">barks<", "at 2 of 3 words", "sentence 1 of 1"}) {
    CAPTURE(words);
    CHECK(svg.find(words) != std::string::npos);
  }
  CHECK(svg.find("stroke-dasharray") != std::string::npos);
  FigureSubject other = SubjectOfTree();
  other.layers = {test::EvenLayer(0, 1, 5)};
  const auto refused = FindFigureKind(FigureOf::kHead, "arcs")->make(other);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("the tree is of 7 tokens") != std::string::npos);
}

TEST_CASE("a long text beside its tree fits the figure's width", "[figure][tree]") {
  FigureSubject subject = SubjectOfTree();
  constexpr std::size_t kWords = 150;
  auto sentence = std::make_shared<AnnotatedSentence>();
  std::vector<std::vector<float>> rows(kWords, std::vector<float>(kWords, 0.0F));
  TextTree tree;
  subject.context.tokens.clear();
  for (std::size_t word = 0; word < kWords; ++word) {
    sentence->words.push_back(
        {"word", 0, 4, "", word == 0 ? -1 : static_cast<std::int64_t>(word / 2), "dep"});
    if (word == 1) {
      sentence->words.back().head = 0;
    }
    rows[word][word / 2] = 1.0F;
    tree.word.push_back(static_cast<std::int32_t>(word));
    subject.context.tokens.push_back("word");
  }
  tree.sentence = sentence;
  subject.tree = std::make_shared<const TextTree>(tree);
  subject.layers = {test::GivenMap(rows, false)};
  const std::string svg = SvgOf(subject);
  CHECK(svg.find("left out") != std::string::npos);
  CHECK(svg.find("at 149 of 149 words") != std::string::npos);
}

}  // namespace headscope
