// A single head with its tokens.
#include <utility>

#include "core/figure/figure_kind.h"
#include "core/figure/token_map.h"

namespace headscope {
namespace {

Result<std::unique_ptr<Figure>> MakeHead(const FigureSubject& subject) {
  HEADSCOPE_TRY(const NamedHead head, SubjectHead(subject));
  const FigureContext& context = subject.context;
  TokenMapContent content{.map = NamedMapOf(head.map, subject.layers, context),
                          .query_tokens = head.query_tokens,
                          .key_tokens = head.key_tokens};
  FigurePage page = PageOf(context, head.map.layer->part(), content.map.title);
  return std::make_unique<TokenMap>(std::move(page), std::move(content));
}

}  // namespace

extern const FigureKind kHeadFigure;
const FigureKind kHeadFigure{.of = FigureOf::kHead, .view = kPlainView, .make = MakeHead};

}  // namespace headscope
