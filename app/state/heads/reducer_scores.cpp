// Scores of all heads, on probes and on the open text.
#include <algorithm>
#include <utility>

#include "app/state/heads/own_probe.h"
#include "app/state/reducer_class.h"

namespace headscope {

void Reducer::On(const SetHeadsView& action) {
  state_.heads_look.view = action.view;
}

void Reducer::On(const ShowMetric& action) {
  (action.second ? state_.heads_look.second : state_.heads_look.metric) = action.metric;
}

void Reducer::On(const SortHeads& action) {
  HeadsLook& look = state_.heads_look;
  // Names begin at the top, numbers with the largest.
  look.is_ascending =
      look.order == action.order ? !look.is_ascending : action.order == HeadsOrder::kName;
  look.order = action.order;
}

void Reducer::On(const ShowOnly& action) {
  state_.heads_look.only = action.agreement;
}

void Reducer::On(const ScanHeads& action) {
  HeadScanState& scan = state_.scan;
  scan.settings = action.settings;
  scan.is_stopped = false;
  scan.fault.clear();
  if (scan.request == 0) {
    scan.wanted_of = nullptr;  // asked for again
  }
  if (state_.measures.is_stopped) {
    state_.measures = {};
  }
}

void Reducer::On(const WholeScansAre& action) {
  state_.scan.whole = action.whole;
}

// Of what is asked for by default nothing need be remembered.
void Reducer::RememberWholeScan() {
  HeadScanState& scan = state_.scan;
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

// Another model's scan begins with what was scanned of it before.
void Reducer::UseWholeScan() {
  HeadScanState& scan = state_.scan;
  const auto found = std::ranges::find(scan.whole, state_.model->fingerprint, &WholeScan::model);
  if (found != scan.whole.end()) {
    scan.settings = found->settings;
  }
}

void Reducer::EnsureScores() {
  ForgetOtherSeries();
  if (state_.screen->wants_scores) {
    EnsureAlike();
  }
  if (state_.model == nullptr || state_.model->file != nullptr ||
      state_.model->reads_embeddings()) {
    return;
  }
  if (!state_.screen->wants_scores) {
    EnsureKeptScan();
    return;
  }
  EnsureScan();
  EnsureProbeScan();
  EnsureMeasures();
  EnsureTextScores();
  EnsureExamples();
  EnsurePartners();
  EnsureSeries();
}

// The first picture comes first, where there will be one.
void Reducer::EnsureScan() {
  HeadScanState& scan = state_.scan;
  if (!state_.opening_folder.empty() ||
      (state_.shown.model != state_.model && !AwaitsChoice(state_))) {
    return;
  }
  const auto is_whole = [&] {
    return scan.of == state_.model && scan.report != nullptr && scan.report->is_whole() &&
           scan.report->settings == scan.settings;
  };
  // A few sentences say much at once; the others follow by themselves, since relations need many.
  if (is_whole() && scan.request == 0 && HasMoreSentences(*scan.report)) {
    scan.settings.sentences = 0;
  }
  if (is_whole() || (scan.wanted_of == state_.model && scan.wanted == scan.settings)) {
    return;
  }
  scan.wanted_of = state_.model;
  scan.wanted = scan.settings;
  scan.is_stopped = false;
  scan.fault.clear();
  scan.under_way = nullptr;
  scan.request = Send(HeadScanJob{.settings = scan.settings,
                                  .probes = state_.probes_folder,
                                  .kept = state_.scans_folder,
                                  .opening = state_.model->opening});
}

// What an earlier scan kept of the open model, where nobody asked for a scan yet.
void Reducer::EnsureKeptScan() {
  HeadScanState& scan = state_.scan;
  if (state_.scans_folder.empty() || !state_.opening_folder.empty() ||
      state_.shown.model != state_.model || scan.of == state_.model ||
      scan.wanted_of == state_.model || scan.read_of == state_.model) {
    return;
  }
  scan.read_of = state_.model;
  scan.reading = Send(HeadScanJob{.settings = scan.settings,
                                  .probes = state_.probes_folder,
                                  .kept = state_.scans_folder,
                                  .only_kept = true,
                                  .opening = state_.model->opening});
}

// Once the scan of the open model is whole.
void Reducer::EnsureMeasures() {
  const HeadScanState& scan = state_.scan;
  MeasuresState& measures = state_.measures;
  const bool is_there = scan.report != nullptr && scan.report->is_measured;
  if (scan.of != state_.model || scan.report == nullptr || !scan.report->is_whole() ||
      scan.report->settings != scan.settings || scan.request != 0 || is_there ||
      !state_.opening_folder.empty() ||
      (measures.wanted_of == state_.model && measures.wanted == scan.settings)) {
    return;
  }
  measures = {.wanted_of = state_.model, .wanted = scan.settings, .progress = {}};
  measures.request = Send(MeasuresJob{.settings = scan.settings,
                                      .probes = state_.probes_folder,
                                      .kept = state_.scans_folder,
                                      .token_maps = TokenMapsOf(state_),
                                      .opening = state_.model->opening});
}

void Reducer::EnsureTextScores() {
  TextScoresState& text = state_.text_scores;
  // The worker has the model that is open, and its last text.
  if (state_.shown.request == 0 || state_.shown.model != state_.model ||
      !state_.opening_folder.empty() || state_.pending.request != 0 ||
      state_.shown.encoding == nullptr || text.of == state_.shown.request ||
      text.wanted_of == state_.shown.request) {
    return;
  }
  text.wanted_of = state_.shown.request;
  text.request = Send(TextScoresJob{.text = state_.shown.encoding,
                                    .target = state_.shown.target,
                                    .opening = state_.model->opening});
}

// Of the selected head and the chosen metric, once the scan is done.
void Reducer::EnsureExamples() {
  ExamplesState& examples = state_.examples;
  const std::shared_ptr<const HeadScanReport> whole = ShownScan(state_);
  const bool is_own = whole != nullptr && whole->probe.kind != ProbeKind::kBundled;
  const RequestId scanning = is_own ? state_.probe_scan.request : state_.scan.request;
  const auto& of = is_own ? state_.probe_scan.of : state_.scan.of;
  const HeadScanReport* const report = whole != nullptr ? &whole->Of(PartInView(state_)) : nullptr;
  if (report == nullptr || !report->is_whole() || scanning != 0 || of != state_.model ||
      !state_.opening_folder.empty() || state_.pending.request != 0) {
    return;
  }
  const std::vector<ScoredMetric> metrics = ScoredMetrics(*report);
  const ScoredMetric* const metric = FindScored(metrics, MetricInView(state_));
  const auto heads = ScannedHeads(*report);
  const HeadIndex head = state_.selection.head;
  if (metric == nullptr || !heads || !PlaceOf(*heads, head) || !ExampleMeasure::Has(metric->id)) {
    return;
  }
  const ExamplesState::Question question{whole, head, metric->id};
  if (examples.of == question || examples.wanted == question) {
    return;
  }
  examples.wanted = question;
  examples.request =
      Send(ExamplesJob{.head = head,
                       .metric = metric->id,
                       .on_repeats = report->repeats && metric->probe == &*report->repeats,
                       .on_chosen = is_own,
                       .opening = state_.model->opening});
}

// Of weights from a file, too: the maps are all that it takes.
void Reducer::EnsureAlike() {
  AlikeState& alike = state_.alike;
  if (state_.shown.request == 0 || state_.pending.request != 0 || !state_.opening_folder.empty()) {
    return;
  }
  const AlikeState::Question question{state_.shown.request, state_.selection.head};
  if (alike.of == question || alike.wanted == question) {
    return;
  }
  alike.wanted = question;
  alike.request = Send(AlikeJob{.layers = state_.shown.layers, .head = question.head});
}

void Reducer::AlikeEvent(const Event& event) {
  AlikeState& alike = state_.alike;
  if (const auto* found = std::get_if<AlikeFound>(&event.what)) {
    alike.heads = found->heads;
    alike.of = alike.wanted;
  } else if (std::holds_alternative<Failed>(event.what)) {
    alike.request = 0;
    alike.wanted.reset();  // it can only have been stopped
  } else if (std::holds_alternative<Finished>(event.what)) {
    alike.request = 0;
  }
}

void Reducer::ExamplesEvent(const Event& event) {
  ExamplesState& examples = state_.examples;
  if (const auto* found = std::get_if<ExamplesFound>(&event.what)) {
    examples.examples = found->examples;
    examples.fault.clear();
    examples.of = examples.wanted;
  } else if (const auto* failed = std::get_if<Failed>(&event.what)) {
    examples.request = 0;
    if (failed->error.code == ErrorCode::kGone) {
      OpenAgain(WorkOf(state_.model.get()));  // wanted stays: the scan goes with its model
    } else if (failed->error.code == ErrorCode::kCancelled) {
      examples.wanted.reset();
    } else {
      examples.examples = {};
      examples.fault = failed->error.message;
      examples.of = examples.wanted;
    }
  } else if (std::holds_alternative<Finished>(event.what)) {
    examples.request = 0;
  }
}

void Reducer::ScanEvent(const Event& event) {
  HeadScanState& scan = state_.scan;
  if (const auto* scanned = std::get_if<HeadsScanned>(&event.what)) {
    scan.under_way = scanned->report;
    // What is whole stays until more is whole.
    const bool has_whole =
        scan.of == scan.wanted_of && scan.report != nullptr && scan.report->is_whole();
    if (scanned->report->is_whole() || !has_whole) {
      scan.report = scanned->report;
      scan.of = scan.wanted_of;
      RememberWholeScan();
    }
  } else if (const auto* failed = std::get_if<Failed>(&event.what)) {
    scan.request = 0;
    if (failed->error.code == ErrorCode::kCancelled) {
      // By a person, or because another model is opened: if that fails, it is asked for again.
      scan.is_stopped = scan.wanted_of == state_.model && state_.opening_folder.empty();
      if (!scan.is_stopped) {
        scan.wanted_of = nullptr;
      }
    } else if (failed->error.code == ErrorCode::kGone) {
      OpenAgain(WorkOf(state_.model.get()));  // wanted stays: the model comes back as another
    } else {
      scan.fault = failed->error.message;
    }
  } else if (std::holds_alternative<Finished>(event.what)) {
    scan.request = 0;
  }
}

void Reducer::KeptScanEvent(const Event& event) {
  HeadScanState& scan = state_.scan;
  if (const auto* scanned = std::get_if<HeadsScanned>(&event.what)) {
    scan.report = scanned->report;
    scan.of = scan.read_of;
  } else if (std::holds_alternative<Failed>(event.what) ||
             std::holds_alternative<Finished>(event.what)) {
    scan.reading = 0;  // there is none, or the scan itself says what is wrong
  }
}

void Reducer::MeasuresEvent(const Event& event) {
  MeasuresState& measures = state_.measures;
  HeadScanState& scan = state_.scan;
  if (const auto* progress = std::get_if<Progress>(&event.what)) {
    measures.progress = *progress;
  } else if (const auto* measured = std::get_if<HeadsMeasured>(&event.what)) {
    if (scan.of == measures.wanted_of && scan.report != nullptr &&
        measured->report->done >= scan.report->done) {
      // The examples are of the same texts.
      const auto before = std::exchange(scan.report, measured->report);
      for (auto* question : {&state_.examples.wanted, &state_.examples.of}) {
        if (*question && (*question)->scan == before) {
          (*question)->scan = scan.report;
        }
      }
    }
  } else if (const auto* failed = std::get_if<Failed>(&event.what)) {
    measures.request = 0;
    if (failed->error.code == ErrorCode::kCancelled) {
      measures.is_stopped = measures.wanted_of == state_.model && state_.opening_folder.empty();
      if (!measures.is_stopped) {
        measures.wanted_of = nullptr;
      }
    } else if (failed->error.code == ErrorCode::kGone) {
      measures.wanted_of = nullptr;
      OpenAgain(WorkOf(state_.model.get()));
    }
  } else if (std::holds_alternative<Finished>(event.what)) {
    measures.request = 0;
  }
}

void Reducer::TextScoresEvent(const Event& event) {
  TextScoresState& text = state_.text_scores;
  if (const auto* scored = std::get_if<TextScored>(&event.what)) {
    text.scores = scored->scores;
    text.fault.clear();
    text.of = text.wanted_of;
  } else if (const auto* failed = std::get_if<Failed>(&event.what)) {
    text.request = 0;
    if (failed->error.code == ErrorCode::kGone) {
      OpenAgain(WorkOf(state_.model.get()));  // wanted stays: the text goes with its picture
    } else if (failed->error.code == ErrorCode::kCancelled) {
      text.wanted_of = 0;
    } else {
      text.scores = nullptr;
      text.fault = failed->error.message;
    }
  } else if (std::holds_alternative<Finished>(event.what)) {
    text.request = 0;
  }
}

}  // namespace headscope
