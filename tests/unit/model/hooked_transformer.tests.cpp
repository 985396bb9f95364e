// TransformerLens' own models: what their settings mean, and which are refused.
#include <array>
#include <string>

#include "core/model/config.h"
#include "core/model/forward.h"
#include "core/model/read_weights.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::Says;
using test::TinyModel;

std::string HookedSettings(const std::string& more) {
  return R"({"n_layers": 2, "n_heads": 3, "d_model": 12, "d_head": 4, "n_ctx": 16, "d_vocab": 11)" +
         more + "}";
}

ModelDescription DescribedHooked(const std::string& more) {
  auto model = ParseConfig(HookedSettings(more), "cfg.json");
  INFO((model ? "" : model.error().message));
  REQUIRE(model.has_value());
  return std::move(*model);
}

std::string RefusedHooked(const std::string& more) {
  const auto model = ParseConfig(HookedSettings(more), "cfg.json");
  REQUIRE_FALSE(model.has_value());
  return model.error().message;
}

constexpr const char* kAttentionOnly =
    R"(, "attn_only": true, "act_fn": null, "normalization_type": null)";

class HookedWeights : public LayerObserver, public AttentionObserver {
 public:
  AttentionObserver* BeginLayer(LayerId /*layer*/) override { return this; }
  void OnProjections(const AttentionProjections& projections) override {
    queries.assign(projections.queries.begin(), projections.queries.end());
    values.assign(projections.values.begin(), projections.values.end());
  }
  void OnBlock(const AttentionBlock& /*block*/) override {}
  std::vector<float> queries;  // of the last layer
  std::vector<float> values;
};

}  // namespace

TEST_CASE("settings without a type that name TransformerLens' sizes are its own",
          "[model][hooked]") {
  const ModelDescription toy = DescribedHooked(kAttentionOnly);
  CHECK(toy.family == "hooked_transformer");
  CHECK_FALSE(toy.layer[0].has_mlp());
  CHECK_FALSE(toy.layer[0].attention_norm.before.has_value());
  CHECK_FALSE(toy.final_norm.has_value());
  CHECK(toy.position_embedding->name == "pos_embed.W_pos");
  CHECK(toy.output_layer->weight.is_turned);
  CHECK(toy.layer[1].query_key_value.matrices.size() == 9);
  CHECK(toy.layer[1].rule.scale == 0.5);

  const ModelDescription pre =
      DescribedHooked(R"(, "act_fn": "relu", "normalization_type": "LNPre")");
  CHECK(pre.layer[0].has_mlp());
  CHECK(pre.layer[0].attention_norm.before->weight.name.empty());
  CHECK(pre.layer[0].mlp_down.in == 48);

  const ModelDescription first =
      DescribedHooked(R"(, "act_fn": "solu_ln", "normalization": "LN", "shortformer_pos": true)");
  CHECK(first.layer_positions->name == "pos_embed.W_pos");
  CHECK_FALSE(first.position_embedding.has_value());
  CHECK(first.layer[0].activation == ActivationKind::kSolu);
  CHECK(first.layer[0].mlp_inner_norm->weight.name == "blocks.0.mlp.ln.w");

  CHECK_FALSE(DescribedHooked(std::string(kAttentionOnly) + R"(, "d_vocab_out": 5)")
                  .output_layer.has_value());
  CHECK(DescribedHooked(std::string(kAttentionOnly) + R"(, "use_attn_scale": false)")
            .layer[0]
            .rule.scale == 1.0);
  CHECK(DescribedHooked(std::string(kAttentionOnly) + R"(, "tokenizer_name": "a/b")")
            .tokenizer_name == "a/b");
}

TEST_CASE("settings of TransformerLens that are not computed are refused by their keys",
          "[model][hooked]") {
  const std::string toy = R"(, "attn_only": true)";
  for (const char* setting : {R"("num_experts": 4)",
                              R"("load_in_4bit": true)",
                              R"("use_NTK_by_parts_rope": true)",
                              R"("rotary_base_local": 1000)",
                              R"("positional_embedding_type": "alibi")",
                              R"("attention_dir": "sideways")",
                              R"("normalization_type": "BatchNorm")",
                              R"("post_embedding_ln": true)",
                              R"("use_normalization_before_and_after": true)"}) {
    const std::string text(setting);
    CHECK_THAT(RefusedHooked(toy + ", " + text),
               Says("cfg.json: ") && Says(text.substr(0, text.find(':'))));
  }
  CHECK_THAT(RefusedHooked(R"(, "act_fn": "xielu")"), Says("\"act_fn\" is \"xielu\""));
  CHECK_THAT(RefusedHooked(R"(, "act_fn": "solu_ln", "gated_mlp": true)"), Says("\"gated_mlp\""));
  CHECK_THAT(RefusedHooked(R"(, "attn_only": true, "use_local_attn": true, "window_size": 3)"),
             Says("\"attn_types\""));
}

TEST_CASE("the matrices of heads are read as the product's columns, one head after another",
          "[model][hooked]") {
  const TinyModel tiny(HookedSettings(kAttentionOnly), 3);
  const auto model = tiny.Open();
  const LinearNeed& need = model->description().layer[0].query_key_value;
  CHECK(ColumnCount(need) == 36);
  const ProjectionColumns all = ReadColumns(*model, need, 0, 36);
  const ProjectionColumns some = ReadColumns(*model, need, 13, 9);
  int kind = 0;
  for (const char* letter : {"Q", "K", "V"}) {
    const auto& weight = tiny.tensors.at(std::string("blocks.0.attn.W_") + letter).values;
    const auto& bias = tiny.tensors.at(std::string("blocks.0.attn.b_") + letter).values;
    for (int head = 0; head < 3; ++head) {
      for (int column = 0; column < 4; ++column) {
        const int at = 12 * kind + 4 * head + column;
        const auto own = static_cast<std::size_t>(4 * head + column);
        CHECK(all.bias[static_cast<std::size_t>(at)] == bias[own]);
        for (int in = 0; in < 12; ++in) {
          const auto stored = static_cast<std::size_t>((12 * head + in) * 4 + column);
          CHECK(all.Column(at)[static_cast<std::size_t>(in)] == weight[stored]);
          if (at >= 13 && at < 22) {
            CHECK(some.Column(at - 13)[static_cast<std::size_t>(in)] == weight[stored]);
          }
        }
      }
    }
    ++kind;
  }
}

TEST_CASE("positions of each layer go to queries and keys, and not to values", "[model][hooked]") {
  const std::string config =
      HookedSettings(std::string(kAttentionOnly) + R"(, "shortformer_pos": true)");
  TinyModel tiny(config, 4);
  TinyModel moved = tiny;
  for (float& value : moved.tensors.at("pos_embed.W_pos").values) {
    value += 1.0F;
  }
  for (const auto& backend : test::AllBackends()) {
    INFO(backend->Description());
    std::array<HookedWeights, 2> seen;
    std::size_t i = 0;
    for (const TinyModel* one : {&tiny, &moved}) {
      Forward forward(one->Open(), backend.get());
      REQUIRE(forward.Run({.ids = {3, 5, 3}, .embeddings = {}}, 0, &seen[i++], {}));
    }
    CHECK(seen[0].values == seen[1].values);
    // By the definition: (embedding + position) W_Q + b_Q.
    const auto value = [&](const TinyModel& from, const char* name, int at) {
      return static_cast<double>(from.tensors.at(name).values[static_cast<std::size_t>(at)]);
    };
    const std::array<int, 3> ids = {3, 5, 3};
    for (std::size_t which = 0; which < 2; ++which) {
      const TinyModel& from = which == 0 ? tiny : moved;
      for (int token = 0; token < 3; ++token) {
        for (int column = 0; column < 12; ++column) {
          double expected = value(from, "blocks.0.attn.b_Q", column);
          for (int in = 0; in < 12; ++in) {
            expected += (value(from, "embed.W_E", 12 * ids[static_cast<std::size_t>(token)] + in) +
                         value(from, "pos_embed.W_pos", 12 * token + in)) *
                        value(from, "blocks.0.attn.W_Q", (12 * (column / 4) + in) * 4 + column % 4);
          }
          const auto made = seen[which].queries[static_cast<std::size_t>(12 * token + column)];
          CHECK(static_cast<double>(made) == test::Near(expected, 1e-5));
        }
      }
    }
  }
}

TEST_CASE("a cfg.json is enough, and the weights may have any name", "[model][hooked]") {
  const TinyModel tiny(HookedSettings(kAttentionOnly));
  const test::TempFolder folder;
  tiny.Write(folder.path());
  std::filesystem::rename(folder / "config.json", folder / "cfg.json");
  CHECK(Model::Open(folder.path()));
  std::filesystem::rename(folder / "model.safetensors", folder / "toy.safetensors");
  CHECK(Model::Open(folder.path()));
  CHECK(Model::Open(folder / "toy.safetensors"));
  CHECK(Model::Open(folder / "cfg.json"));
  std::filesystem::copy(folder / "toy.safetensors", folder / "other.safetensors");
  CHECK_FALSE(Model::Open(folder.path()));
  std::filesystem::rename(folder / "other.safetensors", folder / "toy_final.safetensors");
  CHECK(Model::Open(folder.path()));
}

}  // namespace headscope
