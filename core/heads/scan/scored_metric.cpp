#include "core/heads/scan/scored_metric.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/heads/decide/numbers.h"
#include "core/heads/measure/metric.h"
#include "core/heads/measure/word_cases.h"
#include "core/heads/probe/probe.h"
#include "core/heads/scan/roles.h"

namespace headscope {
namespace {

// Pairs of words: fewer say nothing.
constexpr std::int64_t kFewestShown = 10;
// A fixed distance other than the nearest is listed where a head keeps to it.
constexpr double kKeepsDistance = 0.25;

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

std::string AboutOf(const ScoredMetric& one) {
  const HeadNumber& number = *one.number;
  if (number.is_of_words) {
    return one.best
               ? fmt::format("best control {}",
                             ScoreText(one, one.scores->heads[*one.best].control.value_or(0.0)))
               : "";
  }
  const std::string& target = number.TargetIn(one.probe->report.about.heads.part);
  return !target.empty() ? fmt::format("on {}", target)
                         : std::string(number.brief.empty() ? number.words.about : number.brief);
}

ScoredMetric Describe(const NamedScores& scores, const ProbeScores& probe) {
  static const HeadNumber kUnknown;
  const HeadNumber* const number = FindNumber(scores.id);
  ScoredMetric one{.id = scores.id,
                   .name = number != nullptr ? number->NameOf(scores.id) : scores.id,
                   .label = number != nullptr ? number->LabelOf(scores.id) : scores.id,
                   .about = {},
                   .number = number != nullptr ? number : &kUnknown,
                   .scores = &scores,
                   .probe = &probe,
                   .best = BestOf(scores)};
  one.about = AboutOf(one);
  return one;
}

bool IsListed(const ScoredMetric& metric) {
  const HeadNumber& number = *metric.number;
  if (!metric.best) {
    const HeadMetric* const of_rows = FindMetric(metric.id);
    return number.is_awaited && !number.is_far &&
           (of_rows == nullptr || of_rows->IsOf(metric.probe->report.about.heads.part));
  }
  const HeadScore& best = metric.scores->heads[*metric.best];
  return number.is_of_words ? best.rows >= kFewestShown
                            : !number.is_far || *best.score >= kKeepsDistance;
}

std::int64_t CasesOfBest(const ScoredMetric& metric) {
  return metric.best ? metric.scores->heads[*metric.best].rows : 0;
}

// With so many digits after the point.
std::string InForm(const NumberForm& form, double value, int digits) {
  return fmt::format(fmt::runtime(form.has_plus ? "{:+.{}f}{}" : "{:.{}f}{}"),
                     form.is_percent ? 100.0 * value : value,
                     digits,
                     form.is_percent ? " %" : "");
}

}  // namespace

std::vector<ScoredMetric> ScoredMetrics(const HeadScanReport& report) {
  std::vector<ScoredMetric> all;
  for (const ProbeScores* const probe : report.Probes()) {
    for (const NamedScores& scores : probe->report.scores) {
      if (ProbeOf(report, scores.id) == probe) {
        ScoredMetric one = Describe(scores, *probe);
        if (IsListed(one)) {
          all.push_back(std::move(one));
        }
      }
    }
  }
  std::ranges::stable_sort(all, [](const ScoredMetric& a, const ScoredMetric& b) {
    return a.number->place != b.number->place ? a.number->place < b.number->place
                                              : CasesOfBest(a) > CasesOfBest(b);
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
  if (!metric->alike.empty()) {
    return std::string(metric->alike);
  }
  const auto all = AllMetrics();
  return std::ranges::find_if(all, [part](const HeadMetric& one) { return one.IsOf(part); })->id;
}

std::optional<ScoredMetric> ScoredIn(const HeadScanReport& report, std::string_view id) {
  const ProbeScores* const probe = ProbeOf(report, id);
  const NamedScores* const scores =
      probe != nullptr ? FindScores(probe->report.scores, id) : nullptr;
  return scores != nullptr ? std::optional(Describe(*scores, *probe)) : std::nullopt;
}

std::optional<HeadsOfScan> ScannedHeads(const HeadScanReport& report) {
  const auto probes = report.Probes();
  return !probes.empty() ? std::optional(probes.front()->report.about.heads) : std::nullopt;
}

std::optional<std::size_t> PlaceOf(const HeadsOfScan& heads, HeadIndex head) {
  const bool is_one = head.part == heads.part && head.layer >= 0 && head.layer < heads.layers &&
                      head.head >= 0 && head.head < heads.heads;
  return is_one ? std::optional(heads.PlaceOf(head)) : std::nullopt;
}

std::vector<std::size_t> InOrder(const ScoredMetric& metric, HeadsOrder by, bool is_ascending) {
  const std::vector<HeadScore>& heads = metric.scores->heads;
  const auto value = [&](std::size_t head) -> std::optional<double> {
    const HeadScore& score = heads[head];
    switch (by) {
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
    return is_ascending ? *first < *second : *first > *second;
  });
  return order;
}

std::vector<std::size_t> TopHeads(const ScoredMetric& metric, std::size_t most) {
  std::vector<std::size_t> top = InOrder(metric, HeadsOrder::kScore, false);
  std::erase_if(top, [&](std::size_t head) { return !metric.scores->heads[head].score; });
  top.resize(std::min(top.size(), most));
  return top;
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
  const HeadNumber& number = *metric.number;
  if (number.scale == NumberScale::kSigned) {
    const double bound = std::max(std::abs(least), std::abs(most));
    return {.low = -bound, .high = bound, .is_signed = true, .chance = 0.0};
  }
  if (number.is_share()) {
    // Nothing that lies near chance is bright, however little the best head does.
    const double threshold = number.threshold > 0.0 ? number.threshold : 0.5;
    return {.low = mean.value_or(0.0), .high = std::max(most, threshold), .chance = {}};
  }
  if (number.group == NumberGroup::kMeasure && mean) {
    return {.low = std::min(least, *mean), .high = std::max(most, *mean), .chance = mean};
  }
  return {.low = least, .high = most, .chance = mean};
}

std::string ScoreText(const ScoredMetric& metric, double score) {
  return InForm(metric.number->form, score, metric.number->form.digits);
}

std::string ToldText(const ScoredMetric& metric, double score) {
  std::string text = ScoreText(metric, score);
  if (score == 0.0 || text.find_first_of("123456789") != std::string::npos) {
    return text;
  }
  constexpr int kMostDigits = 8;
  const NumberForm& form = metric.number->form;
  const double shown = form.is_percent ? score * 100.0 : score;
  const int first = -static_cast<int>(std::floor(std::log10(std::abs(shown))));
  return InForm(form, score, std::clamp(first + (form.is_percent ? 0 : 1), 1, kMostDigits));
}

std::string ErrorText(const ScoredMetric& metric, double error) {
  const NumberForm& form = metric.number->form;
  const double least = std::pow(10.0, -form.digits);
  const double shown = form.is_percent ? error * 100.0 : error;
  const bool is_below = shown > 0.0 && shown <= least / 2.0;
  const std::string text = fmt::format("{:.{}f}", is_below ? least : shown, form.digits);
  return (is_below ? "<" : "") + (text.starts_with("0.") ? text.substr(1) : text);
}

std::string CountedCases(const ScoredMetric& metric, std::int64_t cases) {
  return Counted(cases, metric.number->noun, metric.number->nouns);
}

std::string ScoreWords(const ScoredMetric& metric, const HeadScore& score) {
  if (!score.score) {
    return metric.scores->why_not;
  }
  std::string words = fmt::format("{} {}", metric.name, ToldText(metric, *score.score));
  if (score.error) {
    words += fmt::format(" ± {}", ErrorText(metric, *score.error));
  }
  if (score.chance && !metric.number->is_chance_zero) {
    words += fmt::format(", chance {}", ToldText(metric, *score.chance));
  }
  if (score.control) {
    words += fmt::format(", control {}", ToldText(metric, *score.control));
  }
  if (const auto kappa = metric.number->is_share() ? KappaOf(score) : std::nullopt) {
    words += fmt::format(", kappa {:.2f}", std::abs(*kappa) < 0.005 ? 0.0 : *kappa);
  }
  return score.rows == 0 ? words : words + "; " + CountedCases(metric, score.rows);
}

bool HasMoreSentences(const HeadScanReport& report) {
  return report.probe.kind == ProbeKind::kBundled && report.sentences &&
         report.sentences->report.about.sequences < report.all_sentences;
}

std::string NameOfProbe(const ChosenProbe& probe) {
  switch (probe.kind) {
    case ProbeKind::kFile:
      return probe.file.filename().string();
    case ProbeKind::kRetrieval:
      return "hidden sentences";
    case ProbeKind::kBundled:
      break;
  }
  return "the built-in texts";
}

std::string ProbeWords(const HeadScanReport& report) {
  if (report.probe.kind != ProbeKind::kBundled) {
    return fmt::format("{}: {}", NameOfProbe(report.probe), Counted(report.all_sentences, "text"));
  }
  std::string words;
  if (report.repeats) {
    const ScanAbout& about = report.repeats->report.about;
    words = fmt::format("{} repeats", about.sequences);
    if (!about.groups.empty()) {  // a file of scores does not tell
      words += fmt::format(" of {} tokens", fmt::join(about.groups, ", "));
    }
  }
  if (report.sentences) {
    const std::int64_t sentences = report.sentences->report.about.sequences;
    words += fmt::format("{}{}{}",
                         words.empty() ? "" : " · ",
                         sentences < report.all_sentences
                             ? fmt::format("{} of {} ", sentences, report.all_sentences)
                             : fmt::format("all {} ", sentences),
                         "probe sentences");
    if (LeavesOutUnknown(report.sentences->report.about.notes)) {
      words += ", those with words that the model does not know left out";
    }
  }
  if (report.settings.twins > 0) {
    words += " · " + Counted(report.settings.twins, "shuffled copy", "shuffled copies");
  }
  return words;
}

std::string SourceOf(const HeadScanReport& report, const ScoredMetric& metric) {
  const bool is_of_repeats = report.repeats && metric.probe == &*report.repeats;
  if (!is_of_repeats && report.probe.kind != ProbeKind::kBundled) {
    return NameOfProbe(report.probe);
  }
  return is_of_repeats ? "bundled repeats" : "bundled sentences";
}

}  // namespace headscope
