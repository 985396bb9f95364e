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
  table.caption = WordPage(subject.context, *word, table).caption;
  return table;
}

Result<std::unique_ptr<Figure>> MakeLens(const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto word, WordOf(subject));
  HEADSCOPE_TRY(auto table, LensOfWord(*word));
  FigurePage page = WordPage(subject.context, *word, table);
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
