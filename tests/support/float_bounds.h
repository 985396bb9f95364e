// What float32 may do to a result: the bounds that tests compare with.
//
// A bound that was measured holds on the processor that it was measured on: the next one adds in
// another order, or fuses a product with its sum. These follow from the numbers that go in.
//
// Source   sums: Higham and Mary 2019 and 2020.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

namespace headscope::test {

// Half the distance of 1 to the next number: what one rounding may do to it.
inline constexpr double kUnit = 0x1p-24;         // of float32
inline constexpr double kDoubleUnit = 0x1p-53;   // of double
inline constexpr double kBfloat16Unit = 0x1p-8;  // of bfloat16, which keeps eight bits

// The error of a sum of so many products whose magnitudes add up to `size`, in any order: but for a
// chance that no test will meet, the roundings do not add up to more than (1 + sqrt(terms)) of
// them.
inline double SumBound(double size, std::int64_t terms, double unit = kUnit) {
  return (1.0 + std::sqrt(static_cast<double>(terms))) * unit * size;
}

// The same where terms are as often above as below zero: their sums on the way stay small, and six
// roundings are enough for any number of them (in 30,000 sums, one after another, of 3 to 3,000
// products of normal numbers the worst is off by 4.2).
inline double RandomSumBound(double size, std::int64_t terms, double unit = kUnit) {
  return std::min(SumBound(size, terms, unit), 6.0 * unit * size);
}

// How far the weights of a row may be from 1 together. Up to 256 weights are added in float32, more
// in double (float_kernels.cpp). How many are added side by side is the compiler's affair, and none
// may be where a build does not optimise, so they count as one after another; the inverse rounds,
// and each product.
inline double RowSumBound(std::int64_t keys) {
  const double chain = static_cast<double>(std::min<std::int64_t>(keys, 256));
  return (3.0 + std::sqrt(chain)) * kUnit;
}

// The error of a weight made of exact scores. exp is within 2e-7 of its own size (float_kernels.h),
// above and below the line, which moves a weight w by w (1 - w) of both together; what a score lies
// under the largest is rounded, which moves it by w |ln w| u; the sum is off for all of a row
// alike.
inline double SoftmaxBound(std::int64_t keys) {
  return 0.25 * 2.0 * 2e-7 + 0.37 * kUnit + RowSumBound(keys);
}

// The error of a weight whose scores are off by at most `score`: it moves by w (1 - w) times the
// difference of two errors, so by no more than half of one, and not beyond 0 or 1.
inline double WeightBound(double score, std::int64_t keys) {
  return std::min(1.0, 0.5 * score) + SoftmaxBound(keys);
}

// The greatest difference of two arrays; infinite if the sizes differ or a value is not a number.
inline double LargestDifference(std::span<const float> left, std::span<const float> right) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  if (left.size() != right.size()) {
    return kNever;
  }
  double largest = 0.0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const double difference =
        std::abs(static_cast<double>(left[i]) - static_cast<double>(right[i]));
    if (!(difference <= largest)) {
      largest = std::isnan(difference) ? kNever : difference;
    }
  }
  return largest;
}

}  // namespace headscope::test
