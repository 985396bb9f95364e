// X-MOD: RoBERTa with a narrow MLP behind each layer's own, for each language one. A text is run in the
// default language.
//
// Source   Pfeiffer 2022; tensors as transformers' XmodModel names them, matrices [out, in].
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/model/bert_layout.h"

namespace headscope {
extern const Family kXmodFamily;
namespace {

constexpr std::array<std::string_view, 2> kXmodPrefixes = {"roberta.", ""};
constexpr std::array<std::string_view, 1> kOtherLanguages = {"adapter_modules."};

struct XmodConfig {
  std::string language;
  std::int64_t narrow = 0;
  bool is_normed_before = false;
  bool has_norm = false;        // of the adapters' own
  bool shares_norm = true;      // else the MLP's
  bool is_normed_first = true;  // before what is added to, not only before the adapter
};

// The default, or the first where none is named.
Result<std::string> ReadLanguage(const JsonObject& json) {
  HEADSCOPE_TRY(const auto list, json.Array("languages"));
  std::vector<std::string> languages;
  if (list) {
    for (const JsonValue one : *list) {
      languages.emplace_back(one.Text().value_or(""));
    }
  } else {
    languages = {"en_XX"};
  }
  HEADSCOPE_TRY(const auto chosen,
                json.String("default_language", languages.empty() ? "" : languages.front()));
  if (chosen.empty() || std::ranges::find(languages, chosen) == languages.end()) {
    return json.Refuse("default_language",
                       fmt::format("one of \"languages\": {}", fmt::join(languages, ", ")),
                       ErrorCode::kFormat);
  }
  return chosen;
}

Result<XmodConfig> ReadXmod(const JsonObject& json, std::int64_t width) {
  XmodConfig config;
  HEADSCOPE_TRY(config.language, ReadLanguage(json));
  HEADSCOPE_TRY(const auto reduction, json.Integer("adapter_reduction_factor", 1, width, 2));
  HEADSCOPE_TRY(config.is_normed_before, json.Boolean("pre_norm", false));
  HEADSCOPE_TRY(config.has_norm, json.Boolean("adapter_layer_norm", false));
  HEADSCOPE_TRY(config.shares_norm, json.Boolean("adapter_reuse_layer_norm", true));
  HEADSCOPE_TRY(config.is_normed_first, json.Boolean("ln_before_adapter", true));
  config.narrow = width / reduction;
  return config;
}

void AddAdapter(const std::string& layer_name,
                const XmodConfig& config,
                std::int64_t width,
                LayerDescription* layer) {
  const std::string name = layer_name + "output.";
  const NormNeed mlp_norm =
      config.is_normed_before ? *layer->mlp_norm.before : *layer->mlp_norm.after;
  std::optional<NormNeed> norm;
  if (config.has_norm) {
    norm = LayerNorm(name + "adapter_layer_norm", width, mlp_norm.epsilon);
  } else if (config.shares_norm) {
    norm = mlp_norm;
  }
  const std::string adapter = fmt::format("{}adapter_modules.{}.", name, config.language);
  FurtherMlp further{
      .mlp = {
          .up = Product({MatrixPart(adapter + "dense1", width, config.narrow, HasBias::kYes)}),
          .down = Product({MatrixPart(adapter + "dense2", config.narrow, width, HasBias::kYes)})}};
  layer->mlp_norm.after.reset();
  (config.is_normed_first ? layer->mlp_norm.after : further.norm.before) = norm;
  if (!config.is_normed_before) {
    further.norm.after = mlp_norm;
  }
  layer->further_mlps = {std::move(further)};
}

Result<ModelDescription> DescribeXmod(const JsonObject& json) {
  BertLayout layout{.family = kXmodFamily.id, .unread = kOtherLanguages};
  HEADSCOPE_TRY(layout.is_normed_before, json.Boolean("pre_norm", false));
  if (layout.is_normed_before) {
    layout.final_norm = "encoder.LayerNorm";
  }
  HEADSCOPE_TRY(auto model, DescribeBertLayout(json, layout));
  HEADSCOPE_TRY(CountFromPaddingToken(json, 1, &model));
  HEADSCOPE_TRY(const auto config, ReadXmod(json, model.model_dim));
  for (std::size_t layer = 0; layer < model.layer.size(); ++layer) {
    AddAdapter(
        fmt::format("encoder.layer.{}.", layer), config, model.model_dim, &model.layer[layer]);
  }
  model.note = fmt::format("The text is run in the language {}.", config.language);
  return model;
}

}  // namespace

const Family kXmodFamily = {
    .id = "xmod",
    .describe = DescribeXmod,
    .prefixes = kXmodPrefixes,
    .example = R"({"model_type": "xmod", "num_hidden_layers": 3, "num_attention_heads": 3,
                   "hidden_size": 12, "intermediate_size": 10, "max_position_embeddings": 18,
                   "languages": ["en_XX", "de_DE"], "default_language": "de_DE", "vocab_size": 11})",
};

}  // namespace headscope
