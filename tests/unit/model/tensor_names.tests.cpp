// Weights as people save them: wrapped, tied under one name, with more in them than the config
// speaks of.
#include "core/model/tensor_names.h"

#include <algorithm>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::Says;
using test::TempFolder;
using test::TinyModel;

std::string Example(std::string_view id, const std::string& changes = "") {
  for (const Family* family : AllFamilies()) {
    if (family->id == id) {
      return "{" + changes + std::string(family->example).substr(1);
    }
  }
  return "";
}

constexpr const char* kUntied = R"("tie_word_embeddings": false, )";
constexpr const char* kTied = R"("tie_word_embeddings": true, )";

Error RefusalOf(const TinyModel& tiny) {
  const TempFolder folder;
  tiny.Write(folder.path());
  const auto model = Model::Open(folder.path());
  REQUIRE_FALSE(model.has_value());
  INFO(model.error().message);
  CHECK(model.error().message.find('\n') == std::string::npos);
  return model.error();
}

void Rename(TinyModel* tiny, const std::string& from, const std::string& to) {
  auto node = tiny->tensors.extract(from);
  REQUIRE_FALSE(node.empty());
  node.key() = to;
  tiny->tensors.insert(std::move(node));
}

TinyModel With(std::string_view family,
               const std::string& tensor,
               std::vector<std::int64_t> shape) {
  TinyModel tiny(Example(family));
  RandomStream random(7);
  tiny.tensors[tensor] = test::RandomTensor({tensor, std::move(shape)}, &random);
  return tiny;
}

TEST_CASE("whatever wraps a model, its tensors are found", "[model][names]") {
  for (const Family* family : AllFamilies()) {
    for (const char* wrapper : {"_orig_mod.",
                                "module.",
                                "_orig_mod.module.",
                                "module._orig_mod.",
                                "model.",
                                "model.language_model.",
                                "language_model.",
                                "language_model.model.",
                                "_fsdp_wrapped_module."}) {
      for (const std::string_view prefix : family->prefixes) {
        INFO(family->id << " in " << wrapper << prefix);
        TinyModel tiny(family->example);
        tiny.prefix = wrapper + std::string(prefix);
        CHECK(tiny.Open()->description().token_embedding.name.starts_with(wrapper));
      }
    }
  }
}

TEST_CASE("a wrapper may stand before some names, or within them", "[model][names]") {
  TinyModel tiny(Example("llama"));
  Rename(&tiny, "layers.1.mlp.up_proj.weight", "module.layers.1.mlp.up_proj.weight");
  Rename(&tiny, "layers.2.mlp.up_proj.weight", "layers.2._orig_mod.mlp.up_proj.weight");
  Rename(&tiny, "norm.weight", "model.norm.weight");
  CHECK(tiny.Open()->description().layer[2].mlp_up.matrices[0].weight.name ==
        "layers.2._orig_mod.mlp.up_proj.weight");
}

TEST_CASE("a missing tensor is called as its neighbours are", "[model][names]") {
  TinyModel tiny(Example("gpt2"));
  tiny.prefix = "_orig_mod.transformer.";
  tiny.tensors.erase("h.1.ln_1.weight");
  CHECK_THAT(RefusalOf(tiny).message, Says("\"_orig_mod.transformer.h.1.ln_1.weight\" is missing"));
}

TEST_CASE("of tied weights a file holds either", "[model][names]") {
  for (const char* output : {"lm_head.weight",
                             "lm_head.decoder.weight",
                             "cls.predictions.decoder.weight",
                             "module.lm_head.weight",
                             "_orig_mod.lm_head.weight"}) {
    for (const Family* family : AllFamilies()) {
      TinyModel tiny(Example(family->id, kTied));
      if (tiny.description.decoder || !tiny.description.ties_embeddings) {
        continue;
      }
      INFO(family->id << " with " << output);
      Rename(&tiny, tiny.description.token_embedding.name, output);
      CHECK(tiny.Open()->description().token_embedding.name == output);
      TinyModel untied(Example(family->id, kUntied));
      Rename(&untied, untied.description.token_embedding.name, output);
      CHECK_THAT(RefusalOf(untied).message,
                 Says("tensor \"" + untied.description.token_embedding.name + "\" is missing"));
      // Where the config ties nothing, neither do the metadata.
      untied.metadata = {{untied.description.token_embedding.name, output}};
      CHECK_THAT(RefusalOf(untied).message, Says("is missing"));
    }
  }
}

TEST_CASE("an untied BART holds one table of its two parts", "[model][names]") {
  TinyModel tiny(Example("bart", kUntied));
  tiny.tensors.erase("encoder.embed_tokens.weight");
  CHECK(tiny.Open()->description().token_embedding.name == "decoder.embed_tokens.weight");
}

TEST_CASE("metadata say which name stands for which", "[model][names]") {
  TinyModel tiny(Example("llama"));
  tiny.prefix = "model.";
  tiny.tensors.erase("layers.1.input_layernorm.weight");
  tiny.metadata = {
      {"model.layers.1.input_layernorm.weight", "model.layers.0.input_layernorm.weight"},
      {"format", "pt"},
      {"model.norm.weight", "model.layers.0.input_layernorm.weight"}};
  const auto model = tiny.Open();
  CHECK(model->description().layer[1].attention_norm.before->weight.name ==
        "model.layers.0.input_layernorm.weight");
  CHECK(model->description().final_norm->weight.name == "model.norm.weight");

  TinyModel t5(Example("t5"));
  t5.tensors["a.weight"] = t5.tensors.extract("encoder.embed_tokens.weight").mapped();
  t5.tensors.erase("decoder.embed_tokens.weight");
  t5.metadata = {{"shared.weight", "a.weight"}};
  CHECK(t5.Open()->description().decoder->token_embedding.name == "a.weight");
}

TEST_CASE("a tensor inside the model that it has no place for is refused by name",
          "[model][names]") {
  for (const auto& [family, tensor] : std::initializer_list<std::pair<const char*, const char*>>{
           {"llama", "layers.0.self_attn.inner_attn_ln.weight"},
           {"llama", "layers.1.self_attn.q_norm.weight"},
           {"llama", "layers.2.self_attn.sinks"},
           {"llama", "layers.0.self_attn.q_proj.bias"},
           {"llama", "norm.bias"},
           {"qwen2", "layers.0.self_attn.o_proj.bias"},
           {"gpt2", "h.0.attn.q_ln.weight"},
           {"bert", "encoder.layer.0.attention.self.distance_embedding.weight"},
           {"bert", "encoder.relative_attention_bias.weight"},
           {"bert", "embeddings.rotary.weight"},
           {"opt", "layers.0.self_attn.q_norm.weight"},
           {"bart", "encoder.layers.0.self_attn.q_norm.weight"},
           {"bart", "decoder.layers.0.self_attn.q_norm.weight"},
           {"t5", "decoder.block.1.layer.0.SelfAttention.relative_attention_bias.weight"}}) {
    INFO(family << " with " << tensor);
    TinyModel tiny = With(family, tensor, {4});
    const Error error = RefusalOf(tiny);
    CHECK(error.code == ErrorCode::kUnsupported);
    CHECK_THAT(error.message, Says("tensor \"" + std::string(tensor) + "\" is none that a"));
    tiny.prefix = "module.";
    CHECK_THAT(RefusalOf(tiny).message, Says("\"module." + std::string(tensor) + "\""));
  }
}

TEST_CASE("what a class of the family does not have is refused beside its layers, too",
          "[model][names]") {
  TinyModel tiny = With("opt", "project_in_twice.weight", {4});
  tiny.prefix = "model.decoder.";
  CHECK_THAT(RefusalOf(tiny).message, Says("\"model.decoder.project_in_twice.weight\""));
}

TEST_CASE("a layer past the last one is refused as such", "[model][names]") {
  for (const auto& [family, tensor] : std::initializer_list<std::pair<const char*, const char*>>{
           {"llama", "layers.3.input_layernorm.weight"},
           {"gpt2", "h.3.ln_1.weight"},
           {"bert", "encoder.layer.3.output.dense.bias"},
           {"t5", "decoder.block.3.layer.0.layer_norm.weight"}}) {
    INFO(family << " with " << tensor);
    CHECK_THAT(
        RefusalOf(With(family, tensor, {12})).message,
        Says("tensor \"" + std::string(tensor) + "\" is of layer 3, expected layers 0 to 2"));
  }
}

TEST_CASE("what is of no use to the part that is run passes", "[model][names]") {
  for (const auto& [family, tensor, shape] :
       std::initializer_list<std::tuple<const char*, const char*, std::vector<std::int64_t>>>{
           {"llama", "layers.0.self_attn.rotary_emb.inv_freq", {3}},
           {"llama", "rotary_emb.inv_freq", {3}},
           {"llama", "score.weight", {2, 12}},
           {"llama", "vision_tower.encoder.layers.0.norm.weight", {4}},
           {"gpt2", "h.0.attn.bias", {1, 1, 16, 16}},
           {"gpt2", "h.0.attn.masked_bias", {}},
           {"gpt2", "h.0.crossattention.c_attn.weight", {12, 24}},
           {"gpt2", "h.0.ln_cross_attn.weight", {12}},
           {"gpt_neox", "layers.0.attention.bias", {1, 1, 16, 16}},
           {"gpt_neox", "layers.0.attention.rotary_emb.inv_freq", {3}},
           {"bert", "embeddings.position_ids", {1, 16}},
           {"bert", "pooler.dense.weight", {12, 12}},
           {"bert", "cls.predictions.transform.dense.weight", {12, 12}},
           {"bert", "classifier.weight", {2, 12}},
           {"bert", "encoder.layer.0.crossattention.self.query.weight", {12, 12}},
           {"bart", "encoder.version", {1}},
           {"t5",
            "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight",
            {6, 3}}}) {
    INFO(family << " with " << tensor);
    CHECK(With(family, tensor, shape).Open()->description().layers == 3);
  }
  // A mask has four dimensions, a bias one.
  CHECK_THAT(RefusalOf(With("gpt2", "h.0.attn.bias", {36})).message, Says("\"h.0.attn.bias\""));
  // Nothing is added by a bias of zeros.
  TinyModel zeros = With("llama", "layers.0.self_attn.q_proj.bias", {16});
  std::ranges::fill(zeros.tensors["layers.0.self_attn.q_proj.bias"].values, 0.0F);
  CHECK(zeros.Open()->description().layers == 3);
}

TEST_CASE("a pooler of a class passes", "[model][names]") {
  TinyModel tiny = With("bert", "pooler.dense.weight", {12, 12});
  tiny.prefix = "bert.";
  CHECK(tiny.Open()->description().layers == 3);
}

TEST_CASE("an encoder that was saved with its decoder opens as both, or alone", "[model][names]") {
  TinyModel tiny(Example("t5"));
  CHECK(tiny.Open()->description().decoder);
  std::erase_if(tiny.tensors,
                [](const auto& entry) { return entry.first.starts_with("decoder."); });
  CHECK_FALSE(tiny.Open()->description().decoder);
}

TEST_CASE("an output layer in a wrapper counts as parameters", "[model][names]") {
  TinyModel tiny(Example("gpt2", kUntied));
  tiny.prefix = "module.";
  const std::int64_t without = tiny.Open()->parameters();
  tiny.tensors["lm_head.weight"] = tiny.tensors["wte.weight"];
  CHECK(tiny.Open()->parameters() == without + 11 * 12);
}

}  // namespace
}  // namespace headscope
