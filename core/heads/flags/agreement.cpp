#include "core/heads/flags/agreement.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/base/counted.h"
#include "core/base/digits.h"

namespace headscope {

Kappa CohensKappa(std::span<const std::string> first, std::span<const std::string> second) {
  HEADSCOPE_CHECK(first.size() == second.size(), "two sides speak of the same heads");
  Kappa result;
  result.heads = std::ssize(first);
  if (first.empty()) {
    result.why_not = "There are no heads to compare.";
    return result;
  }
  std::set<std::string> said(first.begin(), first.end());
  said.insert(second.begin(), second.end());
  result.said.assign(said.begin(), said.end());
  const std::size_t count = result.said.size();
  result.table.resize(count * count);
  const auto place = [&result](const std::string& word) {
    return static_cast<std::size_t>(std::ranges::lower_bound(result.said, word) -
                                    result.said.begin());
  };
  for (std::size_t i = 0; i < first.size(); ++i) {
    ++result.table[place(first[i]) * count + place(second[i])];
  }
  const auto n = static_cast<double>(first.size());
  const auto share = [&](std::size_t i, std::size_t j) {
    return static_cast<double>(result.table[i * count + j]) / n;
  };
  std::vector<double> rows(count);
  std::vector<double> columns(count);
  for (std::size_t i = 0; i < count; ++i) {
    result.alike += result.table[i * count + i];
    for (std::size_t j = 0; j < count; ++j) {
      rows[i] += share(i, j);
      columns[j] += share(i, j);
    }
  }
  result.observed = static_cast<double>(result.alike) / n;
  for (std::size_t i = 0; i < count; ++i) {
    result.chance += rows[i] * columns[i];
  }
  if (count == 1) {
    result.chance = 1.0;
    result.why_not = "Both say the same of every head, so that chance alone would agree as much.";
    return result;
  }
  const double kappa = (result.observed - result.chance) / (1.0 - result.chance);
  double a = 0.0;
  double b = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    const double own = 1.0 - (rows[i] + columns[i]) * (1.0 - kappa);
    a += share(i, i) * own * own;
    for (std::size_t j = 0; j < count; ++j) {
      const double both = columns[i] + rows[j];
      b += i == j ? 0.0 : share(i, j) * both * both;
    }
  }
  b *= (1.0 - kappa) * (1.0 - kappa);
  const double c = kappa - result.chance * (1.0 - kappa);
  // Perfect agreement gives a sum of 0, which rounding may take below it.
  const double variance = std::max(0.0, a + b - c * c);
  result.kappa = kappa;
  result.error = std::sqrt(variance) / ((1.0 - result.chance) * std::sqrt(n));
  return result;
}

std::string KappaWords(const Kappa& kappa) {
  if (kappa.heads == 0) {
    return kappa.why_not;
  }
  const std::string alike = fmt::format("alike on {} of {} ({:.0f} %), by chance {:.0f} %",
                                        kappa.alike,
                                        Counted(kappa.heads, "head"),
                                        100.0 * kappa.observed,
                                        100.0 * kappa.chance);
  if (!kappa.kappa) {
    return fmt::format("no kappa: {}. {}", alike, kappa.why_not);
  }
  return fmt::format(
      "kappa {} ± {}: {}", ShareWords(*kappa.kappa), ShareWords(*kappa.error), alike);
}

}  // namespace headscope
