// EXAONE 3: Llama's layout under GPT-2's names.
//
// Source   LG AI Research 2024; tensors as the files on the Hub name them.
#include <array>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kExaoneFamily;
namespace {

constexpr std::array<OtherName, 9> kExaoneNames = {{
    {"embed_tokens.", "wte."},
    {"layers.", "h."},
    {"self_attn.o_proj.", "attn.attention.out_proj."},
    {"self_attn.", "attn.attention."},
    {"input_layernorm.", "ln_1."},
    {"post_attention_layernorm.", "ln_2."},
    {"gate_proj.", "c_fc_0."},
    {"up_proj.", "c_fc_1."},
    {"down_proj.", "c_proj."},
}};

Result<ModelDescription> DescribeExaone(const JsonObject& json) {
  const bool has_layers = json.Has("num_hidden_layers");
  HEADSCOPE_TRY(
      auto config,
      ReadLlamaConfig(
          json,
          {.positions = 4096,
           .theta = 500'000.0,
           .activation_key = json.Has("hidden_act") ? "hidden_act" : "activation_function",
           .epsilon_key = json.Has("rms_norm_eps") ? "rms_norm_eps" : "layer_norm_epsilon",
           .epsilon = 1e-5,
           .layers_key = has_layers ? "num_hidden_layers" : "num_layers"}));
  HEADSCOPE_TRY(ReadAttentionAndMlpBias(json, &config));
  ModelDescription model = DescribeLlama(kExaoneFamily.id, config);
  UseOtherNames(kExaoneNames, &model);
  model.final_norm->weight.name = "ln_f.weight";
  return model;
}

}  // namespace

const Family kExaoneFamily = {
    .id = "exaone",
    .describe = DescribeExaone,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "exaone", "num_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
                   "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
