#include "app/state/heads/across.h"

#include <fmt/format.h>

#include "app/state/app_state.h"
#include "app/state/heads/series_words.h"
#include "app/state/queries.h"
#include "core/base/sentence.h"
#include "core/model/model_folder.h"

namespace headscope {
namespace {

AcrossModel AcrossModelOf(const AppState& state, const SeriesModel& model, SeriesKind kind) {
  AcrossModel one{.name = ModelName(model.folder), .label = PlaceLabel(kind, model)};
  const ModelScanned* const scanned = FindScanned(state.series, model);
  if (scanned != nullptr && scanned->report != nullptr) {
    one.report = &scanned->report->Of(PartInView(state));
    one.numbers = scanned->numbers;
  }
  return one;
}

}  // namespace

std::vector<AcrossModel> AcrossModelsInView(const AppState& state) {
  std::vector<AcrossModel> models;
  const SeriesKind kind = SeriesKindInView(state);
  for (const SeriesModel& model : ModelsOf(state.series.there, kind)) {
    models.push_back(AcrossModelOf(state, model, kind));
  }
  return models;
}

AcrossRow RowOfStep(const AppState& state, const SeriesModel& step) {
  const AcrossModel one = AcrossModelOf(state, step, SeriesKind::kCheckpoints);
  return AcrossRows({&one, 1}).front();
}

std::string StepNumbers(const AppState& state, const SeriesModel& model) {
  const AcrossModel one = AcrossModelOf(state, model, SeriesKindInView(state));
  const AcrossRow row = AcrossRows({&one, 1}).front();
  std::string words;
  for (const AcrossColumn& column : AllAcrossColumns()) {
    const auto& number = row.Of(column.of);
    if (column.of == AcrossQuantity::kLoss && number) {
      words = fmt::format("Loss {} nats on {} {}",
                          AcrossText(column, number),
                          one.numbers->loss->runs,
                          one.numbers->is_of_repeats ? "repeats" : "sentences");
    } else if (column.of == AcrossQuantity::kDivergence && number) {
      words += fmt::format(
          "{} {} nats", words.empty() ? "Divergence" : ", divergence", AcrossText(column, number));
    }
  }
  return Ended(words);
}

}  // namespace headscope
