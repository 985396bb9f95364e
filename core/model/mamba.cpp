#include "core/model/mamba.h"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/model/plain_blocks.h"

namespace headscope {
namespace {

// "time_step_limit" has two numbers. Infinity is written as {"__float__": "Infinity"}; older files have it
// bare, which the reader makes null.
Status ReadLimits(const JsonObject& json, std::string_view key, MambaSizes* sizes) {
  HEADSCOPE_TRY(const auto list, json.Array(key));
  if (!list) {
    return {};
  }
  const auto number = [](JsonValue value) {
    return value.is_object() || value.is_null()
               ? std::optional(std::numeric_limits<double>::infinity())
               : value.Number();
  };
  const auto least = list->size() == 2 ? number((*list)[0]) : std::nullopt;
  const auto most = list->size() == 2 ? number((*list)[1]) : std::nullopt;
  if (!least || !most || !(*least >= 0.0 && *least <= *most)) {
    return json.Refuse(key, "two numbers from 0 on, the least and the most", ErrorCode::kFormat);
  }
  sizes->least_step = *least;
  sizes->most_step = *most;
  return {};
}

NormNeed NormOfGroups(const std::string& name, const DeltaShape& shape, double epsilon) {
  const std::int64_t width = shape.values() / shape.key_heads;
  NormNeed norm = RmsNorm(shape.key_heads == 1 ? name : "", width, epsilon);
  for (std::int64_t group = 0; shape.key_heads > 1 && group < shape.key_heads; ++group) {
    norm.of_heads.push_back({.name = name + ".weight",
                             .shape = {shape.values()},
                             .rows = RowRange{group * width, width}});
  }
  return norm;
}

}  // namespace

Result<MambaSizes> ReadMamba(const JsonObject& json, const MambaKeys& keys, std::int64_t width) {
  MambaSizes sizes;
  DeltaShape& shape = sizes.shape;
  shape.corrects = false;
  HEADSCOPE_TRY(shape.heads, json.Integer(keys.heads, 1, kMaxWidth, keys.usual_heads));
  HEADSCOPE_TRY(shape.key_heads, json.Integer(keys.groups, 1, kMaxKeyHeads, keys.usual_groups));
  HEADSCOPE_TRY(shape.key_width, json.Integer(keys.state, 1, kMaxWidth, keys.usual_state));
  HEADSCOPE_TRY(sizes.taps, json.Integer(keys.taps, 1, kMaxTaps, 4));
  const auto given = json.Value(keys.head_dim);
  if (given && given->Text() != "auto") {
    HEADSCOPE_TRY(shape.value_width, json.Integer(keys.head_dim, 1, kMaxWidth));
  } else if (2 * width % shape.heads == 0) {
    shape.value_width = 2 * width / shape.heads;
  } else {
    return json.Refuse(keys.heads, fmt::format("a divisor of {}", 2 * width), ErrorCode::kFormat);
  }
  if (shape.heads % shape.key_heads != 0) {
    return json.Refuse(
        keys.groups, fmt::format("a divisor of the {} heads", shape.heads), ErrorCode::kFormat);
  }
  if (shape.columns() > kMaxInnerWidth ||
      shape.heads * shape.key_width * shape.value_width > kMaxRemembered) {
    return json.Refuse(keys.state,
                       fmt::format("at most {} numbers in all that the {} heads, {} wide, remember",
                                   kMaxRemembered,
                                   shape.heads,
                                   shape.value_width),
                       ErrorCode::kFormat);
  }
  HEADSCOPE_TRY(sizes.taps_bias, ReadBias(json, keys.taps_bias, true));
  HEADSCOPE_TRY(sizes.bias, ReadBias(json, "mamba_proj_bias", false));
  HEADSCOPE_TRY(sizes.activation, ReadActivation(json, keys.activation, "silu"));
  if (!keys.limits.empty()) {
    HEADSCOPE_TRY(ReadLimits(json, keys.limits, &sizes));
  }
  return sizes;
}

DeltaMemory MambaMemory(const std::string& prefix,
                        std::int64_t width,
                        double epsilon,
                        const MambaSizes& sizes) {
  const DeltaShape& shape = sizes.shape;
  const std::int64_t values = shape.values();
  const std::int64_t columns = shape.columns();
  const auto in = MatrixPart(prefix + "in_proj", width, values + columns + shape.heads, sizes.bias);
  DeltaMemory memory{.shape = shape,
                     .columns = Product({RowsOf(in, values, columns)}),
                     .taps = {.name = prefix + "conv1d.weight", .shape = {columns, 1, sizes.taps}},
                     .rates = Product({RowsOf(in, values + columns, shape.heads)}),
                     .fading_log = {prefix + "A_log", {shape.heads}},
                     .fading_bias = {prefix + "dt_bias", {shape.heads}},
                     .space = StateSpace{.skip = {prefix + "D", {shape.heads}},
                                         .least_step = sizes.least_step,
                                         .most_step = sizes.most_step},
                     .norm = NormOfGroups(prefix + "norm", shape, epsilon),
                     .gate = Product({RowsOf(in, 0, values)}),
                     .out = Product({MatrixPart(prefix + "out_proj", values, width, sizes.bias)}),
                     .activation = sizes.activation};
  if (sizes.taps_bias == HasBias::kYes) {
    memory.taps_bias = TensorNeed{prefix + "conv1d.bias", {columns}};
  }
  return memory;
}

}  // namespace headscope
