#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/model/hooked_layout.h"

namespace headscope {
namespace {

// Adds one matrix [d, head_dim] for each head; keys and values shared by heads are named "_W_K".
void AddHeads(const std::string& attention,
              const std::string& kind,
              std::int64_t heads,
              const StackSizes& sizes,
              std::vector<LinearNeed::Matrix>* parts) {
  const auto need =
      [&](const std::string& name, std::vector<std::int64_t> shape, const RowRange& rows) {
        return TensorNeed{.name = attention + name,
                          .shape = std::move(shape),
                          .rows = rows,
                          .stand_ins = {fmt::format("{}_{}", attention, name)}};
      };
  const std::int64_t width = sizes.model_dim;
  for (std::int64_t head = 0; head < heads; ++head) {
    parts->push_back(
        {.weight = need("W_" + kind, {heads, width, sizes.head_dim}, {head * width, width}),
         .bias = need("b_" + kind, {heads, sizes.head_dim}, {head, 1})});
  }
}

// "blocks.0.mlp.", "_in": W_in and b_in.
LinearNeed::Matrix InOut(const std::string& module,
                         const char* name,
                         std::vector<std::int64_t> shape) {
  const std::int64_t out = shape.back();
  return {.weight = {fmt::format("{}W{}", module, name), std::move(shape)},
          .bias = TensorNeed{fmt::format("{}b{}", module, name), {out}}};
}

LinearNeed InOutProduct(std::int64_t in, std::vector<LinearNeed::Matrix> parts) {
  return {.layout = WeightLayout::kInOut, .in = in, .matrices = std::move(parts)};
}

}  // namespace

NormNeed HookedNorm(const HookedConfig& config,
                    const std::string& name,
                    std::int64_t width,
                    bool is_rms,
                    bool is_stored) {
  NormNeed norm{.kind = is_rms ? NormKind::kRms : NormKind::kLayer,
                .weight = {is_stored ? name + ".w" : "", {width}},
                .bias = std::nullopt,
                .epsilon = config.epsilon};
  if (is_stored && !is_rms) {
    norm.bias = TensorNeed{name + ".b", {width}};
  }
  return norm;
}

std::optional<NormNeed> UsualHookedNorm(const HookedConfig& config, const std::string& name) {
  return config.norm.empty() ? std::nullopt
                             : std::optional(HookedNorm(config,
                                                        name,
                                                        config.sizes.model_dim,
                                                        config.norm.starts_with("RMS"),
                                                        !config.norm.ends_with("Pre")));
}

LayerDescription HookedLayer(std::int64_t index, const HookedConfig& config) {
  const std::string prefix = fmt::format("blocks.{}.", index);
  const std::string attention = prefix + "attn.";
  const StackSizes& sizes = config.sizes;
  const std::int64_t width = sizes.model_dim;
  LayerDescription layer;
  layer.attention_norm.before = UsualHookedNorm(config, prefix + "ln1");
  std::vector<LinearNeed::Matrix> heads;
  AddHeads(attention, "Q", sizes.heads, sizes, &heads);
  AddHeads(attention, "K", sizes.kv_heads, sizes, &heads);
  AddHeads(attention, "V", sizes.kv_heads, sizes, &heads);
  layer.query_key_value = InOutProduct(width, std::move(heads));
  if (config.norms_heads) {
    layer.query_norm = HookedNorm(config, attention + "q_norm", sizes.head_dim, true, true);
    layer.key_norm = HookedNorm(config, attention + "k_norm", sizes.head_dim, true, true);
  }
  layer.output = InOutProduct(sizes.heads * sizes.head_dim,
                              {InOut(attention, "_O", {sizes.heads, sizes.head_dim, width})});
  layer.rule = {.scale = config.scale,
                .softcap = config.softcap,
                .causal = config.is_causal,
                .window = config.windows[static_cast<std::size_t>(index)]};
  if (config.is_scaled_by_layer) {
    layer.rule.scale /= static_cast<double>(index + 1);
  }
  if (config.is_normed_twice) {
    layer.attention_norm.inside = HookedNorm(config, prefix + "ln1_post", width, true, true);
  }
  if (!config.has_mlp) {
    return layer;
  }
  const std::string mlp = prefix + "mlp.";
  layer.is_parallel = config.is_parallel;
  layer.mlp_norm.before = UsualHookedNorm(config, prefix + "ln2");
  if (config.is_normed_twice) {
    layer.mlp_norm.inside = HookedNorm(config, prefix + "ln2_post", width, true, true);
  }
  layer.mlp_up = InOutProduct(width, {InOut(mlp, "_in", {width, sizes.inner})});
  if (config.has_gate) {  // the bias is added after the gate, and is 0 where a Llama was converted
    layer.mlp_up.matrices.front().bias.reset();
    layer.mlp_gate = InOutProduct(
        width, {{.weight = {mlp + "W_gate", {width, sizes.inner}}, .bias = std::nullopt}});
  }
  if (config.norms_activation) {
    layer.mlp_inner_norm = HookedNorm(config, mlp + "ln", sizes.inner, false, config.norm == "LN");
  }
  layer.mlp_down = InOutProduct(sizes.inner, {InOut(mlp, "_out", {sizes.inner, width})});
  layer.activation = config.activation;
  return layer;
}

}  // namespace headscope
