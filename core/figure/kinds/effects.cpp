// What every head does to a word, as colours around 0.
#include "core/figure/effect_figure.h"
#include "core/figure/table_numbers.h"

namespace headscope {
namespace {

constexpr auto kEffectTables = TableFormats<HeadEffects>("head,score");

}  // namespace

extern const FigureKind kEffectsFigure;
const FigureKind kEffectsFigure{.of = FigureOf::kEffects,
                                .view = kPlainView,
                                .make = MakeEffectFigure,
                                .numbers = kEffectTables,
                                .table = HeadEffects};

}  // namespace headscope
