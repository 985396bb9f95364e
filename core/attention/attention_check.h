// Checks attention from a file: finds values that attention should not have, and what it leaves
// out.
//
// Units    rows should sum to 1 within RowTolerance of their stored type.
// Errors   kCancelled.
// Threads  heads go to OpenMP's threads.
// Cost     one pass over every weight, a few hundred kilobytes at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/attention/attention_tensors.h"
#include "core/base/error.h"

namespace headscope {

// The place where a fault was first seen, or is worst.
struct FaultPlace {
  std::int64_t layer = 0;  // index in the part
  std::int64_t head = 0;
  std::int64_t query = 0;
  std::int64_t key = 0;
  double value = 0.0;
};

struct Fault {
  std::int64_t count = 0;
  FaultPlace place;
};

struct PartFindings {
  std::int64_t rows = 0;
  std::int64_t maps = 0;
  Fault sums;      // rows that do not sum to 1; place of the worst, with its sum
  Fault negative;  // negative weights; place of the first
  Fault not_finite;
  Fault above_one;    // place of the largest
  Fault looks_ahead;  // maps with a weight after the diagonal; place of the first
  // For each layer: how many keys before the query its furthest weight lies, over all heads.
  std::vector<std::int64_t> reach;
};

// Returns how far a row's sum may be from 1: the error from storing the weights in that type.
[[nodiscard]] double RowTolerance(DataType type);

[[nodiscard]] Result<PartFindings> CheckPart(const GivenPart& part, const std::stop_token& stop);

// Returns a sentence for each kind of fault that was found.
[[nodiscard]] std::vector<std::string> FaultSentences(const GivenPart& part,
                                                      const PartFindings& findings);

// Names one map of a part: "L3H2", "E0H1".
[[nodiscard]] std::string GivenMapName(ModelPart part, std::int64_t layer, std::int64_t head);

}  // namespace headscope
