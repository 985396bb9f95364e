#include "core/model/output_layer.h"

#include <string>

#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::Says;
using test::TinyModel;

// Under what name the model's output layer lies in its file, or why there is none.
std::string OutputOf(const Model& model) {
  const auto layer = OutputLayerOf(model);
  return layer ? (*layer)->weight.name : layer.error().message;
}

std::string OutputOfFile(const std::string& path) {
  const auto model = Model::Open(test::SourceFolder() / "tests" / "golden" / path);
  REQUIRE(model.has_value());
  return OutputOf(**model);
}

}  // namespace

TEST_CASE("a model without a stored output layer opens, and its layer is found or explained",
          "[model][output]") {
  for (const Family* family : AllFamilies()) {
    INFO(family->id);
    TinyModel tiny(family->example);
    tiny.prefix = family->prefixes.front();
    const auto model = tiny.Open();
    const ModelDescription& description = model->description();
    const bool predicts =
        description.causal && !description.decoder && family->id != "clip_text_model";
    const std::string said = OutputOf(*model);
    if (description.decoder) {
      CHECK_THAT(said, Says("have an encoder and a decoder"));
    } else if (!predicts) {
      CHECK_THAT(said, Says("predicts no next token"));
    } else if (description.output_layer->projection) {
      CHECK_THAT(said, Says("holds no output layer"));  // nor the projection before it
    } else if (description.ties_embeddings) {
      CHECK(said == description.token_embedding.name);
    } else {
      CHECK_THAT(said,
                 Says("holds no output layer") &&
                     Says("\"" + description.output_layer->weight.name + "\""));
    }
  }
}

TEST_CASE("a stored output layer is found beside any prefix, and its shape is checked",
          "[model][output]") {
  for (const Family* family : AllFamilies()) {
    INFO(family->id);
    TinyModel tiny(family->example);
    if (!tiny.description.output_layer) {
      continue;
    }
    const OutputLayer& layer = *tiny.description.output_layer;
    if (layer.projection) {
      const TensorNeed& projection = layer.projection->matrices.front().weight;
      CHECK(projection.shape == std::vector<std::int64_t>{tiny.description.embedding_dim(),
                                                          tiny.description.model_dim});
      RandomStream random(2);
      tiny.tensors[projection.name] = test::RandomTensor(projection, &random);
    }
    RandomStream random(3);
    tiny.tensors[layer.weight.name] = test::RandomTensor(layer.weight, &random);
    const auto model = tiny.Open();
    CHECK(OutputOf(*model) == layer.weight.name);
    CHECK_FALSE(model->description().output_layer->bias.has_value());

    tiny.tensors[layer.bias->name] = test::RandomTensor(*layer.bias, &random);
    CHECK(tiny.Open()->description().output_layer->bias->name == layer.bias->name);
    std::ranges::reverse(tiny.tensors[layer.weight.name].shape);
    const test::TempFolder folder;
    tiny.Write(folder.path());
    const auto refused = Model::Open(folder.path());
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == ErrorCode::kShape);
    CHECK_THAT(refused.error().message,
               Says(layer.weight.name) && Says(layer.weight.is_turned ? ",11]" : "expected [11,"));
  }
}

TEST_CASE("the output layers of saved models are found", "[model][output]") {
  CHECK(OutputOfFile("data/gpt2_plain") == "transformer.wte.weight");
  CHECK(OutputOfFile("data/gpt2_no_prefix") == "wte.weight");
  CHECK(OutputOfFile("data/llama_plain") == "lm_head.weight");
  CHECK(OutputOfFile("data/llama_one_kv_head") == "model.embed_tokens.weight");
  CHECK(OutputOfFile("data/gpt_neox_parallel") == "embed_out.weight");
  CHECK(OutputOfFile("data/gemma2_plain") == "model.embed_tokens.weight");
  CHECK(OutputOfFile("data/opt_projected") == "model.decoder.embed_tokens.weight");
  CHECK(OutputOfFile("data/phi_plain") == "lm_head.weight");
  CHECK_THAT(OutputOfFile("data/bert_plain"), Says("a bert model predicts no next token"));
  CHECK_THAT(OutputOfFile("data/t5_plain"), Says("t5 models have an encoder and a decoder"));
  CHECK_THAT(OutputOfFile("data/t5_encoder"), Says("a t5 model predicts no next token"));
  CHECK(OutputOfFile("gguf/gpt2/q8_0.gguf") == "token_embd.weight");
  CHECK(OutputOfFile("gguf/llama/q4_0.gguf") == "token_embd.weight");
}

}  // namespace headscope
