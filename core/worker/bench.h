// How fast this machine makes every map of a model, beside what oneDNN alone needs for the same
// products.
//
// Units    milliseconds of wall time; bytes.
// Errors   what the forward returns; kInput (a length of 0 or past the positions).
// Threads  the backend's thread.
// Source   docs/reference.md, "bench".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/compute/precision.h"
#include "core/model/forward.h"

namespace headscope {

// One token more at the end of a text that is there already.
struct Appended {
  double milliseconds = 0.0;
  double weights_ms = 0.0;  // of reading every weight that it needs once, in the same run
};

struct BenchCase {
  std::int64_t tokens = 0;
  // The first run at this length; at the first length it includes packing the weights.
  double first_ms = 0.0;
  // The runs after it: thumbnails and row statistics of all heads, as the window needs them.
  double median_ms = 0.0;
  // The best raw oneDNN primitive for each product of the same run, added up.
  double onednn_ms = 0.0;
  double share = 0.0;               // onednn_ms / median_ms
  std::int64_t resident_bytes = 0;  // of the process, after the runs
  std::int64_t map_bytes = 0;       // what whole maps of all heads would take
  // A median; none where a token sees what follows it, as all is computed again then. In a text as
  // long as the positions it is the last token that counts as the one more.
  std::optional<Appended> appended = {};
};

// Times one length on seeded random token ids, or embeddings where the model reads those;
// `precision` is that of the forward's backend.
[[nodiscard]] Result<BenchCase> BenchLength(Forward* forward,
                                            std::int64_t tokens,
                                            Precision precision = Precision::kF32);

// Resident memory of this process; 0 where the system does not say.
[[nodiscard]] std::int64_t ResidentBytes();

}  // namespace headscope
