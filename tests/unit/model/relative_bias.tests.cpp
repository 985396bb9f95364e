#include "core/model/relative_bias.h"

#include <array>
#include <cmath>

#include "core/model/family_kit.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

// A distance, and the bucket from there to the next one.
struct Step {
  std::int64_t distance;
  std::int64_t bucket;
};

void CheckSteps(const BucketRule& rule, std::span<const Step> steps, std::int64_t end) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::int64_t last = i + 1 < steps.size() ? steps[i + 1].distance : end;
    for (std::int64_t distance = steps[i].distance; distance < last; ++distance) {
      INFO(distance);
      CHECK(BucketOf(rule, distance) == steps[i].bucket);
    }
  }
}

}  // namespace

TEST_CASE("buckets are exact nearby and grow with the distance", "[model][relative_bias]") {
  // As transformers' T5Attention._relative_position_bucket counts them.
  constexpr std::array<Step, 31> kBoth = {
      {{-178, 15}, {-90, 14}, {-63, 13}, {-45, 12}, {-31, 11}, {-22, 10}, {-15, 9}, {-11, 8},
       {-7, 7},    {-6, 6},   {-5, 5},   {-4, 4},   {-3, 3},   {-2, 2},   {-1, 1},  {0, 0},
       {1, 17},    {2, 18},   {3, 19},   {4, 20},   {5, 21},   {6, 22},   {7, 23},  {8, 24},
       {12, 25},   {16, 26},  {23, 27},  {32, 28},  {46, 29},  {64, 30},  {91, 31}}};
  CheckSteps({.buckets = 32, .max_distance = 128, .is_bidirectional = true}, kBoth, 400);
  constexpr std::array<Step, 32> kCausal = {
      {{-178, 31}, {-112, 30}, {-98, 29}, {-86, 28}, {-76, 27}, {-66, 26}, {-58, 25}, {-51, 24},
       {-45, 23},  {-39, 22},  {-34, 21}, {-30, 20}, {-26, 19}, {-23, 18}, {-20, 17}, {-18, 16},
       {-15, 15},  {-14, 14},  {-13, 13}, {-12, 12}, {-11, 11}, {-10, 10}, {-9, 9},   {-8, 8},
       {-7, 7},    {-6, 6},    {-5, 5},   {-4, 4},   {-3, 3},   {-2, 2},   {-1, 1},   {0, 0}}};
  CheckSteps({.buckets = 32, .max_distance = 128, .is_bidirectional = false}, kCausal, 400);
  constexpr std::array<Step, 7> kFew = {
      {{-63, 3}, {-5, 2}, {-1, 1}, {0, 0}, {1, 5}, {2, 6}, {6, 7}}};
  CheckSteps({.buckets = 9, .max_distance = 13, .is_bidirectional = true}, kFew, 60);
}

TEST_CASE("a relative bias is the table by distance, and the same past its span",
          "[model][relative_bias]") {
  const BucketRule rule{.buckets = 6, .max_distance = 9, .is_bidirectional = true};
  std::vector<float> table;
  for (int cell = 0; cell < 12; ++cell) {
    table.push_back(static_cast<float>(cell));
  }
  const RelativeBias bias = MakeRelativeBias(rule, 2, table);
  for (std::int64_t distance = -30; distance <= 30; ++distance) {
    for (std::int64_t head = 0; head < 2; ++head) {
      CHECK(bias.At(head, distance) == static_cast<float>(2 * BucketOf(rule, distance) + head));
    }
  }
}

TEST_CASE("slopes halve from head to head and count the distance to both sides",
          "[relative_bias]") {
  const auto bias = AlibiBias(8, 1.0);
  for (std::int64_t head = 0; head < 8; ++head) {
    const double slope = std::exp2(-static_cast<double>(head + 1));
    CHECK(static_cast<double>(bias->At(head, -3)) == -3.0 * slope);
    CHECK(static_cast<double>(bias->At(head, 3)) == -3.0 * slope);
    CHECK(bias->At(head, 0) == 0.0F);
  }
  // Twelve heads: those of eight, then every other one of sixteen.
  const auto twelve = AlibiBias(12, 1.0);
  for (std::int64_t head = 0; head < 8; ++head) {
    CHECK(twelve->At(head, -5) == bias->At(head, -5));
  }
  for (std::int64_t head = 8; head < 12; ++head) {
    const auto expected = static_cast<float>(std::exp2(-0.5 - static_cast<double>(head - 8)));
    CHECK(twelve->At(head, -1) == -expected);
  }
  CHECK(AlibiBias(8, 0.5)->At(0, -2) == -0.5F);
}

}  // namespace headscope
