// Turns the metadata of a GGUF file into the config.json that a family reads.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/quote.h"
#include "core/model/gguf_architecture.h"
#include "core/model/gguf_model.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

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
    TakeBiases();
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
    if (experts > 1) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("{}: is a mixture of {} experts, which does not open; expected a "
                              "model with one MLP in each layer",
                              file_.metadata.name(),
                              experts));
    }
    return {};
  }

  // Rejects attention that no architecture has, whatever key requests it.
  Status RefuseOtherAttention() const {
    const std::string causal = Key("attention.causal");
    const auto looks_back = file_.metadata.Boolean(causal, true);
    if (architecture_.id != "bert" && looks_back && !*looks_back) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("{}: {} is false, expected true; models of this architecture that "
                              "look ahead do not open",
                              file_.metadata.name(),
                              Quoted(causal)));
    }
    for (const char* setting : {"attention.max_alibi_bias",
                                "attention.clamp_kqv",
                                "attention.scale",
                                "residual_scale",
                                "embedding_scale"}) {
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
    const std::string key = Key("rope.dimension_count");
    if (!file_.metadata.Has(key) || !json_.contains("num_attention_heads") ||
        json_["num_attention_heads"] == 0) {
      return TakeScaling();
    }
    HEADSCOPE_TRY(const auto turned, file_.metadata.Integer(key, 1, kMost));
    const std::int64_t head_dim = HeadDim();
    if (architecture_.id == "gptneox" || architecture_.id == "phi2") {
      const double share = static_cast<double>(turned) / static_cast<double>(head_dim);
      json_[architecture_.id == "phi2" ? "partial_rotary_factor" : "rotary_pct"] = share;
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

  void TakeBiases() {
    if (architecture_.id == "llama" || architecture_.id == "qwen3") {
      json_["attention_bias"] = Has("blk.0.attn_q.bias");
      json_["mlp_bias"] = Has("blk.0.ffn_up.bias");
    }
  }

  Status TakeRest() {
    if (architecture_.id == "gptneox") {
      HEADSCOPE_TRY(const auto parallel,
                    file_.metadata.Boolean(Key("use_parallel_residual"), true));
      json_["use_parallel_residual"] = parallel;
    }
    if (architecture_.id == "bert") {
      const TensorView* types = file_.weights.Find("token_types.weight");
      // A model without them is described with one, which is removed again (gguf_model.cpp).
      json_["type_vocab_size"] = types == nullptr || types->shape.empty() ? 1 : types->shape[0];
    }
    if (architecture_.id == "gemma2") {
      // The file does not give the scale. The model with 46 layers divides by model width / heads,
      // the others by the width of a head.
      constexpr std::int64_t kLayersOfTheLargest = 46;
      const bool is_largest = json_["num_hidden_layers"] == kLayersOfTheLargest;
      json_["query_pre_attn_scalar"] = is_largest && json_["num_attention_heads"] != 0
                                           ? json_["hidden_size"].get<std::int64_t>() /
                                                 json_["num_attention_heads"].get<std::int64_t>()
                                           : HeadDim();
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
