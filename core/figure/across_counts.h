// Models that differ in their number of heads, side by side: what they lose, which roles their heads
// have, and how far their heads differ. Runs with the same number of heads are one row.
//
// Units    those of AcrossQuantity.
// Threads  plain values; reports are read during the call.
// Cost     a look at all heads of every model.
// Source   docs/reference.md, "Across head counts".
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/mean_of_runs.h"
#include "core/figure/chart.h"
#include "core/heads/scan/head_scan.h"
#include "core/heads/scan/model_numbers.h"
#include "core/heads/scan/scored_metric.h"
#include "core/io/table.h"

namespace headscope {

struct AcrossModel {
  std::string name;                        // "gpt-h8"
  std::string label;                       // "8": models with the same one are runs of one row
  const HeadScanReport* report = nullptr;  // of the part that is shown; null: not scanned
  std::optional<ModelNumbers> numbers = {};
  std::optional<ScoredMetric> metric = {};  // a score beside the quantities
};

enum class AcrossQuantity {
  kLoss,        // nats a token
  kWithRole,    // share of heads that have a strong role
  kRoles,       // different strong roles
  kDivergence,  // nats, the mean over heads
  kEffective,   // heads, the mean over layers
  kOverlap      // of the directions that two heads write into
};

struct AcrossColumn {
  AcrossQuantity of = AcrossQuantity::kLoss;
  std::string_view name;   // "loss"
  std::string_view key;    // for programs: "loss"
  std::string_view about;  // what it is, and what its error or control is
  int places = 2;
};
inline constexpr std::size_t kAcrossQuantities = 6;
[[nodiscard]] const std::array<AcrossColumn, kAcrossQuantities>& AllAcrossColumns();

// The mean over runs, with the standard error of it; of a single run the error over its texts, where
// there is one.
struct AcrossNumber {
  double mean = 0.0;
  std::optional<double> error = {};
  std::size_t runs = 0;
  std::optional<double> control = {};  // chance; of roles: with those that are borderline
};

struct AcrossRow {
  std::string label;
  std::vector<std::string> names;  // of its runs
  std::size_t scanned = 0;         // of them
  std::array<std::optional<AcrossNumber>, kAcrossQuantities> numbers = {};
  std::optional<AcrossNumber> score =
      {};  // of the head with the highest score; control: its chance

  [[nodiscard]] const std::optional<AcrossNumber>& Of(AcrossQuantity quantity) const {
    return numbers[static_cast<std::size_t>(quantity)];
  }
};

// In the order in which labels first appear.
[[nodiscard]] std::vector<AcrossRow> AcrossRows(std::span<const AcrossModel> models);

// "0.312 ± .021", "38 % (50 % with borderline)"; "–" where there is no number.
[[nodiscard]] std::string AcrossText(const AcrossColumn& words,
                                     const std::optional<AcrossNumber>& number);

// What errors and losses are of, in a sentence or two.
[[nodiscard]] std::string AcrossNotes(std::span<const AcrossModel> models,
                                      std::span<const AcrossRow> rows);

// A row for each: label, every quantity, runs. In files of numbers each has its error and control.
[[nodiscard]] Table AcrossTable(std::span<const AcrossRow> rows, const std::string& first_column);

// From 0 to a round number that takes in `most`, named after the quantity.
[[nodiscard]] ChartAxis AcrossAxis(const AcrossColumn& words, double most);

// A dot with its error in each row's place, chance as grey rings; none where no row has the number.
// `open`: the label of the open model.
[[nodiscard]] std::optional<Chart> AcrossChart(std::span<const AcrossRow> rows,
                                               const AcrossColumn& words,
                                               const std::string& across,
                                               const std::string& open,
                                               const ThemeColors& colors);

}  // namespace headscope
