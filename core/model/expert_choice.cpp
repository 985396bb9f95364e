#include "core/model/expert_choice.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace headscope {
namespace {

constexpr double kLeastSum = 1e-20;
constexpr double kLeftOut = -std::numeric_limits<double>::infinity();

struct Expert {
  std::size_t index = 0;
  double weight = 0.0;
};

std::vector<double> Softmax(std::span<const double> row) {
  const double largest = std::ranges::max(row);
  std::vector<double> shares;
  double whole = 0.0;
  for (const double logit : row) {
    whole += shares.emplace_back(std::exp(logit - largest));
  }
  for (double& share : shares) {
    share /= whole;
  }
  return shares;
}

std::vector<double> Scores(std::span<const double> row, RouterScore kind) {
  if (kind == RouterScore::kSoftmax) {
    return Softmax(row);
  }
  std::vector<double> scores;
  for (const double logit : row) {
    scores.push_back(1.0 / (1.0 + std::exp(-logit)));
  }
  return scores;
}

// Returns the places of the largest values, the largest first.
std::vector<std::size_t> Largest(std::span<const double> values, std::int64_t count) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t place) { return values[place]; });
  order.resize(std::min(order.size(), static_cast<std::size_t>(count)));
  return order;
}

// Rules out the experts of all groups but the best.
void LeaveOutGroups(const ExpertChoice& choice, std::vector<double>* scores) {
  const auto groups = static_cast<std::size_t>(choice.groups);
  const std::size_t size = scores->size() / groups;
  std::vector<double> sums;
  for (std::size_t group = 0; group < groups; ++group) {
    const auto own = std::span(*scores).subspan(group * size, size);
    double& sum = sums.emplace_back(0.0);
    for (const std::size_t best : Largest(own, choice.best_of_group)) {
      sum += own[best];
    }
  }
  std::vector<bool> stays(groups);
  for (const std::size_t group : Largest(sums, choice.groups_chosen)) {
    stays[group] = true;
  }
  for (std::size_t i = 0; i < scores->size(); ++i) {
    if (!stays[i / size]) {
      (*scores)[i] = kLeftOut;
    }
  }
}

std::vector<Expert> Mix(std::span<const double> row, const ExpertChoice& choice) {
  std::vector<double> left(row.begin(), row.end());
  std::vector<Expert> chosen;
  for (std::int64_t i = 0; i < std::min(choice.chosen, std::ssize(row)); ++i) {
    const std::size_t best = Largest(left, 1).front();
    double whole = 0.0;
    for (std::size_t other = 0; other < row.size(); ++other) {
      const double far = (left[best] - row[other]) / std::max(std::abs(row[other]), left[best]);
      if (far <= choice.closeness || other == best) {
        whole += std::exp(left[other] - left[best]);
      }
    }
    chosen.push_back({best, 1.0 / whole});
    left[best] = kLeftOut;
  }
  return chosen;
}

std::vector<Expert> Choose(std::span<const double> row,
                           const ExpertChoice& choice,
                           std::span<const double> correction) {
  if (choice.score == RouterScore::kSparseMixer) {
    return Mix(row, choice);
  }
  const std::vector<double> scores = Scores(row, choice.score);
  const bool is_plain = correction.empty() && choice.groups == 1;
  // Logits have the order of their scores, also where those are too small to differ.
  std::vector<double> compared =
      is_plain || choice.compares_logits ? std::vector(row.begin(), row.end()) : scores;
  for (std::size_t i = 0; i < correction.size(); ++i) {
    compared[i] += correction[i];
  }
  if (choice.groups > 1) {
    LeaveOutGroups(choice, &compared);
  }
  std::vector<Expert> chosen;
  double whole = 0.0;
  for (const std::size_t expert : Largest(compared, choice.chosen)) {
    chosen.push_back({expert, scores[expert]});
    whole += scores[expert];
  }
  for (Expert& expert : chosen) {
    expert.weight *= choice.factor /
                     (choice.is_normalised ? std::max(whole, kLeastSum) + choice.sum_offset : 1.0);
  }
  return chosen;
}

}  // namespace

std::vector<ExpertLoad> ChooseExperts(std::span<const double> logits,
                                      std::int64_t experts,
                                      const ExpertChoice& choice,
                                      std::span<const double> correction) {
  const auto count = static_cast<std::size_t>(experts);
  std::vector<ExpertLoad> loads(count);
  std::vector<double> capped(logits.begin(), logits.end());
  for (double& logit : capped) {
    logit = choice.softcap > 0.0 ? choice.softcap * std::tanh(logit / choice.softcap) : logit;
  }
  for (std::size_t token = 0; token * count < logits.size(); ++token) {
    const auto row = std::span<const double>(capped).subspan(token * count, count);
    for (const Expert& expert : Choose(row, choice, correction)) {
      if (choice.capacity > 0 && std::ssize(loads[expert.index].tokens) >= choice.capacity) {
        continue;
      }
      loads[expert.index].tokens.push_back(static_cast<std::int64_t>(token));
      loads[expert.index].weights.push_back(expert.weight);
    }
  }
  return loads;
}

}  // namespace headscope
