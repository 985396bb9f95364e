#include "core/figure/shown_scores.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/check.h"

namespace headscope {

const HeadScanReport& ShownScores::report() const {
  const auto has = [](const ShownModel& model) { return model.report != nullptr; };
  auto found = std::ranges::find_if(
      models, [&](const ShownModel& model) { return has(model) && model.is_open; });
  if (found == models.end()) {
    found = std::ranges::find_if(models, has);
  }
  HEADSCOPE_CHECK(found != models.end(), "scores that are shown have a report");
  return *found->report;
}

bool ShownScores::Shows(HeadIndex head) const {
  return std::ranges::find(left_out, head) == left_out.end();
}

bool HasReport(const ShownScores& scores) {
  return std::ranges::any_of(scores.models,
                             [](const ShownModel& model) { return model.report != nullptr; });
}

Result<ScoredMetric> ShownMetric(const HeadScanReport& report, const std::string& id) {
  auto found = ScoredIn(report, id);
  if (found && found->best) {
    return *std::move(found);
  }
  std::vector<std::string> ids;
  for (const ScoredMetric& one : ScoredMetrics(report)) {
    if (one.best) {
      ids.push_back(one.id);
    }
  }
  return Fail(ErrorCode::kInput,
              fmt::format("no head has a score \"{}\"; there are {}", id, fmt::join(ids, ", ")));
}

FigurePage ScoresPage(const FigureContext& context,
                      const ShownScores& scores,
                      std::string title,
                      const std::string& words) {
  FigurePage page;
  page.title = std::move(title);
  std::string of = context.model;
  if (scores.models.size() > 1) {
    std::vector<std::string> names;
    for (const ScannedModel& model : ScannedModels(scores)) {
      names.push_back(model.name);
    }
    of = fmt::format("{}", fmt::join(names, ", "));
  }
  page.caption = fmt::format("{}. Scores over {}. {} Heads and layers count from 0.",
                             of,
                             ProbeWords(scores.report()),
                             words);
  page.notes = context.notes;
  page.theme = context.theme;
  page.size_px = context.size_px;
  return page;
}

std::vector<ScannedModel> ScannedModels(const ShownScores& scores) {
  std::vector<ScannedModel> models;
  for (const ShownModel& model : scores.models) {
    if (model.report != nullptr) {
      models.push_back({model.name, model.report.get()});
    }
  }
  return models;
}

}  // namespace headscope
