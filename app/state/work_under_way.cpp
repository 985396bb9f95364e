#include "app/state/work_under_way.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "app/state/heads/ablation_words.h"
#include "app/state/heads/own_probe.h"
#include "app/state/heads/series_words.h"
#include "app/state/time_left.h"

namespace headscope {
namespace {

Progress OpeningProgress(const AppState& state) {
  return {0, 0, "opening " + state.opening_folder.filename().string()};
}

Progress TextProgress(const AppState& state) {
  Progress progress = state.pending.progress;
  progress.what = progress.what.empty() ? "computing" : "computing " + progress.what;
  return progress;
}

Progress ComparisonProgress(const AppState& state) {
  Progress progress = state.compare.progress;
  progress.what = progress.what.empty() ? "comparing" : "comparing: " + progress.what;
  return progress;
}

Progress ScanProgress(const AppState& state) {
  const HeadScanState& scan = state.scan;
  const bool has_whole = scan.of == scan.wanted_of && scan.report != nullptr &&
                         scan.report->is_whole() && scan.report->settings != scan.wanted;
  const bool is_twins = has_whole && scan.report->settings.twins != scan.wanted.twins;
  const char* const doing = is_twins    ? "scanning twins"
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

Progress ProbeProgress(const AppState& state) {
  const HeadScanReport* const own = state.probe_scan.under_way.get();
  return {own != nullptr ? own->done : 0, own != nullptr ? own->total : 0, ProbeScanWords(state)};
}

Progress AblationProgress(const AppState& state) {
  const AblationReport* const report = AblationUnderWay(state);
  return {report != nullptr ? report->done : 0,
          report != nullptr ? report->total : 0,
          AblatingWords(state)};
}

Progress SeriesDone(const AppState& state) {
  constexpr double kParts = 1000.0;
  return {std::llround(kParts * SeriesPartDone(state)),
          std::llround(kParts),
          ScanningSeriesWords(state)};
}

Progress MeasuresProgress(const AppState& state) {
  Progress progress = state.measures.progress;
  progress.what = progress.total > 0
                      ? fmt::format("comparing heads, {} of {}", progress.done, progress.total)
                      : "comparing heads";
  return progress;
}

}  // namespace

std::vector<WorkUnderWay> AllWork(const AppState& state) {
  std::vector<WorkUnderWay> all;
  const auto add = [&](bool is_under_way, int turn, RequestId request, auto tell) {
    if (is_under_way) {
      all.push_back({.turn = turn, .request = request, .progress = tell(state)});
    }
  };
  const auto of = [&](const RequestRule& rule, RequestId request, auto tell) {
    add(request != 0, rule.turn, request, tell);
  };
  const auto brief = [&](const RequestRule& rule, RequestId request, const char* words) {
    if (request != 0) {
      all.push_back({rule.turn, request, {0, 0, words}, false});
    }
  };
  if (!state.loading_session.empty()) {
    all.push_back({.turn = -1, .progress = {0, 0, "reading the session"}, .is_long = false});
  }
  add(!state.opening_folder.empty(), OpenModelRequest::kRule.turn, state.opening, OpeningProgress);
  add(!state.pending.layers.empty(),
      AttendRequest::kRule.turn,
      state.pending.request,
      TextProgress);
  brief(MapRequest::kRule, state.maps.request, "making the map in full");
  brief(PairMapsJob::kRule, state.compare.maps_request, "making the maps of the pair");
  brief(FindSeriesJob::kRule, state.series.finding, "looking for the models of the series");
  of(SplitJob::kRule, state.counts.request, [](const AppState&) {
    return Progress{0, 0, "computing head counts"};
  });
  brief(LineageJob::kRule, state.tree.request, "comparing heads with their parents");
  brief(WalkJob::kRule, state.walk.request, "computing the layer line by line");
  brief(SourcesJob::kRule, state.why.request, "taking the score of the cell apart");
  brief(TextScoresJob::kRule, state.text_scores.request, "scoring heads on this text");
  brief(AlikeJob::kRule, state.alike.request, "finding heads that look alike");
  of(CompareJob::kRule, state.compare.request, ComparisonProgress);
  brief(ExamplesJob::kRule, state.examples.request, "finding examples");
  brief(PartnersJob::kRule, state.partners.request, "finding heads that read each other");
  of(FigureJob::kRule, state.dialogs.exporting.request, [](const AppState&) {
    return Progress{0, 0, "writing the picture"};
  });
  of(AblationJob::kRule, state.ablation.request, AblationProgress);
  of(HeadScanJob::kRule, state.scan.request, ScanProgress);
  brief(HeadScanJob::kRule, state.scan.reading, "reading an earlier scan");
  of(ProbeScanJob::kRule, state.probe_scan.request, ProbeProgress);
  of(SeriesJob::kRule, state.series.request, SeriesDone);
  of(MeasuresJob::kRule, state.measures.request, MeasuresProgress);
  std::ranges::sort(all, {}, [](const WorkUnderWay& work) {
    return std::tuple(work.turn, work.request);  // of equals the oldest goes first
  });
  return all;
}

bool Busy(const AppState& state) {
  return !AllWork(state).empty();
}

std::string WorkWords(const AppState& state, std::optional<RequestId> request) {
  const std::vector<WorkUnderWay> all = AllWork(state);
  const auto found = std::ranges::find_if(
      all, [&](const WorkUnderWay& work) { return !request || work.request == *request; });
  return found == all.end() ? "" : found->progress.what;
}

}  // namespace headscope
