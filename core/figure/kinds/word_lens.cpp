// What the stream would say after each layer (logit lens).
#include <utility>

#include "core/figure/figure_kind.h"
#include "core/figure/table_figure.h"
#include "core/figure/table_numbers.h"
#include "core/figure/word_tables.h"

namespace headscope {
namespace {

Result<Table> TableOfLens(const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto word, WordOf(subject));
  HEADSCOPE_TRY(auto table, LensNumbers(*word));
  return CaptionedTable(subject.context, *word, std::move(table));
}

Result<std::unique_ptr<Figure>> MakeLens(const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto word, WordOf(subject));
  HEADSCOPE_TRY(auto lens, LensOfWord(*word));
  Table table = CaptionedTable(subject.context, *word, std::move(lens));
  FigurePage page = WordPage(subject.context, table);
  return std::make_unique<TableFigure>(std::move(page), TableContent{.table = std::move(table)});
}

constexpr auto kLensFormats = TableFormats<TableOfLens>("layer,rank,id");

}  // namespace

extern const FigureKind kWordLensFigure;
const FigureKind kWordLensFigure{.of = FigureOf::kWord,
                                 .view = "lens",
                                 .make = MakeLens,
                                 .numbers = kLensFormats,
                                 .table = TableOfLens};

}  // namespace headscope
