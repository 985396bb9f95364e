#include "core/heads/flags/score_tables.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/heads/decide/numbers.h"
#include "core/heads/flags/role.h"
#include "core/heads/measure/relation_words.h"
#include "core/heads/scan/roles.h"

namespace headscope {
namespace {

constexpr std::int64_t kFewestPairs = 10;

// Score, error, control and n as cells.
void AddNumbers(const ScoredMetric& metric, const HeadScore& score, std::vector<TableCell>* row) {
  row->push_back({ScoreText(metric, *score.score), score.score});
  row->push_back({score.error ? ErrorText(metric, *score.error) : "\u2013", score.error});
  row->push_back({score.control ? ToldText(metric, *score.control) : "\u2013", score.control});
  row->push_back({fmt::format("{}", score.rows), static_cast<double>(score.rows)});
}

void AddNumberColumns(std::vector<TableColumn>* columns) {
  columns->push_back({"score", "score", true});
  columns->push_back({"error", "error", true});
  columns->push_back({"control", "control", true});
  columns->push_back({"n", "n", true});
}

struct BestOfRelation {
  ScoredMetric metric;
  std::size_t place = 0;
  [[nodiscard]] const HeadScore& score() const { return metric.scores->heads[place]; }
  [[nodiscard]] double above() const { return *score().score - score().control.value_or(0.0); }
};
using BestByRelation = std::map<std::string, BestOfRelation, std::less<>>;

// "det" of "dep:det:dependent-to-head", and "coreference".
std::string RelationIn(std::string_view id) {
  return id.starts_with(kRelationPrefix) ? std::string(ReadRelationId(id).relation)
                                         : std::string(id);
}

// The head that lies furthest above its control; none: no head has pairs enough.
std::optional<std::size_t> FurthestAbove(const NamedScores& scores) {
  std::optional<std::size_t> best;
  double most = 0.0;
  for (std::size_t place = 0; place < scores.heads.size(); ++place) {
    const HeadScore& score = scores.heads[place];
    if (!score.score || score.rows < kFewestPairs) {
      continue;
    }
    const double above = *score.score - score.control.value_or(0.0);
    if (!best || above > most) {
      best = place;
      most = above;
    }
  }
  return best;
}

void TakeRelations(const HeadScanReport& report, BestByRelation* best) {
  for (const ProbeScores* const probe : report.Probes()) {
    for (const NamedScores& scores : probe->report.scores) {
      const HeadNumber* const number = FindNumber(scores.id);
      const auto place =
          number != nullptr && number->is_of_words ? FurthestAbove(scores) : std::nullopt;
      const auto metric = place ? ScoredIn(report, scores.id) : std::nullopt;
      if (!metric || metric->probe != probe) {
        continue;
      }
      const BestOfRelation one{*metric, *place};
      const auto [found, is_new] = best->try_emplace(RelationIn(scores.id), one);
      if (!is_new && one.above() > found->second.above()) {
        found->second = one;
      }
    }
  }
  for (const HeadScanReport& part : report.more) {
    TakeRelations(part, best);
  }
}

// "determiner \u2192 noun" of "det: determiner \u2192 noun".
std::string WhoLooks(const ScoredMetric& metric) {
  const std::size_t colon = metric.label.rfind(": ");
  return colon == metric.label.npos ? metric.label : metric.label.substr(colon + 2);
}

HeadIndex HeadAt(const ScoredMetric& metric, std::size_t place) {
  return metric.probe->report.about.heads.At(place);
}

struct HeadsOfRole {
  const Suggestion* best = nullptr;
  std::int64_t strong = 0;
  std::int64_t borderline = 0;
};

HeadsOfRole FindRoleIn(const HeadScanReport& report, std::string_view role) {
  HeadsOfRole found;
  for (const Suggestion* const one : AllSuggestions(report)) {
    if (one->role != role) {
      continue;
    }
    found.strong += one->verdict == Verdict::kStrong ? 1 : 0;
    found.borderline += one->verdict == Verdict::kBorderline ? 1 : 0;
    const auto sureness = [](const Suggestion& of) { return std::pair(of.verdict, of.score); };
    if (found.best == nullptr || sureness(*one) > sureness(*found.best)) {
      found.best = one;
    }
  }
  return found;
}

}  // namespace

std::string RolesOfHead(const FlagSheet& flags,
                        const HeadSuggestions& suggestions,
                        HeadIndex head) {
  std::string words;
  if (const HeadFlag* flag = FindFlag(flags, head)) {
    words = "flagged " + flag->role;
  }
  for (const Suggestion* one : suggestions.Of(head)) {
    words += fmt::format("{}{}{}",
                         words.empty() ? "" : " \u00b7 ",
                         one->role,
                         !one->from.empty()                     ? " (another model)"
                         : one->verdict == Verdict::kBorderline ? " (borderline)"
                                                                : "");
  }
  return words;
}

std::string ListWords(const ScoredMetric& metric, const HeadScore& score, HeadsOrder column) {
  const auto number = [&](const std::optional<double>& value) {
    return value ? ToldText(metric, *value) : std::string("\u2013");
  };
  switch (column) {
    case HeadsOrder::kScore:
      return score.score ? ScoreText(metric, *score.score) : "\u2013";
    case HeadsOrder::kError:
      return score.error ? ErrorText(metric, *score.error) : "\u2013";
    case HeadsOrder::kChance:
      return number(score.chance);
    case HeadsOrder::kControl:
      return number(score.control);
    case HeadsOrder::kRows:
      return fmt::format("{}", score.rows);
    case HeadsOrder::kName:
      break;
  }
  return "";
}

Table ListTable(const ScoredMetric& metric,
                std::span<const std::size_t> places,
                const FlagSheet& flags,
                const HeadSuggestions& suggestions) {
  Table table{.title = fmt::format("{}: every head", metric.name),
              .caption = metric.about,
              .columns = {{"head", "head"},
                          {"score", "score", true},
                          {"error", "error", true},
                          {"chance", "chance", true},
                          {"control", "control", true},
                          {"cases", "cases", true},
                          {"roles", "roles"}},
              .rows = {}};
  for (const std::size_t place : places) {
    const HeadScore& score = metric.scores->heads[place];
    const HeadIndex head = HeadAt(metric, place);
    const auto words = [&](HeadsOrder column) { return ListWords(metric, score, column); };
    table.rows.push_back({{HeadName(head)},
                          {words(HeadsOrder::kScore), score.score},
                          {words(HeadsOrder::kError), score.error},
                          {words(HeadsOrder::kChance), score.chance},
                          {words(HeadsOrder::kControl), score.control},
                          {words(HeadsOrder::kRows), static_cast<double>(score.rows)},
                          {RolesOfHead(flags, suggestions, head)}});
  }
  return table;
}

Table RelationTable(std::span<const ScannedModel> models) {
  const bool has_models = models.size() > 1;
  std::vector<BestByRelation> best(models.size());
  std::map<std::string, std::int64_t, std::less<>> pairs;
  for (std::size_t i = 0; i < models.size(); ++i) {
    TakeRelations(*models[i].report, &best[i]);
    for (const auto& [relation, one] : best[i]) {
      pairs[relation] = std::max(pairs[relation], one.score().rows);
    }
  }
  std::vector<std::string> order;
  for (const auto& [relation, count] : pairs) {
    order.push_back(relation);
  }
  std::ranges::stable_sort(order, [&](const std::string& a, const std::string& b) {
    const auto rank = [&](const std::string& one) {
      return std::pair(one == kMentionsId, -pairs[one]);
    };
    return rank(a) < rank(b);
  });
  Table table{.title = "The best head of each relation",
              .caption =
                  "Score: how often the largest weight of a word's row is on the other word of "
                  "the pair. Control: the best of four ways to guess it without the head. Of "
                  "each relation, the head and the direction furthest above their control",
              .columns = {{"relation", "relation"}},
              .rows = {}};
  table.caption += ", among those with at least 10 pairs.";
  if (has_models) {
    table.columns.push_back({"model", "model"});
  }
  table.columns.push_back({"who looks at whom", "direction"});
  table.columns.push_back({"best head", "head"});
  AddNumberColumns(&table.columns);
  for (const std::string& relation : order) {
    for (std::size_t i = 0; i < models.size(); ++i) {
      const auto found = best[i].find(relation);
      if (found == best[i].end()) {
        continue;
      }
      const BestOfRelation& one = found->second;
      std::vector<TableCell> row = {{relation}};
      if (has_models) {
        row.push_back({models[i].name});
      }
      row.push_back({WhoLooks(one.metric)});
      row.push_back({HeadName(HeadAt(one.metric, one.place))});
      AddNumbers(one.metric, one.score(), &row);
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

Table RoleTable(std::span<const ScannedModel> models) {
  const bool has_models = models.size() > 1;
  Table table{.title = "Roles and their best heads",
              .caption =
                  "Best: the surest head, and of equally sure ones the one with the highest "
                  "score. Strong and borderline: how many heads have the role so.",
              .columns = {{"role", "role"}},
              .rows = {}};
  if (has_models) {
    table.columns.push_back({"model", "model"});
  }
  table.columns.push_back({"rests on", "metric"});
  table.columns.push_back({"best head", "head"});
  AddNumberColumns(&table.columns);
  table.columns.push_back({"strong", "strong", true});
  table.columns.push_back({"borderline", "borderline", true});
  for (const Role& role : kRoles) {
    for (const ScannedModel& model : models) {
      const HeadsOfRole found = FindRoleIn(*model.report, role.id);
      const HeadScanReport& part =
          found.best != nullptr ? model.report->Of(found.best->head.part) : *model.report;
      const auto metric = found.best != nullptr ? ScoredIn(part, found.best->metric) : std::nullopt;
      if (!metric) {
        continue;
      }
      std::vector<TableCell> row = {{std::string(role.id)}};
      if (has_models) {
        row.push_back({model.name});
      }
      row.push_back({metric->label});
      row.push_back({HeadName(found.best->head)});
      const HeadScore score{.score = found.best->score,
                            .error = found.best->error,
                            .chance = found.best->chance,
                            .control = found.best->control,
                            .hits = {},
                            .rows = found.best->cases,
                            .sequences = found.best->sequences};
      AddNumbers(*metric, score, &row);
      for (const std::int64_t count : {found.strong, found.borderline}) {
        row.push_back({fmt::format("{}", count), static_cast<double>(count)});
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace headscope
