#include "core/heads/decide/stability.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "core/base/random.h"

namespace headscope {
namespace {

constexpr std::uint64_t kBootstrapSeed = 1;

// [sentence][head]: cases in which it is right.
std::vector<std::vector<std::int32_t>> RightBySentence(const RelationCases& relation,
                                                       std::size_t heads) {
  std::map<std::int64_t, std::vector<std::int32_t>> by_sentence;
  for (const PairCase* pair : relation.cases) {
    auto& right = by_sentence[pair->sentence];
    right.resize(heads, 0);
    for (std::size_t head = 0; head < heads; ++head) {
      right[head] += BitOf(pair->right, head) ? 1 : 0;
    }
  }
  std::vector<std::vector<std::int32_t>> rows;
  rows.reserve(by_sentence.size());
  for (auto& [sentence, right] : by_sentence) {
    rows.push_back(std::move(right));
  }
  return rows;
}

// A sequence's part in the decision on one head and metric.
struct Part {
  std::size_t sequence = 0;
  std::size_t group = 0;
  double rows = 0.0;
  double control_rows = 0.0;
  double mean = 0.0;
  double control = 0.0;
  double difference = 0.0;
  double above_chance = 0.0;
};

std::vector<Part> PartsFor(const KeptSequences& sequences, std::size_t metric, std::size_t head) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const auto& metrics = sequences[i]->metrics;
    const auto own = std::ranges::find(metrics, metric, &SequenceMeans::Metric::metric);
    if (own != metrics.end()) {
      const auto mean = static_cast<double>(own->score[head]);
      const auto control = static_cast<double>(own->ControlOf(head));
      const auto chance = static_cast<double>(own->ChanceOf(head));
      const bool is_place = AllMetrics()[metric].is_place;
      parts.push_back({.sequence = i,
                       .group = sequences[i]->group,
                       .rows = static_cast<double>(own->rows),
                       .control_rows = static_cast<double>(own->control_rows),
                       .mean = mean,
                       .control = control,
                       .difference = is_place ? control - chance : mean - control,
                       .above_chance = mean - chance});
    }
  }
  return parts;
}

// What a draw adds up to.
GroupSums SumsOf(std::span<const Part> parts,
                 const std::vector<std::int32_t>& drawn,
                 std::size_t groups) {
  GroupSums sums(groups);
  for (MetricSums& group : sums) {
    group.heads.resize(1);
  }
  for (const Part& part : parts) {
    const auto times = static_cast<double>(drawn[part.sequence]);
    MetricSums& group = sums[part.group];
    group.rows += static_cast<std::int64_t>(times * part.rows);
    group.control_rows += static_cast<std::int64_t>(times * part.control_rows);
    group.sequences += drawn[part.sequence];
    AddMembers({.score = times * part.mean * part.rows,
                .control = times * part.control * part.control_rows,
                .mean = times * part.mean,
                .mean_square = times * part.mean * part.mean,
                .difference = times * part.difference,
                .difference_square = times * part.difference * part.difference,
                .above_chance = times * part.above_chance,
                .above_chance_square = times * part.above_chance * part.above_chance},
               &group.heads[0]);
  }
  return sums;
}

}  // namespace

std::vector<std::vector<std::int32_t>> DrawSequences(std::span<const std::size_t> groups) {
  std::map<std::size_t, std::vector<std::size_t>> members_of;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    members_of[groups[i]].push_back(i);
  }
  std::vector<std::vector<std::int32_t>> drawn;
  RandomStream random(kBootstrapSeed);
  for (int draw = 0; draw < kBootstraps; ++draw) {
    std::vector<std::int32_t>& times = drawn.emplace_back(groups.size(), 0);
    for (const auto& [group, members] : members_of) {
      for (std::size_t i = 0; i < members.size(); ++i) {
        ++times[members[random.Below(members.size())]];
      }
    }
  }
  return drawn;
}

void AddStability(KeptSequences sequences,
                  const HeadsOfScan& heads,
                  std::int64_t tests,
                  const std::vector<double>& twin,
                  std::vector<Suggestion>* found) {
  if (sequences.empty() || found->empty()) {
    return;
  }
  std::ranges::sort(sequences, {}, [](const auto& one) { return one->place; });
  std::vector<std::size_t> group_of;
  for (const auto& one : sequences) {
    group_of.push_back(one->group);
  }
  const std::size_t groups = *std::ranges::max_element(group_of) + 1;
  const auto drawn = DrawSequences(group_of);
  const std::span<const HeadMetric> metrics = AllMetrics();
  for (Suggestion& one : *found) {
    const auto metric = static_cast<std::size_t>(FindMetric(one.metric) - metrics.data());
    const auto parts = PartsFor(sequences, metric, heads.PlaceOf(one.head));
    const auto best_twin = twin.empty() ? std::nullopt : std::optional(twin[metric]);
    int again = 0;
    for (const std::vector<std::int32_t>& draw : drawn) {
      const GroupSums sums = SumsOf(parts, draw, groups);
      again += VerdictOf(sums, metrics[metric], 0, tests, best_twin) >= one.verdict ? 1 : 0;
    }
    one.stability = static_cast<double>(again) / kBootstraps;
    one.why += fmt::format("; {} again in {:.0f} % of {} draws of the sequences",
                           one.verdict == Verdict::kStrong ? "strong" : "at least borderline",
                           100.0 * *one.stability,
                           kBootstraps);
  }
}

std::vector<double> BootstrapShares(const RelationCases& relation, std::size_t heads) {
  const auto sentences = RightBySentence(relation, heads);
  std::vector<double> shares(heads, 0.0);
  RandomStream random(kBootstrapSeed);
  for (int draw = 0; draw < kBootstraps && !sentences.empty(); ++draw) {
    std::vector<std::int64_t> right(heads, 0);
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      const auto& sentence = sentences[random.Below(sentences.size())];
      for (std::size_t head = 0; head < heads; ++head) {
        right[head] += sentence[head];
      }
    }
    const std::int64_t most = *std::ranges::max_element(right);
    const auto equals = static_cast<double>(std::ranges::count(right, most));
    for (std::size_t head = 0; head < heads; ++head) {
      shares[head] += right[head] == most ? 1.0 / equals : 0.0;
    }
  }
  for (double& share : shares) {
    share /= kBootstraps;
  }
  return shares;
}

}  // namespace headscope
