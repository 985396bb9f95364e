// A single head with its tokens.
#include <array>

#include <fmt/format.h>

#include "core/figure/figure_kind.h"
#include "core/figure/token_map.h"
#include "core/figure/web_page.h"

namespace headscope {
namespace {

Result<std::unique_ptr<Figure>> MakeHead(const FigureSubject& subject) {
  const auto layer = LayerOf(subject);
  const std::int64_t head = subject.head.head;
  if (!layer || head < 0 || head >= (*layer)->shape().heads) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("{} is asked for, which this model does not have", HeadName(subject.head)));
  }
  const FigureContext& context = subject.context;
  const ModelPart part = (*layer)->part();
  TokenMapContent content;
  content.map = NamedMapOf({.layer = *layer, .head = head}, subject.layers, context);
  content.query_tokens = HasTargetQueries(part) ? context.target_tokens : context.tokens;
  content.key_tokens = HasTargetKeys(part)          ? context.target_tokens
                       : context.key_tokens.empty() ? context.tokens
                                                    : context.key_tokens;
  FigurePage page = PageOf(context, part, content.map.title);
  return std::make_unique<TokenMap>(std::move(page), std::move(content));
}

constexpr std::array<NumbersFormat, 1> kHeadPage = {PageFormat<WriteHeadPage>()};

}  // namespace

extern const FigureKind kHeadFigure;
const FigureKind kHeadFigure{
    .of = FigureOf::kHead, .view = kPlainView, .make = MakeHead, .numbers = kHeadPage};

}  // namespace headscope
