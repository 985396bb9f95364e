// What a figure of scores of heads shows: of one model, or of several in a row.
//
// Threads  immutable once made; reports are shared.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/figure/figure_context.h"
#include "core/figure/score_charts.h"
#include "core/heads/flags/score_tables.h"
#include "core/heads/scan/model_numbers.h"

namespace headscope {

struct ShownModel {
  std::string name;                              // "gpt-h8", in words and tables
  std::string label;                             // its place in a series: "300", "4"
  std::shared_ptr<const HeadScanReport> report;  // of all parts; null: not scanned
  bool is_open = false;
  std::optional<ModelNumbers> numbers = {};
};

struct ShownScores {
  std::vector<ShownModel> models;  // one that has a report at least
  bool is_training = false;        // of a series: models are one model after more and more steps
  std::string across = {};         // what its models are told apart by: "heads in a layer"
  ModelPart part = ModelPart::kWhole;
  std::string metric;  // id of the score that is drawn; of a scatter the one that lies along it
  std::string second;  // and the one that stands upright
  HeadsOrder order = HeadsOrder::kScore;  // of lists
  bool is_ascending = false;
  std::shared_ptr<const HeadScanReport> roles;  // that suggestions come from; null: none are shown
  FlagSheet flags = {};
  std::optional<HeadIndex> selected = {};
  std::vector<HeadIndex> left_out = {};           // by a filter
  std::shared_ptr<const HeadPlaces> places = {};  // of heads that are drawn by how alike they look
  std::string placed_on = {};                     // the text that they look at

  // The report of the model that is open, else of the first that has one.
  [[nodiscard]] const HeadScanReport& report() const;
  [[nodiscard]] bool Shows(HeadIndex head) const;
};

[[nodiscard]] bool HasReport(const ShownScores& scores);

// The score of that id in the report of a part; kInput: there is none, with those that there are.
[[nodiscard]] Result<ScoredMetric> ShownMetric(const HeadScanReport& report, const std::string& id);

// A page whose caption says which model and over what, with what numbers are.
[[nodiscard]] FigurePage ScoresPage(const FigureContext& context,
                                    const ShownScores& scores,
                                    std::string title,
                                    const std::string& words);

// Those that have a report, for tables.
[[nodiscard]] std::vector<ScannedModel> ScannedModels(const ShownScores& scores);

}  // namespace headscope
