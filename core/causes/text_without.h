// One text, run again and again with other heads taken away or edges cut. What the whole model left between its
// layers is kept, so that a run begins at the first layer that has less.
//
// Shapes   as core/attention/layer_attention.h and core/causes/text_losses.h.
// Errors   kInput (no such head, row or key), kUnsupported (Losses of a model that says words at masked places),
//          those of the forward.
// Threads  the backend's.
// Cost     Run: the layers from the first head on, once, without that layer's attention; the first run
//          of a text its first layers, too. Heads in later layers at this text's mean need the whole
//          model once. Memory: the stream before each layer and its heads' outputs, up to kMostKept
//          bytes; a larger text begins at its embeddings.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>

#include "core/attention/capture.h"
#include "core/base/error.h"
#include "core/causes/heads_off.h"
#include "core/causes/removed_heads.h"
#include "core/causes/text_losses.h"
#include "core/model/forward.h"

namespace headscope {

class ProbeMeans;
class WordLayer;

class TextWithout {
 public:
  static constexpr std::int64_t kMostKept = std::int64_t{512} << 20;

  // The forward outlives this.
  TextWithout(Forward* forward, ForwardInput input, std::int64_t most_kept = kMostKept);
  ~TextWithout();
  TextWithout(const TextWithout&) = delete;
  TextWithout& operator=(const TextWithout&) = delete;

  // What heads write on the mean over other texts, of done runs; without it, heads that stand for that
  // are kUnsupported.
  void Use(std::shared_ptr<const ProbeMeans> means);

  // Runs the text without these heads; the layers whose maps are others go to `sink`, in order.
  [[nodiscard]] Status Run(const HeadsOff& off, const LayerSink& sink, const std::stop_token& stop);
  // What the last Run says; and the whole model, which is run if it was not yet, once.
  [[nodiscard]] Result<TextLosses> Losses(const WordLayer& words, const std::stop_token& stop);
  [[nodiscard]] Result<TextLosses> WholeLosses(const WordLayer& words, const std::stop_token& stop);
  // What is said without these heads; no map is made, and the last Run stays.
  [[nodiscard]] Result<TextLosses> LossesWithout(const HeadsOff& off,
                                                 const WordLayer& words,
                                                 const std::stop_token& stop);

  // The mean loss with zero in place of one head, run once for each; none: a text of one token.
  [[nodiscard]] Result<std::optional<double>> LossWithout(HeadIndex head,
                                                          const WordLayer& words,
                                                          const std::stop_token& stop);

  // The same as changes to a run of the text from its start.
  [[nodiscard]] Result<std::unique_ptr<RemovedHeads>> Changes(const HeadsOff& off,
                                                              const std::stop_token& stop);
  // Layers that ran in the last Run.
  [[nodiscard]] std::int64_t layers_run() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
