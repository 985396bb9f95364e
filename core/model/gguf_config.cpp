// Turns the metadata of a GGUF file into the config.json that a family reads.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/half.h"
#include "core/base/quote.h"
#include "core/model/gguf_architecture.h"
#include "core/model/gguf_model.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kBaichuan13Layers = 40;
constexpr std::int64_t kMost = std::int64_t{1} << 40U;  // the family checks the real limit

class ConfigMaker {
 public:
  ConfigMaker(const GgufFile& file, const GgufArchitecture& architecture)
      : file_(file), architecture_(architecture), json_(Json::parse(architecture.constants)) {}

  Result<std::string> Make() {
    json_["model_type"] = architecture_.model_type;
    for (const GgufSetting& setting : architecture_.settings) {
      HEADSCOPE_TRY(Copy(setting));
    }
    TakeDefaults();
    HEADSCOPE_TRY(RefuseExperts());
    HEADSCOPE_TRY(RefuseOtherAttention());
    HEADSCOPE_TRY(TakeVocabulary());
    HEADSCOPE_TRY(TakeRotary());
    HEADSCOPE_TRY(TakeWindows());
    for (const GgufPresence& presence : architecture_.presences) {
      json_[presence.config] = Has(fmt::format("blk.0.{}", presence.tensor));
    }
    HEADSCOPE_TRY(TakeRest());
    return json_.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

 private:
  [[nodiscard]] std::string Key(std::string_view key) const {
    return fmt::format("{}.{}", architecture_.id, key);
  }
  [[nodiscard]] bool Has(std::string_view tensor) const {
    return file_.weights.Find(tensor) != nullptr;
  }

  Status Copy(const GgufSetting& setting) {
    const std::string key = Key(setting.key);
    if (!setting.is_needed && !file_.metadata.Has(key)) {
      return {};
    }
    if (setting.is_whole) {
      HEADSCOPE_TRY(const auto value, file_.metadata.Integer(key, 0, kMost));
      json_[setting.config] = value;
    } else {
      HEADSCOPE_TRY(const auto value, file_.metadata.Number(key, 0.0, 1e30));
      json_[setting.config] = value;
    }
    return {};
  }

  // Returns 0 if there are no heads: the family will report it.
  [[nodiscard]] std::int64_t HeadDim() const {
    const auto heads = json_.value<std::int64_t>("num_attention_heads", 0);
    return json_.value<std::int64_t>(
        "head_dim", heads > 0 ? json_.value<std::int64_t>("hidden_size", 0) / heads : 0);
  }

  // Settings that a file may omit have the same default in every architecture, while in config.json
  // each family has its own.
  void TakeDefaults() {
    for (const GgufSetting& setting : architecture_.settings) {
      if (json_.contains(setting.config)) {
        continue;
      }
      if (setting.config == "num_key_value_heads") {
        json_[setting.config] = json_["num_attention_heads"];
      } else if (setting.config == "head_dim") {
        json_[setting.config] = HeadDim();
      } else if (setting.key == "rope.freq_base") {
        json_[setting.config] = 10'000.0;
      }
    }
  }

  Status RefuseExperts() const {
    HEADSCOPE_TRY(const auto experts, file_.metadata.Integer(Key("expert_count"), 0, kMost, 0));
    if (experts > 1 && !architecture_.has_experts) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("{}: is a mixture of {} experts, which does not open; expected a "
                              "model with one MLP in each layer",
                              file_.metadata.name(),
                              experts));
    }
    const std::string gating = Key("expert_gating_func");
    HEADSCOPE_TRY(const auto function,
                  file_.metadata.Integer(gating, 0, kMost, architecture_.expert_gate));
    if (function > 0 && function != architecture_.expert_gate) {
      return Fail(
          ErrorCode::kUnsupported,
          fmt::format("{}: {} is {}, expected {}; experts that are weighed otherwise do not "
                      "open",
                      file_.metadata.name(),
                      Quoted(gating),
                      function,
                      architecture_.expert_gate == 1 ? "1, a softmax" : "2, sigmoids"));
    }
    return {};
  }

  // Rejects attention that no architecture has, whatever key requests it.
  Status RefuseOtherAttention() const {
    const std::string causal = Key("attention.causal");
    const auto looks_back = file_.metadata.Boolean(causal, true);
    if (!architecture_.looks_ahead && looks_back && !*looks_back) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("{}: {} is false, expected true; models of this architecture that "
                              "look ahead do not open",
                              file_.metadata.name(),
                              Quoted(causal)));
    }
    for (const std::string_view setting : {"attention.max_alibi_bias",
                                           "attention.clamp_kqv",
                                           "attention.scale",
                                           "residual_scale",
                                           "embedding_scale"}) {
      if (std::ranges::find(architecture_.settings, setting, &GgufSetting::key) !=
          architecture_.settings.end()) {
        continue;  // the family reads it
      }
      const auto value = file_.metadata.Number(Key(setting), -1e30, 1e30, 0.0);
      if (value && *value != 0.0) {
        return Fail(ErrorCode::kUnsupported,
                    fmt::format("{}: {} is {}, expected none; models of this architecture with it "
                                "do not open",
                                file_.metadata.name(),
                                Quoted(Key(setting)),
                                *value));
      }
    }
    return {};
  }

  // The vocabulary has one entry per row of the table: the metadata may give fewer.
  Status TakeVocabulary() {
    constexpr const char* kTable = "token_embd.weight";
    const TensorView* table = file_.weights.Find(kTable);
    if (table == nullptr || table->shape.size() != 2) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: tensor {} is {}, expected a row for each token; does the file "
                              "hold a model, or only its vocabulary?",
                              file_.metadata.name(),
                              Quoted(kTable),
                              table == nullptr ? "missing" : ShapeText(table->shape)));
    }
    json_["vocab_size"] = table->shape[0];
    json_["tie_word_embeddings"] = !Has("output.weight");
    return {};
  }

  // Reads how many of a head's columns are rotated.
  Status TakeRotary() {
    if (architecture_.id == "gemma4") {
      return TakeRotaryByLayer();
    }
    const std::string key = Key("rope.dimension_count");
    if (!file_.metadata.Has(key) || !json_.contains("num_attention_heads") ||
        json_["num_attention_heads"] == 0) {
      return TakeScaling();
    }
    HEADSCOPE_TRY(const auto turned, file_.metadata.Integer(key, 1, kMost));
    const std::int64_t head_dim = HeadDim();
    if (!architecture_.turned_part.empty()) {
      json_[architecture_.turned_part] =
          static_cast<double>(turned) / static_cast<double>(head_dim);
    } else if (turned != head_dim) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("{}: {} is {}, expected the width of a head, which is {}",
                              file_.metadata.name(),
                              Quoted(key),
                              turned,
                              head_dim));
    }
    return TakeScaling();
  }

  Status TakeScaling() {
    const std::string old_factor = Key("rope.scale_linear");
    const bool is_old =
        file_.metadata.Has(old_factor) && !file_.metadata.Has(Key("rope.scaling.type"));
    HEADSCOPE_TRY(const auto type,
                  file_.metadata.String(Key("rope.scaling.type"), is_old ? "linear" : "none"));
    if (type == "none") {
      return {};
    }
    const auto number = [&](const std::string& key) {
      return file_.metadata.Number(key, 0.0, 1e30, 1.0);
    };
    HEADSCOPE_TRY(const auto factor, number(is_old ? old_factor : Key("rope.scaling.factor")));
    Json scaling = {{"rope_type", type}, {"factor", factor}};
    const std::string original = Key("rope.scaling.original_context_length");
    if (file_.metadata.Has(original)) {
      HEADSCOPE_TRY(const auto length, file_.metadata.Integer(original, 1, kMost));
      scaling["original_max_position_embeddings"] = length;
    }
    for (const char* beta : {"beta_fast", "beta_slow"}) {
      if (const std::string key = Key(fmt::format("rope.scaling.yarn_{}", beta));
          file_.metadata.Has(key)) {
        HEADSCOPE_TRY(const auto value, number(key));
        scaling[beta] = value;
      }
    }
    if (const std::string key = Key("rope.scaling.attn_factor");
        file_.metadata.Has(key) && type == "yarn") {
      const auto value = number(key);  // multiplied by yarn's own factor
      HEADSCOPE_TRY(value);
      scaling["attention_factor"] = *value * (1.0 + 0.1 * std::log(std::max(factor, 1.0)));
    }
    json_["rope_scaling"] = std::move(scaling);
    return {};
  }

  // Which layers have a window: every so many have none, or a list says it.
  Status TakeWindows() {
    const std::string key = Key("attention.sliding_window_pattern");
    if (!file_.metadata.Has(key)) {
      return {};
    }
    if (const auto interval = file_.metadata.Integer(key, 0, kMost)) {
      json_["sliding_window_pattern"] = *interval;
      return {};
    }
    HEADSCOPE_TRY(const auto slides, file_.metadata.Bytes(key));
    Json types = Json::array();
    for (const char one : slides) {
      types.push_back(one == '\0' ? "full_attention" : "sliding_attention");
    }
    json_["layer_types"] = std::move(types);
    return {};
  }

  // The file does not give Gemma's scale. The largest model divides by model width / heads, the
  // others by the width of a head.
  void TakeGemmaScale(std::int64_t layers_of_the_largest) {
    const bool is_largest = json_["num_hidden_layers"] == layers_of_the_largest;
    json_["query_pre_attn_scalar"] = is_largest && json_["num_attention_heads"] != 0
                                         ? json_["hidden_size"].get<std::int64_t>() /
                                               json_["num_attention_heads"].get<std::int64_t>()
                                         : HeadDim();
  }

  // Which columns of the wide heads do not turn, "rope_freqs" says (gguf_model.cpp).
  Status TakeRotaryByLayer() {
    const auto base = [&](std::string_view key, double usual) {
      return file_.metadata.Number(Key(key), 0.0, 1e30, usual);
    };
    HEADSCOPE_TRY(const auto wide, base("rope.freq_base", 1e6));
    HEADSCOPE_TRY(const auto window, base("rope.freq_base_swa", 1e4));
    json_["rope_parameters"] = {
        {"full_attention", {{"rope_type", "default"}, {"rope_theta", wide}}},
        {"sliding_attention", {{"rope_type", "default"}, {"rope_theta", window}}}};
    return {};
  }

  // A number for each layer: the file has one for all, or a list.
  Result<std::vector<std::int64_t>> OfLayers(std::string_view name) const {
    const std::string key = Key(name);
    const auto layers = json_["num_hidden_layers"].get<std::int64_t>();
    constexpr std::int64_t kMostLayers = 65'536;
    if (const auto one = file_.metadata.Integer(key, 0, kMost)) {
      return std::vector(static_cast<std::size_t>(std::min(layers, kMostLayers)), *one);
    }
    HEADSCOPE_TRY(const auto list, file_.metadata.Integers(key));
    if (std::ssize(list) != layers || layers == 0) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: {} has {} numbers, expected one for each of {} layers",
                              file_.metadata.name(),
                              Quoted(key),
                              list.size(),
                              layers));
    }
    return std::vector<std::int64_t>(list.begin(), list.end());
  }

  tl::unexpected<Error> RefuseOfLayers(std::string_view key) const {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: {} differs from layer to layer in another way than in "
                            "known models, which does not open",
                            file_.metadata.name(),
                            Quoted(Key(key))));
  }

  // Heads of keys by kind of layer; the last layers, which have none of their own, may have wider MLPs.
  Status TakeGemma4() {
    constexpr std::string_view kInner = "feed_forward_length";
    constexpr std::string_view kKeys = "attention.head_count_kv";
    HEADSCOPE_TRY(const auto inner, OfLayers(kInner));
    HEADSCOPE_TRY(const auto keys, OfLayers(kKeys));
    if (inner.empty() || !json_.contains("layer_types") ||
        json_["layer_types"].size() != inner.size()) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: {} does not say of each of {} layers whether it has a window",
                              file_.metadata.name(),
                              Quoted(Key("attention.sliding_window_pattern")),
                              inner.size()));
    }
    const std::size_t own =
        inner.size() - std::min(inner.size(), json_.value<std::size_t>("num_kv_shared_layers", 0));
    const bool is_doubled = inner.back() != inner.front();
    std::optional<std::int64_t> narrow;
    std::optional<std::int64_t> wide;
    for (std::size_t layer = 0; layer < inner.size(); ++layer) {
      const bool slides = json_["layer_types"][layer] == "sliding_attention";
      std::optional<std::int64_t>& known = slides ? narrow : wide;
      if (known && *known != keys[layer]) {
        return RefuseOfLayers(kKeys);
      }
      known = keys[layer];
      if (inner[layer] != inner.front() * (is_doubled && layer >= own ? 2 : 1)) {
        return RefuseOfLayers(kInner);
      }
      if (!slides && layer < own && !json_.contains("attention_k_eq_v")) {
        json_["attention_k_eq_v"] = !Has(fmt::format("blk.{}.attn_v.weight", layer));
      }
    }
    json_["hidden_size_per_layer_input"] =
        json_.value<std::int64_t>("hidden_size_per_layer_input", 0);
    json_["intermediate_size"] = inner.front();
    json_["use_double_wide_mlp"] = is_doubled;
    json_["num_key_value_heads"] = narrow.value_or(wide.value_or(1));
    if (wide && *wide != json_["num_key_value_heads"]) {
      if (!json_.value("attention_k_eq_v", false)) {
        return RefuseOfLayers(kKeys);
      }
      json_["num_global_key_value_heads"] = *wide;
    }
    json_["enable_moe_block"] = json_.value<std::int64_t>("num_experts", 0) > 0;
    if (const TensorView* rows = file_.weights.Find("per_layer_token_embd.weight");
        rows != nullptr && !rows->shape.empty()) {
      json_["vocab_size_per_layer_input"] = rows->shape[0];
    }
    return {};
  }

  void ShareInner(const char* inner, const char* heads, const char* each) {
    const auto count = json_[heads].get<std::int64_t>();
    json_[each] = json_[inner].get<std::int64_t>() / std::max<std::int64_t>(count, 1);
  }

  // Layers without heads of keys have no attention.
  Status TakeAttending(const char* other) {
    HEADSCOPE_TRY(const auto keys, OfLayers("attention.head_count_kv"));
    if (keys.empty()) {
      return {};  // the family will report it
    }
    Json types = Json::array();
    for (const std::int64_t heads : keys) {
      types.push_back(heads > 0 ? "full_attention" : other);
    }
    json_["num_key_value_heads"] = std::max<std::int64_t>(std::ranges::max(keys), 1);
    json_["layer_types"] = std::move(types);
    for (const std::int64_t heads : keys) {
      if (heads > 0 && json_["num_key_value_heads"] != heads) {
        return RefuseOfLayers("attention.head_count_kv");
      }
    }
    return {};
  }

  // Queries of all heads share one head of keys and values, have one each, or share one by groups.
  void TakeFalcon() {
    const std::int64_t heads = json_["num_attention_heads"];
    const std::int64_t kv_heads = json_.value("num_kv_heads", heads);
    const bool has_two_norms = json_["new_decoder_architecture"];
    json_["num_kv_heads"] = kv_heads;
    json_["multi_query"] = kv_heads == 1;
    json_["new_decoder_architecture"] = has_two_norms || (kv_heads != 1 && kv_heads != heads);
    json_["num_ln_in_parallel_attn"] = has_two_norms ? 2 : 1;
  }

  Status TakeSlopes() {
    const double most = json_.value("alibi_bias_max", 0.0);
    json_.erase("alibi_bias_max");
    constexpr double kUsual = 8.0;
    if (most != kUsual) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("{}: {} is {}, expected {}; slopes of another size do not open",
                              file_.metadata.name(),
                              Quoted(Key("attention.max_alibi_bias")),
                              most,
                              kUsual));
    }
    HEADSCOPE_TRY(const auto clip, file_.metadata.Number(Key("attention.clamp_kqv"), 0, 1e30, 0.0));
    if (const auto width = json_["d_model"].get<std::int64_t>(); width > 0) {
      HEADSCOPE_TRY(const auto inner, file_.metadata.Integer(Key("feed_forward_length"), 0, kMost));
      json_["expansion_ratio"] = inner / width;
    }
    json_["attn_config"] = {{"clip_qkv", clip}};
    return {};
  }

  // Phi 3 has factors for short and for long texts as tensors.
  Status TakeLongrope() {
    Json scaling = {{"rope_type", "longrope"}};
    for (const char* length : {"short", "long"}) {
      const std::string name = fmt::format("rope_factors_{}.weight", length);
      const TensorView* tensor = file_.weights.Find(name);
      constexpr std::int64_t kMostFactors = 65'536;
      if (tensor == nullptr) {
        return {};
      }
      if (!IsFloatingPoint(tensor->type) || ElementCount(*tensor) > kMostFactors) {
        return Fail(ErrorCode::kShape,
                    fmt::format("{}: tensor {} is {} {}, expected F32 and a number for each pair "
                                "of columns",
                                file_.metadata.name(),
                                Quoted(name),
                                Name(tensor->type),
                                ShapeText(tensor->shape)));
      }
      std::vector<float> factors(static_cast<std::size_t>(ElementCount(*tensor)));
      ConvertToFloat(*tensor, 0, factors);
      scaling[fmt::format("{}_factor", length)] = factors;
    }
    HEADSCOPE_TRY(const auto gain,
                  file_.metadata.Number(Key("rope.scaling.attn_factor"), 0.0, 1e30, 1.0));
    HEADSCOPE_TRY(const auto original,
                  file_.metadata.Integer(Key("rope.scaling.original_context_length"), 1, kMost));
    scaling["attention_factor"] = gain;
    scaling["original_max_position_embeddings"] = original;
    json_["rope_scaling"] = std::move(scaling);
    return {};
  }

  Status TakeRest() {
    const std::string_view type = architecture_.model_type;
    if (type == "gpt_neox" || type == "stablelm") {
      HEADSCOPE_TRY(const auto parallel,
                    file_.metadata.Boolean(Key("use_parallel_residual"), type == "gpt_neox"));
      json_["use_parallel_residual"] = parallel;
    } else if (type == "bert" || type == "nomic_bert" || type == "jina_bert") {
      const TensorView* types = file_.weights.Find("token_types.weight");
      // A model without them is described with one, which is removed again (gguf_model.cpp).
      json_["type_vocab_size"] = types == nullptr || types->shape.empty() ? 1 : types->shape[0];
    } else if (type == "gemma2" || type == "gemma3_text") {
      TakeGemmaScale(type == "gemma2" ? 46 : 62);
    } else if (type == "gemma4_text") {
      return TakeGemma4();
    } else if (type == "lfm2" || type == "lfm2_moe") {
      return TakeAttending("conv");
    } else if (type == "granitemoehybrid") {
      ShareInner("mamba_inner_size", "mamba_n_heads", "mamba_d_head");
      return TakeAttending("linear_attention");
    } else if (type == "qwen3_5_text" || type == "qwen3_5_moe_text") {
      ShareInner("linear_inner_size", "linear_num_value_heads", "linear_value_head_dim");
    } else if (type == "falcon") {
      TakeFalcon();
    } else if (type == "mpt") {
      return TakeSlopes();
    } else if (type == "t5") {
      json_["feed_forward_proj"] = Has("enc.blk.0.ffn_gate.weight") ? "gated-gelu" : "relu";
    } else if (type == "gpt_oss" && json_.contains("rope_scaling")) {
      json_["rope_scaling"]["truncate"] = false;  // the file does not say it
    } else if (type == "phi3") {
      return TakeLongrope();
    } else if (type == "exaone4" && !json_.contains("sliding_window")) {
      json_["sliding_window"] = nullptr;
    } else if (type == "olmo2" && json_.contains("sliding_window")) {
      json_["model_type"] = "olmo3";
    } else if (architecture_.id == "baichuan" && json_["num_hidden_layers"] == kBaichuan13Layers) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("{}: is a Baichuan of {} layers, whose positions are slopes on the "
                              "scores; expected one with rotary positions",
                              file_.metadata.name(),
                              kBaichuan13Layers));
    }
    return {};
  }

  const GgufFile& file_;
  const GgufArchitecture& architecture_;
  Json json_;
};

}  // namespace

Result<std::string> GgufConfig(const GgufFile& file) {
  HEADSCOPE_TRY(const auto architecture, FindGgufArchitecture(file.metadata));
  return ConfigMaker(file, *architecture).Make();
}

}  // namespace headscope
