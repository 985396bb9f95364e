// What attention made elsewhere holds that attention should not, and what it leaves out.
//
// Units    rows should sum to 1 within RowTolerance of their stored type.
// Errors   kCancelled.
// Threads  any; heads go to OpenMP's threads.
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

// Where a fault was first met, or worst.
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
  Fault sums;      // rows that do not sum to 1; the worst of them, its value the sum
  Fault negative;  // weights; the first
  Fault not_finite;
  Fault above_one;    // the largest
  Fault looks_ahead;  // maps with a weight after the diagonal; the first such weight of the first
  // For each layer: how many keys before the query the furthest weight lies, in any head.
  std::vector<std::int64_t> reach;
};

// What a row's sum may be off by: what storing it in that type can do to it.
[[nodiscard]] double RowTolerance(DataType type);

[[nodiscard]] Result<PartFindings> CheckPart(const GivenPart& part, const std::stop_token& stop);

// A sentence for each kind of fault, none where there is none.
[[nodiscard]] std::vector<std::string> FaultSentences(const GivenPart& part,
                                                      const PartFindings& findings);

// "L3H2", "E0H1": one map of a part.
[[nodiscard]] std::string GivenMapName(ModelPart part, std::int64_t layer, std::int64_t head);

}  // namespace headscope
