#include "core/headcount/attention_widths.h"

#include <optional>

#include "core/headcount/walk_parts.h"

namespace headscope {
namespace {

std::int64_t Elements(const TensorNeed& need) {
  std::int64_t elements = 1;
  for (const std::int64_t side : need.shape) {
    elements *= side;
  }
  return need.rows ? elements / need.shape.front() * need.rows->count : elements;
}

// The matrix that holds the columns of a product from `first` on; null: there is none.
const LinearNeed::Matrix* MatrixAt(const LinearNeed& need, std::int64_t first) {
  for (const LinearNeed::Matrix& matrix : need.matrices) {
    const std::int64_t columns = Elements(matrix.weight) * matrix.weight.groups / need.in;
    if (first < columns) {
      return &matrix;
    }
    first -= columns;
  }
  return nullptr;
}

bool HasBiasAt(const LinearNeed& need, std::int64_t first) {
  const LinearNeed::Matrix* const matrix = MatrixAt(need, first);
  return matrix != nullptr && matrix->bias.has_value();
}

// Counts vectors of head_dim.
std::int64_t NormVectors(const std::optional<NormNeed>& norm, std::int64_t head_dim) {
  if (!norm) {
    return 0;
  }
  const std::int64_t stored = (norm->weight.name.empty() ? 0 : Elements(norm->weight)) +
                              (norm->bias ? Elements(*norm->bias) : 0);
  return stored / head_dim + std::ssize(norm->of_heads);
}

}  // namespace

std::int64_t InputsAt(const LinearNeed& need, std::int64_t first) {
  const LinearNeed::Matrix* const matrix = MatrixAt(need, first);
  return matrix != nullptr ? need.in / matrix->weight.groups : need.in;
}

LearntNumbers LearntOf(const AttentionWidths& widths) {
  const std::int64_t query = widths.heads * widths.head_dim;
  const std::int64_t key = widths.kv_heads * widths.head_dim;
  const std::int64_t value = widths.kv_heads * widths.value_dim;
  const std::int64_t context = widths.heads * widths.value_dim;
  return {.weights = query * widths.query_width + context * widths.output_width,
          .key_weights = key * widths.key_width + value * widths.value_width,
          .biases = (widths.query_bias ? query : 0) + (widths.key_bias ? key : 0) +
                    (widths.value_bias ? value : 0) +
                    (widths.output_bias ? widths.output_width : 0),
          .norms = (widths.query_norm + widths.key_norm) * widths.head_dim};
}

WidthCosts CostsOf(const AttentionWidths& widths, std::int64_t queries, std::int64_t keys) {
  const std::int64_t query = widths.heads * widths.head_dim;
  const std::int64_t key = widths.kv_heads * widths.head_dim;
  const std::int64_t value = widths.kv_heads * widths.value_dim;
  const std::int64_t context = widths.heads * widths.value_dim;
  constexpr auto kFloat = static_cast<std::int64_t>(sizeof(float));
  const LearntNumbers learnt = LearntOf(widths);
  WidthCosts costs;
  costs.parameters = learnt.All();
  costs.multiplies = learnt.Multiplies(queries, keys) + queries * keys * (query + context);
  costs.softmax_cells = widths.heads * queries * keys;
  costs.map_bytes = kFloat * costs.softmax_cells;
  costs.vector_bytes = kFloat * (queries * (query + context) + keys * (key + value));
  return costs;
}

AttentionWidths WidthsOf(const ModelDescription& model, LayerId id) {
  const StackDescription& stack = StackOf(model, id.part);
  const LayerDescription& layer = stack.layer[static_cast<std::size_t>(id.layer)];
  const HeadWidths heads = stack.WidthsOf(layer);
  const WalkNeeds needs = WalkNeeds::Of(layer, stack, id.part);
  const bool is_cross = id.part == ModelPart::kCross;  // its queries and keys have no norms
  return {.heads = stack.heads,
          .kv_heads = stack.kv_heads,
          .head_dim = heads.key,
          .value_dim = heads.value,
          .query_width = InputsAt(*needs.query.need, needs.query.first),
          .key_width = InputsAt(*needs.key.need, needs.key.first),
          .value_width = InputsAt(*needs.value.need, needs.value.first),
          .output_width = ColumnCount(*needs.output),
          .query_bias = HasBiasAt(*needs.query.need, needs.query.first),
          .key_bias = HasBiasAt(*needs.key.need, needs.key.first),
          .value_bias = HasBiasAt(*needs.value.need, needs.value.first),
          .output_bias = HasBiasAt(*needs.output, 0),
          .query_norm = is_cross ? 0 : NormVectors(layer.query_norm, heads.key),
          .key_norm = is_cross ? 0 : NormVectors(layer.key_norm, heads.key)};
}

}  // namespace headscope
