// ESM C, of proteins: Llama's layout that sees both sides, with layer norms, also of all queries and all
// keys together; what each half adds is divided by a number that grows with the layers.
//
// Source   EvolutionaryScale 2024; tensors as transformers' EsmcModel names them.
#include <array>
#include <cmath>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kEsmcFamily;
namespace {

constexpr std::array<std::string_view, 2> kEsmcPrefixes = {"esmc.", ""};
constexpr double kNormEpsilon = 1e-5;  // the configuration does not say it
constexpr double kUndividedLayers = 36.0;

Result<ModelDescription> DescribeEsmc(const JsonObject& json) {
  HEADSCOPE_TRY(auto config, ReadLlamaConfig(json, {.vocabulary = 64, .epsilon_key = ""}));
  HEADSCOPE_TRY(ReadAttentionAndMlpBias(json, &config));
  // States are counted in units of what is added.
  const double divisor = std::sqrt(static_cast<double>(config.sizes.layers) / kUndividedLayers);
  config.embedding_scale = divisor;
  config.epsilon = kNormEpsilon * divisor * divisor;
  config.norm_kind = NormKind::kLayer;
  config.query_key_norm = QueryKeyNorm::kWholeWidth;
  config.is_causal = false;
  ModelDescription model = DescribeLlama(kEsmcFamily.id, config);
  model.output_layer.reset();
  model.final_norm->bias.reset();
  for (LayerDescription& layer : model.layer) {
    for (auto* norm : {&layer.query_norm, &layer.key_norm}) {
      (*norm)->bias.reset();
      (*norm)->epsilon = kNormEpsilon;
    }
  }
  return model;
}

}  // namespace

const Family kEsmcFamily = {
    .id = "esmc",
    .describe = DescribeEsmc,
    .prefixes = kEsmcPrefixes,
    .example = R"({"model_type": "esmc", "num_hidden_layers": 3, "num_attention_heads": 3,
                   "hidden_size": 12, "intermediate_size": 10, "max_position_embeddings": 16,
                   "vocab_size": 11})",
};

}  // namespace headscope
