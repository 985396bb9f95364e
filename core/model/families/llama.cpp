// Llama, models trained in its layout under its name (SmolLM, TinyLlama, ...), and types that only
// have a name of their own.
#include <algorithm>
#include <array>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kLlamaFamily;
namespace {

// A type that is Llama under a name of its own: what its configuration has where it says nothing.
struct LlamaKin {
  std::string_view type;
  LlamaDefaults defaults;
  bool pairs_neighbours = false;  // rotary positions turn neighbouring columns
};
const std::array<LlamaKin, 7> kLlamaKin = {{
    {.type = "llama", .defaults = {}},
    {.type = "cwm",
     .defaults = {.head_dim = 128, .positions = 131'072, .theta = 1e6, .epsilon = 1e-5}},
    {.type = "ernie4_5",
     .defaults = {.head_dim = 128,
                  .positions = 131'072,
                  .theta = 500'000.0,
                  .is_tied = true,
                  .epsilon = 1e-5},
     .pairs_neighbours = true},
    {.type = "helium",
     .defaults = {.head_dim = 128, .positions = 4096, .theta = 100'000.0, .epsilon = 1e-8},
     .pairs_neighbours = true},
    {.type = "internlm3", .defaults = {.head_dim = 128, .positions = 32'768, .epsilon = 1e-5}},
    {.type = "iquestcoder", .defaults = {.head_dim = 128, .positions = 131'072, .epsilon = 1e-5}},
    {.type = "seed_oss", .defaults = {.head_dim = 128, .positions = 524'288}},
}};

// Where biases go by other keys.
Status ReadBiases(std::string_view type, const JsonObject& json, LlamaConfig* config) {
  HEADSCOPE_TRY(ReadAttentionAndMlpBias(json, config));
  if (type == "helium") {
    config->output_bias = HasBias::kNo;
  }
  if (type == "ernie4_5") {
    HEADSCOPE_TRY(const auto bias, ReadBias(json, "use_bias", false));
    config->query_bias = bias;
    config->output_bias = bias;
    config->mlp_bias = bias;
  }
  if (type == "internlm3") {
    HEADSCOPE_TRY(const auto query_bias,
                  ReadBias(json, "qkv_bias", config->query_bias == HasBias::kYes));
    HEADSCOPE_TRY(const auto bias, ReadBias(json, "bias", config->mlp_bias == HasBias::kYes));
    config->query_bias = query_bias;
    config->output_bias = bias;
    config->mlp_bias = bias;
  }
  if (type == "seed_oss") {
    HEADSCOPE_TRY(const auto query_bias, ReadBias(json, "attention_bias", true));
    HEADSCOPE_TRY(const auto output_bias, ReadBias(json, "attention_out_bias", false));
    config->query_bias = query_bias;
    config->output_bias = output_bias;
  }
  return {};
}

Result<ModelDescription> Describe(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  const auto* kin = std::ranges::find(kLlamaKin, std::string_view(type), &LlamaKin::type);
  HEADSCOPE_TRY(auto config, ReadLlamaConfig(json, kin->defaults));
  HEADSCOPE_TRY(ReadBiases(type, json, &config));
  config.rotary.table.pairs_neighbours = kin->pairs_neighbours;
  if (type == "cwm") {
    HEADSCOPE_TRY(ReadIntervalWindows(json, 4, 8192, &config));
  }
  return DescribeLlama(kLlamaFamily.id, config);
}

}  // namespace

const Family kLlamaFamily = {
    .id = "llama",
    .other_types = "cwm ernie4_5 helium internlm3 iquestcoder seed_oss",
    .describe = Describe,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "llama", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 12, "head_dim": 4,
                   "intermediate_size": 10, "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
