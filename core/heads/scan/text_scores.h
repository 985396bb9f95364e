// Scores of all heads on one text alone: what each does there, however it does elsewhere.
//
// Shapes   as ScoreReport; no head has an error or a role from one text.
// Errors   kInput (embeddings in place of tokens), kCancelled, what the forward returns.
// Threads  the backend's.
// Cost     one forward over the text; no map is kept.
#pragma once

#include <stop_token>

#include "core/base/error.h"
#include "core/heads/scan/score_report.h"
#include "core/model/forward.h"
#include "core/text/tokenizer.h"

namespace headscope {

// `target`: what the decoder of an encoder-decoder reads, its start token first; null: heads of the
// decoder and of cross-attention have no scores. `beside` sees the same forward; null: nobody does.
[[nodiscard]] Result<ScoreReport> ScoreText(Forward* forward,
                                            const Encoding& text,
                                            const Encoding* target,
                                            const std::stop_token& stop,
                                            LayerObserver* beside = nullptr);

}  // namespace headscope
