// A single head as arcs over its text, or beside the text's tree.
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/figure/arcs_figure.h"
#include "core/figure/figure_kind.h"
#include "core/figure/token_lines.h"
#include "core/figure/tree_arcs.h"
#include "core/figure/tree_figure.h"

namespace headscope {
namespace {

constexpr std::string_view kArcsConvention =
    "Arcs above the line lead from a query to what was read before, arcs below it to what follows; "
    "heads and layers count from 0.";
constexpr std::string_view kCrossConvention =
    "Lines lead from queries above to keys below; heads and layers count from 0.";

constexpr std::string_view kTreeConvention = "Heads and layers count from 0.";

// The head beside the tree of its text.
Result<std::unique_ptr<Figure>> MakeTree(const FigureSubject& subject) {
  HEADSCOPE_TRY(const NamedHead head, SubjectHead(subject));
  const FigureContext& context = subject.context;
  const TextTree& tree = *subject.tree;
  if (const std::string why = WhyNoTree(tree); !why.empty()) {
    return Fail(ErrorCode::kInput, why);
  }
  if (std::ssize(tree.word) != head.map.queries() || head.map.queries() != head.map.keys()) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("the tree is of {} tokens, but the head’s map has {} rows and {} columns; "
                    "a tree needs the map of its text, with all tokens",
                    tree.word.size(),
                    head.map.queries(),
                    head.map.keys()));
  }
  TreeContent content{.map = NamedMapOf(head.map, subject.layers, context),
                      .tree = tree,
                      .answers = AnswerTree(tree, head.map, subject.tree_direction),
                      .tokens = NamesOrNumbers(head.query_tokens, head.map.queries()),
                      .continues = {}};
  for (std::size_t token = 0; token < tree.word.size(); ++token) {
    content.continues.push_back(token > 0 && tree.word[token] >= 0 &&
                                tree.word[token] == tree.word[token - 1]);
  }
  const std::string name = HeadName(subject.head);
  FigurePage page =
      PageOf(context, head.map.layer->part(), name + " and the tree", kTreeConvention);
  page.notes.push_back(AnswerWords(content.answers, name));
  page.notes.push_back(TreeLegendWords(subject.tree_direction));
  page.notes.push_back("Tree: " + tree.source + ".");
  return std::make_unique<TreeFigure>(std::move(page), std::move(content));
}

Result<std::unique_ptr<Figure>> MakeArcs(const FigureSubject& subject) {
  if (subject.tree != nullptr) {
    return MakeTree(subject);
  }
  HEADSCOPE_TRY(const NamedHead head, SubjectHead(subject));
  HEADSCOPE_TRY(const DrawnHeads drawn, SubjectHeads(subject));
  const FigureContext& context = subject.context;
  const ModelPart part = head.map.layer->part();
  ArcsContent content{
      .map = NamedMapOf(head.map, subject.layers, context),
      .kept = {},
      .inks = drawn.inks,
      .legend = LegendOf(drawn),
      .query_tokens = NamesOrNumbers(head.query_tokens, head.map.queries()),
      .key_tokens = NamesOrNumbers(head.key_tokens, head.map.keys()),
      .is_one_text = HasTargetQueries(part) == HasTargetKeys(part) && context.key_tokens.empty()};
  HEADSCOPE_TRY(content.kept, KeepWeights(drawn.maps, context.keep, {}));
  FigurePage page =
      PageOf(context, part, drawn.title, content.is_one_text ? kArcsConvention : kCrossConvention);
  page.notes.push_back(LinesWords(context.keep, content.kept));
  return std::make_unique<ArcsFigure>(std::move(page), std::move(content));
}

}  // namespace

extern const FigureKind kArcsFigure;
const FigureKind kArcsFigure{.of = FigureOf::kHead, .view = "arcs", .make = MakeArcs};

}  // namespace headscope
