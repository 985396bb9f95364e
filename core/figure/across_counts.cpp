#include "core/figure/across_counts.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/heads/scan/roles.h"

namespace headscope {
namespace {

constexpr double kPercent = 100.0;

// What the runs of a row have given of one number.
struct GivenNumber {
  std::vector<double> values;
  std::optional<double> error;  // of a single run, the newest
  std::vector<double> controls;

  void Add(double value, std::optional<double> own_error, std::optional<double> control) {
    values.push_back(value);
    error = own_error;
    if (control) {
      controls.push_back(*control);
    }
  }
};
struct AcrossGiven {
  std::array<GivenNumber, kAcrossQuantities> numbers;
  GivenNumber score;

  void Add(AcrossQuantity of,
           double value,
           std::optional<double> error = {},
           std::optional<double> control = {}) {
    numbers[static_cast<std::size_t>(of)].Add(value, error, control);
  }
};

// The mean over all heads. Heads of one model are measured on the same texts, so that their errors do
// not cancel out.
void AddMeanOfHeads(const HeadScanReport& report,
                    std::string_view metric,
                    AcrossQuantity of,
                    AcrossGiven* given) {
  const auto scored = ScoredIn(report, metric);
  double sum = 0.0;
  double errors = 0.0;
  double count = 0.0;
  bool has_errors = true;
  for (const HeadScore& head : scored ? scored->scores->heads : std::vector<HeadScore>()) {
    if (head.score) {
      sum += *head.score;
      errors += head.error.value_or(0.0);
      has_errors = has_errors && head.error.has_value();
      count += 1.0;
    }
  }
  if (count > 0.0) {
    given->Add(of, sum / count, has_errors ? std::optional(errors / count) : std::nullopt);
  }
}

void AddRoles(const HeadScanReport& report, AcrossGiven* given) {
  const auto scanned = ScannedHeads(report);
  if (!scanned || scanned->count() == 0) {
    return;
  }
  std::set<HeadIndex> strong;
  std::set<HeadIndex> any;
  std::set<std::string> strong_roles;
  std::set<std::string> any_roles;
  for (const Suggestion* const one : AllSuggestions(report)) {
    if (one->head.part != scanned->part) {
      continue;
    }
    any.insert(one->head);
    any_roles.insert(one->role);
    if (one->verdict == Verdict::kStrong) {
      strong.insert(one->head);
      strong_roles.insert(one->role);
    }
  }
  const auto heads = static_cast<double>(scanned->count());
  const auto share = [heads](const auto& set) { return static_cast<double>(set.size()) / heads; };
  given->Add(AcrossQuantity::kWithRole, share(strong), {}, share(any));
  given->Add(AcrossQuantity::kRoles,
             static_cast<double>(strong_roles.size()),
             {},
             static_cast<double>(any_roles.size()));
}

void AddModelNumbers(const ModelNumbers& numbers, AcrossGiven* given) {
  if (numbers.loss) {
    given->Add(AcrossQuantity::kLoss, numbers.loss->mean, numbers.loss->error);
  }
  if (numbers.overlap) {
    given->Add(AcrossQuantity::kOverlap, numbers.overlap->overlap, {}, numbers.overlap->chance);
  }
}

void AddBestHead(const ScoredMetric& metric, GivenNumber* given) {
  if (metric.best) {
    const HeadScore& best = metric.scores->heads[*metric.best];
    given->Add(*best.score, best.error, best.chance);
  }
}

std::optional<AcrossNumber> NumberOf(const GivenNumber& given) {
  const auto found = MeanOfValues(given.values);
  if (!found) {
    return std::nullopt;
  }
  AcrossNumber number{.mean = found->mean,
                      .error = found->runs > 1 ? found->error : given.error,
                      .runs = found->runs};
  if (const auto control = MeanOfValues(given.controls)) {
    number.control = control->mean;
  }
  return number;
}

bool IsOfRoles(AcrossQuantity of) {
  return of == AcrossQuantity::kWithRole || of == AcrossQuantity::kRoles;
}

std::string Written(const AcrossColumn& words, double value) {
  constexpr double kSmall = 0.0095;  // what three places would not tell from 0
  if (words.of == AcrossQuantity::kWithRole) {
    return fmt::format("{:.0f} %", kPercent * value);
  }
  int places = words.places;
  if (places == 3 && value > 0.0 && value < kSmall) {
    constexpr int kMostPlaces = 7;
    places = std::min(kMostPlaces, static_cast<int>(-std::floor(std::log10(value))));
  }
  return fmt::format("{:.{}f}", value, places);
}

// The top of an axis: a round number.
double TopOf(double most) {
  const double step = std::pow(10.0, std::floor(std::log10(most)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (most <= factor * step * (1.0 + 1e-9)) {
      return factor * step;
    }
  }
  return 10.0 * step;
}

}  // namespace

const std::array<AcrossColumn, kAcrossQuantities>& AllAcrossColumns() {
  static const std::array<AcrossColumn, kAcrossQuantities> kWords = {{
      {AcrossQuantity::kLoss,
       "loss",
       "loss",
       "nats a token on the texts of the scan, the mean over texts",
       3},
      {AcrossQuantity::kWithRole,
       "heads with a role",
       "with_role",
       "the share of heads that have a strong role; in brackets with those that are borderline",
       0},
      {AcrossQuantity::kRoles,
       "roles",
       "roles",
       "how many different roles are strong; in brackets with those that are borderline",
       0},
      {AcrossQuantity::kDivergence,
       "divergence",
       "divergence",
       "how far a head's rows lie from those of its layer's others, in nats, the mean over heads",
       3},
      {AcrossQuantity::kEffective,
       "effective heads",
       "effective_heads",
       "how many different heads a layer has, the mean over layers",
       2},
      {AcrossQuantity::kOverlap,
       "overlap",
       "overlap",
       "of the directions that two heads of a layer write into; in brackets that of random ones",
       3},
  }};
  return kWords;
}

std::vector<AcrossRow> AcrossRows(std::span<const AcrossModel> models) {
  std::vector<AcrossRow> rows;
  std::vector<AcrossGiven> given;
  for (const AcrossModel& model : models) {
    auto row = std::ranges::find(rows, model.label, &AcrossRow::label);
    if (row == rows.end()) {
      rows.push_back({.label = model.label, .names = {}});
      given.emplace_back();
      row = rows.end() - 1;
    }
    AcrossGiven* const to = &given[static_cast<std::size_t>(row - rows.begin())];
    row->names.push_back(model.name);
    if (model.report != nullptr) {
      ++row->scanned;
      AddRoles(*model.report, to);
      AddMeanOfHeads(*model.report, "layer_divergence", AcrossQuantity::kDivergence, to);
      AddMeanOfHeads(*model.report, "effective_heads", AcrossQuantity::kEffective, to);
    }
    if (model.numbers) {
      AddModelNumbers(*model.numbers, to);
    }
    if (model.metric) {
      AddBestHead(*model.metric, &to->score);
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t place = 0; place < kAcrossQuantities; ++place) {
      rows[i].numbers[place] = NumberOf(given[i].numbers[place]);
    }
    rows[i].score = NumberOf(given[i].score);
  }
  return rows;
}

std::string AcrossText(const AcrossColumn& words, const std::optional<AcrossNumber>& number) {
  if (!number) {
    return "–";
  }
  const bool is_whole = words.of == AcrossQuantity::kRoles && number->runs == 1;
  AcrossColumn as = words;
  as.places = words.of == AcrossQuantity::kRoles && !is_whole ? 1 : words.places;
  std::string text = Written(as, number->mean);
  if (number->error) {
    text += " ± " + Written(as, *number->error);
  }
  if (number->control && (!IsOfRoles(words.of) || *number->control > number->mean)) {
    text += fmt::format(" ({})", Written(as, *number->control));
  }
  return text;
}

std::string AcrossNotes(std::span<const AcrossModel> models, std::span<const AcrossRow> rows) {
  const bool has_runs =
      std::ranges::any_of(rows, [](const AcrossRow& row) { return row.names.size() > 1; });
  std::string notes =
      has_runs ? "± is the standard error over runs; of a single run that over its texts. "
               : "One run each: ± is the standard error over texts, and how far other seeds lie is "
                 "not known. Runs named like name-h4-2 or name-h4-seed2 are taken in. ";
  for (const AcrossModel& model : models) {
    if (model.numbers && model.numbers->loss) {
      notes += fmt::format("Loss: nats a token on {} {}. ",
                           model.numbers->loss->runs,
                           model.numbers->is_of_repeats ? "repeats" : "sentences");
      break;
    }
  }
  return notes +
         "Control: of roles, with those that are borderline; of overlap, what random directions give.";
}

Table AcrossTable(std::span<const AcrossRow> rows, const std::string& first_column) {
  Table table;
  table.title = "Across head counts";
  table.columns.push_back({first_column, "heads"});
  for (const AcrossColumn& words : AllAcrossColumns()) {
    table.columns.push_back({std::string(words.name), std::string(words.key), true});
    table.columns.push_back({"±", fmt::format("{}_error", words.key), true});
    table.columns.push_back({IsOfRoles(words.of) ? "with borderline" : "chance",
                             fmt::format("{}_control", words.key),
                             true});
    table.caption += fmt::format("{}: {}. ", words.name, words.about);
  }
  table.columns.push_back({"runs", "runs", true});
  for (const AcrossRow& row : rows) {
    std::vector<TableCell> cells = {{row.label}};
    for (const AcrossColumn& words : AllAcrossColumns()) {
      const auto& number = row.Of(words.of);
      const auto cell = [&](const std::optional<double>& value) {
        cells.push_back(value ? TableCell{Written(words, *value), *value} : TableCell{"–"});
      };
      cell(number ? std::optional(number->mean) : std::nullopt);
      cell(number ? number->error : std::nullopt);
      cell(number ? number->control : std::nullopt);
    }
    cells.push_back({std::to_string(row.scanned), static_cast<double>(row.scanned)});
    table.rows.push_back(std::move(cells));
  }
  // Columns that no row has anything in are left out.
  for (std::size_t column = table.columns.size(); column-- > 1;) {
    const bool is_empty = std::ranges::none_of(
        table.rows, [column](const auto& row) { return row[column].number.has_value(); });
    if (is_empty) {
      const auto at = static_cast<std::ptrdiff_t>(column);
      table.columns.erase(table.columns.begin() + at);
      for (auto& row : table.rows) {
        row.erase(row.begin() + at);
      }
    }
  }
  return table;
}

ChartAxis AcrossAxis(const AcrossColumn& words, double most) {
  const bool is_share = words.of == AcrossQuantity::kWithRole;
  const double top = is_share ? 1.0 : TopOf(std::max(most, 1e-3));
  return {.high = top,
          .name = std::string(words.name),
          .low_words = "0",
          .high_words = is_share ? std::string("100 %") : fmt::format("{:g}", top)};
}

std::optional<Chart> AcrossChart(std::span<const AcrossRow> rows,
                                 const AcrossColumn& words,
                                 const std::string& across,
                                 const std::string& open,
                                 const ThemeColors& colors) {
  double most = 0.0;
  for (const AcrossRow& row : rows) {
    if (const auto& number = row.Of(words.of)) {
      most = std::max(
          {most, number->mean + number->error.value_or(0.0), number->control.value_or(0.0)});
    }
  }
  if (std::ranges::none_of(rows,
                           [&](const AcrossRow& row) { return row.Of(words.of).has_value(); })) {
    return std::nullopt;
  }
  Chart chart{.across = {.high = static_cast<double>(rows.size()), .name = across},
              .up = AcrossAxis(words, most),
              .right = 12.0F};
  if (words.of == AcrossQuantity::kOverlap) {
    chart.signs = "ring: chance";
  } else if (IsOfRoles(words.of)) {
    chart.signs = "ring: with borderline";
  }
  std::optional<std::pair<double, double>> before;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double x = static_cast<double>(i) + 0.5;
    const bool is_open = rows[i].label == open;
    chart.ticks.push_back({x, rows[i].label, is_open});
    const auto& number = rows[i].Of(words.of);
    if (!number) {
      continue;
    }
    const ChartInk ink{is_open ? colors.accent : colors.text};
    if (before) {
      chart.marks.emplace_back(ChartLine{.x0 = before->first,
                                         .y0 = before->second,
                                         .x1 = x,
                                         .y1 = number->mean,
                                         .ink = {colors.text, 0.5F},
                                         .thickness = 1.5F});
    }
    if (number->control) {
      chart.marks.emplace_back(ChartDot{
          .x = x, .y = *number->control, .ink = {colors.muted}, .radius = 4.0F, .ring = 1.5F});
    }
    if (number->error) {
      chart.marks.emplace_back(
          ChartError{x, number->mean - *number->error, number->mean + *number->error, ink});
    }
    chart.marks.emplace_back(ChartDot{.x = x, .y = number->mean, .ink = ink, .key = i});
    before = {x, number->mean};
  }
  return chart;
}

}  // namespace headscope
