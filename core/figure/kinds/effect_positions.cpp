// What every layer does to a word at every position, as colours around 0.
#include "core/figure/effect_figure.h"
#include "core/figure/table_numbers.h"

namespace headscope {
namespace {

constexpr auto kPositionTables = TableFormats<PositionEffects>("layer,position");

}  // namespace

extern const FigureKind kEffectPositionsFigure;
const FigureKind kEffectPositionsFigure{.of = FigureOf::kEffects,
                                        .view = kPositionsView,
                                        .make = MakeEffectFigure,
                                        .numbers = kPositionTables,
                                        .table = PositionEffects};

}  // namespace headscope
