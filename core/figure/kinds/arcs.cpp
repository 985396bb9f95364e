// A single head as arcs over its text.
#include <string_view>
#include <utility>

#include "core/figure/arcs_figure.h"
#include "core/figure/figure_kind.h"
#include "core/figure/token_lines.h"

namespace headscope {
namespace {

constexpr std::string_view kArcsConvention =
    "Arcs above the line lead from a query to what was read before, arcs below it to what follows; "
    "heads and layers count from 0.";
constexpr std::string_view kCrossConvention =
    "Lines lead from queries above to keys below; heads and layers count from 0.";

Result<std::unique_ptr<Figure>> MakeArcs(const FigureSubject& subject) {
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
