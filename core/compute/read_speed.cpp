#include "core/compute/read_speed.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <new>
#include <omp.h>

#include <fmt/format.h>

#include "core/compute/float_buffer.h"
#include "core/compute/thread_team.h"

namespace headscope {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 28;  // more than caches hold
constexpr std::int64_t kPiece = std::int64_t{1} << 16;      // bytes

// Several independent sums, so that none waits for the previous one.
std::uint64_t SumOfPiece(const float* cells) {
  constexpr std::size_t kSums = 4;
  std::uint64_t words[kSums] = {};
  std::uint64_t sums[kSums] = {};
  const char* from = reinterpret_cast<const char*>(cells);
  for (std::int64_t at = 0; at < kPiece; at += static_cast<std::int64_t>(sizeof words)) {
    std::memcpy(words, from + at, sizeof words);
    for (std::size_t i = 0; i < kSums; ++i) {
      sums[i] += words[i];
    }
  }
  return sums[0] + sums[1] + sums[2] + sums[3];
}

std::uint64_t SumOf(const float* cells, std::int64_t pieces) {
  std::uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum) default(none) shared(cells, pieces)
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    sum += SumOfPiece(cells + piece * (kPiece / static_cast<std::int64_t>(sizeof(float))));
  }
  return sum;
}

}  // namespace

Result<double> MeasureReading(std::int64_t bytes, int repetitions) {
  const std::int64_t pieces = std::clamp<std::int64_t>(bytes, kPiece, kMostBytes) / kPiece;
  const std::int64_t floats = pieces * kPiece / static_cast<std::int64_t>(sizeof(float));
  static_cast<void>(UseTeamOf(0));
  try {
    const FloatBuffer buffer(static_cast<std::size_t>(floats));
    std::fill_n(buffer.data(), floats, 0.5F);
    double best = std::numeric_limits<double>::infinity();
    std::uint64_t sum = 0;
    for (int run = 0; run < repetitions; ++run) {
      const auto begin = std::chrono::steady_clock::now();
      sum += SumOf(buffer.data(), pieces);
      const std::chrono::duration<double, std::milli> elapsed =
          std::chrono::steady_clock::now() - begin;
      best = std::min(best, elapsed.count());
    }
    // Uses the sum, so that the compiler drops no read.
    return sum == 0 ? 0.0
                    : best * static_cast<double>(bytes) / static_cast<double>(pieces * kPiece);
  } catch (const std::bad_alloc&) {
    return Fail(ErrorCode::kOutOfMemory,
                fmt::format("no memory for {} bytes to read", pieces * kPiece));
  }
}

}  // namespace headscope
