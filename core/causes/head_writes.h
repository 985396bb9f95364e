// What a head itself writes into one row, read by the output layer: the words that it makes likelier
// and less likely, as if no later layer read it.
//
// Units    logits after the model's scale and cap, above the mean change over the vocabulary: adding
//          the same to all logits says nothing. The final norm is held at what it is for the row.
// Errors   as core/causes/logit_shares.h; kInput for a head that writes nothing into such rows.
// Threads  the backend's.
// Cost     a forward, and the vocabulary for two rows.
// Source   Elhage 2021 (direct logit attribution), over the whole vocabulary.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/heads/measure/head_name.h"
#include "core/model/forward.h"

namespace headscope {

class WordLayer;

struct MovedWord {
  std::int32_t id = 0;
  double change = 0.0;
  friend bool operator==(const MovedWord&, const MovedWord&) = default;
};

struct HeadWrites {
  std::vector<MovedWord> raised;   // the most raised first; of equals the lower id
  std::vector<MovedWord> lowered;  // the most lowered first
};

class ShareRun;

// At most `most` words of each kind. The second form is of a text that was run: no forward then.
[[nodiscard]] Result<HeadWrites> WritesOf(Forward* forward,
                                          const WordLayer& words,
                                          const ForwardInput& input,
                                          std::int64_t row,
                                          HeadIndex head,
                                          std::int64_t most,
                                          const std::stop_token& stop);

[[nodiscard]] Result<HeadWrites> WritesOf(const ModelDescription& model,
                                          const ShareRun& run,
                                          const WordLayer& words,
                                          HeadIndex head,
                                          std::int64_t most,
                                          const std::stop_token& stop);

// Whether a head writes into the rows that say words.
[[nodiscard]] bool WritesWords(const ModelDescription& model, HeadIndex head);

}  // namespace headscope
