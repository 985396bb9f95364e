// How far two people, or a person and the suggestions, agree about heads: Cohen's kappa.
//
// Each head is one case; what is said of it is a role, or nothing, which is a category as any other.
//   observed  p_o = share of heads of which both say the same
//   chance    p_e = sum over categories k of p1(k) p2(k), p(k) a side's own share of category k
//   kappa     (p_o - p_e) / (1 - p_e): 1 all alike, 0 as by chance, below 0 less than by chance
//   error     sqrt(A + B - C) / ((1 - p_e) sqrt(n)), with p(i,j) the share that the first calls i
//             and the second j, k = kappa,
//               A = sum_i p(i,i) (1 - (p1(i) + p2(i)) (1 - k))^2
//               B = (1 - k)^2 sum_{i != j} p(i,j) (p2(i) + p1(j))^2
//               C = (k - p_e (1 - k))^2
// Kappa does not exist where there are no heads, and where both sides say one and the same of all.
//
// Units    shares from 0 to 1.
// Source   Cohen 1960; the error: Fleiss, Cohen and Everitt 1969, equation 13.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headscope {

struct Kappa {
  std::int64_t heads = 0;
  std::int64_t alike = 0;  // of which both say the same
  double observed = 0.0;
  double chance = 0.0;
  std::optional<double> kappa;
  std::optional<double> error;
  std::string why_not;              // in a sentence, where there is no kappa
  std::vector<std::string> said;    // the categories, sorted
  std::vector<std::int64_t> table;  // [said of the first, said of the second]
};

// What each side says of each head, in one order of heads; "": nothing.
[[nodiscard]] Kappa CohensKappa(std::span<const std::string> first,
                                std::span<const std::string> second);

// "kappa .62 ± .08: alike on 120 of 144 heads (83 %), by chance 56 %"
[[nodiscard]] std::string KappaWords(const Kappa& kappa);

}  // namespace headscope
