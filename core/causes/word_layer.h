// The layer that turns last states into words, of any model: one that predicts the next token, a
// decoder with an encoder, or one that says the word at a masked place.
//
// Shapes   states [rows, d], behind the final norm.
// Units    logits as the model gives them, after its scale and cap, unless a name says otherwise.
// Errors   kInput if the file has none (the message says why), the backend's errors; kCancelled.
// Threads  the backend's.
// Cost     Logits: the whole output matrix once for all rows; it is prepared at the first call and
//          kept. LogitsOf: a row of the matrix for each id.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/heads/effect/column_matrix.h"
#include "core/model/forward.h"

namespace headscope {

class WordLayer {
 public:
  // The forward outlives this.
  [[nodiscard]] static Result<std::unique_ptr<WordLayer>> Make(Forward* forward);
  WordLayer(const WordLayer&) = delete;
  WordLayer& operator=(const WordLayer&) = delete;
  ~WordLayer();

  // True if a row is asked for its own word, not for the next one.
  [[nodiscard]] bool is_masked() const;
  [[nodiscard]] std::int64_t vocabulary() const;
  [[nodiscard]] double scale() const;    // of logits; 1: none
  [[nodiscard]] double softcap() const;  // 0: none

  [[nodiscard]] Result<FloatMatrix> Logits(const FloatMatrix& states,
                                           const std::stop_token& stop) const;
  // The logits of a few ids [rows, ids], in double.
  [[nodiscard]] std::vector<double> LogitsOf(const FloatMatrix& states,
                                             std::span<const std::int32_t> ids) const;

  // How the logit of an id, before the model's scale and cap, depends on one row of states if the
  // transform that some models have between is held at what it is for that row: logit = direction .
  // state + rest.
  struct Linear {
    std::vector<double> direction;  // [d]
    double rest = 0.0;
  };
  [[nodiscard]] Linear LinearOf(std::span<const float> state, std::int32_t id) const;
  // The same for the mean over the vocabulary.
  [[nodiscard]] Linear LinearOfMean(std::span<const float> state) const;

 private:
  struct Form;
  WordLayer(Forward* forward, std::unique_ptr<Form> form);
  [[nodiscard]] Linear Through(std::span<const float> state,
                               std::vector<double> direction,
                               double bias) const;
  Forward& forward_;
  std::unique_ptr<Form> form_;
};

}  // namespace headscope
