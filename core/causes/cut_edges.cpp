#include "core/causes/cut_edges.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "core/compute/rows.h"

namespace headscope {
namespace {

LayerId LayerOf(const CutEdge& edge) {
  return {edge.head.part, edge.head.layer};
}

bool IsOfRow(const CutEdge& edge, HeadIndex head, std::int64_t row) {
  return edge.head == head && (!edge.row || *edge.row == row);
}

// kInput: the key is masked, so that its weight is 0 as it is.
Status CheckSeen(const CutEdge& edge, const AttentionRule& rule, std::int64_t keys) {
  const std::int64_t row = *edge.row;
  if (edge.key >= rule.FirstVisible(row) && edge.key < rule.LastVisible(row, keys)) {
    return {};
  }
  const bool is_later = rule.causal && edge.key > row + rule.offset;
  const bool is_in_window =
      rule.window == 0 || std::abs(row + rule.offset - edge.key) < rule.window;
  const std::string why =
      is_later ? std::string("no query of this layer sees a later key")
      : is_in_window
          ? fmt::format("this layer's queries see keys of their own {} tokens alone", rule.chunk)
          : fmt::format("this layer's queries see keys less than {} tokens away alone",
                        rule.window);
  return Fail(ErrorCode::kInput,
              fmt::format("{}: {} does not see key {} from query {} ({}), so its weight is 0 as it "
                          "is: cut a key that it sees",
                          EdgeName(edge),
                          HeadName(edge.head),
                          edge.key,
                          row,
                          why));
}

// Makes the outputs of the rows that have an edge less, while they are attended.
class CutRows : public AttentionObserver {
 public:
  struct Output {
    std::int64_t row = 0;
    std::int64_t head = 0;
    std::vector<float> values;  // [dv]
  };

  CutRows(const CutEdges& cuts,
          LayerId layer,
          const AttentionInput& input,
          const Backend& backend,
          AttentionObserver* observer)
      : cuts_(cuts),
        layer_(layer),
        input_(input),
        values_(ReadRows(backend, *input.values)),
        observer_(observer) {}

  [[nodiscard]] const std::vector<Output>& outputs() const { return outputs_; }

  void OnProjections(const AttentionProjections& projections) override {
    if (observer_ != nullptr) {
      observer_->OnProjections(projections);
    }
  }

  void OnBlock(const AttentionBlock& block) override {
    const std::int64_t rows = block.query_end - block.query_begin;
    for (std::int64_t head = block.head_begin; head < block.head_end; ++head) {
      for (std::int64_t row = block.query_begin; row < block.query_end; ++row) {
        const HeadIndex index{layer_.layer, head, layer_.part};
        if (cuts_.IsIn(index, row)) {
          const std::int64_t at = (head - block.head_begin) * rows + row - block.query_begin;
          AddRow(index,
                 row,
                 block.weights.subspan(static_cast<std::size_t>(at * block.keys),
                                       static_cast<std::size_t>(block.keys)));
        }
      }
    }
    if (observer_ != nullptr) {
      observer_->OnBlock(block);
    }
  }

 private:
  void AddRow(HeadIndex head, std::int64_t row, std::span<const float> weights) {
    std::vector<double> left(weights.begin(), weights.end());
    cuts_.CutRow(head, row, input_.rule.sinks != nullptr, left);
    const AttentionShape& shape = input_.shape;
    const std::int64_t of_values = head.head / (shape.heads / shape.kv_heads);
    const auto width = static_cast<std::size_t>(shape.value_dim);
    std::vector<double> sum(width);
    for (std::size_t key = 0; key < left.size(); ++key) {
      if (left[key] == 0.0) {
        continue;
      }
      const std::int64_t place = input_.text * shape.keys + static_cast<std::int64_t>(key);
      const float* const value =
          values_.data() + (place * shape.kv_heads + of_values) * shape.value_dim;
      for (std::size_t i = 0; i < width; ++i) {
        sum[i] += left[key] * static_cast<double>(value[i]);
      }
    }
    outputs_.push_back({row, head.head, {sum.begin(), sum.end()}});
  }

  const CutEdges& cuts_;
  LayerId layer_;
  const AttentionInput& input_;
  std::vector<float> values_;  // [texts keys, kv_heads dv]
  AttentionObserver* observer_;
  std::vector<Output> outputs_;
};

}  // namespace

bool CutEdges::IsIn(LayerId layer) const {
  return std::ranges::any_of(edges_, [&](const CutEdge& edge) { return LayerOf(edge) == layer; });
}

bool CutEdges::IsIn(HeadIndex head, std::int64_t row) const {
  return std::ranges::any_of(edges_, [&](const CutEdge& edge) { return IsOfRow(edge, head, row); });
}

void CutEdges::CutRow(HeadIndex head,
                      std::int64_t row,
                      bool has_sink,
                      std::span<double> weights) const {
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (const CutEdge& edge : edges_) {
    if (IsOfRow(edge, head, row)) {
      weights[static_cast<std::size_t>(edge.key)] = 0.0;
    }
  }
  const double sink = has_sink ? std::max(0.0, 1.0 - all) : 0.0;
  const double left = std::accumulate(weights.begin(), weights.end(), sink);
  if (renormalises_ && left > 0.0) {
    for (double& weight : weights) {
      weight /= left;
    }
  }
}

Status CutEdges::Attend(LayerId layer,
                        const AttentionInput& input,
                        Backend* backend,
                        AttentionObserver* observer,
                        Activations* context,
                        const std::stop_token& stop) const {
  if (context == nullptr || !IsIn(layer)) {
    return backend->Attend(input, observer, context, stop);
  }
  const AttentionShape& shape = input.shape;
  for (const CutEdge& edge : edges_) {
    const bool is_there = edge.key >= 0 && edge.key < shape.keys && edge.row.value_or(0) >= 0 &&
                          edge.row.value_or(0) < shape.queries;
    if (LayerOf(edge) == layer && !is_there) {
      return Fail(ErrorCode::kInput,
                  fmt::format("{}: the text has the rows 0 to {} and the keys 0 to {}",
                              EdgeName(edge),
                              shape.queries - 1,
                              shape.keys - 1));
    }
    if (LayerOf(edge) == layer && edge.row) {
      HEADSCOPE_TRY(CheckSeen(edge, input.rule, shape.keys));
    }
  }
  CutRows rows(*this, layer, input, *backend, observer);
  HEADSCOPE_TRY(backend->Attend(input, &rows, context, stop));
  std::vector<float> all = ReadRows(*backend, *context);
  for (const CutRows::Output& one : rows.outputs()) {
    const std::int64_t row = input.text * shape.queries + one.row;
    std::ranges::copy(one.values, all.begin() + row * context->cols() + one.head * shape.value_dim);
  }
  backend->Load(all, context);
  return {};
}

}  // namespace headscope
