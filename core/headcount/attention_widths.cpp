#include "core/headcount/attention_widths.h"

#include "core/headcount/walk_parts.h"

namespace headscope {
namespace {

// Whether the columns of a product from `first` on have a bias.
bool HasBiasAt(const LinearNeed& need, std::int64_t first) {
  for (const LinearNeed::Matrix& matrix : need.matrices) {
    std::int64_t elements = 1;
    for (const std::int64_t side : matrix.weight.shape) {
      elements *= side;
    }
    if (matrix.weight.rows) {
      elements = elements / matrix.weight.shape.front() * matrix.weight.rows->count;
    }
    const std::int64_t columns = elements / need.in;
    if (first < columns) {
      return matrix.bias.has_value();
    }
    first -= columns;
  }
  return false;
}

}  // namespace

WidthCosts CostsOf(const AttentionWidths& widths, std::int64_t queries, std::int64_t keys) {
  const std::int64_t query = widths.heads * widths.head_dim;
  const std::int64_t key = widths.kv_heads * widths.head_dim;
  const std::int64_t value = widths.kv_heads * widths.value_dim;
  const std::int64_t context = widths.heads * widths.value_dim;
  constexpr auto kFloat = static_cast<std::int64_t>(sizeof(float));
  WidthCosts costs;
  costs.parameters = query * (widths.query_width + (widths.query_bias ? 1 : 0)) +
                     key * (widths.key_width + (widths.key_bias ? 1 : 0)) +
                     value * (widths.value_width + (widths.value_bias ? 1 : 0)) +
                     widths.output_width * (context + (widths.output_bias ? 1 : 0));
  costs.multiplies = queries * query * (widths.query_width + keys) +
                     keys * (key * widths.key_width + value * widths.value_width) +
                     queries * context * (keys + widths.output_width);
  costs.softmax_cells = widths.heads * queries * keys;
  costs.map_bytes = kFloat * costs.softmax_cells;
  costs.vector_bytes = kFloat * (queries * (query + context) + keys * (key + value));
  return costs;
}

AttentionWidths WidthsOf(const ModelDescription& model, LayerId id) {
  const StackDescription& stack = StackOf(model, id.part);
  const WalkNeeds needs =
      WalkNeeds::Of(stack.layer[static_cast<std::size_t>(id.layer)], stack, id.part);
  return {.heads = stack.heads,
          .kv_heads = stack.kv_heads,
          .head_dim = stack.head_dim,
          .value_dim = stack.value_dim,
          .query_width = needs.query.need->in,
          .key_width = needs.key.need->in,
          .value_width = needs.value.need->in,
          .output_width = ColumnCount(*needs.output),
          .query_bias = HasBiasAt(*needs.query.need, needs.query.first),
          .key_bias = HasBiasAt(*needs.key.need, needs.key.first),
          .value_bias = HasBiasAt(*needs.value.need, needs.value.first),
          .output_bias = HasBiasAt(*needs.output, 0)};
}

}  // namespace headscope
