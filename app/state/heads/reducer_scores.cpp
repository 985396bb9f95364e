// Scores of all heads, on probes and on the open text.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/state/heads/own_probe.h"
#include "app/state/time_left.h"
#include "app/state/work.h"

namespace headscope {

void ShowMetric::Do(Reducer* reducer) const {
  (second ? reducer->state().heads_look.second : reducer->state().heads_look.metric) = metric;
}

void SortHeads::Do(Reducer* reducer) const {
  HeadsLook& look = reducer->state().heads_look;
  // Names begin at the top, numbers with the largest.
  look.is_ascending = look.order == order ? !look.is_ascending : order == HeadsOrder::kName;
  look.order = order;
}

void ScanHeads::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  HeadScanState& scan = state.scan;
  scan.settings = settings;
  scan.is_stopped = false;
  scan.fault.clear();
  if (scan.request == 0) {
    scan.wanted_of = nullptr;  // asked for again
  }
  if (state.measures.is_stopped) {
    state.measures = {};
  }
}

void FindRoles(Reducer* reducer) {
  HeadScanState& scan = reducer->state().scan;
  scan.asked_for = reducer->state().model;
  scan.is_stopped = false;
  scan.wanted_of = nullptr;
}

// Another model's scan begins with what was scanned of it before.
void Reducer::UseWholeScan() {
  HeadScanState& scan = state_.scan;
  const auto found = std::ranges::find(scan.whole, state_.model->fingerprint, &WholeScan::model);
  if (found != scan.whole.end()) {
    scan.settings = found->settings;
  }
}

namespace {

// What is asked for by default need not be remembered.
void RememberWholeScan(Reducer* reducer) {
  HeadScanState& scan = reducer->state().scan;
  if (scan.of == nullptr || scan.report == nullptr || !scan.report->is_whole() ||
      scan.report->settings == HeadScanSettings{}) {
    return;
  }
  std::erase_if(scan.whole,
                [&](const WholeScan& each) { return each.model == scan.of->fingerprint; });
  scan.whole.push_back({scan.of->fingerprint, scan.report->settings});
  if (scan.whole.size() > kMostWholeScans) {
    scan.whole.erase(scan.whole.begin());
  }
}

// The first picture comes first, where there will be one.
void EnsureScan(Reducer* reducer) {
  const AppState& state = reducer->state();
  HeadScanState& scan = reducer->state().scan;
  if (!WantsScan(state) || !state.opening_folder.empty() ||
      (state.shown.model != state.model && !AwaitsChoice(state))) {
    return;
  }
  const auto is_whole = [&] {
    return scan.of == state.model && scan.report != nullptr && scan.report->is_whole() &&
           scan.report->settings == scan.settings;
  };
  // A few sentences say much at once; the others follow by themselves, since relations need many.
  if (is_whole() && scan.request == 0 && HasMoreSentences(*scan.report)) {
    scan.settings.sentences = 0;
  }
  if (is_whole() || (scan.wanted_of == state.model && scan.wanted == scan.settings)) {
    return;
  }
  scan.wanted_of = state.model;
  scan.wanted = scan.settings;
  scan.is_stopped = false;
  scan.fault.clear();
  scan.under_way = nullptr;
  scan.Begin(reducer->Send(HeadScanJob{.settings = scan.settings,
                                       .probes = state.probes_folder,
                                       .kept = state.scans_folder,
                                       .opening = state.model->opening}));
}

void HearScan(Reducer* reducer, const Event& event) {
  const AppState& state = reducer->state();
  HeadScanState& scan = reducer->state().scan;
  if (const auto* scanned = std::get_if<HeadsScanned>(&event.what)) {
    scan.under_way = scanned->report;
    // What is whole stays until more is whole.
    const bool has_whole =
        scan.of == scan.wanted_of && scan.report != nullptr && scan.report->is_whole();
    if (scanned->report->is_whole() || !has_whole) {
      scan.report = scanned->report;
      scan.of = scan.wanted_of;
      RememberWholeScan(reducer);
    }
  } else if (const Error* error = FailureOf(event)) {
    if (error->code == ErrorCode::kCancelled) {
      // By a person, or because another model is opened: if that fails, it is asked for again.
      scan.is_stopped = scan.wanted_of == state.model && state.opening_folder.empty();
      if (!scan.is_stopped) {
        scan.wanted_of = nullptr;
      }
    } else if (error->code != ErrorCode::kGone) {  // then the model comes back as another
      scan.fault = error->message;
    }
  }
}

Progress ScanProgress(const AppState& state) {
  const HeadScanState& scan = state.scan;
  const bool has_whole = scan.of == scan.wanted_of && scan.report != nullptr &&
                         scan.report->is_whole() && scan.report->settings != scan.wanted;
  const bool is_twins = has_whole && scan.report->settings.twins != scan.wanted.twins;
  const char* const doing = is_twins    ? "scanning shuffled copies"
                            : has_whole ? "scanning all sentences"
                                        : "scanning all heads";
  if (scan.under_way == nullptr || scan.under_way->done == 0) {
    return {0, 0, doing};
  }
  const HeadScanReport& report = *scan.under_way;
  const double left = report.seconds * static_cast<double>(report.total - report.done) /
                      static_cast<double>(report.done);
  return {report.done,
          report.total,
          fmt::format("{}, {:.0f} %, {}",
                      doing,
                      100.0 * static_cast<double>(report.done) /
                          static_cast<double>(std::max<std::int64_t>(report.total, 1)),
                      TimeLeft(left))};
}

// What an earlier scan kept of the open model, where nobody asked for a scan yet.
void EnsureKeptScan(Reducer* reducer) {
  const AppState& state = reducer->state();
  HeadScanState& scan = reducer->state().scan;
  if (!CanScore(state) || WantsScan(state) || state.scans_folder.empty() ||
      !state.opening_folder.empty() || state.shown.model != state.model || scan.of == state.model ||
      scan.wanted_of == state.model || scan.read_of == state.model) {
    return;
  }
  scan.read_of = state.model;
  scan.reading.Begin(reducer->Send(HeadScanJob{.settings = scan.settings,
                                               .probes = state.probes_folder,
                                               .kept = state.scans_folder,
                                               .only_kept = true,
                                               .opening = state.model->opening}));
}

// Where it fails there is none, or the scan itself says what is wrong.
void HearKeptScan(Reducer* reducer, const Event& event) {
  HeadScanState& scan = reducer->state().scan;
  if (const auto* scanned = std::get_if<HeadsScanned>(&event.what)) {
    scan.report = scanned->report;
    scan.of = scan.read_of;
  }
}

// Once the scan of the open model is whole.
void EnsureMeasures(Reducer* reducer) {
  const AppState& state = reducer->state();
  const HeadScanState& scan = state.scan;
  MeasuresState& measures = reducer->state().measures;
  if (!WantsScores(state) || scan.of != state.model || scan.report == nullptr ||
      !scan.report->is_whole() || scan.report->settings != scan.settings || scan.request != 0 ||
      scan.report->is_measured || !state.opening_folder.empty() ||
      (measures.wanted_of == state.model && measures.wanted == scan.settings)) {
    return;
  }
  measures.wanted_of = state.model;
  measures.wanted = scan.settings;
  measures.is_stopped = false;
  measures.Begin(reducer->Send(MeasuresJob{.settings = scan.settings,
                                           .probes = state.probes_folder,
                                           .kept = state.scans_folder,
                                           .token_maps = TokenMapsOf(state),
                                           .opening = state.model->opening}));
}

void HearMeasures(Reducer* reducer, const Event& event) {
  AppState& state = reducer->state();
  MeasuresState& measures = state.measures;
  HeadScanState& scan = state.scan;
  if (const auto* measured = std::get_if<HeadsMeasured>(&event.what)) {
    if (scan.of == measures.wanted_of && scan.report != nullptr &&
        measured->report->done >= scan.report->done) {
      // The examples are of the same texts.
      const auto before = std::exchange(scan.report, measured->report);
      for (auto* question : {&state.examples.wanted, &state.examples.of}) {
        if (*question && (*question)->scan == before) {
          (*question)->scan = scan.report;
        }
      }
    }
  } else if (const Error* error = FailureOf(event)) {
    const bool is_gone = error->code == ErrorCode::kGone;
    if (error->code == ErrorCode::kCancelled) {
      measures.is_stopped = measures.wanted_of == state.model && state.opening_folder.empty();
    }
    if (is_gone || (error->code == ErrorCode::kCancelled && !measures.is_stopped)) {
      measures.wanted_of = nullptr;
    }
  }
}

Progress MeasuresProgress(const AppState& state) {
  Progress progress = state.measures.progress;
  progress.what = progress.total > 0
                      ? fmt::format("comparing heads, {} of {}", progress.done, progress.total)
                      : "comparing heads";
  return progress;
}

}  // namespace

template <>
std::vector<Work> WorksOf<HeadScanJob>() {
  constexpr auto kReading = [](auto& state) -> auto& {
    auto& scan = state.scan;
    return scan.reading;
  };
  return {
      At<&AppState::scan>(
          {.progress = ScanProgress, .is_long = true, .ensure = EnsureScan, .hear = HearScan}),
      At<kReading>(
          {.words = "reading an earlier scan", .ensure = EnsureKeptScan, .hear = HearKeptScan})};
}

template <>
std::vector<Work> WorksOf<MeasuresJob>() {
  return {At<&AppState::measures>({.progress = MeasuresProgress,
                                   .is_long = true,
                                   .ensure = EnsureMeasures,
                                   .hear = HearMeasures})};
}

}  // namespace headscope
