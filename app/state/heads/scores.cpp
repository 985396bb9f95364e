#include "app/state/heads/scores.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "app/state/heads/own_probe.h"
#include "app/state/queries.h"
#include "core/base/counted.h"
#include "core/heads/decide/relations.h"
#include "core/heads/effect/copy_sums.h"
#include "core/heads/effect/eigenvalue_copying.h"
#include "core/heads/effect/key_composition.h"
#include "core/heads/measure/measure.h"
#include "core/heads/measure/relation_words.h"

namespace headscope {
namespace {

constexpr std::string_view kDistance = "offset:";
constexpr std::string_view kTreeScore = "tree_score";
constexpr std::string_view kTokenMap = "token_map:";
constexpr int kCopyPlace = 8;
constexpr int kRelationPlace = 1000;
// Of a relation: fewer say nothing.
constexpr std::int64_t kFewestShown = 10;
// A fixed distance other than the nearest is listed where a head keeps to it.
constexpr double kKeepsDistance = 0.25;
constexpr int kFarPlaces = 10;  // where such metrics begin in lists

// What is good evidence is high, but of entropy and distance nothing is: the largest there, too.
std::optional<std::size_t> BestOf(const NamedScores& scores) {
  std::optional<std::size_t> best;
  for (std::size_t head = 0; head < scores.heads.size(); ++head) {
    const auto& score = scores.heads[head].score;
    if (score && (!best || *score > *scores.heads[*best].score)) {
      best = head;
    }
  }
  return best;
}

ScoredMetric Describe(const NamedScores& scores, const ProbeScores& probe) {
  ScoredMetric one;
  one.id = scores.id;
  one.scores = &scores;
  one.probe = &probe;
  one.best = BestOf(scores);
  one.metric = FindMetric(scores.id);
  if (one.metric != nullptr) {
    one.words = &one.metric->words;
    one.name = one.metric->name;
    one.place = one.metric->place;
    const bool is_cross = probe.report.about.heads.part == ModelPart::kCross;
    const std::string& target = is_cross && !one.metric->cross_target.empty()
                                    ? one.metric->cross_target
                                    : one.metric->target;
    one.about =
        target.empty() ? std::string(one.metric->words.about) : fmt::format("on {}", target);
  } else if (const HeadMeasure* const measure = FindMeasure(scores.id)) {
    one.words = &measure->words;
    one.name = measure->name;
    one.place = measure->place;
    one.about = measure->words.about;
  } else if (scores.id == kCopyEffect) {
    one.name = "copies or suppresses";
    one.about = "effect on the token looked at";
    one.place = kCopyPlace;
  } else if (scores.id.starts_with(kRelationPrefix) || scores.id == kMentionsId) {
    one.name = scores.id;
    if (scores.id != kMentionsId) {
      const RelationOfId relation = ReadRelationId(scores.id);
      one.name = RelationSentence(relation.relation, relation.direction);
      one.label = RelationLabel(relation.relation, relation.direction);
    }
    one.is_relation = true;
    one.place = kRelationPlace;
    one.about = one.best
                    ? fmt::format("best control {}",
                                  ScoreText(one, scores.heads[*one.best].control.value_or(0.0)))
                    : "";
  } else {
    one.name = scores.id;
  }
  if (one.label.empty()) {
    one.label = one.name;
  }
  return one;
}

// A fixed distance other than the nearest.
bool IsFar(const ScoredMetric& metric) {
  const bool is_place = metric.metric != nullptr && metric.metric->is_place;
  return metric.id.starts_with(kDistance) || (is_place && metric.place >= kFarPlaces);
}

bool IsListed(const ScoredMetric& metric) {
  if (!metric.best) {
    const ModelPart part = metric.probe->report.about.heads.part;
    const bool may_come =
        metric.metric != nullptr ? metric.metric->IsOf(part) : metric.id == kCopyEffect;
    return may_come && !IsFar(metric);
  }
  const HeadScore& best = metric.scores->heads[*metric.best];
  if (metric.is_relation) {
    return best.rows >= kFewestShown;
  }
  return !IsFar(metric) || *best.score >= kKeepsDistance;
}

std::string Short(double value) {
  return fmt::format("{:.2f}", value);
}

}  // namespace

std::vector<ScoredMetric> ScoredMetrics(const HeadScanReport& report) {
  std::vector<ScoredMetric> all;
  for (const auto& probe : {&report.sentences, &report.repeats}) {
    if (!*probe) {
      continue;
    }
    for (const NamedScores& scores : (*probe)->report.scores) {
      const bool is_relation = scores.id.starts_with(kRelationPrefix);
      if (is_relation || ProbeOf(report, scores.id) == &**probe) {
        ScoredMetric one = Describe(scores, **probe);
        if (IsListed(one)) {
          all.push_back(std::move(one));
        }
      }
    }
  }
  std::ranges::stable_sort(all, [](const ScoredMetric& a, const ScoredMetric& b) {
    if (a.place != b.place || !a.is_relation) {
      return a.place < b.place;
    }
    return a.scores->heads[*a.best].rows > b.scores->heads[*b.best].rows;
  });
  return all;
}

const ScoredMetric* FindScored(const std::vector<ScoredMetric>& all, std::string_view id) {
  const auto found = std::ranges::find(all, id, &ScoredMetric::id);
  return found != all.end() ? &*found : nullptr;
}

std::string MetricOfPart(std::string_view id, ModelPart part) {
  const HeadMetric* const metric = FindMetric(id);
  if (metric == nullptr || metric->IsOf(part)) {
    return std::string(id);
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kAlike = {
      {{"previous_token", "source:+0"},  // what each part is most often asked for
       {"self", "source:+0"},
       {"next_token", "source:+1"},
       {"duplicate_token", "source_token"},
       {"induction", "source_next_token"}}};
  const bool is_cross = part == ModelPart::kCross;
  for (const auto& [own, of_source] : kAlike) {
    if (id == (is_cross ? own : of_source)) {
      return std::string(is_cross ? of_source : own);
    }
  }
  return is_cross ? "source:+0" : "previous_token";
}

std::string MetricInView(const AppState& state) {
  return MetricOfPart(state.heads_look.metric, PartInView(state));
}

std::string SecondMetricInView(const AppState& state) {
  return MetricOfPart(state.heads_look.second, PartInView(state));
}

std::optional<ScoredMetric> ScoredIn(const HeadScanReport& report, std::string_view id) {
  for (const auto& probe : {&report.sentences, &report.repeats}) {
    if (*probe && (id.starts_with(kRelationPrefix) || ProbeOf(report, id) == &**probe)) {
      const auto& all = (*probe)->report.scores;
      if (const auto found = std::ranges::find(all, id, &NamedScores::id); found != all.end()) {
        return Describe(*found, **probe);
      }
    }
  }
  return std::nullopt;
}

std::optional<HeadsOfScan> ScannedHeads(const HeadScanReport& report) {
  for (const auto& probe : {&report.sentences, &report.repeats}) {
    if (*probe) {
      return (*probe)->report.about.heads;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> PlaceOf(const HeadsOfScan& heads, HeadIndex head) {
  const bool is_one = head.part == heads.part && head.layer >= 0 && head.layer < heads.layers &&
                      head.head >= 0 && head.head < heads.heads;
  return is_one ? std::optional(heads.PlaceOf(head)) : std::nullopt;
}

const HeadScanReport* ScanInView(const AppState& state) {
  const HeadScanState& scan = state.scan;
  const ModelInfo* const shown = ShownModel(state);
  return !state.flag_files.is_blind && scan.report != nullptr && scan.of != nullptr &&
                 shown != nullptr && scan.of->fingerprint == shown->fingerprint
             ? scan.report.get()
             : nullptr;
}

const HeadScanReport* PartScanInView(const AppState& state) {
  const HeadScanReport* const report = ScanInView(state);
  return report != nullptr ? &report->Of(PartInView(state)) : nullptr;
}

const ScoreReport* TextScoresInView(const AppState& state) {
  const TextScoresState& text = state.text_scores;
  const Attendance* const picture = PictureInView(state);
  if (state.flag_files.is_blind || text.of == 0 || picture == nullptr ||
      picture->request != text.of || text.scores == nullptr) {
    return nullptr;
  }
  for (const ScoreReport& part : text.scores->more) {
    if (part.about.heads.part == PartInView(state)) {
      return &part;
    }
  }
  return text.scores.get();
}

std::vector<std::size_t> InOrder(const ScoredMetric& metric, const HeadsLook& look) {
  const std::vector<HeadScore>& heads = metric.scores->heads;
  const auto value = [&](std::size_t head) -> std::optional<double> {
    const HeadScore& score = heads[head];
    switch (look.order) {
      case HeadsOrder::kName:
        return static_cast<double>(head);
      case HeadsOrder::kScore:
        return score.score;
      case HeadsOrder::kError:
        return score.error;
      case HeadsOrder::kChance:
        return score.chance;
      case HeadsOrder::kControl:
        return score.control;
      case HeadsOrder::kRows:
        return static_cast<double>(score.rows);
    }
    return std::nullopt;
  };
  std::vector<std::size_t> order(heads.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const auto first = value(a);
    const auto second = value(b);
    if (!first || !second) {
      return first.has_value() && !second.has_value();
    }
    return look.is_ascending ? *first < *second : *first > *second;
  });
  return order;
}

std::vector<std::size_t> TopHeads(const ScoredMetric& metric, std::size_t most) {
  std::vector<std::size_t> top = InOrder(metric, {});
  std::erase_if(top, [&](std::size_t head) { return !metric.scores->heads[head].score; });
  top.resize(std::min(top.size(), most));
  return top;
}

const ExamplesState* ExamplesInView(const AppState& state) {
  const ExamplesState& examples = state.examples;
  const bool is_it =
      examples.of && examples.of->scan != nullptr && examples.of->scan == ShownScan(state) &&
      examples.of->head == state.selection.head && examples.of->metric == MetricInView(state);
  return is_it ? &examples : nullptr;
}

const AlikeState* AlikeInView(const AppState& state) {
  const AlikeState& alike = state.alike;
  const bool is_it = alike.of && alike.of->picture == state.shown.request &&
                     alike.of->head == state.selection.head;
  return is_it ? &alike : nullptr;
}

float ScoreRange::At(double score) const {
  if (!(high > low)) {
    return 0.0F;
  }
  return static_cast<float>(std::clamp((score - low) / (high - low), 0.0, 1.0));
}

ScoreRange RangeOf(const ScoredMetric& metric) {
  double least = 0.0;
  double most = 0.0;
  double chance = 0.0;
  std::int64_t chances = 0;
  bool is_first = true;
  for (const HeadScore& head : metric.scores->heads) {
    if (!head.score) {
      continue;
    }
    least = is_first ? *head.score : std::min(least, *head.score);
    most = is_first ? *head.score : std::max(most, *head.score);
    is_first = false;
    if (head.chance) {
      chance += *head.chance;
      ++chances;
    }
  }
  const std::optional<double> mean =
      chances > 0 ? std::optional(chance / static_cast<double>(chances)) : std::nullopt;
  if (metric.id == kCopyEffect || metric.id == kEigenvalueCopying || metric.id == kKeyComposition) {
    const double bound = std::max(std::abs(least), std::abs(most));
    return {.low = -bound, .high = bound, .is_signed = true, .chance = 0.0};
  }
  if (metric.is_relation || (metric.metric != nullptr && metric.metric->is_share())) {
    // Nothing that lies near chance is bright, however little the best head does.
    const double threshold =
        metric.metric != nullptr && metric.metric->threshold > 0.0 ? metric.metric->threshold : 0.5;
    return {.low = mean.value_or(0.0), .high = std::max(most, threshold), .chance = {}};
  }
  if (metric.metric == nullptr && mean) {
    return {.low = std::min(least, *mean), .high = std::max(most, *mean), .chance = mean};
  }
  return {.low = least, .high = most, .chance = mean};
}

std::string ScoreText(const ScoredMetric& metric, double score) {
  if (metric.is_relation) {
    return fmt::format("{:.0f} %", score * 100.0);
  }
  if (metric.id == kKeyComposition) {
    return fmt::format("{:+.3f}", score);  // of the size of 1 / sqrt(d)
  }
  return metric.id == kCopyEffect ? fmt::format("{:+.2f}", score) : Short(score);
}

std::string ToldText(const ScoredMetric& metric, double score) {
  const std::string text = ScoreText(metric, score);
  if (score == 0.0 || text.find_first_of("123456789") != std::string::npos) {
    return text;
  }
  constexpr int kMostDigits = 8;
  const double shown = metric.is_relation ? score * 100.0 : score;
  const int first = -static_cast<int>(std::floor(std::log10(std::abs(shown))));
  return fmt::format(fmt::runtime(text.starts_with('+') ? "{:+.{}f}{}" : "{:.{}f}{}"),
                     shown,
                     std::clamp(first + (metric.is_relation ? 0 : 1), 1, kMostDigits),
                     metric.is_relation ? " %" : "");
}

std::string ErrorText(const ScoredMetric& metric, double error) {
  const int digits = metric.is_relation ? 0 : metric.id == kKeyComposition ? 3 : 2;
  const double least = std::pow(10.0, -digits);
  const double shown = metric.is_relation ? error * 100.0 : error;
  const bool is_below = shown > 0.0 && shown <= least / 2.0;
  const std::string text = fmt::format("{:.{}f}", is_below ? least : shown, digits);
  return (is_below ? "<" : "") + (text.starts_with("0.") ? text.substr(1) : text);
}

std::string CountedCases(const ScoredMetric& metric, std::int64_t cases) {
  if (metric.id == kMentionsId) {
    return Counted(cases, "mention");
  }
  if (metric.id == kTreeScore) {
    return Counted(cases, "dependency", "dependencies");
  }
  return Counted(cases, metric.is_relation || metric.id.starts_with(kTokenMap) ? "pair" : "row");
}

std::string ScoreWords(const ScoredMetric& metric, const HeadScore& score) {
  if (!score.score) {
    return metric.scores->why_not;
  }
  std::string words = fmt::format("{} {}", metric.name, ToldText(metric, *score.score));
  if (score.error) {
    words += fmt::format(" ± {}", ErrorText(metric, *score.error));
  }
  if (score.chance && metric.id != kCopyEffect) {
    words += fmt::format(", chance {}", ToldText(metric, *score.chance));
  }
  if (score.control) {
    words += fmt::format(", control {}", ToldText(metric, *score.control));
  }
  const bool is_share =
      metric.is_relation || (metric.metric != nullptr && metric.metric->is_share());
  if (const auto kappa = is_share ? KappaOf(score) : std::nullopt) {
    words += fmt::format(", kappa {}", Short(std::abs(*kappa) < 0.005 ? 0.0 : *kappa));
  }
  return score.rows == 0 ? words : words + "; " + CountedCases(metric, score.rows);
}

bool HasMoreSentences(const HeadScanReport& report) {
  return report.probe.kind == ProbeKind::kBundled && report.sentences &&
         report.sentences->report.about.sequences < report.all_sentences;
}

}  // namespace headscope
