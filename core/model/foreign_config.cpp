#include "core/model/foreign_config.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "core/base/quote.h"

namespace headscope {
namespace {

constexpr std::string_view kOpenOriginal =
    "open the model that it was made from, or a GGUF file of it";

// Ways to quantise: `method` as in config.json, and an ending of tensor names that only this method
// has.
struct Quantiser {
  std::string_view method;
  std::string_view tensor;  // empty: its tensors do not reveal it
  std::string_view name;
  std::string_view advice = kOpenOriginal;
};

constexpr std::string_view kDequantize =
    "load it with transformers, where its method is installed, and keep model.dequantize() with "
    "save_pretrained, or open the model that it was made from";

constexpr std::array kQuantisers = std::to_array<Quantiser>({
    {.method = "gptq", .tensor = ".g_idx", .name = "GPTQ"},
    {.method = "awq", .tensor = {}, .name = "AWQ"},
    {.method = {}, .tensor = ".qzeros", .name = "GPTQ or AWQ"},
    {.method = "bitsandbytes", .tensor = ".SCB", .name = "bitsandbytes", .advice = kDequantize},
    {.method = "bitsandbytes", .tensor = ".absmax", .name = "bitsandbytes", .advice = kDequantize},
    {.method = "compressed-tensors", .tensor = ".weight_packed", .name = "compressed-tensors"},
    {.method = "mxfp4", .tensor = "_blocks", .name = "MXFP4"},
    {.method = "fp8", .tensor = ".weight_scale_inv", .name = "FP8"},
    {.method = "fbgemm_fp8", .tensor = ".weight_scale", .name = "FP8"},
    {.method = "mlx", .tensor = ".scales", .name = "MLX"},
    {.method = "eetq", .tensor = {}, .name = "EETQ"},
    {.method = "quanto", .tensor = "._data", .name = "quanto"},
    {.method = "hqq", .tensor = ".W_q", .name = "HQQ"},
    {.method = "aqlm", .tensor = ".codebooks", .name = "AQLM"},
});

Error Refuse(const std::string& name, std::string_view method, std::string_view advice) {
  return {ErrorCode::kUnsupported,
          fmt::format("{}: the weights are quantised by {}, expected F32, F16, BF16 or F64; {}",
                      name,
                      method,
                      advice)};
}

// Returns the method that a config names in any of several ways, or nothing.
std::optional<std::string> MethodIn(const JsonObject& config) {
  if (const auto mlx = config.Value("quantization"); mlx && mlx->Find("bits")) {
    return "mlx";
  }
  for (const std::string_view key : {"quantization_config", "compression_config"}) {
    const auto about = config.Value(key);
    if (!about || !about->is_object()) {
      continue;
    }
    const auto method = about->Find("quant_method");
    if (const auto text = method ? method->Text() : std::nullopt; text && !text->empty()) {
      return std::string(*text);
    }
    for (const std::string_view load : {"load_in_8bit", "load_in_4bit", "_load_in_8bit"}) {
      const auto is_on = about->Find(load);
      if (is_on && is_on->Boolean() == true) {
        return "bitsandbytes";
      }
    }
    if (about->Find("config_groups")) {
      return "compressed-tensors";
    }
    if (about->Find("bits") && about->Find("group_size")) {
      return "mlx";
    }
  }
  return std::nullopt;
}

// Families by how they read: without maps of weights, or with maps in some layers only.
constexpr std::string_view kNoAttention =
    " mamba mamba2 falcon_mamba rwkv rwkv4 rwkv5 rwkv6 rwkv7 rwkv6qwen2 arwkv7 xlstm fnet retnet "
    "gla delta_net gated_deltanet hgrn hgrn2 hyena s4 ";
constexpr std::string_view kSomeAttention =
    " jamba zamba zamba2 falcon_h1 falcon-h1 recurrent_gemma nemotron_h nemotron_h_moe "
    "qwen3next lara_mini lfm3 kimi_linear olmo_hybrid bailing_hybrid minimax stripedhyena plamo2 ";

constexpr std::string_view kWithoutAttention = "have no attention, so there are no maps to show";
constexpr std::string_view kWithSomeAttention =
    "have layers without attention among the others, and do not open";

// Families whose attention is of another kind.
struct OtherKind {
  std::string_view types;
  std::string_view why;
};
constexpr std::array kOtherKinds = std::to_array<OtherKind>({
    {" jetmoe ", "let a router choose each token's queries among experts, and do not open"},
    {" nllb-moe nllb_moe ",
     "send tokens to other experts in one version of transformers than in another, and do not open"},
    {" gemma3n gemma3n_text ", "predict four residual streams from one, and do not open"},
    {" axk2 ", "gate their norms and their latents, and do not open"},
    {" hy_v4 deepseek_v4 ", "have several residual streams, and do not open"},
    {" canine reformer ", "let a token see parts of a text only, and do not open"},
    {" nystromformer yoso mra ", "estimate their attention, so there are no exact maps to show"},
    {" funnel ", "merge tokens between layers, and do not open"},
    {" xlnet ", "read a text in several orders, and do not open"},
    {" mobilebert ", "narrow their states within each layer, and do not open"},
    {" convbert ", "join what convolutions make to their heads', and do not open"},
    {" diffllama ", "subtract one map from another, and do not open"},
    {" pegasus_x ", "look at blocks and at tokens that are no words, and do not open"},
    {" prophetnet ",
     "predict several next tokens at once, in streams of their own, and do not open"},
    {" t5gemma2 t5gemma2_text ", "look at both texts in one row, and do not open"},
    {" lilt ", "have a second stream of places on a page, and do not open"},
});

bool IsAmong(std::string_view words, std::string_view word) {
  return !word.empty() && word.find(' ') == std::string_view::npos &&
         words.find(fmt::format(" {} ", word)) != std::string_view::npos;
}

std::string_view OtherKindOf(std::string_view type) {
  const auto* found = std::ranges::find_if(
      kOtherKinds, [&](const OtherKind& one) { return IsAmong(one.types, type); });
  return found != kOtherKinds.end() ? found->why : std::string_view();
}

// A key that only configs of one kind of model have.
struct KindKey {
  std::string_view key;
  std::string_view why;
};
constexpr std::string_view kSees = "read pictures, not text";
constexpr std::string_view kSeesToo = "read pictures beside text, and do not open";
constexpr std::string_view kHears = "read sound, not text";
constexpr std::array kKeys = std::to_array<KindKey>({
    {"_class_name", "are parts of a pipeline of diffusers, which makes pictures"},
    {"ssm_cfg", kWithoutAttention},
    {"word_embedding_dimension",
     "are no models but what sentence-transformers does after one; open "
     "the folder of the transformer beside it"},
    {"vision_config", kSeesToo},
    {"audio_config", "read sound beside text, and do not open"},
    {"image_size", kSees},
    {"patch_size", kSees},
    {"num_channels", kSees},
    {"depths", kSees},
    {"num_mel_bins", kHears},
    {"conv_dim", kHears},
    {"codebook_size", kHears},
});

}  // namespace

Status RefuseQuantised(const JsonObject& config, bool takes_mxfp4) {
  const std::optional<std::string> method = MethodIn(config);
  if (!method || (takes_mxfp4 && *method == "mxfp4")) {
    return {};
  }
  const auto* known = std::ranges::find(kQuantisers, *method, &Quantiser::method);
  return tl::make_unexpected(known != kQuantisers.end()
                                 ? Refuse(config.name(), known->name, known->advice)
                                 : Refuse(config.name(), Quoted(*method), kOpenOriginal));
}

Status RefuseQuantised(const TensorMap& tensors, const std::string& name) {
  for (const Quantiser& one : kQuantisers) {
    const auto found = std::ranges::find_if(tensors, [&](const auto& tensor) {
      return !one.tensor.empty() && tensor.first.ends_with(one.tensor);
    });
    if (found != tensors.end()) {
      return tl::make_unexpected(Refuse(
          name, fmt::format("{}, as tensor {} shows", one.name, Quoted(found->first)), one.advice));
    }
  }
  const auto adapter = std::ranges::find_if(tensors, [](const auto& tensor) {
    return tensor.first.find(".lora_A.") != std::string::npos;
  });
  if (adapter != tensors.end()) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: holds a LoRA adapter, as tensor {} shows, expected a whole model; "
                            "merge it into its base with peft's merge_and_unload, save that with "
                            "save_pretrained and open it",
                            name,
                            Quoted(adapter->first)));
  }
  return {};
}

std::string_view WhyNoFamily(std::string_view architecture) {
  return IsAmong(kNoAttention, architecture)     ? kWithoutAttention
         : IsAmong(kSomeAttention, architecture) ? kWithSomeAttention
                                                 : OtherKindOf(architecture);
}

std::string_view WhyNoFamily(std::string_view model_type, const JsonObject& config) {
  if (const std::string_view why = WhyNoFamily(model_type); !why.empty()) {
    return why;
  }
  const auto* found =
      std::ranges::find_if(kKeys, [&](const KindKey& one) { return config.Has(one.key); });
  return found != kKeys.end() ? found->why : std::string_view();
}

}  // namespace headscope
