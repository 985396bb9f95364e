#include "app/state/heads/across.h"

#include <algorithm>

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

FamilyCurves FamilyInView(const AppState& state) {
  std::vector<AcrossModel> models = AcrossModelsInView(state);
  for (AcrossModel& model : models) {
    if (model.report != nullptr) {
      model.metric = ScoredIn(*model.report, MetricInView(state));
    }
  }
  return CurvesOfFamily(models);
}

std::string FamilyWords(const AppState& state, const FamilyCurves& curves) {
  const std::vector<FamilyQuantity> all = QuantitiesOf(curves);
  if (all.empty() || all.front().metric == nullptr) {
    return "";
  }
  const FamilyQuantity& score = all.front();
  std::size_t last = 0;  // the last place that has a score
  for (const FamilyCurve& curve : curves.curves) {
    for (std::size_t place = 0; place < curve.rows.size(); ++place) {
      last = score.In(curve.rows[place]) ? std::max(last, place) : last;
    }
  }
  std::vector<std::string> told;
  for (const FamilyCurve& curve : curves.curves) {
    if (const auto& number = score.In(curve.rows[last])) {
      told.push_back(fmt::format("h {} {}", curve.heads, score.ValueText(*number)));
    }
  }
  std::string words = fmt::format("{}, {} head of each run, {}: {}.",
                                  score.name(),
                                  score.metric->number->is_share() ? "best" : "highest",
                                  AtStepWords(curves.places[last]),
                                  fmt::join(told, ", "));
  const std::vector<SeriesModel>& models = state.series.there.family;
  const auto scanned = std::ranges::count_if(models, [&](const SeriesModel& model) {
    return FindScanned(state.series, model) != nullptr;
  });
  return scanned < std::ssize(models)
             ? fmt::format("{} So far {} of {} models are scanned.", words, scanned, models.size())
             : words;
}

const SeriesModel* ModelOfPoint(const AppState& state,
                                const FamilyCurve& curve,
                                std::size_t place) {
  const AcrossRow& row = curve.rows[place];
  for (const SeriesModel& model : state.series.there.family) {
    if (!row.names.empty() && ModelName(model.folder) == row.names.front()) {
      return &model;
    }
  }
  return nullptr;
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
