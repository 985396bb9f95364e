// A single head as lines from each query to the keys it looks at.
#include <string_view>
#include <utility>

#include "core/figure/figure_kind.h"
#include "core/figure/lines_figure.h"
#include "core/figure/token_lines.h"

namespace headscope {
namespace {

constexpr std::string_view kLinesConvention =
    "Lines lead from queries at the left to keys at the right; heads and layers count from 0.";

Result<std::unique_ptr<Figure>> MakeLines(const FigureSubject& subject) {
  HEADSCOPE_TRY(const NamedHead head, SubjectHead(subject));
  HEADSCOPE_TRY(const DrawnHeads drawn, SubjectHeads(subject));
  const FigureContext& context = subject.context;
  LinesContent content{.map = NamedMapOf(head.map, subject.layers, context),
                       .kept = {},
                       .inks = drawn.inks,
                       .legend = LegendOf(drawn),
                       .query_tokens = NamesOrNumbers(head.query_tokens, head.map.queries()),
                       .key_tokens = NamesOrNumbers(head.key_tokens, head.map.keys())};
  HEADSCOPE_TRY(content.kept, KeepWeights(drawn.maps, context.keep, {}));
  FigurePage page = PageOf(context, head.map.layer->part(), drawn.title, kLinesConvention);
  page.notes.push_back(LinesWords(context.keep, content.kept));
  return std::make_unique<LinesFigure>(std::move(page), std::move(content));
}

}  // namespace

extern const FigureKind kLinesFigure;
const FigureKind kLinesFigure{.of = FigureOf::kHead, .view = "lines", .make = MakeLines};

}  // namespace headscope
