// Texts that show what the selected head does.
#include "app/state/heads/own_probe.h"
#include "app/state/work.h"

namespace headscope {
namespace {

bool AreExamplesOwn(const HeadScanReport& scan) {
  return scan.probe.kind != ProbeKind::kBundled;
}

// Examples are of the selected head and the chosen metric, once the scan is done.
std::optional<ExamplesQuestion> WantedExamples(const AppState& state) {
  const std::shared_ptr<const HeadScanReport> whole = ShownScan(state);
  if (!WantsScores(state) || whole == nullptr || !IsSettled(state)) {
    return std::nullopt;
  }
  const bool is_own = AreExamplesOwn(*whole);
  const RequestId scanning = is_own ? state.probe_scan.request : state.scan.request;
  const auto& of = is_own ? state.probe_scan.of : state.scan.of;
  const HeadScanReport& report = whole->Of(PartInView(state));
  if (!report.is_whole() || scanning != 0 || of != state.model) {
    return std::nullopt;
  }
  const std::vector<ScoredMetric> metrics = ScoredMetrics(report);
  const ScoredMetric* const metric = FindScored(metrics, MetricInView(state));
  const auto heads = ScannedHeads(report);
  const HeadIndex head = state.selection.head;
  if (metric == nullptr || !heads || !PlaceOf(*heads, head) || !ExampleMeasure::Has(metric->id)) {
    return std::nullopt;
  }
  return ExamplesQuestion{whole, head, metric->id};
}

Request RequestOfExamples(const AppState& state, const ExamplesQuestion& question) {
  const HeadScanReport& report = question.scan->Of(PartInView(state));
  const std::vector<ScoredMetric> metrics = ScoredMetrics(report);
  return ExamplesJob{.head = question.head,
                     .metric = question.metric,
                     .on_repeats = report.repeats &&
                                   FindScored(metrics, question.metric)->probe == &*report.repeats,
                     .on_chosen = AreExamplesOwn(*question.scan),
                     .opening = state.model->opening};
}

}  // namespace

template <>
std::vector<Work> WorksOf<ExamplesJob>() {
  return {
      Answered<&AppState::examples, &ExamplesFound::examples, WantedExamples, RequestOfExamples>(
          {.words = "finding examples"})};
}

}  // namespace headscope
