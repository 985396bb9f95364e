// Every part of a logit in a list, the largest share first.
#include <utility>

#include "core/figure/figure_kind.h"
#include "core/figure/table_figure.h"
#include "core/figure/table_numbers.h"
#include "core/figure/word_tables.h"

namespace headscope {
namespace {

Result<std::unique_ptr<Figure>> MakeParts(const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto word, WordOf(subject));
  HEADSCOPE_TRY(auto table, SharePartsOf(*word));
  FigurePage page = WordPage(subject.context, *word, table);
  return std::make_unique<TableFigure>(std::move(page), TableContent{.table = std::move(table)});
}

constexpr auto kPartFormats = TableFormats<TableOfParts>("part,share,above_mean");

}  // namespace

extern const FigureKind kWordPartsFigure;
const FigureKind kWordPartsFigure{.of = FigureOf::kWord,
                                  .view = "parts",
                                  .make = MakeParts,
                                  .numbers = kPartFormats,
                                  .table = TableOfParts};

}  // namespace headscope
