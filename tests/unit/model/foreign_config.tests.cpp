#include "core/model/foreign_config.h"

#include "core/model/model.h"
#include "tests/support/catch.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::Says;
using test::TempFolder;
using test::TinyModel;

std::string ConfigExample(std::string_view id) {
  for (const Family* family : AllFamilies()) {
    if (family->id == id) {
      return std::string(family->example);
    }
  }
  return "";
}

std::string WhyNoConfig(const std::string& json) {
  const auto described = ParseConfig(json, "config.json");
  REQUIRE_FALSE(described.has_value());
  CHECK(described.error().code == ErrorCode::kUnsupported);
  return described.error().message;
}

// A config that opens, with more keys.
std::string LlamaWith(const std::string& keys) {
  return "{" + keys + ", " + ConfigExample("llama").substr(1);
}

}  // namespace

TEST_CASE("a config of quantised weights says by what", "[model][foreign]") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"("quantization_config": {"quant_method": "gptq", "bits": 4})", "by GPTQ"},
      {R"("quantization_config": {"quant_method": "awq", "bits": 4})", "by AWQ"},
      {R"("quantization_config": {"quant_method": "bitsandbytes", "load_in_4bit": true})",
       "by bitsandbytes"},
      {R"("quantization_config": {"load_in_8bit": true})", "by bitsandbytes"},
      {R"("quantization_config": {"quant_method": "fp8"})", "by FP8"},
      {R"("quantization_config": {"quant_method": "compressed-tensors"})", "by compressed-tensors"},
      {R"("compression_config": {"config_groups": {}})", "by compressed-tensors"},
      {R"("quantization_config": {"quant_method": "torchao"})", "by \"torchao\""},
      {R"("quantization": {"group_size": 64, "bits": 4})", "by MLX"},
  };
  for (const auto& [keys, says] : cases) {
    INFO(keys);
    CHECK_THAT(WhyNoConfig(LlamaWith(keys)), Says(says) && Says("expected F32") && Says("open"));
  }
  // Keys that say nothing of the weights close no model.
  for (const char* keys : {R"("quantization_config": null)",
                           R"("quantization_config": {})",
                           R"("quantization": null)",
                           R"("quantization_config": {"load_in_4bit": false})"}) {
    INFO(keys);
    CHECK(ParseConfig(LlamaWith(keys), "config.json"));
  }
}

TEST_CASE("tensors of quantised weights say so where the config does not", "[model][foreign]") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"qweight.g_idx", "GPTQ"},
      {"q_proj.qzeros", "GPTQ or AWQ"},
      {"q_proj.SCB", "bitsandbytes"},
      {"q_proj.weight.absmax", "bitsandbytes"},
      {"q_proj.weight_packed", "compressed-tensors"},
      {"q_proj.weight_scale_inv", "FP8"},
      {"q_proj.scales", "MLX"},
      {"q_proj.lora_A.weight", "LoRA adapter"},
  };
  for (const auto& [ending, says] : cases) {
    INFO(ending);
    TinyModel tiny(ConfigExample("llama"));
    const std::string name = "layers.0.self_attn." + ending;
    tiny.tensors[name] = {{2}, {0.0F, 0.0F}};
    const TempFolder folder;
    tiny.Write(folder.path());
    const auto model = Model::Open(folder.path());
    REQUIRE_FALSE(model.has_value());
    CHECK_THAT(model.error().message, Says(says) && Says(name));
  }
}

TEST_CASE("a model of another kind is told which kind", "[model][foreign]") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"model_type": "mamba"})", "\"mamba\" have no attention"},
      {R"({"model_type": "rwkv", "attention_hidden_size": 8})", "\"rwkv\" have no attention"},
      {R"({"d_model": 768, "n_layer": 24, "ssm_cfg": {}})", "have no attention"},
      {R"({"model_type": "jamba"})", "layers without attention"},
      {R"({"model_type": "vit", "image_size": 224})", "\"vit\" read pictures, not text"},
      {R"({"model_type": "llava", "vision_config": {}})", "read pictures beside text"},
      {R"({"model_type": "whisper", "num_mel_bins": 80})", "read sound, not text"},
      {R"({"_class_name": "UNet2DConditionModel"})", "diffusers"},
      {R"({"model_type": "funnel"})", "\"funnel\" merge tokens between layers"},
      {R"({"model_type": "of_tomorrow"})", "\"of_tomorrow\" do not open yet"},
  };
  for (const auto& [json, says] : cases) {
    INFO(json);
    CHECK_THAT(WhyNoConfig(json), Says(says) && Says("headscope families"));
  }
}

}  // namespace headscope
