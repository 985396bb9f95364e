// Each head's share in the word that a model says, as colours around 0.
#include <utility>

#include "core/figure/effect_figure.h"
#include "core/figure/table_numbers.h"
#include "core/figure/word_tables.h"

namespace headscope {
namespace {

Result<std::unique_ptr<Figure>> MakeShares(const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto word, WordOf(subject));
  HEADSCOPE_TRY(const auto map, ShareMapOf(*word));
  return DrawEffects(subject.context,
                     map,
                     PageOf(subject.context, word->heads.part, map.title, map.caption).caption);
}

constexpr auto kShareFormats = TableFormats<TableOfParts>("part,share,above_mean");

}  // namespace

extern const FigureKind kWordSharesFigure;
const FigureKind kWordSharesFigure{.of = FigureOf::kWord,
                                   .view = kPlainView,
                                   .make = MakeShares,
                                   .numbers = kShareFormats,
                                   .table = TableOfParts};

}  // namespace headscope
