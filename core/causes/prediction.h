// What a model says at rows of a text: the likeliest words, the word that was there, the shares of a
// logit, and the words that the stream would say after each layer.
//
// Units    logits after the model's scale and cap; losses in nats.
// Errors   kInput (no such row, token or head), and those of the parts.
// Threads  the backend's.
// Cost     one forward, and the vocabulary for each row that is looked at.
// Source   Elhage 2021; the words after each layer: nostalgebraist 2020 ("logit lens").
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/causes/likely_words.h"
#include "core/causes/logit_shares.h"
#include "core/causes/removed_heads.h"
#include "core/model/forward.h"

namespace headscope {

struct PredictionQuestion {
  std::vector<std::int64_t> rows;
  std::int64_t top = 10;
  // The tokens that stood at masked places, which the input holds masks for; of masked models.
  std::map<std::int64_t, std::int32_t> masked = {};
  std::int64_t row = 0;  // of the shares and of the words after each layer
  std::optional<std::int32_t> id = {};
  std::optional<std::int32_t> against = {};
  std::vector<HeadIndex> by_key = {};
  bool has_shares = false;  // of `id`, or else of the likeliest token
  bool has_lens = false;
};

struct PredictedRow {
  std::int64_t row = 0;
  std::int32_t token = 0;
  std::optional<ActualWord> next;  // none: nothing says what came there
  std::vector<LikelyWord> top;
};

struct LensLayer {
  std::int64_t layer = 0;
  std::vector<LikelyWord> top;
};

struct Prediction {
  bool is_masked = false;  // rows say their own word
  std::vector<PredictedRow> rows;
  std::optional<double> loss;  // mean over the rows that have one
  std::optional<LogitShares> shares;
  std::vector<LensLayer> lens;  // of the stack with the words, of the shares' row
  double scale = 1.0;           // of logits, and their cap (0: none): after the shares
  double softcap = 0.0;
};

class WordLayer;

// For several predictions of one forward, which outlives it.
[[nodiscard]] Result<std::shared_ptr<const WordLayer>> MakeWordLayer(Forward* forward);

class PredictionRun;

// A text that was run: what its rows say, and the shares of one token's logit after another at the
// question's row, without another forward.
class PredictedText {
 public:
  // Forward and layer outlive it, `removed` the call; the tokens of the question are not used.
  [[nodiscard]] static Result<PredictedText> Run(Forward* forward,
                                                 const WordLayer& words,
                                                 const ForwardInput& input,
                                                 const PredictionQuestion& question,
                                                 RemovedHeads* removed,
                                                 const std::stop_token& stop);
  ~PredictedText();
  PredictedText(PredictedText&& other) noexcept;
  PredictedText& operator=(PredictedText&& other) = delete;

  [[nodiscard]] const Prediction& said() const& { return said_; }  // without shares
  [[nodiscard]] Prediction said() && { return std::move(said_); }
  [[nodiscard]] const ShareRun& run() const;                           // of the shares' row
  [[nodiscard]] std::int32_t likeliest() const { return likeliest_; }  // at the shares' row
  // `id`: none: the row's likeliest. kInput: the vocabulary has no such token.
  [[nodiscard]] Result<LogitShares> Split(std::optional<std::int32_t> id,
                                          std::optional<std::int32_t> against) const;

 private:
  PredictedText(const WordLayer& words, std::unique_ptr<PredictionRun> run);

  const WordLayer* words_;
  std::unique_ptr<PredictionRun> run_;
  Prediction said_;
  std::int32_t likeliest_ = 0;
};

// `input` has its target, if the model has a decoder; `removed` may be null.
[[nodiscard]] Result<Prediction> Predict(Forward* forward,
                                         const ForwardInput& input,
                                         const PredictionQuestion& question,
                                         RemovedHeads* removed,
                                         const std::stop_token& stop);
[[nodiscard]] Result<Prediction> Predict(Forward* forward,
                                         const WordLayer& words,
                                         const ForwardInput& input,
                                         const PredictionQuestion& question,
                                         RemovedHeads* removed,
                                         const std::stop_token& stop);

}  // namespace headscope
