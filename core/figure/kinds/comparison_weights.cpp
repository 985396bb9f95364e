// How much the weights of two models of one shape differ, part by part, in a table.
#include <array>

#include "core/compare/weight_changes.h"
#include "core/figure/figure_kind.h"
#include "core/figure/table_figure.h"
#include "core/figure/table_numbers.h"

namespace headscope {
namespace {

Result<Table> WeightChangesOf(const FigureSubject& subject) {
  if (subject.weights == nullptr) {
    return Fail(ErrorCode::kInput, "there is no comparison of weights to draw");
  }
  return WeightChangeTable(*subject.weights);
}

Result<std::unique_ptr<Figure>> MakeComparisonWeights(const FigureSubject& subject) {
  HEADSCOPE_TRY(auto table, WeightChangesOf(subject));
  FigurePage page{.title = table.title,
                  .caption = table.caption + " Heads and layers count from 0.",
                  .notes = subject.context.notes,
                  .theme = subject.context.theme,
                  .size_px = subject.context.size_px};
  return std::make_unique<TableFigure>(std::move(page), TableContent{.table = std::move(table)});
}

Status WriteWeightJson(const std::filesystem::path& path, const FigureSubject& subject) {
  HEADSCOPE_TRY(WeightChangesOf(subject));
  return WriteFileAtomically(path, std::string_view(WeightChangeJson(*subject.weights)));
}

constexpr auto kWeightTables = TableFormats<WeightChangesOf>("part,change,cosine");
constexpr std::array<NumbersFormat, 4> kWeightNumbers = {
    {{.ending = ".json", .name = "JSON", .start = "{\n  \"a\": ", .write = WriteWeightJson},
     kWeightTables[0],
     kWeightTables[1],
     kWeightTables[2]}};

}  // namespace

extern const FigureKind kComparisonWeightsFigure;
const FigureKind kComparisonWeightsFigure{.of = FigureOf::kComparison,
                                          .view = kWeightsView,
                                          .make = MakeComparisonWeights,
                                          .numbers = kWeightNumbers,
                                          .table = WeightChangesOf};

}  // namespace headscope
