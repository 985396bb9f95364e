// Models in a row, scanned one after another while somebody looks at them.
#include <algorithm>
#include <utility>

#include "app/state/heads/series_words.h"
#include "app/state/reducer_class.h"

namespace headscope {

void Reducer::On(const ShowSeries& action) {
  state_.series.kind = action.kind;
  state_.series.is_stopped = false;
}

void Reducer::On(const ScanSeries& action) {
  SeriesState& series = state_.series;
  if (!action.go) {
    if (series.request != 0) {
      effects_.emplace_back(std::in_place_type<Cancel>, Cancel{series.request});
    }
    return;
  }
  series.is_stopped = false;
  series.fault.clear();
  std::erase_if(series.found, [](const ModelScanned& one) { return one.report == nullptr; });
  if (series.request == 0) {
    series.wanted.reset();  // asked for again
  }
}

void Reducer::On(const OpenSeriesHead& action) {
  On(OpenFolder{.folder = action.folder});
  state_.arriving_head = action.head;
}

// A series stays while one of its models after another is opened; it goes with the first that is
// none of them.
void Reducer::ForgetOtherSeries() {
  SeriesState& series = state_.series;
  if (series.wanted_of == nullptr || series.wanted_of == state_.model) {
    return;
  }
  const auto has_model = [&](const std::vector<SeriesModel>& models) {
    return std::ranges::find(models, state_.model->folder, &SeriesModel::folder) != models.end();
  };
  if (series.of != nullptr &&
      (has_model(series.there.checkpoints) || has_model(series.there.head_counts))) {
    return;
  }
  const bool is_under_way = series.request != 0 || series.is_stopped;
  const SeriesKind kind = series.kind;
  series = {};
  series.kind = kind;
  if (is_under_way) {
    static_cast<void>(Send(SeriesJob{}));  // its model is let go
  }
}

void Reducer::EnsureSeries() {
  SeriesState& series = state_.series;
  if (state_.heads_look.view != HeadsView::kSeries || !state_.opening_folder.empty() ||
      state_.shown.model != state_.model) {
    return;
  }
  if (series.wanted_of != state_.model) {
    series.wanted_of = state_.model;
    series.finding = Send(FindSeriesJob{state_.model->folder});
  }
  const auto question = SeriesQuestion(state_);
  if (series.of != state_.model || !question || series.is_stopped || series.wanted == question) {
    return;
  }
  if (series.texts != question->texts) {
    series.texts = question->texts;
    series.found.clear();
  }
  SeriesJob job{.models = {},
                .settings = question->texts,
                .with_measures = question->with_measures,
                .probes = state_.probes_folder,
                .kept = state_.scans_folder,
                .token_maps = TokenMapsOf(state_)};
  for (const SeriesModel& model : question->models) {
    if (!Answers(FindScanned(series, model), question->with_measures)) {
      job.models.push_back(model.folder);
    }
  }
  series.wanted = question;
  series.progress = {};
  series.fault.clear();
  const bool is_needed = !job.models.empty();
  if (is_needed || series.request != 0) {  // with no models it ends the one before
    const RequestId request = Send(std::move(job));
    series.request = is_needed ? request : 0;
  }
}

void Reducer::SeriesFoundEvent(const Event& event) {
  SeriesState& series = state_.series;
  if (const auto* found = std::get_if<SeriesFound>(&event.what)) {
    series.of = series.wanted_of;
    series.there = found->series;
    // What the open model's folder holds may be another one than was scanned.
    const bool is_other = std::ranges::any_of(series.found, [&](const ModelScanned& one) {
      return one.report != nullptr && one.folder == series.of->folder &&
             one.fingerprint != series.of->fingerprint;
    });
    if (is_other) {
      series.found.clear();
      series.wanted.reset();
    }
  } else if (std::holds_alternative<Failed>(event.what) ||
             std::holds_alternative<Finished>(event.what)) {
    series.finding = 0;
  }
}

void Reducer::SeriesEvent(const Event& event) {
  SeriesState& series = state_.series;
  if (const auto* progress = std::get_if<SeriesProgress>(&event.what)) {
    series.progress = *progress;
  } else if (const auto* scanned = std::get_if<ModelScanned>(&event.what)) {
    std::erase_if(series.found,
                  [&](const ModelScanned& one) { return one.folder == scanned->folder; });
    series.found.push_back(*scanned);
    series.progress.part = 0.0;
  } else if (const auto* failed = std::get_if<Failed>(&event.what)) {
    series.request = 0;
    if (failed->error.code == ErrorCode::kCancelled) {
      series.is_stopped = true;
    } else {
      series.fault = failed->error.message;
    }
  } else if (std::holds_alternative<Finished>(event.what)) {
    series.request = 0;
  }
}

}  // namespace headscope
