// Measures how fast this machine makes every map of a model, compared with the time that oneDNN
// alone needs for the same products.
//
// Units    milliseconds of wall time; bytes.
// Errors   those of the forward; kInput (a length of 0, or more than the model has positions).
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

// One more token at the end of a text that is already there.
struct Appended {
  double milliseconds = 0.0;
  double weights_ms = 0.0;  // for reading each needed weight once, in the same run
};

// From one head of the first layer being off to the new maps of the last one; medians.
struct HeadOffTimes {
  double first_ms = 0.0;  // of a text of which no head was off yet
  double again_ms = 0.0;  // of another head of that layer after it
  double forwards = 0.0;  // first_ms over the time of a whole run just before it
};

struct BenchCase {
  std::int64_t tokens = 0;
  // The first run at this length; at the first length it includes packing the weights.
  double first_ms = 0.0;
  // The later runs: thumbnails and row statistics of all heads, as the window needs them.
  double median_ms = 0.0;
  // The sum, over all products of the run, of the fastest raw oneDNN primitive.
  double onednn_ms = 0.0;
  double share = 0.0;               // onednn_ms / median_ms
  std::int64_t resident_bytes = 0;  // of the process, after the runs
  std::int64_t map_bytes = 0;       // the size of whole maps of all heads
  // A median; none if tokens see later ones, as everything is then computed again. In a text that
  // fills all positions, the last token counts as the new one.
  std::optional<Appended> appended = {};
  std::optional<HeadOffTimes> head_off = {};  // none: of one layer, in bfloat16, or without tokens
};

// Measures one length on seeded random token ids, or on embeddings if the model reads those;
// `precision` is that of the forward's backend.
[[nodiscard]] Result<BenchCase> BenchLength(Forward* forward,
                                            std::int64_t tokens,
                                            Precision precision = Precision::kF32);

// Returns the resident memory of this process; 0 if the system does not say.
[[nodiscard]] std::int64_t ResidentBytes();

}  // namespace headscope
