// Eight numbers side by side, one per head: in one register if the processor has such, otherwise in
// several.
//
// Source   vectors of gcc and clang; each function is compiled for several instruction sets, and
//          what it calls is inlined into it.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/attention/lane_log.h"

namespace headscope {

inline constexpr std::int64_t kLanes = 8;

using Lanes = float __attribute__((vector_size(32)));
using LaneCounts = std::int32_t __attribute__((vector_size(32)));
using LaneBits = std::uint32_t __attribute__((vector_size(32)));
using HalfLanes = float __attribute__((vector_size(16)));
using HalfDoubles = double __attribute__((vector_size(32)));
using HalfCounts = std::int32_t __attribute__((vector_size(16)));
using HalfMask = std::int64_t __attribute__((vector_size(32)));

template <typename Vector, typename Number>
HEADSCOPE_BODY Vector LoadAs(const Number* from) {
  Vector loaded;
  std::memcpy(&loaded, from, sizeof(Vector));
  return loaded;
}

HEADSCOPE_BODY Lanes LoadLanes(const float* from) {
  return LoadAs<Lanes>(from);
}

template <typename Vector, typename Number>
HEADSCOPE_BODY void StoreLanes(Vector lanes, Number* to) {
  std::memcpy(to, &lanes, sizeof(Vector));
}

// Eight doubles: the first four heads and the other four.
struct Doubles {
  HalfDoubles low = {};
  HalfDoubles high = {};
};

HEADSCOPE_BODY Doubles InDouble(const float* from) {
  return {__builtin_convertvector(LoadAs<HalfLanes>(from), HalfDoubles),
          __builtin_convertvector(LoadAs<HalfLanes>(from + 4), HalfDoubles)};
}

HEADSCOPE_BODY Doubles LoadDoubles(const double* from) {
  return {LoadAs<HalfDoubles>(from), LoadAs<HalfDoubles>(from + 4)};
}

HEADSCOPE_BODY void AddTo(Doubles own, Doubles* sum) {
  sum->low += own.low;
  sum->high += own.high;
}

HEADSCOPE_BODY void StoreDoubles(Doubles own, double* to) {
  StoreLanes(own.low, to);
  StoreLanes(own.high, to + 4);
}

// LaneLog of each number.
HEADSCOPE_BODY Lanes LogOfLanes(Lanes x) {
  constexpr std::uint32_t kRootHalfBits = 0x3F3504F3U;
  constexpr float kLn2 = 0.693147181F;
  const auto shifted = reinterpret_cast<LaneBits>(x) - kRootHalfBits;
  const auto power = reinterpret_cast<LaneCounts>(shifted) >> 23;
  const auto f = reinterpret_cast<Lanes>((shifted & 0x007FFFFFU) + kRootHalfBits);
  const Lanes s = (f - 1.0F) / (f + 1.0F);
  const Lanes z = s * s;
  Lanes series = z * (2.0F / 9.0F) + 2.0F / 7.0F;
  series = series * z + 2.0F / 5.0F;
  series = series * z + 2.0F / 3.0F;
  series = series * z * s + 2.0F * s;
  return __builtin_convertvector(power, Lanes) * kLn2 + series;
}

}  // namespace headscope
