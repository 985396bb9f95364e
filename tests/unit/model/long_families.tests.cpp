// Families whose layers see windows, read more than words, or are laid out in another way: what of
// their config.json reaches the description, and what is refused.
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/config.h"
#include "core/model/head_widths.h"
#include "core/model/past.h"
#include "core/model/read_weights.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::Says;

std::string ExampleWith(std::string_view family, const std::string& changes) {
  for (const Family* one : AllFamilies()) {
    if (one->id == family) {
      return "{" + changes + (changes.empty() ? "" : ", ") + std::string(one->example.substr(1));
    }
  }
  return "";
}

Result<ModelDescription> Describe(std::string_view family, const std::string& changes = "") {
  return ParseConfig(ExampleWith(family, changes), "config.json");
}

std::string Refused(std::string_view family, const std::string& changes) {
  const auto model = Describe(family, changes);
  REQUIRE_FALSE(model.has_value());
  return model.error().message;
}

std::vector<std::int64_t> WindowsOf(const StackDescription& stack) {
  std::vector<std::int64_t> windows;
  for (const LayerDescription& layer : stack.layer) {
    windows.push_back(layer.rule.window);
  }
  return windows;
}

}  // namespace

TEST_CASE("a window's keys are half to each side, beside the token itself", "[model][config]") {
  const auto longformer = Describe("longformer");
  REQUIRE(longformer);
  CHECK(WindowsOf(*longformer) == std::vector<std::int64_t>{3, 4, 3});
  CHECK_FALSE(longformer->layer.front().rule.causal);
  CHECK_THAT(longformer->note, Says("global attention"));
  const auto one = Describe("longformer", R"("attention_window": 8)");
  REQUIRE(one);
  CHECK(WindowsOf(*one) == std::vector<std::int64_t>{5, 5, 5});
  CHECK_THAT(Refused("longformer", R"("attention_window": [4, 4])"), Says("2 layers, expected 3"));
  CHECK_THAT(Refused("longformer", R"("attention_window": [4, "x", 4])"),
             Says("\"x\" for layer 1") && Says("at least 2"));
  CHECK_THAT(Refused("longformer", R"("attention_window": 0)"), Says("\"attention_window\" is 0"));
}

TEST_CASE("only the encoder of a long encoder-decoder has windows, and positions of its own number",
          "[model][config]") {
  const auto led = Describe("led");
  REQUIRE(led);
  REQUIRE(led->decoder);
  CHECK(WindowsOf(*led) == std::vector<std::int64_t>{3, 3, 3});
  CHECK(WindowsOf(*led->decoder) == std::vector<std::int64_t>{0, 0, 0});
  CHECK(led->positions == 16);
  CHECK(led->decoder->positions == 14);
  CHECK(led->layer[1].query_key_value.matrices[0].weight.name ==
        "encoder.layers.1.self_attn.longformer_self_attn.query.weight");
  CHECK(led->decoder->layer[1].query_key_value.matrices[0].weight.name ==
        "decoder.layers.1.self_attn.q_proj.weight");
  const auto big = Describe("led", R"("model_type": "bigbird_pegasus", "block_size": 1)");
  REQUIRE(big);
  CHECK(big->positions == 11);  // 5 + 2 * 3 blocks are seen whole
  CHECK(big->decoder->positions == 16);
  CHECK_FALSE(big->layer[0].output.matrices[0].bias.has_value());
  CHECK_FALSE(big->decoder->layer[0].cross->query.matrices[0].bias.has_value());
  CHECK(big->layer[0].mlp_up.matrices[0].bias.has_value());
  CHECK(big->final_norm->weight.name == "encoder.layernorm_embedding.weight");
  const auto local = Describe("longt5");
  REQUIRE(local);
  CHECK(WindowsOf(*local) == std::vector<std::int64_t>{5, 5, 5});
  CHECK(WindowsOf(*local->decoder) == std::vector<std::int64_t>{0, 0, 0});
  CHECK_THAT(Refused("longt5", R"("encoder_attention_type": "transient-global")"),
             Says("\"transient-global\"") && Says("no tokens"));
}

TEST_CASE("what a text does not say is the first or the padding row of its tables",
          "[model][config]") {
  const auto shapes = Describe("roc_bert");
  REQUIRE(shapes);
  REQUIRE(shapes->constant_products.size() == 1);
  CHECK(shapes->constant_products[0].parts.size() == 2);
  CHECK(shapes->embedding_projection->in == 12);
  CHECK(shapes->constant_products[0].products[0].in == 5 + 3);
  CHECK(shapes->constant_products[0].products[0].matrices[0].weight.columns->first == 12);
  const auto apart = Describe("roc_bert", R"("concat_input": false)");
  REQUIRE(apart);
  CHECK_FALSE(apart->embedding_projection.has_value());
  CHECK(apart->constant_products.empty());
  const auto markup = Describe("markuplm");
  REQUIRE(markup);
  REQUIRE(markup->constant_products[0].parts.size() == 3);
  CHECK(markup->constant_products[0].parts[2][0].rows->first == 1);
  CHECK(markup->constant_products[0].parts[2][1].rows->first == 2);
  CHECK_THAT(Refused("markuplm", R"("tag_pad_id": 3)"), Says("\"tag_pad_id\" is 3"));
  const auto page = Describe("layoutlmv3");
  REQUIRE(page);
  CHECK(page->relative_bias->factor == test::Near(0.5));
  CHECK(page->constant_products[0].products.empty());
  CHECK_THAT(Refused("layoutlmv3", R"("shape_size": 3)"),
             Says("14, expected 12 as \"hidden_size\""));
}

TEST_CASE("outputs of a group read their own inputs alone", "[model][read_weights]") {
  const test::TinyModel tiny(ExampleWith("squeezebert", ""));
  const auto model = tiny.Open();
  const LinearNeed& product = model->description().layer[1].query_key_value;
  const ProjectionColumns read = ReadColumns(*model, product, 0, 24);  // queries, then keys
  const auto check = [&](const std::string& name, std::int64_t first, std::int64_t groups) {
    const std::vector<float>& stored =
        tiny.tensors.at("encoder.layers.1.attention." + name + ".weight").values;
    const std::int64_t part = 12 / groups;
    for (std::int64_t out = 0; out < 12; ++out) {
      for (std::int64_t in = 0; in < 12; ++in) {
        const bool is_own = out / part == in / part;
        const auto at = static_cast<std::size_t>(out * part + in % part);
        CHECK(read.Column(first + out)[static_cast<std::size_t>(in)] ==
              (is_own ? stored[at] : 0.0F));
      }
    }
  };
  check("query", 0, 2);
  check("key", 12, 3);
  CHECK_THAT(Refused("squeezebert", R"("v_groups": 5)"), Says("\"v_groups\" is 5"));
  CHECK_THAT(Refused("squeezebert", R"("embedding_size": 8)"), Says("expected 12"));
}

TEST_CASE("an adapter of the chosen language follows each MLP", "[model][config]") {
  const auto german = Describe("xmod");
  REQUIRE(german);
  const LayerDescription& layer = german->layer[2];
  REQUIRE(layer.further_mlps.size() == 1);
  const FurtherMlp& adapter = layer.further_mlps[0];
  CHECK(adapter.mlp.up.matrices[0].weight.name ==
        "encoder.layer.2.output.adapter_modules.de_DE.dense1.weight");
  // One norm stands before the adapter's residual and behind it.
  CHECK(layer.mlp_norm.after->weight.name == adapter.norm.after->weight.name);
  CHECK_FALSE(adapter.norm.before.has_value());
  CHECK_THAT(german->note, Says("de_DE"));
  const auto first = Describe("xmod", R"("ln_before_adapter": false, "adapter_layer_norm": true)");
  REQUIRE(first);
  CHECK(first->layer[0].further_mlps[0].norm.before->weight.name ==
        "encoder.layer.0.output.adapter_layer_norm.weight");
  CHECK_FALSE(first->layer[0].mlp_norm.after.has_value());
  CHECK_THAT(Refused("xmod", R"("default_language": "fr_XX")"),
             Says("\"fr_XX\"") && Says("en_XX, de_DE"));
}

TEST_CASE("layers that look at pictures are left out of the others' count", "[model][config]") {
  const auto model = Describe("mllama_text_model");
  REQUIRE(model);
  CHECK(model->layers == 3);
  CHECK(model->layer[1].output.matrices[0].weight.name == "layers.2.self_attn.o_proj.weight");
  CHECK(model->token_embedding.shape.front() == 19);
  CHECK_THAT(model->note, Says("Layers that look at pictures (1 in the file)"));
  CHECK_THAT(Refused("mllama_text_model", R"("cross_attention_layers": [1, 4])"),
             Says("names 4, expected layers from 0 to 3"));
  CHECK_THAT(Refused("mllama_text_model", R"("cross_attention_layers": [0, 1, 2, 3])"),
             Says("names all 4 layers"));
}

TEST_CASE("experts of Gemma 4 stand beside the MLP of each layer", "[model][config]") {
  const auto model = Describe("gemma4_text",
                              R"("enable_moe_block": true, "num_experts": 3, "top_k_experts": 2,
                                 "moe_intermediate_size": 5)");
  REQUIRE(model);
  const LayerDescription& layer = model->layer[1];
  REQUIRE(layer.experts);
  REQUIRE(layer.experts->beside);
  CHECK(layer.experts->expert.size() == 3);
  CHECK(layer.experts->expert[2].down.in == 5);
  CHECK(layer.experts->factors->name == "layers.1.router.per_expert_scale");
  CHECK(layer.experts->router_norm->weight.name == "layers.1.router.scale");
  CHECK(layer.experts->router.matrices[0].weight.name == "layers.1.router.proj.weight");
  CHECK(layer.mlp_down.in == 10);
  CHECK_FALSE(Describe("gemma4_text")->layer[1].experts.has_value());
}

TEST_CASE("two BERTs as encoder and decoder", "[model][config]") {
  const auto pair = Describe("encoder-decoder");
  REQUIRE(pair);
  REQUIRE(pair->decoder);
  CHECK_FALSE(pair->causal);
  CHECK(pair->decoder->causal);
  CHECK(pair->decoder->heads == 4);
  const auto& cross = pair->decoder->layer[1].cross;
  REQUIRE(cross);
  CHECK(cross->key_value.matrices[1].weight.name ==
        "decoder.bert.encoder.layer.1.crossattention.self.value.weight");
  CHECK(cross->norm.after->bias->name ==
        "decoder.bert.encoder.layer.1.crossattention.output.LayerNorm.bias");
  CHECK(pair->decoder->layer[0].output.matrices[0].weight.stand_ins.empty());
  const auto tied = Describe("encoder-decoder", R"("tie_encoder_decoder": true)");
  REQUIRE(tied);
  CHECK(tied->decoder->layer[0].output.matrices[0].weight.stand_ins ==
        std::vector<std::string>{"encoder.encoder.layer.0.attention.output.dense.weight"});
  CHECK(tied->decoder->layer[0].cross->output.matrices[0].weight.stand_ins.empty());
  CHECK_THAT(Refused("encoder-decoder", R"("decoder": {"model_type": "gpt2"})"),
             Says("decoder: \"model_type\" is \"gpt2\""));
  CHECK_THAT(Refused("encoder-decoder", R"("encoder": null)"), Says("\"encoder\" is missing"));
  CHECK_THAT(Refused("encoder-decoder",
                     R"("encoder": {"model_type": "bert", "num_hidden_layers": 1,
                        "num_attention_heads": 2, "hidden_size": 8, "intermediate_size": 4,
                        "vocab_size": 11})"),
             Says("the encoder is 8 wide"));
}

TEST_CASE("what keeps a part of a model from opening is said of the whole", "[model][config]") {
  const auto gemma = ParseConfig(
      R"({"model_type": "gemma3n", "text_config": {"model_type": "gemma3n_text"}})", "config.json");
  REQUIRE_FALSE(gemma.has_value());
  CHECK_THAT(gemma.error().message, Says("\"gemma3n\"") && Says("four residual streams"));
}

TEST_CASE("layers of Gemma 4 have heads of their own width, and the last ones others' keys",
          "[model][config]") {
  const auto model = Describe("gemma4_text");
  REQUIRE(model);
  CHECK(WindowsOf(*model) == std::vector<std::int64_t>{5, 0, 5, 0});
  for (std::int64_t layer = 0; layer < 4; ++layer) {
    CHECK(model->WidthsAt(layer).key == (layer % 2 == 0 ? 6 : 8));
    CHECK(model->WidthsAt(layer).value == model->WidthsAt(layer).key);
  }
  CHECK(HeadDimText(*model) == "6 or 8");
  CHECK(HasWidthsOfLayers(*model));
  CHECK_FALSE(model->layer[1].keys_of.has_value());
  CHECK(model->layer[3].keys_of == 1);
  CHECK(model->layer[3].query_key_value.matrices.size() == 1);
  CHECK(model->layer[3].mlp_down.in == 20);
  CHECK(model->layer[2].mlp_down.in == 10);
  // A quarter of a wide head's four pairs turns.
  CHECK(model->rotary[0].table.inverse_frequency == std::vector<double>{1.0, 0.0, 0.0, 0.0});
  CHECK(model->rotary[1].table.inverse_frequency.size() == 3);

  const auto listed = Describe(
      "gemma4_text",
      R"("per_layer_config": {"1": {"head_dim": 4}, "3": {"head_dim": 4}}, "attention_k_eq_v": true)");
  REQUIRE(listed);
  CHECK(listed->WidthsAt(3).key == 4);
  const auto& parts = listed->layer[1].query_key_value.matrices;
  CHECK(parts.front().weight.name == "layers.1.self_attn.q_proj.weight");
  CHECK(parts.back().weight.name == "layers.1.self_attn.k_proj.weight");

  const auto unified = Describe("gemma4_text", R"("hidden_size_per_layer_input": 0)");
  REQUIRE(unified);
  CHECK_FALSE(unified->token_inputs.has_value());

  CHECK_THAT(Refused("gemma4_text", R"("num_kv_shared_layers": 3)"),
             Says("expected one of its kind"));
  CHECK_THAT(Refused("gemma4_text", R"("per_layer_config": {"1": {"intermediate_size": 4}})"),
             Says("intermediate_size"));
  CHECK_THAT(Refused("gemma4_text", R"("enable_moe_block": true, "num_experts": -4)"),
             Says("num_experts"));
  CHECK_THAT(
      Refused("gemma4_text", R"("enable_moe_block": true, "num_experts": 4, "top_k_experts": 5)"),
      Says("top_k_experts"));
  CHECK_THAT(Refused("gemma4_text", R"("enable_moe_block": true, "moe_intermediate_size": 0)"),
             Says("moe_intermediate_size"));
  CHECK_THAT(Refused("gemma4_text", R"("use_bidirectional_attention": "all")"), Says("look ahead"));
  CHECK_THAT(Refused("gemma4_text", R"("per_layer_config": {"1": {"head_dim": 4}})"),
             Says("layer 1") && Says("per_layer_config"));
  CHECK_THAT(Refused("gemma4_text", R"("attention_k_eq_v": true, "num_global_key_value_heads": 3)"),
             Says("3 key and value heads"));
}

TEST_CASE("layers without attention stand as blocks between those that are counted",
          "[model][config]") {
  const auto model = Describe("lfm2");
  REQUIRE(model);
  CHECK(model->layers == 3);
  REQUIRE(model->layer.size() == 3);
  CHECK(model->layer[0].query_key_value.matrices.front().weight.name ==
        "layers.1.self_attn.q_proj.weight");
  CHECK(model->layer[1].attention_norm.before->weight.name == "layers.4.operator_norm.weight");
  REQUIRE(model->blocks_before.size() == 1);
  CHECK(model->blocks_before[0].convolution->taps.name == "layers.0.conv.conv.weight");
  CHECK(model->blocks_before[0].convolution->taps.shape == std::vector<std::int64_t>{16, 1, 3});
  CHECK_FALSE(model->blocks_before[0].convolution->bias.has_value());
  REQUIRE(model->layer[0].blocks_behind.size() == 2);
  CHECK(model->layer[0].blocks_behind[1].norm->weight.name == "layers.3.operator_norm.weight");
  CHECK(model->layer[0].blocks_behind[1].mlp.down.matrices.front().weight.name ==
        "layers.3.feed_forward.w2.weight");
  CHECK(model->layer[1].blocks_behind.empty());
  CHECK(model->final_norm->weight.name == "embedding_norm.weight");
  CHECK_THAT(model->note, Says("1, 4, 5 of the file's 0 to 5"));
  CHECK(HasPlainBlocks(*model));

  // Older files list the layers with attention, and give the width of their MLPs before it is cut.
  const auto older = ParseConfig(
      R"({"model_type": "lfm2", "num_hidden_layers": 3, "num_attention_heads": 4,
          "num_key_value_heads": 2, "hidden_size": 16, "block_ff_dim": 30, "intermediate_size": 7,
          "block_multiple_of": 8, "block_ffn_dim_multiplier": 0.9, "full_attn_idxs": [0, 1],
          "tie_embedding": false, "conv_bias": true, "vocab_size": 11})",
      "config.json");
  REQUIRE(older);
  CHECK(older->layers == 2);
  CHECK(older->layer[0].mlp_down.in == 24);  // 0.9 of 20, to the next multiple of 8
  CHECK(older->blocks_before.empty());
  REQUIRE(older->layer[1].blocks_behind.size() == 1);
  CHECK(older->layer[1].blocks_behind[0].convolution->bias.has_value());
  CHECK_FALSE(older->ties_embeddings);
  const auto all = Describe("lfm2", R"("layer_types": null)");
  REQUIRE(all);
  CHECK(all->layers == 6);
  CHECK_FALSE(HasPlainBlocks(*all));

  CHECK_THAT(Refused("lfm2", R"("layer_types": ["conv", "conv", "conv", "conv", "conv", "conv"])"),
             Says("\"layer_types\" does not say which of the 6 layers have attention"));
  CHECK_THAT(Refused("lfm2", R"("layer_types": ["full_attention"])"),
             Says("\"layer_types\" names 1 layer, expected 6"));
  CHECK_THAT(Refused("lfm2", R"("layer_types": null, "full_attn_idxs": [7])"),
             Says("which of the 6 layers have attention"));
  CHECK_THAT(Refused("lfm2", R"("conv_L_cache": 0)"), Says("conv_L_cache"));
  CHECK_THAT(Refused("lfm2",
                     R"("block_auto_adjust_ff_dim": true, "block_ffn_dim_multiplier": null,
                        "intermediate_size": 1)"),
             Says("are 0, expected 1 to"));
}

TEST_CASE("what remembers by the delta rule stands between the layers with attention",
          "[model][config]") {
  const auto model = Describe("qwen3_5_text");
  REQUIRE(model);
  CHECK(model->layers == 3);
  REQUIRE(model->blocks_before.size() == 1);
  const auto& memory = model->blocks_before[0].memory;
  REQUIRE(memory.has_value());
  CHECK_FALSE(model->blocks_before[0].convolution.has_value());
  CHECK(memory->taps.shape == std::vector<std::int64_t>{2 * 6 + 20, 1, 4});
  CHECK(memory->rates.matrices[1].weight.name == "layers.0.linear_attn.in_proj_a.weight");
  CHECK(memory->norm.weight_offset == 0.0);
  CHECK(model->blocks_before[0].norm->weight_offset == 1.0);
  // Of each head its queries, then its gate.
  const LayerDescription& layer = model->layer[0];
  REQUIRE(layer.query_key_value.matrices.size() == 6);
  CHECK(layer.query_key_value.matrices[1].weight.rows->first == 16);
  CHECK(layer.output_gate->product.matrices[1].weight.rows->first == 24);
  CHECK(layer.query_key_value.matrices[1].weight.shape == std::vector<std::int64_t>{64, 16});
  const auto usual =
      Describe("qwen3_5_text", R"("layer_types": null, "full_attention_interval": 2)");
  REQUIRE(usual);
  CHECK(usual->layer[0].attention_norm.before->weight.name == "layers.1.input_layernorm.weight");
  CHECK_THAT(Refused("qwen3_5_text", R"("linear_num_value_heads": 3)"),
             Says("\"linear_num_value_heads\" is 3, expected a multiple of 2"));
  CHECK_THAT(
      Refused("qwen3_5_text", R"("linear_key_head_dim": 130000, "linear_value_head_dim": 99)"),
      Says("4 heads remember 130000 by 99 numbers each"));
  CHECK_THAT(Refused("qwen3_5_text", R"("linear_num_key_heads": 100000)"),
             Says("\"linear_num_key_heads\" is 100000, expected a whole number from 1 to 256"));
  CHECK_THAT(Refused("qwen3_5_text", R"("linear_conv_kernel_dim": 0)"),
             Says("linear_conv_kernel_dim"));
}

TEST_CASE("a memory's products may lie together, head of keys by head of keys", "[model][config]") {
  const auto model = Describe("qwen3_next");
  REQUIRE(model);
  const PlainBlock& block = model->blocks_before[0];
  const DeltaMemory& memory = *block.memory;  // keys are 3 wide, 2 heads of 5 values have each
  const auto rows = [](const LinearNeed& product, std::size_t part) {
    return std::pair(product.matrices[part].weight.rows->first,
                     product.matrices[part].weight.rows->count);
  };
  REQUIRE(memory.columns.matrices.size() == 6);
  CHECK(memory.columns.matrices[0].weight.shape == std::vector<std::int64_t>{52, 16});
  CHECK(rows(memory.columns, 1) == std::pair<std::int64_t, std::int64_t>(26, 3));  // a query
  CHECK(rows(memory.columns, 2) == std::pair<std::int64_t, std::int64_t>(3, 3));   // a key
  CHECK(rows(memory.columns, 5) == std::pair<std::int64_t, std::int64_t>(32, 10));
  CHECK(rows(memory.gate, 0) == std::pair<std::int64_t, std::int64_t>(16, 10));
  CHECK(rows(memory.rates, 1) == std::pair<std::int64_t, std::int64_t>(4, 2));  // strengths first
  CHECK(rows(memory.rates, 2) == std::pair<std::int64_t, std::int64_t>(2, 2));
  REQUIRE(block.experts.has_value());
  CHECK(block.experts->expert.size() == 3);
  CHECK(block.experts->shared_gate.has_value());
  CHECK_FALSE(model->layer[0].blocks_behind[0].experts.has_value());  // "mlp_only_layers"
}

TEST_CASE("a list of layers may be that of a longer model, and none of a shorter one",
          "[model][config]") {
  const auto turns = [](const std::string& setting) {
    const auto model = Describe("smollm3", setting);
    REQUIRE(model);
    std::vector<bool> found;
    for (const LayerDescription& layer : model->layer) {
      found.push_back(layer.rotary.has_value());
    }
    return found;
  };
  using Flags = std::vector<bool>;
  CHECK(turns(R"("no_rope_layers": [0, 1, 1, 0, 0])") == Flags{false, true, true});
  CHECK(turns(R"("no_rope_layers": [])") == Flags{true, true, true});
  CHECK(turns(R"("no_rope_layers": null, "no_rope_layer_interval": 2)") ==
        Flags{true, false, true});
  CHECK_THAT(Refused("smollm3", R"("no_rope_layers": [1, 0])"),
             Says("\"no_rope_layers\" names 2 layers, expected 3"));
}

TEST_CASE("state spaces stand between the layers with attention", "[model][config]") {
  const auto model = Describe("bamba");
  REQUIRE(model);
  CHECK(model->layers == 3);
  CHECK_THAT(model->note, Says("state spaces (Mamba 2)"));
  const DeltaMemory& memory = *model->blocks_before[0].memory;
  CHECK_FALSE(memory.shape.corrects);
  CHECK(memory.columns.matrices[0].weight.shape == std::vector<std::int64_t>{32 + 44 + 4, 16});
  CHECK(memory.columns.matrices[0].weight.rows->first == 32);
  CHECK(memory.rates.matrices[0].weight.rows->first == 76);
  CHECK(memory.taps_bias.has_value());
  REQUIRE(memory.norm.of_heads.size() == 2);
  CHECK(memory.norm.of_heads[1].rows->first == 16);
  CHECK(std::isinf(memory.space->most_step));
  const auto limited = Describe("bamba", R"("time_step_limit": [0.5, {"__float__": "Infinity"}])");
  REQUIRE(limited);
  CHECK(limited->blocks_before[0].memory->space->least_step == 0.5);
  CHECK(std::isinf(limited->blocks_before[0].memory->space->most_step));
  const auto bare = Describe("bamba", R"("time_step_limit": [0.0, null])");
  REQUIRE(bare);
  CHECK(std::isinf(bare->blocks_before[0].memory->space->most_step));
  CHECK_THAT(Refused("bamba", R"("time_step_limit": [2, 1])"), Says("time_step_limit"));
  CHECK_THAT(Refused("bamba", R"("mamba_n_groups": 3)"), Says("a divisor of the 4 heads"));
  CHECK_THAT(Refused("bamba", R"("mamba_n_groups": 100000)"),
             Says("\"mamba_n_groups\" is 100000, expected a whole number from 1 to 256"));
  CHECK_THAT(Refused("bamba", R"("mamba_d_state": 130000, "mamba_d_head": 99)"),
             Says("\"mamba_d_state\" is 130000, expected at most"));
  CHECK_THAT(Refused("bamba", R"("attn_layer_indices": [])"),
             Says("which of the 6 layers have attention"));

  const auto granite = Describe("granitemoehybrid");
  REQUIRE(granite);
  CHECK(granite->position_scheme == PositionScheme::kNone);
  CHECK(granite->blocks_before[0].experts->shared.has_value());
  CHECK(granite->blocks_before[0].memory->shape.value_width == 8);  // of twice the model's 16
  // The stream is counted in halves, what a state space norms is not.
  CHECK(granite->blocks_before[0].norm->epsilon ==
        4.0 * granite->blocks_before[0].memory->norm.epsilon);
  const auto dense = Describe("granitemoehybrid", R"("num_local_experts": 0)");
  REQUIRE(dense);
  CHECK_FALSE(dense->layer[0].experts.has_value());
  CHECK(dense->layer[0].mlp_up.matrices[0].weight.name ==
        "layers.1.shared_mlp.input_linear.weight");
}

TEST_CASE("each block of a Nemotron H adds by itself", "[model][config]") {
  const auto model = Describe("nemotron_h");  // M*-ME*-*
  REQUIRE(model);
  CHECK(model->layers == 3);
  CHECK_FALSE(model->layer[0].has_mlp());
  REQUIRE(model->layer[0].blocks_behind.size() == 3);
  const auto& blocks = model->layer[0].blocks_behind;
  CHECK_FALSE(blocks[0].norm.has_value());
  CHECK(blocks[0].mlp_norm->weight.name == "layers.2.norm.weight");
  CHECK(blocks[0].mlp.up.matrices[0].weight.name == "layers.2.mixer.up_proj.weight");
  CHECK_FALSE(blocks[0].mlp.gate.has_value());
  CHECK_FALSE(blocks[1].mlp_norm.has_value());
  CHECK(blocks[1].memory.has_value());
  REQUIRE(blocks[2].experts.has_value());
  CHECK_FALSE(blocks[2].experts->expert[0].gate.has_value());
  CHECK(model->layer[2].blocks_behind.empty());
  const auto listed =
      Describe("nemotron_h", R"("layers_block_type": ["mamba", "attention", "attention"])");
  REQUIRE(listed);
  CHECK(listed->layers == 2);
  CHECK_THAT(Refused("nemotron_h", R"("hybrid_override_pattern": "M*x")"),
             Says("hybrid_override_pattern"));
  CHECK_THAT(Refused("nemotron_h", R"("hybrid_override_pattern": "MM")"),
             Says("which of the 2 layers have attention"));
  CHECK_THAT(Refused("nemotron_h", R"("moe_latent_size": 4)"), Says("moe_latent_size"));
}

TEST_CASE("nothing is reused where convolutions join tokens", "[model][config]") {
  const auto model = Describe("lfm2");
  REQUIRE(model);
  const std::vector<std::int32_t> before = {1, 2, 3};
  const std::vector<std::int32_t> now = {1, 2, 3, 4};
  CHECK(UnchangedTokens(*model, before, now) == 0);
  CHECK(UnchangedTokens(*model, now, now) == 4);
}

}  // namespace headscope
