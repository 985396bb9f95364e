#include "tests/reference/walk_reference.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>

#include "core/base/half.h"
#include "core/headcount/walk_parts.h"
#include "core/model/rotary.h"

namespace headscope {
namespace {

using Numbers = std::vector<double>;

std::size_t At(std::int64_t row, std::int64_t cols, std::int64_t col) {
  return static_cast<std::size_t>(row * cols + col);
}

// Multiplies rows [n, in] by columns [first, first + count) and adds the bias.
Numbers Product(const Model& model,
                const WalkNeeds::Columns& from,
                std::int64_t count,
                const Numbers& rows) {
  const ProjectionColumns columns = ReadColumns(model, *from.need, from.first, count);
  const auto n = static_cast<std::int64_t>(rows.size()) / columns.in;
  Numbers out(static_cast<std::size_t>(n * count));
  for (std::int64_t row = 0; row < n; ++row) {
    for (std::int64_t column = 0; column < count; ++column) {
      double sum = static_cast<double>(columns.bias[static_cast<std::size_t>(column)]);
      for (std::int64_t i = 0; i < columns.in; ++i) {
        sum += rows[At(row, columns.in, i)] *
               static_cast<double>(columns.weight[At(column, columns.in, i)]);
      }
      out[At(row, count, column)] = sum;
    }
  }
  return out;
}

// Norms each run of as many numbers as there are norm weights.
void NormRuns(const NormWeights& norm, Numbers* values) {
  const std::size_t width = norm.weight.size();
  for (std::size_t begin = 0; begin < values->size(); begin += width) {
    double* run = values->data() + begin;
    double mean = 0.0;
    if (norm.kind == NormKind::kLayer) {
      for (std::size_t i = 0; i < width; ++i) {
        mean += run[i] / static_cast<double>(width);
      }
    }
    double variance = 0.0;
    for (std::size_t i = 0; i < width; ++i) {
      variance += (run[i] - mean) * (run[i] - mean) / static_cast<double>(width);
    }
    const double scale = 1.0 / std::sqrt(variance + norm.epsilon);
    for (std::size_t i = 0; i < width; ++i) {
      const double bias = norm.bias.empty() ? 0.0 : static_cast<double>(norm.bias[i]);
      run[i] = (run[i] - mean) * scale * static_cast<double>(norm.weight[i]) + bias;
    }
  }
}

void Turn(const RotaryTable& table, std::int64_t heads, std::int64_t width, Numbers* values) {
  const auto pairs = static_cast<std::int64_t>(table.inverse_frequency.size());
  const auto rows = static_cast<std::int64_t>(values->size()) / (heads * width);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t head = 0; head < heads; ++head) {
      double* own = values->data() + (row * heads + head) * width;
      for (std::int64_t i = 0; i < pairs; ++i) {
        const double angle =
            static_cast<double>(row) * table.inverse_frequency[static_cast<std::size_t>(i)];
        const double cosine = table.attention_factor * std::cos(angle);
        const double sine = table.attention_factor * std::sin(angle);
        double& low = own[table.First(static_cast<std::size_t>(i))];
        double& high = *(&low + table.Distance());
        const double before = low;
        low = before * cosine - high * sine;
        high = high * cosine + before * sine;
      }
    }
  }
}

double PositionPart(const AttentionRule& rule,
                    std::int64_t head,
                    std::int64_t distance,
                    const double* query,
                    const double* key) {
  double sum = 0.0;
  if (rule.positions != nullptr) {
    const PositionVectors& positions = *rule.positions;
    const std::int64_t row = positions.RowOf(distance);
    for (std::int64_t c = 0; c < positions.head_dim; ++c) {
      sum += positions.keys.empty() ? 0.0
                                    : query[c] * static_cast<double>(positions.Key(head, row)[c]);
      sum += positions.queries.empty()
                 ? 0.0
                 : key[c] * static_cast<double>(positions.Query(head, row)[c]);
    }
  }
  return rule.scale * sum;
}

// Computes scores and weights of one head, and the values blended by them.
void AttendHead(const LayerAttention& layer, std::int64_t head, WalkReference* out) {
  const AttentionShape& shape = layer.shape();
  const AttentionRule& rule = layer.rule();
  const std::int64_t kv_head = head / (shape.heads / shape.kv_heads);
  const std::int64_t query_width = shape.heads * shape.head_dim;
  const std::int64_t key_width = shape.kv_heads * shape.head_dim;
  for (std::int64_t query = 0; query < shape.queries; ++query) {
    double* scores = out->scores.data() + At(head * shape.queries + query, shape.keys, 0);
    double* weights = out->weights.data() + At(head * shape.queries + query, shape.keys, 0);
    double largest = -std::numeric_limits<double>::infinity();
    for (std::int64_t key = 0; key < shape.keys; ++key) {
      if (!layer.Visible(query, key)) {
        scores[key] = -std::numeric_limits<double>::infinity();
        continue;
      }
      double dot = 0.0;
      for (std::int64_t c = 0; c < shape.head_dim; ++c) {
        dot += out->queries[At(query, query_width, head * shape.head_dim + c)] *
               out->keys[At(key, key_width, kv_head * shape.head_dim + c)];
      }
      double score = rule.scale * dot;
      score = rule.softcap > 0.0 ? rule.softcap * std::tanh(score / rule.softcap) : score;
      scores[key] = score + static_cast<double>(rule.Bias(head, query, key)) +
                    PositionPart(rule,
                                 head,
                                 query - key,
                                 &out->queries[At(query, query_width, head * shape.head_dim)],
                                 &out->keys[At(key, key_width, kv_head * shape.head_dim)]);
      largest = std::max(largest, scores[key]);
    }
    double sum = 0.0;
    for (std::int64_t key = 0; key < shape.keys; ++key) {
      weights[key] = std::exp(scores[key] - largest);
      sum += weights[key];
    }
    if (rule.sinks != nullptr) {
      sum += std::exp(static_cast<double>((*rule.sinks)[static_cast<std::size_t>(head)]) - largest);
    }
    for (std::int64_t key = 0; key < shape.keys; ++key) {
      weights[key] /= sum;
      for (std::int64_t c = 0; c < shape.value_dim; ++c) {
        out->concatenated[At(query, shape.heads * shape.value_dim, head * shape.value_dim + c)] +=
            weights[key] *
            out->values[At(key, shape.kv_heads * shape.value_dim, kv_head * shape.value_dim + c)];
      }
    }
  }
}

}  // namespace

std::vector<float> QueryInput(const Model& model, const LayerAttention& layer) {
  std::vector<float> rows = layer.content().projection_input;
  if (const auto& positions = StackOf(model.description(), layer.part()).layer_positions) {
    std::vector<float> table(rows.size());
    ConvertToFloat(*model.weights().Find(positions->name), 0, table);
    std::transform(rows.begin(), rows.end(), table.begin(), rows.begin(), std::plus<>());
  }
  return rows;
}

WalkReference WalkInDouble(const Model& model, const LayerAttention& layer) {
  const StackDescription& stack = StackOf(model.description(), layer.part());
  const LayerDescription& description = stack.layer[static_cast<std::size_t>(layer.layer())];
  const WalkNeeds needs = WalkNeeds::Of(description, stack, layer.part());
  const AttentionShape& shape = layer.shape();
  const std::vector<float>& read = layer.content().projection_input;
  const Numbers rows(read.begin(), read.end());
  WalkReference out;
  const std::vector<float> made_of = QueryInput(model, layer);
  const Numbers placed(made_of.begin(), made_of.end());
  out.queries_made = Product(model, needs.query, shape.heads * shape.head_dim, placed);
  out.keys_made = Product(model, needs.key, shape.kv_heads * shape.head_dim, placed);
  out.values = Product(model, needs.value, shape.kv_heads * shape.value_dim, rows);
  out.queries = out.queries_made;
  out.keys = out.keys_made;
  const auto turn = [&](bool is_due) {
    if (is_due && description.rotary) {
      const RotaryTable table = TableFor(stack.rotary[*description.rotary], shape.queries);
      Turn(table, shape.heads, shape.head_dim, &out.queries);
      Turn(table, shape.kv_heads, shape.head_dim, &out.keys);
    }
  };
  turn(description.is_rotated_first);
  if (description.query_norm) {
    NormRuns(ReadNorm(model, *description.query_norm), &out.queries);
  }
  if (description.key_norm) {
    NormRuns(ReadNorm(model, *description.key_norm), &out.keys);
  }
  turn(!description.is_rotated_first);
  if (const auto& growth = description.query_growth) {
    const auto width = static_cast<std::size_t>(shape.heads * shape.head_dim);
    for (std::size_t i = 0; i < out.queries.size(); ++i) {
      const double place =
          static_cast<double>(static_cast<std::int64_t>(i / width) + growth->first);
      out.queries[i] *=
          1.0 + growth->strength * std::log(1.0 + std::floor(place / growth->interval));
    }
  }
  const auto cells = static_cast<std::size_t>(shape.heads * shape.queries * shape.keys);
  out.scores.resize(cells);
  out.weights.resize(cells);
  out.concatenated.resize(static_cast<std::size_t>(shape.queries * shape.heads * shape.value_dim));
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    AttendHead(layer, head, &out);
  }
  const std::int64_t d = stack.model_dim;
  const ProjectionColumns mix = ReadColumns(model, *needs.output, 0, d);
  out.added.resize(static_cast<std::size_t>(shape.heads * shape.queries * d));
  out.output.resize(static_cast<std::size_t>(shape.queries * d));
  for (std::int64_t query = 0; query < shape.queries; ++query) {
    for (std::int64_t column = 0; column < d; ++column) {
      double& sum = out.output[At(query, d, column)];
      sum = static_cast<double>(mix.bias[static_cast<std::size_t>(column)]);
      for (std::int64_t head = 0; head < shape.heads; ++head) {
        double& added = out.added[At(head * shape.queries + query, d, column)];
        for (std::int64_t c = 0; c < shape.value_dim; ++c) {
          const std::int64_t input = head * shape.value_dim + c;
          added += out.concatenated[At(query, mix.in, input)] *
                   static_cast<double>(mix.weight[At(column, mix.in, input)]);
        }
        sum += added;
      }
    }
  }
  return out;
}

}  // namespace headscope
