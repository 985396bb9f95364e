// Numbers that any language makes alike, for golden files whose inputs would be too large to keep:
// the i-th of a seed is splitmix64 of both as a double in [-1, 1), times a scale.
#pragma once

#include <cstdint>
#include <vector>

namespace headscope::test {

inline double CountedNumber(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed * 0xD1342543DE82EF95U + (index + 1) * 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  z ^= z >> 31U;
  return static_cast<double>(z >> 11U) * 0x1p-52 - 1.0;
}

inline std::vector<double> CountedNumbers(std::uint64_t seed, std::int64_t count, double scale) {
  std::vector<double> numbers;
  numbers.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    numbers.push_back(scale * CountedNumber(seed, static_cast<std::uint64_t>(i)));
  }
  return numbers;
}

}  // namespace headscope::test
