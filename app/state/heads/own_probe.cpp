#include "app/state/heads/own_probe.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/state/queries.h"
#include "app/state/time_left.h"
#include "core/base/counted.h"
#include "core/heads/measure/metric.h"
#include "core/heads/measure/word_cases.h"
#include "core/heads/probe/probe.h"

namespace headscope {
namespace {

bool HasScoreOf(const HeadScanReport& report, std::string_view id) {
  const auto metric = ScoredIn(report, id);
  return metric && metric->best;
}

}  // namespace

std::shared_ptr<const HeadScanReport> OwnScanInView(const AppState& state) {
  const ProbeScanState& own = state.probe_scan;
  const ModelInfo* const shown = ShownModel(state);
  const bool is_it = !state.flag_files.is_blind && own.probe.kind != ProbeKind::kBundled &&
                     own.report != nullptr && own.of != nullptr && shown != nullptr &&
                     own.of->fingerprint == shown->fingerprint;
  return is_it ? own.report : nullptr;
}

std::shared_ptr<const HeadScanReport> ShownScan(const AppState& state) {
  if (auto own = OwnScanInView(state)) {
    return own;
  }
  return ScanInView(state) != nullptr ? state.scan.report : nullptr;
}

const HeadScanReport* RolesInView(const AppState& state) {
  if (state.probe_scan.gives_roles) {
    if (const auto own = OwnScanInView(state); own != nullptr && own->is_whole()) {
      return own.get();
    }
  }
  return ScanInView(state);
}

std::string OwnProbeWords(const HeadScanReport& report) {
  std::string words = NameOfProbe(report.probe) + ": ";
  const std::int64_t texts = report.all_sentences;
  words += report.sequences_done < texts
               ? fmt::format("{} of {} so far", report.sequences_done, Counted(texts, "text"))
               : Counted(texts, "text");
  if (report.task && report.task->texts > 0) {
    words +=
        fmt::format("; the model is right in {} of {}", report.task->right, report.task->texts);
  }
  if (const std::string unknown = UnknownWordsOf(report.notes); !unknown.empty()) {
    words += "; " + unknown;
  }
  if (!report.notes.empty()) {
    words += fmt::format("; not all could be used: {}", Counted(report.notes.size(), "note"));
  }
  return words;
}

std::vector<std::string> OwnProbeNotes(const HeadScanReport& report) {
  std::vector<std::string> notes = report.notes;
  if (report.task && (report.task->texts > 0 || !report.why_no_task.empty())) {
    notes.push_back(TaskWords(*report.task, report.why_no_task));
  }
  return notes;
}

bool CanGoOn(const AppState& state) {
  const ProbeScanState& own = state.probe_scan;
  return own.is_stopped && own.request == 0 && own.probe.kind != ProbeKind::kBundled &&
         own.wanted_of == state.model && own.report != nullptr && !own.report->is_whole();
}

std::string ProbeScanWords(const AppState& state) {
  const ProbeScanState& own = state.probe_scan;
  const std::string name = NameOfProbe(own.probe);
  const HeadScanReport* const report = own.under_way.get();
  if (report == nullptr) {
    return "reading " + name;
  }
  return fmt::format("scanning {}, {:.0f} %{}",
                     name,
                     100.0 * static_cast<double>(report->done) /
                         static_cast<double>(std::max<std::int64_t>(report->total, 1)),
                     ProbeTimeLeft(state));
}

std::string ProbeTimeLeft(const AppState& state) {
  const HeadScanReport* const report = state.probe_scan.under_way.get();
  if (report == nullptr || report->done == 0 || report->seconds <= 0.0) {
    return "";
  }
  return ", " + TimeLeft(report->seconds * static_cast<double>(report->total - report->done) /
                         static_cast<double>(report->done));
}

std::string FirstMetricOf(const HeadScanReport& report) {
  if (report.probe.kind == ProbeKind::kRetrieval) {
    return std::ranges::find(AllMetrics(), true, &HeadMetric::asks_hidden)->id;
  }
  const auto metrics = ScoredMetrics(report);
  const bool has_relations = std::ranges::any_of(
      metrics, [](const ScoredMetric& metric) { return metric.id.starts_with(kRelationPrefix); });
  return !has_relations && HasScoreOf(report, kMentionsId) ? std::string(kMentionsId) : "";
}

}  // namespace headscope
