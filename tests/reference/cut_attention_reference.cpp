#include "tests/reference/cut_attention_reference.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace headscope::test {
namespace {

std::vector<double> ReadAll(const Backend& backend, const Activations& rows) {
  std::vector<double> all(static_cast<std::size_t>(rows.rows() * rows.cols()));
  backend.ReadDouble(rows, all);
  return all;
}

double Product(const double* a, const double* b, std::int64_t count) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < count; ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

double Product(const double* a, const float* b, std::int64_t count) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < count; ++i) {
    sum += a[i] * static_cast<double>(b[i]);
  }
  return sum;
}

struct Row {
  const AttentionInput& input;
  const double* query;  // [dk]
  const double* keys;   // of the head, a key every kv_heads dk
  std::int64_t head;
  std::int64_t row;

  [[nodiscard]] double Score(std::int64_t key) const {
    const AttentionRule& rule = input.rule;
    const std::int64_t width = input.shape.head_dim;
    const double* const own = keys + key * input.shape.kv_heads * width;
    double score = rule.scale * Product(query, own, width);
    if (rule.softcap > 0.0) {
      score = rule.softcap * std::tanh(score / rule.softcap);
    }
    score += static_cast<double>(rule.Bias(head, row, key));
    if (const auto& positions = rule.positions) {
      const std::int64_t at = positions->RowOf(row + rule.offset - key);
      double product = 0.0;
      if (!positions->keys.empty()) {
        product += Product(query, positions->Key(head, at), width);
      }
      if (!positions->queries.empty()) {
        product += Product(own, positions->Query(head, at), width);
      }
      score += rule.scale * product;
    }
    return score;
  }
};

}  // namespace

Status CutAttentionReference::Attend(LayerId layer,
                                     const AttentionInput& input,
                                     Backend* backend,
                                     AttentionObserver* observer,
                                     Activations* context,
                                     const std::stop_token& stop) {
  HEADSCOPE_TRY(backend->Attend(input, observer, context, stop));
  const AttentionShape& shape = input.shape;
  const AttentionRule& rule = input.rule;
  const std::vector<double> queries = ReadAll(*backend, *input.queries);
  const std::vector<double> keys = ReadAll(*backend, *input.keys);
  const std::vector<double> values = ReadAll(*backend, *input.values);
  const std::vector<double> before = ReadAll(*backend, *context);
  std::vector<float> made(before.begin(), before.end());
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    const std::int64_t of_keys = head / (shape.heads / shape.kv_heads);
    for (std::int64_t row = 0; row < shape.queries; ++row) {
      const auto is_cut = [&](std::int64_t key) {
        return std::ranges::any_of(off_.edges, [&](const CutEdge& edge) {
          return edge.head == HeadIndex{layer.layer, head, layer.part} && edge.key == key &&
                 (!edge.row || *edge.row == row);
        });
      };
      const Row one{input,
                    queries.data() + (row * shape.heads + head) * shape.head_dim,
                    keys.data() + of_keys * shape.head_dim,
                    head,
                    row};
      double sum =
          rule.sinks == nullptr
              ? 0.0
              : std::exp(static_cast<double>((*rule.sinks)[static_cast<std::size_t>(head)]));
      std::vector<double> output(static_cast<std::size_t>(shape.value_dim));
      const std::int64_t first = rule.FirstVisible(row);
      const std::int64_t last = rule.LastVisible(row, shape.keys);
      bool has_cut = false;
      for (std::int64_t key = first; key < last; ++key) {
        has_cut = has_cut || is_cut(key);
        const double weight = std::exp(one.Score(key));
        sum += is_cut(key) && off_.renormalises ? 0.0 : weight;
        for (std::size_t i = 0; i < output.size() && !is_cut(key); ++i) {
          const std::int64_t place = (key * shape.kv_heads + of_keys) * shape.value_dim;
          output[i] += weight * values[static_cast<std::size_t>(place) + i];
        }
      }
      for (std::size_t i = 0; i < output.size() && has_cut; ++i) {
        const std::int64_t place = (row * shape.heads + head) * shape.value_dim;
        made[static_cast<std::size_t>(place) + i] =
            sum > 0.0 ? static_cast<float>(output[i] / sum) : 0.0F;
      }
    }
  }
  backend->Load(made, context);
  return {};
}

}  // namespace headscope::test
