#include "app/state/heads/series_words.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/state/app_state.h"
#include "app/state/queries.h"
#include "app/state/time_left.h"
#include "core/base/counted.h"
#include "core/base/sentence.h"
#include "core/heads/measure/measure.h"
#include "core/model/model_folder.h"

namespace headscope {
namespace {

// How many models of the question under way are answered.
std::int64_t AnsweredModels(const SeriesState& series) {
  return std::ranges::count_if(series.wanted->models, [&](const SeriesModel& model) {
    return Answers(FindScanned(series, model), series.wanted->with_measures);
  });
}

// From one model to the next that has a score.
struct SeriesChange {
  const SeriesScore* from = nullptr;
  const SeriesScore* to = nullptr;
  double change = 0.0;
  bool is_clear = false;  // by more than two errors of the difference, and in the digits shown
};

std::string ScoreOfBest(const SeriesScore& score) {
  return ScoreText(*score.metric, *score.best()->score);
}

SeriesChange ChangeBetween(const SeriesScore& from, const SeriesScore& to) {
  const double before = from.best()->error.value_or(0.0);
  const double after = to.best()->error.value_or(0.0);
  const double change = *to.best()->score - *from.best()->score;
  return {.from = &from,
          .to = &to,
          .change = change,
          .is_clear = std::abs(change) > 2.0 * std::hypot(before, after) &&
                      ScoreOfBest(from) != ScoreOfBest(to)};
}

std::string ScoredAt(const SeriesScore& score, const std::string& place) {
  return fmt::format("{} ({})", place, ScoreOfBest(score));
}

// "0.02 at step 0", "0.98 with 4 heads"
std::string ScoreAtPlace(SeriesKind kind, const SeriesScore& score) {
  return fmt::format("{} {} {}",
                     ScoreOfBest(score),
                     kind == SeriesKind::kCheckpoints ? "at" : "with",
                     PlaceWords(kind, *score.model));
}

}  // namespace

const HeadScore* SeriesScore::best() const {
  return metric ? &metric->scores->heads[*metric->best] : nullptr;
}

const std::vector<SeriesModel>& ModelsOf(const ModelSeries& series, SeriesKind kind) {
  switch (kind) {
    case SeriesKind::kCheckpoints:
      return series.checkpoints;
    case SeriesKind::kHeadCounts:
      return series.head_counts;
    case SeriesKind::kFamily:
      break;
  }
  return series.family;
}

SeriesKind SeriesKindInView(const AppState& state) {
  const SeriesState& series = state.series;
  if (state.screen->tells_answers) {
    return SeriesKind::kCheckpoints;
  }
  if (state.heads_look.view == HeadsView::kAcross) {
    return SeriesKind::kHeadCounts;
  }
  for (const SeriesKind kind :
       {series.kind, SeriesKind::kCheckpoints, SeriesKind::kHeadCounts, SeriesKind::kFamily}) {
    if (!ModelsOf(series.there, kind).empty()) {
      return kind;
    }
  }
  return SeriesKind::kCheckpoints;
}

std::string WhyNoSeries(const AppState& state) {
  const SeriesState& series = state.series;
  const bool is_across = state.heads_look.view == HeadsView::kAcross;
  if (series.of == nullptr || !ModelsOf(series.there, SeriesKindInView(state)).empty()) {
    return "";
  }
  if (is_across) {
    return fmt::format(
        "No model beside {} differs from it in the number of heads alone (name-h4, name-h8, ...). "
        "Open one that has such, like the bundled copy-h8 or gpt-h8 (M), or train some (7).",
        series.of->name);
  }
  return fmt::format(
      "{} stands alone: its folder holds no checkpoints (step-100 or checkpoint-100, ...), and no "
      "model beside it differs in the number of heads alone (name-h4, name-h8, ...). Open one that "
      "does, such as the bundled copy-h8 or gpt-h8 (M).",
      series.of->name);
}

std::optional<SeriesState::Question> SeriesQuestion(const AppState& state) {
  const SeriesState& series = state.series;
  const SeriesKind kind = SeriesKindInView(state);
  if (series.of == nullptr || ModelsOf(series.there, kind).empty()) {
    return std::nullopt;
  }
  SeriesState::Question question{.kind = kind,
                                 .models = ModelsOf(series.there, kind),
                                 .texts = state.scan.settings,
                                 .with_measures = state.screen->tells_answers ||
                                                  FindMeasure(state.heads_look.metric) != nullptr ||
                                                  state.heads_look.view == HeadsView::kAcross};
  // Divergence stands above the scores over steps: it is measured once all steps have their scores.
  question.with_measures =
      question.with_measures ||
      (kind != SeriesKind::kHeadCounts &&
       (series.request == 0 || (series.wanted && series.wanted->with_measures)) &&
       std::ranges::all_of(question.models, [&series](const SeriesModel& model) {
         return Answers(FindScanned(series, model), false);
       }));
  question.texts.twins = 0;
  return question;
}

const ModelScanned* FindScanned(const SeriesState& series, const SeriesModel& model) {
  const auto found = std::ranges::find(series.found, model.folder, &ModelScanned::folder);
  return found != series.found.end() ? &*found : nullptr;
}

bool Answers(const ModelScanned* scanned, bool with_measures) {
  return scanned != nullptr &&
         (scanned->report == nullptr || !with_measures || scanned->report->is_measured);
}

std::vector<SeriesScore> ScoresInSeries(const AppState& state, std::string_view metric) {
  std::vector<SeriesScore> scores;
  const bool is_measure = FindMeasure(metric) != nullptr;
  for (const SeriesModel& model : ModelsOf(state.series.there, SeriesKindInView(state))) {
    const ModelScanned* const scanned = FindScanned(state.series, model);
    SeriesScore one{.model = &model, .scanned = Answers(scanned, is_measure) ? scanned : nullptr};
    if (one.scanned != nullptr && one.scanned->report != nullptr) {
      one.metric = ScoredIn(one.scanned->report->Of(PartInView(state)), metric);
      if (one.metric && !one.metric->best) {
        one.metric.reset();
      }
    }
    scores.push_back(std::move(one));
  }
  return scores;
}

std::string PlaceWords(SeriesKind kind, const SeriesModel& model) {
  if (kind == SeriesKind::kHeadCounts) {
    return Counted(model.value, "head");
  }
  return model.is_trained ? "the end of training" : fmt::format("step {}", model.value);
}

std::string AcrossWords(SeriesKind kind) {
  return kind == SeriesKind::kHeadCounts ? "heads in a layer" : "steps of training";
}

std::string PlaceLabel(SeriesKind kind, const SeriesModel& model) {
  return kind != SeriesKind::kHeadCounts && model.is_trained ? "trained"
                                                             : fmt::format("{}", model.value);
}

std::string SeriesWords(SeriesKind kind, std::span<const SeriesScore> scores) {
  std::vector<const SeriesScore*> there;
  const auto scanned = std::ranges::count_if(
      scores, [](const SeriesScore& score) { return score.scanned != nullptr; });
  for (const SeriesScore& score : scores) {
    if (score.best() != nullptr) {
      there.push_back(&score);
    }
  }
  if (there.empty()) {
    return "";
  }
  const ScoredMetric& metric = *there.front()->metric;
  std::string words = fmt::format("{}, {} head of each: {}",
                                  metric.name,
                                  metric.number->is_share() ? "best" : "highest",
                                  ScoreAtPlace(kind, *there.front()));
  const std::string so_far =
      scanned < std::ssize(scores)
          ? fmt::format(" So far {} of {} models are scanned.", scanned, scores.size())
          : "";
  if (there.size() == 1) {
    return words + "." + so_far;
  }
  words += fmt::format(", {}.", ScoreAtPlace(kind, *there.back()));
  SeriesChange most;
  for (std::size_t i = 1; i < there.size(); ++i) {
    const SeriesChange change = ChangeBetween(*there[i - 1], *there[i]);
    if (most.from == nullptr || std::abs(change.change) > std::abs(most.change)) {
      most = change;
    }
  }
  if (!most.is_clear) {
    return words + " Between no two neighbours does it change clearly." + so_far;
  }
  return words +
         fmt::format(" It {} most between {} and {}.",
                     most.change > 0.0 ? "rises" : "falls",
                     ScoredAt(*most.from, PlaceWords(kind, *most.from->model)),
                     ScoredAt(*most.to, PlaceWords(kind, *most.to->model))) +
         so_far;
}

std::string GapWords(const SeriesScore& score) {
  const std::string name = ModelName(score.model->folder);
  if (score.scanned == nullptr) {
    return name + ": not scanned yet.";
  }
  if (score.scanned->report == nullptr) {
    return fmt::format("{} has no scan: {}", name, Ended(score.scanned->why_not));
  }
  return name + ": no head of it has this score.";
}

std::string FaultWords(std::span<const SeriesScore> scores) {
  std::string words;
  std::int64_t more = 0;
  for (const SeriesScore& score : scores) {
    if (score.scanned == nullptr || score.scanned->report != nullptr) {
      continue;
    }
    if (words.empty()) {
      words = GapWords(score);
    } else {
      ++more;
    }
  }
  return more > 0
             ? fmt::format(
                   "{} Nor {} more.", words, more == 1 ? "has 1" : fmt::format("have {}", more))
             : words;
}

double SeriesPartDone(const AppState& state) {
  const SeriesState& series = state.series;
  if (!series.wanted || series.wanted->models.empty()) {
    return 0.0;
  }
  return std::min(1.0,
                  (static_cast<double>(AnsweredModels(series)) + series.scanning.part) /
                      static_cast<double>(series.wanted->models.size()));
}

std::string SeriesDoneWords(const AppState& state) {
  const SeriesState& series = state.series;
  if (!series.wanted) {
    return "";
  }
  std::string words = fmt::format(
      "{} of {} done", AnsweredModels(series), Counted(series.wanted->models.size(), "model"));
  if (series.scanning.seconds_left > 0.0) {
    words += ", " + TimeLeft(series.scanning.seconds_left);
  }
  return words;
}

std::string ScanningSeriesWords(const AppState& state) {
  const std::filesystem::path& model = state.series.scanning.model;
  return model.empty() ? "scanning a series of models"
                       : fmt::format("scanning {}, {}", ModelName(model), SeriesDoneWords(state));
}

}  // namespace headscope
