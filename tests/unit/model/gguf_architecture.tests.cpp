#include "core/model/gguf_architecture.h"

#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "core/model/model.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tiny_gguf.h"

namespace headscope {
namespace {

using test::Says;
using test::TempFolder;
using test::TinyGguf;

}  // namespace

TEST_CASE("architectures that are another one under a name of their own open", "[model][gguf]") {
  struct Alike {
    const char* architecture;
    const char* family;
    bool lies_interleaved;
  };
  for (const Alike& one : {Alike{"internlm2", "llama", true},
                           Alike{"xverse", "llama", true},
                           Alike{"baichuan", "llama", true},
                           Alike{"exaone", "exaone", false},
                           Alike{"qwen2vl", "qwen2", false},
                           Alike{"qwen3vl", "qwen3", false}}) {
    INFO(one.architecture);
    TinyGguf tiny;
    tiny.architecture = one.architecture;
    if (tiny.architecture == "qwen2vl") {
      tiny.sizes["blk.0.attn_q.bias"] = {8};
      tiny.sizes["blk.0.attn_k.bias"] = {4};
      tiny.sizes["blk.0.attn_v.bias"] = {4};
    }
    if (tiny.architecture == "qwen3vl") {
      tiny.sizes["blk.0.attn_q_norm.weight"] = {4};
      tiny.sizes["blk.0.attn_k_norm.weight"] = {4};
    }
    const auto model = tiny.Open();
    INFO((model ? "" : model.error().message));
    REQUIRE(model);
    CHECK((*model)->description().family == one.family);
    const TensorView* queries = (*model)->weights().Find("blk.0.attn_q.weight");
    CHECK(queries->interleaved_rows == (one.lies_interleaved ? 4 : 0));
    CHECK((*model)->description().layer[0].mlp_gate->matrices[0].weight.name ==
          "blk.0.ffn_gate.weight");
  }
}

TEST_CASE("layers of LFM 2 without heads of keys are convolutions", "[model][gguf]") {
  TinyGguf tiny;
  tiny.architecture = "lfm2";
  tiny.settings.erase("attention.head_count_kv");
  tiny.settings["block_count"] = 2;
  tiny.settings["shortconv.l_cache"] = 3;
  using List = std::vector<std::int32_t>;
  const auto refused = [&](const List& keys) {
    TinyGguf one = tiny;
    one.file.Add("lfm2.attention.head_count_kv", keys);
    return one.Refused().message;
  };
  CHECK_THAT(refused({0, 0}), Says("which of the 2 layers have attention"));
  CHECK_THAT(refused({1, 2}), Says("\"lfm2.attention.head_count_kv\" differs from layer to layer"));
  CHECK_THAT(refused({1}), Says("has 1 numbers, expected one for each of 2 layers"));
  CHECK_THAT(refused({0, 1}), Says("\"blk.0.attn_k.weight\" is none that a lfm2 model"));
}

TEST_CASE("routers score as their architecture does", "[model][gguf][experts]") {
  TinyGguf tiny;
  tiny.settings["expert_count"] = 3;
  tiny.settings["expert_used_count"] = 2;
  tiny.settings["expert_gating_func"] = 2;
  CHECK_THAT(tiny.Refused().message,
             Says("\"llama.expert_gating_func\" is 2, expected 1, a softmax"));
  tiny.architecture = "lfm2moe";
  tiny.settings["expert_gating_func"] = 1;
  tiny.settings["shortconv.l_cache"] = 3;
  tiny.settings["expert_feed_forward_length"] = 6;
  tiny.settings["leading_dense_block_count"] = 0;
  CHECK_THAT(tiny.Refused().message,
             Says("\"lfm2moe.expert_gating_func\" is 1, expected 2, sigmoids"));
}

TEST_CASE("experts lie in one tensor or each in its own", "[model][gguf][experts]") {
  const TempFolder folder;
  TinyGguf tiny;
  tiny.settings["expert_count"] = 3;
  tiny.settings["expert_used_count"] = 2;
  for (const char* part : {"ffn_up", "ffn_gate", "ffn_down"}) {
    tiny.sizes.erase(fmt::format("blk.0.{}.weight", part));
  }
  tiny.sizes["blk.0.ffn_gate_inp.weight"] = {8, 3};
  TinyGguf joined = tiny;
  joined.sizes["blk.0.ffn_up_exps.weight"] = {8, 6, 3};
  joined.sizes["blk.0.ffn_gate_exps.weight"] = {8, 6, 3};
  joined.sizes["blk.0.ffn_down_exps.weight"] = {6, 8, 3};
  for (int i = 0; i < 3; ++i) {
    tiny.sizes[fmt::format("blk.0.ffn_up.{}.weight", i)] = {8, 6};
    tiny.sizes[fmt::format("blk.0.ffn_gate.{}.weight", i)] = {8, 6};
    tiny.sizes[fmt::format("blk.0.ffn_down.{}.weight", i)] = {6, 8};
  }
  for (const TinyGguf& one : {tiny, joined}) {
    const auto model = Model::Open(folder.Write("experts.gguf", one.Bytes()));
    INFO((model ? "" : model.error().message));
    REQUIRE(model);
    CHECK((*model)->description().family == "mixtral");
    CHECK((*model)->description().layer[0].experts->expert.size() == 3);
    const TensorView* last = (*model)->weights().Find("blk.0.ffn_down.2.weight");
    REQUIRE(last != nullptr);
    CHECK(last->shape == std::vector<std::int64_t>{8, 6});
  }
  joined.settings["expert_count"] = 4;
  CHECK_THAT(joined.Refused().message,
             Says("_exps.weight\" is [3,") && Says("the first for 4 experts"));
  tiny.settings["expert_count"] = 4;
  tiny.sizes["blk.0.ffn_gate_inp.weight"] = {8, 4};
  CHECK_THAT(tiny.Refused().message, Says("\"blk.0.ffn_up.3.weight\" is missing"));
}

TEST_CASE("a bert without token types opens and tells no segments apart", "[model][gguf]") {
  TinyGguf tiny;
  tiny.architecture = "bert";
  tiny.file.Add("bert.attention.layer_norm_epsilon", 1e-12F);
  tiny.settings.erase("attention.head_count_kv");
  tiny.sizes = {{"token_embd.weight", {8, 5}}, {"position_embd.weight", {8, 16}}};
  for (const char* norm :
       {"token_embd_norm", "blk.0.attn_output_norm", "blk.0.layer_output_norm"}) {
    tiny.sizes[std::string(norm) + ".weight"] = {8};
    tiny.sizes[std::string(norm) + ".bias"] = {8};
  }
  for (const char* square : {"attn_q", "attn_k", "attn_v", "attn_output"}) {
    tiny.sizes[fmt::format("blk.0.{}.weight", square)] = {8, 8};
    tiny.sizes[fmt::format("blk.0.{}.bias", square)] = {8};
  }
  tiny.sizes["blk.0.ffn_up.weight"] = {8, 6};
  tiny.sizes["blk.0.ffn_up.bias"] = {6};
  tiny.sizes["blk.0.ffn_down.weight"] = {6, 8};
  tiny.sizes["blk.0.ffn_down.bias"] = {8};
  const auto without = tiny.Open();
  INFO((without ? "" : without.error().message));
  REQUIRE(without);
  CHECK((*without)->description().token_types == 0);
  tiny.sizes["token_types.weight"] = {8, 2};
  CHECK((*tiny.Open())->description().token_types == 2);
}

}  // namespace headscope
