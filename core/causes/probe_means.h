// What each head writes on the mean over other texts: it stands in place of a head that is taken away.
//
// Shapes   a head's output as the layer's output projection reads it, behind a gate or norm
//          [value_dim].
// Threads  the backend's.
// Cost     a forward for each text, once; memory: a layer's row of doubles for each position.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/heads/measure/head_name.h"
#include "core/model/forward.h"

namespace headscope {

class ProbeMeans {
 public:
  static constexpr std::int64_t kMostTexts = 200;
  // Rows further on count as one position; a position that fewer texts reach has the mean of all rows.
  static constexpr std::int64_t kMostPositions = 64;
  static constexpr std::int64_t kLeastTexts = 10;

  explicit ProbeMeans(std::vector<ForwardInput> texts) : texts_(std::move(texts)) {}

  // Runs the texts that were not run yet. A run that is stopped goes on at the next call.
  [[nodiscard]] Status Run(Forward* forward,
                           const std::stop_token& stop,
                           const std::function<void(double done)>& on_part = {});
  [[nodiscard]] bool IsDone() const { return next_ == texts_.size(); }
  [[nodiscard]] std::int64_t texts() const { return std::ssize(texts_); }

  // Of done runs with at least a text: the mean over all rows [value_dim], and for each of the first
  // `rows` positions its own [rows, value_dim].
  [[nodiscard]] std::vector<float> MeanOf(HeadIndex head) const;
  [[nodiscard]] std::vector<float> MeansByPosition(HeadIndex head, std::int64_t rows) const;
  [[nodiscard]] std::vector<float> MeanAt(HeadIndex head, std::int64_t position) const;

 private:
  struct Sum {
    std::vector<double> values;  // [H value_dim]
    std::int64_t rows = 0;
  };
  struct Layer {
    std::int64_t heads = 0;
    std::vector<Sum> positions;  // kMostPositions, and one of those behind
  };
  class Reader;

  [[nodiscard]] std::vector<float> MeanOver(HeadIndex head, std::size_t from, std::size_t to) const;

  std::vector<ForwardInput> texts_;
  std::size_t next_ = 0;  // of the texts
  std::map<std::pair<ModelPart, std::int64_t>, Layer> layers_;
};

}  // namespace headscope
