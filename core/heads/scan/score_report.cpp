#include "core/heads/scan/score_report.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/heads/decide/copy_role.h"
#include "core/heads/decide/relations.h"
#include "core/heads/decide/stability.h"
#include "core/heads/effect/key_composition.h"
#include "core/heads/measure/measure.h"
#include "core/io/json_text.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

Json ScoreJson(const HeadScore& score) {
  Json json;
  json["score"] = OrNull(score.score);
  json["error"] = OrNull(score.error);
  json["chance"] = OrNull(score.chance);
  json["control"] = OrNull(score.control);
  json["kappa"] = OrNull(KappaOf(score));
  json["queries"] = score.score && score.rows > 0 ? Json(score.rows) : Json(nullptr);
  if (score.hits) {
    json["argmax_rate"] = *score.hits;
  }
  return json;
}

// Why no head of a part has rows of a metric.
std::string WhyNoRows(const HeadMetric& metric, ModelPart part) {
  if (metric.IsOf(part)) {
    return fmt::format("no row qualifies: it needs {}", metric.words.needs);
  }
  return part == ModelPart::kCross
             ? "it is of rows and keys of one text; those of cross-attention are of two"
             : "it is of cross-attention";
}

std::string WhyNotMeasured(const HeadMeasure& measure,
                           const ScanAbout& about,
                           const BatchSums& total) {
  const ModelPart part = about.heads.part;
  if (HasTargetQueries(part) && !measure.is_of_maps) {
    return "not measured of heads of a decoder and of cross-attention";
  }
  if (part == ModelPart::kCross && !measure.why_not_cross.empty()) {
    return std::string(measure.why_not_cross);
  }
  const auto reason = total.why_not.find(measure.id);
  return reason != total.why_not.end()
             ? fmt::format("not measured: {}", reason->second)
             : fmt::format("not measured: it needs {}", measure.words.needs);
}

Json ScoresOfHead(const ScoreReport& report, std::size_t head) {
  Json json = Json::object();
  for (const NamedScores& metric : report.scores) {
    Json one = ScoreJson(metric.heads[head]);
    if (!metric.why_not.empty()) {
      one["why_not"] = metric.why_not;
    } else if (!metric.heads[head].score) {
      const HeadMeasure* const measure = FindMeasure(metric.id);
      one["why_not"] = measure != nullptr ? fmt::format("not measured of this head: it needs {}",
                                                        measure->words.needs)
                                          : "no case of it in this head";
    }
    if (!metric.partners.empty() && metric.partners[head]) {
      one[metric.partner_key] = HeadName(*metric.partners[head]);
    }
    if (!metric.by_group.empty()) {
      Json groups = Json::object();
      for (std::size_t group = 0; group < metric.by_group.size(); ++group) {
        groups[report.about.groups[group]] = ScoreJson(metric.by_group[group][head]);
      }
      one["by_period"] = std::move(groups);
    }
    json[metric.id] = std::move(one);
  }
  return json;
}

Json SuggestionJson(const Suggestion& found) {
  Json json;
  json["role"] = found.role;
  json["metric"] = found.metric;
  json["relation"] = found.relation.empty() ? Json(nullptr) : Json(found.relation);
  json["direction"] = found.direction.empty() ? Json(nullptr) : Json(found.direction);
  json["verdict"] = VerdictName(found.verdict);
  json["score"] = found.score;
  json["error"] = OrNull(found.error);
  json["chance"] = OrNull(found.chance);
  json["control"] = OrNull(found.control);
  json["kappa"] = OrNull(KappaOf(found.score, found.control));
  json["control_kind"] = found.control_kind;
  json["twin"] = OrNull(found.twin);
  json["cases"] = found.cases;
  json["sequences"] = found.sequences;
  json["p_corrected"] = OrNull(found.p_corrected);
  json["stability"] = OrNull(found.stability);
  json["why"] = found.why;
  return json;
}

Json ChangeJson(const HeadAblation& ablation, std::size_t kind) {
  const AblatedHead::Change& own = ablation.own.changes[kind];
  std::vector<double> controls;
  for (const AblatedHead& control : ablation.controls) {
    if (const auto& change = control.changes[kind].change) {
      controls.push_back(*change);
    }
  }
  const auto count = static_cast<double>(controls.size());
  const double mean = std::accumulate(controls.begin(), controls.end(), 0.0) / count;
  double squares = 0.0;
  for (const double one : controls) {
    squares += (one - mean) * (one - mean);
  }
  Json json;
  json["change"] = OrNull(own.change);
  json["error"] = OrNull(own.error);
  json["control_mean"] = count > 0.0 ? Json(mean) : Json(nullptr);
  json["control_spread"] = count > 1.0 ? Json(std::sqrt(squares / (count - 1.0))) : Json(nullptr);
  json["control_changes"] = controls;
  if (!own.why_not.empty()) {
    json["why_not"] = own.why_not;
  }
  return json;
}

Json AblationJson(const HeadAblation& ablation) {
  Json json;
  json["head"] = HeadName(ablation.own.head);
  json["loss"] = ablation.own.loss;
  json["tokens"] = ablation.own.tokens;
  json["sequences"] = ablation.own.texts;
  json["controls"] = Json::array();
  for (const AblatedHead& control : ablation.controls) {
    json["controls"].push_back(HeadName(control.head));
  }
  for (std::size_t kind = 0; kind < kAblationKinds.size(); ++kind) {
    json[std::string(AblationName(kAblationKinds[kind]))] = ChangeJson(ablation, kind);
  }
  return json;
}

// What the model is compared by beside the scores of its heads.
void AddNumbers(const ModelNumbers& numbers, Json* json) {
  if (numbers.loss) {
    (*json)["loss"] = {{"score", numbers.loss->mean},
                       {"error", OrNull(numbers.loss->error)},
                       {"texts", numbers.loss->runs},
                       {"of", numbers.is_of_repeats ? "repeats" : "sentences"}};
  }
  if (numbers.overlap) {
    (*json)["overlap"] = {{"score", numbers.overlap->overlap}, {"chance", numbers.overlap->chance}};
  }
}

// Heads that look at copies: what they do about them belongs to the same sentence. Others have the
// way from value to logit, too, but nothing that says what for.
void AddCopySigns(const CopyTotals& copies,
                  const HeadsOfScan& heads,
                  std::vector<Suggestion>* suggested) {
  if (copies.empty()) {
    return;
  }
  std::map<std::size_t, Suggestion> found;  // once a head, however many such roles it has
  for (Suggestion& one : *suggested) {
    const HeadMetric* const metric = FindMetric(one.metric);
    if (metric == nullptr || !metric->is_of_copies) {
      continue;
    }
    const std::size_t place = heads.PlaceOf(one.head);
    const int sign = CopySign(copies[place]);
    one.why += sign > 0   ? "; it raises that token's logit"
               : sign < 0 ? "; it lowers that token's logit: it suppresses"
                          : "; " + WhyNoCopySign(copies[place]);
    if (sign != 0) {
      Suggestion& role = found.try_emplace(place).first->second;
      role = DescribeCopy(copies[place], one.head, std::max(role.verdict, one.verdict));
    }
  }
  for (auto& [place, role] : found) {
    suggested->push_back(std::move(role));
  }
}

// Which other head a score is of.
void AddPartners(const ScanAbout& about, const BatchSums& total, NamedScores* scores) {
  if (scores->id == kNearestHead) {
    for (const NearestHead& nearest : NearestHeads(total.head_pairs, about.heads)) {
      scores->partners.emplace_back(about.heads.At(nearest.head));
    }
  } else if (scores->id == kKeyComposition) {
    for (const std::int64_t place : total.key_writers) {
      scores->partners.emplace_back();
      if (place >= 0) {
        scores->partners.back() = about.heads.At(static_cast<std::size_t>(place));
      }
    }
  }
}

NamedScores NoScores(std::string id, const HeadsOfScan& heads, std::string why_not) {
  return {.id = std::move(id),
          .heads = std::vector<HeadScore>(heads.count()),
          .why_not = std::move(why_not)};
}

std::string CsvCell(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

}  // namespace

const NamedScores* FindScores(std::span<const NamedScores> all, std::string_view id) {
  const auto found = std::ranges::find(all, id, &NamedScores::id);
  return found != all.end() ? &*found : nullptr;
}

std::vector<NamedScores> ScoresOf(const ScanAbout& about, const BatchSums& total) {
  std::vector<NamedScores> all;
  const std::span<const HeadMetric> metrics = AllMetrics();
  const ModelPart part = about.heads.part;
  for (std::size_t metric = 0; metric < metrics.size(); ++metric) {
    if (part == ModelPart::kWhole && !metrics[metric].IsOf(part)) {
      continue;  // there is no cross-attention
    }
    const GroupSums& groups = total.rows[metric];
    if (std::ranges::all_of(groups, [](const MetricSums& group) { return group.rows == 0; })) {
      all.push_back(NoScores(metrics[metric].id, about.heads, WhyNoRows(metrics[metric], part)));
      continue;
    }
    NamedScores scores{.id = metrics[metric].id};
    for (std::size_t head = 0; head < about.heads.count(); ++head) {
      scores.heads.push_back(LeastScore(groups, metrics[metric], head));
    }
    for (std::size_t group = 0; group < groups.size() && !about.draw.empty(); ++group) {
      scores.by_group.emplace_back();
      for (std::size_t head = 0; head < about.heads.count(); ++head) {
        scores.by_group.back().push_back(ScoreOf(groups[group], metrics[metric], head));
      }
    }
    all.push_back(std::move(scores));
  }
  NamedScores copies = NoScores(std::string(kCopyEffect), about.heads, about.no_copies);
  for (std::size_t head = 0; head < total.copies.size(); ++head) {
    copies.heads[head] = MeanScore(total.copies[head]);
  }
  if (total.copies.empty() && copies.why_not.empty()) {
    copies.why_not = "no text was run for it";
  }
  all.push_back(std::move(copies));
  MeanTotals means = total.means;
  AddPairMeans(total.head_pairs, about.heads, &means);
  for (const HeadMeasure& measure : AllMeasures()) {
    NamedScores scores{.id = measure.id,
                       .heads = MeasureScores(measure, means, about.heads),
                       .partner_key = std::string(measure.partner_key)};
    AddPartners(about, total, &scores);
    if (std::ranges::none_of(scores.heads, [](const HeadScore& one) { return !!one.score; })) {
      scores.why_not = WhyNotMeasured(measure, about, total);
    }
    all.push_back(std::move(scores));
  }
  for (const RelationCases& relation : GroupCases(total.pairs)) {
    all.push_back(
        {.id = RelationId(relation), .heads = RelationScores(relation, about.heads.count())});
  }
  return all;
}

namespace {

struct Questions {  // of all parts together
  std::int64_t shares = 0;
  std::int64_t relations = 0;
};

Questions AllQuestions(const ScanAbout& about, const BatchSums& total) {
  Questions all{QuestionsOf(total.rows, about.heads), QuestionsOf(GroupCases(total.pairs))};
  for (std::size_t part = 0; part < total.more.size(); ++part) {
    all.shares += QuestionsOf(total.more[part].rows, about.more_heads[part]);
    all.relations += QuestionsOf(GroupCases(total.more[part].pairs));
  }
  return all;
}

ScoreReport ReportOfPart(const ScanAbout& about,
                         const BatchSums& total,
                         const std::vector<double>& twin,
                         const Questions& all) {
  ScoreReport report{.about = about, .scores = ScoresOf(about, total), .suggested = {}};
  const std::int64_t own = QuestionsOf(total.rows, about.heads);
  report.suggested = DecideShares(total.rows, about.heads, twin, all.shares - own);
  AddStability(total.sequences, about.heads, all.shares, twin, &report.suggested);
  AddCopySigns(total.copies, about.heads, &report.suggested);
  const std::vector<RelationCases> relations = GroupCases(total.pairs);
  std::ranges::move(DecideRelations(relations, about.heads, all.relations - QuestionsOf(relations)),
                    std::back_inserter(report.suggested));
  return report;
}

// What the other report has of names is here, too, and says why there is no score.
void AddMissing(const ScoreReport& other, ScoreReport* report) {
  const bool is_cross = report->about.heads.part == ModelPart::kCross;
  for (const NamedScores& scores : other.scores) {
    if (FindScores(report->scores, scores.id) == nullptr) {
      report->scores.push_back(NoScores(
          scores.id,
          report->about.heads,
          is_cross ? "it is of words of one text; rows and keys of cross-attention are of two"
                   : "no pair of it that a head of this part could be right about"));
    }
  }
}

ScoreReport NotScanned(const ScanAbout& about) {
  BatchSums none;
  none.rows.assign(AllMetrics().size(), GroupSums(about.groups.size()));
  ScoreReport report{.about = about, .scores = ScoresOf(about, none), .suggested = {}};
  for (NamedScores& scores : report.scores) {
    scores.why_not = about.no_targets.empty() ? "not scanned" : about.no_targets;
  }
  return report;
}

}  // namespace

ScoreReport MakeReport(const ScanAbout& about, const BatchSums& total, const TwinScores& twins) {
  const Questions all = AllQuestions(about, total);
  ScoreReport report = ReportOfPart(about, total, twins.highest, all);
  std::vector<ScoreReport> more;
  for (std::size_t part = 0; part < about.more_heads.size(); ++part) {
    const ScanAbout own = AboutPart(about, part);
    more.push_back(
        part < total.more.size()
            ? ReportOfPart(own,
                           total.more[part],
                           part < twins.more.size() ? twins.more[part] : std::vector<double>(),
                           all)
            : NotScanned(own));
  }
  for (ScoreReport& one : more) {
    AddMissing(report, &one);
    AddMissing(one, &report);
  }
  for (ScoreReport& one : more) {
    AddMissing(report, &one);
  }
  report.more = std::move(more);
  return report;
}

namespace {

void AddHeads(const ScoreReport& report, Json* heads) {
  for (std::size_t place = 0; place < report.about.heads.count(); ++place) {
    const HeadIndex head = report.about.heads.At(place);
    Json entry;
    entry["head"] = HeadName(head);
    entry["part"] =
        head.part == ModelPart::kWhole ? Json(nullptr) : Json(std::string(PartName(head.part)));
    entry["layer"] = head.layer;
    entry["index"] = head.head;
    entry["scores"] = ScoresOfHead(report, place);
    entry["suggested"] = Json::array();
    for (const Suggestion& found : report.suggested) {
      if (found.head == head) {
        entry["suggested"].push_back(SuggestionJson(found));
      }
    }
    heads->push_back(std::move(entry));
  }
}

void AddLines(const ScoreReport& report, std::string* csv) {
  for (std::size_t place = 0; place < report.about.heads.count(); ++place) {
    for (const NamedScores& metric : report.scores) {
      const HeadScore& score = metric.heads[place];
      *csv += fmt::format("{},{},{},{},{},{},{}\n",
                          HeadName(report.about.heads.At(place)),
                          metric.id,
                          CsvCell(score.score),
                          CsvCell(score.error),
                          CsvCell(score.chance),
                          CsvCell(score.control),
                          score.score && score.rows > 0 ? std::to_string(score.rows) : "");
    }
  }
}

}  // namespace

std::string ReportJson(const ScoreReport& report, std::span<const HeadAblation> ablations) {
  const ScanAbout& about = report.about;
  Json json;
  json["model"] = about.model;
  json["fingerprint"] = about.fingerprint;
  json["probe"] = about.probe;
  json["draw"] = about.draw.empty() ? Json(nullptr) : Json(about.draw);
  json["seed"] = about.seed;
  json["sequences"] = about.sequences;
  json["notes"] = about.notes;
  json["heads"] = Json::array();
  AddHeads(report, &json["heads"]);
  for (const ScoreReport& part : report.more) {
    AddHeads(part, &json["heads"]);
  }
  if (report.numbers) {
    AddNumbers(*report.numbers, &json);
  }
  for (const HeadAblation& ablation : ablations) {
    json["ablations"].push_back(AblationJson(ablation));
  }
  return JsonText(json, 1) + "\n";
}

std::string ReportCsv(const ScoreReport& report) {
  std::string csv = "head,metric,score,error,chance,control,queries\n";
  AddLines(report, &csv);
  for (const ScoreReport& part : report.more) {
    AddLines(part, &csv);
  }
  return csv;
}

Status WriteReport(const std::filesystem::path& path,
                   const ScoreReport& report,
                   std::span<const HeadAblation> ablations) {
  const std::string ending = path.extension().string();
  if (ending != ".json" && ending != ".csv") {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: expected a name that ends in .json or .csv", path.string()));
  }
  return WriteFileAtomically(path,
                             ending == ".csv" ? ReportCsv(report) : ReportJson(report, ablations));
}

}  // namespace headscope
