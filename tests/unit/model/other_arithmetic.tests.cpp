#include "core/model/other_arithmetic.h"

#include <string>
#include <vector>

#include "core/model/config.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

using test::Says;

Result<ModelDescription> Described(std::string_view id, const std::string& setting) {
  for (const Family* family : AllFamilies()) {
    if (family->id == id) {
      return ParseConfig("{" + setting + ", " + std::string(family->example).substr(1),
                         "config.json");
    }
  }
  return ModelDescription();
}

TEST_CASE("a setting that changes a family's arithmetic is refused by its key", "[model][config]") {
  for (const auto& [family, setting, key] : std::initializer_list<std::array<const char*, 3>>{
           {"bert", R"("position_embedding_type": "alibi")", "position_embedding_type"},
           {"bert", R"("position_embedding_type": "relative_key")", "position_embedding_type"},
           {"roberta",
            R"("position_embedding_type": "relative_key_query")",
            "position_embedding_type"},
           {"bert",
            R"("position_embedding_type": "alibi", "feed_forward_type": "original")",
            "feed_forward_type"},
           {"distilbert", R"("position_embedding_type": "alibi")", "position_embedding_type"},
           {"opt", R"("position_embedding_type": "rotary")", "position_embedding_type"},
           {"bert", R"("auto_map": {"AutoModel": "a.B"}, "rope_theta": 10000.0)", "rope_theta"},
           {"bert", R"("alibi_starting_size": 512)", "alibi_starting_size"},
           {"llama", R"("use_alibi": true)", "use_alibi"},
           {"gpt2", R"("alibi": true)", "alibi"},
           {"qwen2", R"("is_causal": false)", "is_causal"},
           {"bart", R"("is_causal": false)", "is_causal"},
           {"bert", R"("pruned_heads": {"0": [1]})", "pruned_heads"},
           {"llama",
            R"("per_layer_config": {"0": {"num_attention_heads": 2}})",
            "per_layer_config"},
           {"t5", R"("tie_encoder_decoder": true)", "tie_encoder_decoder"},
           {"bert",
            R"("auto_map": {"AutoModel": "a.B"}, "feed_forward_type": "geglu")",
            "feed_forward_type"},
           {"llama",
            R"("auto_map": {"AutoModel": "a.B"}, "residual_multiplier": 0.2)",
            "residual_multiplier"}}) {
    INFO(family << " with " << setting);
    const auto model = Described(family, setting);
    REQUIRE_FALSE(model);
    CHECK(model.error().code == ErrorCode::kUnsupported);
    CHECK_THAT(model.error().message, Says("config.json: \"" + std::string(key) + "\" is "));
  }
}

TEST_CASE("BERT with slopes and a gate is Jina's", "[model][config]") {
  const auto model = Described("bert",
                               R"("position_embedding_type": "alibi", "feed_forward_type": "reglu",
                   "auto_map": {"AutoModel": "jinaai/jina-bert-implementation--a.B"})");
  REQUIRE(model);
  CHECK(model->family == "jina_bert");
  CHECK_FALSE(model->position_embedding);
  CHECK(model->layer.front().activation == ActivationKind::kRelu);
  REQUIRE(model->layer.front().rule.bias != nullptr);
  // Three heads: two of two, then the first of four.
  CHECK(model->layer.front().rule.bias->slopes ==
        std::vector<float>{1.0F / 16.0F, 1.0F / 256.0F, 1.0F / 4.0F});
}

TEST_CASE("a setting that is switched off closes nothing", "[model][config]") {
  for (const auto& [family, setting] : std::initializer_list<std::pair<const char*, const char*>>{
           {"bert", R"("position_embedding_type": "absolute")"},
           {"bert", R"("position_embedding_type": null)"},
           {"llama", R"("position_embedding_type": "rope")"},
           {"llama", R"("alibi": false, "use_alibi": null, "alibi_bias_max": 0)"},
           {"llama", R"("is_causal": true)"},
           {"bert", R"("is_causal": false)"},
           {"bert", R"("pruned_heads": {}, "per_layer_config": null)"},
           {"t5", R"("tie_encoder_decoder": false)"},
           {"llama", R"("auto_map": {"AutoModel": "a.B"}, "residual_multiplier": 1.0)"},
           {"llama", R"("auto_map": {"AutoModel": "a.B"}, "rope_theta": 5000.0)"},
           {"bert", R"("rope_theta": 5000.0)"},
           {"llama", R"("residual_multiplier": 0.2)"}}) {
    INFO(family << " with " << setting);
    CHECK(Described(family, setting));
  }
}

TEST_CASE("a key that nothing asks for closes nothing", "[model][config]") {
  for (const auto& [family, setting] : std::initializer_list<std::pair<const char*, const char*>>{
           {"qwen3", R"("use_sliding_window": false, "sliding_window": NaN)"},
           {"qwen3", R"("max_window_layers": "x", "sliding_window": [])"},
           {"smollm3", R"("no_rope_layer_interval": NaN, "sliding_window": "x")"},
           {"marian", R"("decoder_vocab_size": Infinity, "pad_token_id": -1)"},
           {"bart", R"("pad_token_id": 1e400, "eos_token_id": [2, "x"])"},
           {"llama", R"("unheard_of": 1000000000000000019884624838656)"}}) {
    INFO(family << " with " << setting);
    CHECK(Described(family, setting));
  }
}

TEST_CASE("code of a model's own is said", "[model][config]") {
  CHECK(Described("llama", R"("auto_map": {"AutoTokenizer": ["a.B", null]})")->note.empty());
  CHECK(Described("llama", R"("auto_map": null)")->note.empty());
  CHECK(Described("llama", R"("auto_map": "x")")->note.empty());
  CHECK_THAT(Described("llama",
                       R"("auto_map": {"AutoConfig": "a.B",
                                       "AutoModelForCausalLM": "modeling_x.XForCausalLM"})")
                 ->note,
             Says("\"auto_map\"") && Says("\"modeling_x.XForCausalLM\"") && Says("is not run") &&
                 Says("llama"));
}

TEST_CASE("T5's two parts of its projection go before the joined key", "[model][config]") {
  const auto model = Described("t5", R"("dense_act_fn": "relu", "is_gated_act": false)");
  REQUIRE(model);
  CHECK(model->layer[0].activation == ActivationKind::kRelu);
  CHECK_FALSE(model->layer[0].mlp_gate);
}

TEST_CASE("the width of a Phi's heads is its own", "[model][config]") {
  CHECK(Described("phi", R"("head_dim": 6)")->head_dim == 6);
}

}  // namespace
}  // namespace headscope
