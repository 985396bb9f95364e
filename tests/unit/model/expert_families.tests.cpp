#include <cmath>
#include <string>
#include <string_view>

#include "core/model/config.h"
#include "core/model/query_growth.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"

namespace headscope {
namespace {

// Describes a family's example as a model of `type`; `changes` count before the example's own keys.
Result<ModelDescription> DescribeExample(std::string_view family,
                                         std::string_view type,
                                         const std::string& changes = "") {
  for (const Family* one : AllFamilies()) {
    if (one->id == family) {
      const std::string own(one->example.substr(1));
      return ParseConfig("{\"model_type\": \"" + std::string(type) + "\", " + changes +
                             (changes.empty() ? "" : ", ") + own,
                         "config.json");
    }
  }
  return Fail(ErrorCode::kInput, "no such family");
}

std::string Refusal(std::string_view family, std::string_view type, const std::string& changes) {
  const auto model = DescribeExample(family, type, changes);
  REQUIRE_FALSE(model.has_value());
  return model.error().message;
}

}  // namespace

TEST_CASE("queries grow by a logarithm of whole intervals", "[model][query_growth]") {
  const QueryGrowth mistral{.strength = 0.5, .interval = 4.0};
  CHECK(mistral.At(0) == 1.0);
  CHECK(mistral.At(3) == 1.0);
  CHECK(mistral.At(4) == test::Near(1.0 + 0.5 * std::log(2.0)));
  CHECK(mistral.At(11) == test::Near(1.0 + 0.5 * std::log(3.0)));
  const QueryGrowth llama{.strength = 0.5, .interval = 4.0, .first = 1};
  CHECK(llama.At(2) == 1.0);
  CHECK(llama.At(3) == test::Near(1.0 + 0.5 * std::log(2.0)));
}

TEST_CASE("a pair of LongCat's layers shares a number and its experts", "[model][config]") {
  const auto model = DescribeExample("longcat_flash", "longcat_flash");
  REQUIRE(model);
  REQUIRE(model->layers == 4);
  CHECK(model->layer[3].output.matrices[0].weight.name == "layers.1.self_attn.1.o_proj.weight");
  CHECK(model->layer[2].mlp_up.matrices[0].weight.name == "layers.1.mlps.0.up_proj.weight");
  REQUIRE(model->layer[2].experts);
  CHECK(model->layer[2].experts->joins_next);
  CHECK(model->layer[2].experts->idle == 2);
  CHECK(model->layer[2].experts->router.matrices[0].weight.shape[0] == 5);
  CHECK(model->layer[2].experts->router.matrices[0].weight.name ==
        "layers.1.mlp.router.classifier.weight");
  CHECK_FALSE(model->layer[3].experts);
}

TEST_CASE("MiMo's layers without a window read each head of keys twice", "[model][config]") {
  const auto model = DescribeExample("mimo_v2_flash", "mimo_v2_flash");
  REQUIRE(model);
  CHECK(model->kv_heads == 2);
  CHECK(model->value_dim == 4);
  // Queries, two heads of keys, two of values.
  REQUIRE(model->layer[0].query_key_value.matrices.size() == 5);
  CHECK(model->layer[0].query_key_value.matrices[1].weight.rows->first == 0);
  CHECK(model->layer[0].query_key_value.matrices[2].weight.rows->first == 0);
  CHECK(model->layer[1].query_key_value.matrices.size() == 3);
  CHECK_FALSE(model->layer[0].sinks);
  CHECK(model->layer[1].sinks);
}

TEST_CASE("Llama 4 sees chunks where it has positions, and grows where it has none",
          "[model][config]") {
  const auto model = DescribeExample("llama4_text", "llama4_text");
  REQUIRE(model);
  CHECK(model->layer[0].rule.chunk == 4);
  CHECK(model->layer[0].rotary);
  CHECK(model->layer[0].query_norm);
  CHECK_FALSE(model->layer[0].query_growth);
  CHECK(model->layer[1].rule.chunk == 0);
  CHECK_FALSE(model->layer[1].rotary);
  CHECK_FALSE(model->layer[1].query_norm);
  REQUIRE(model->layer[1].query_growth);
  CHECK(model->layer[1].query_growth->first == 1);
  CHECK(model->layer[1].experts->weighs_input);
}

TEST_CASE("an index of keys shortens the texts that open", "[model][config]") {
  const auto model = DescribeExample("deepseek_v3", "deepseek_v32", R"("index_topk": 9)");
  REQUIRE(model);
  CHECK(model->positions == 9);
  CHECK_THAT(model->note, test::Says("9 tokens"));
}

TEST_CASE("settings of experts that contradict each other are refused by their key",
          "[model][config]") {
  CHECK_THAT(Refusal("laguna", "laguna", R"("num_attention_heads_per_layer": [4, 2, 4])"),
             test::Says("layer 1 has 2 heads") && test::Says("expected 4"));
  CHECK_THAT(Refusal("laguna", "laguna", R"("gating": "per-token")"), test::Says("\"gating\""));
  CHECK_THAT(Refusal("afmoe", "afmoe", R"("num_experts_per_tok": 4)"),
             test::Says("\"num_experts_per_tok\" is 4"));
  CHECK_THAT(Refusal("llama4_text", "llama4_text", R"("no_rope_layers": [1, 2, 0])"),
             test::Says("\"no_rope_layers\""));
  CHECK_THAT(Refusal("llama4_text", "llama4_text", R"("moe_layers": [7])"),
             test::Says("names 7") && test::Says("0 to 2"));
  CHECK_THAT(Refusal("llama4_text", "llama4_text", R"("layer_types": ["chunked_attention"])"),
             test::Says("\"layer_types\""));
  CHECK_THAT(Refusal("mimo_v2_flash", "mimo_v2_flash", R"("num_key_value_heads": 4)"),
             test::Says("4 heads share 8"));
  CHECK_THAT(Refusal("cohere", "cohere2_moe", R"("expert_selection_fn": "best")"),
             test::Says("\"best\"") && test::Says("softmax"));
  CHECK_THAT(Refusal("longcat_flash", "longcat_flash", R"("q_lora_rank": null)"),
             test::Says("\"q_lora_rank\""));
  CHECK_THAT(Refusal("switch_transformers", "switch_transformers", R"("expert_capacity": 0)"),
             test::Says("\"expert_capacity\" is 0"));
}

TEST_CASE("settings that DBRX and its kin cannot have are refused by their key",
          "[model][config]") {
  CHECK_THAT(Refusal("dbrx", "dbrx", R"("n_heads": 4, "attn_config": {"kv_n_heads": 3})"),
             test::Says("\"kv_n_heads\" is 3") && test::Says("4 heads"));
  CHECK_THAT(Refusal("dbrx", "dbrx", R"("ffn_config": {"moe_normalize_expert_weights": 2})"),
             test::Says("\"moe_normalize_expert_weights\" is 2"));
  CHECK_THAT(Refusal("dbrx", "dbrx", R"("ffn_config": {"moe_num_experts": 2, "moe_top_k": 3})"),
             test::Says("\"moe_top_k\" is 3"));
  CHECK_THAT(Refusal("apertus", "apertus", R"("hidden_act": "xielu2")"),
             test::Says("\"hidden_act\" is \"xielu2\""));
}

TEST_CASE("limits, norms of heads and what a page would say reach the description",
          "[model][config]") {
  const auto limited = DescribeExample("olmo", "olmoe", R"("num_experts": 3, "clip_qkv": 8.0)");
  REQUIRE(limited.has_value());
  CHECK(limited->layer[2].projection_limit == 8.0);
  const auto normed = DescribeExample("cohere", "cohere", R"("use_qk_norm": true)");
  REQUIRE(normed.has_value());
  const LayerDescription& layer = normed->layer[1];
  REQUIRE(layer.query_norm->of_heads.size() == 4);
  REQUIRE(layer.key_norm->of_heads.size() == 2);
  CHECK(layer.key_norm->of_heads[1].rows->first == 1);
  CHECK_FALSE(NormsHeadsTogether(*normed, 1));
  const auto page = DescribeExample("bert", "layoutlm", R"("max_2d_position_embeddings": 7)");
  REQUIRE(page.has_value());
  CHECK(page->constant_embeddings.size() == 6);
  CHECK(page->constant_embeddings.front().shape == std::vector<std::int64_t>{7, 12});
  CHECK_THAT(page->note, test::Says("places on a page"));
}

TEST_CASE("what is done to logits reaches the description", "[model][config]") {
  const auto output = [](std::string_view family, std::string_view type, const std::string& keys) {
    const auto model = DescribeExample(family, type, keys);
    REQUIRE(model.has_value());
    return std::pair(model->output_layer->scale, model->output_layer->softcap);
  };
  CHECK(output("cohere", "cohere", "") == std::pair(0.0625, 0.0));
  CHECK(output("cohere", "cohere2", R"("logit_scale": 0.25)") == std::pair(0.25, 0.0));
  CHECK(output("granite", "granite", R"("logits_scaling": 8)") == std::pair(0.125, 0.0));
  CHECK(output("granite", "hyperclovax", R"("logits_scaling": 8)") == std::pair(8.0, 0.0));
  CHECK(output("minicpm3", "minicpm3", R"("dim_model_base": 4)") == std::pair(0.25, 0.0));
  CHECK(output("gemma2", "gemma2", "") == std::pair(1.0, 30.0));
  CHECK(output("gemma2", "gemma3_text", "") == std::pair(1.0, 0.0));
  CHECK(output("gemma2", "gemma2", R"("final_logit_softcapping": null)") == std::pair(1.0, 0.0));
  CHECK(output("hunyuan_v1_dense", "nanochat", "") == std::pair(1.0, 15.0));
}

}  // namespace headscope
