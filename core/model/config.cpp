#include "core/model/config.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/base/quote.h"
#include "core/model/foreign_config.h"
#include "core/model/other_arithmetic.h"

#define HEADSCOPE_ENTRY(name) extern const Family k##name##Family;
namespace headscope {
#include "registry/families.inc"
}
#undef HEADSCOPE_ENTRY

namespace headscope {
namespace {

#define HEADSCOPE_ENTRY(name) &k##name##Family,
constexpr std::array kFamilies = {
#include "registry/families.inc"
};
#undef HEADSCOPE_ENTRY

// The list is long: messages name a few of it.
constexpr std::string_view kWhatOpens =
    "BERT, GPT-2, Llama, Gemma, Qwen, T5 and many more do; `headscope families` lists them";

bool HasType(const Family& family, std::string_view type) {
  const std::vector<std::string_view> types = TypesOf(family);
  return std::ranges::find(types, type) != types.end();
}

// Some names share a formula: transformers has several spellings of the tanh form.
constexpr std::array<std::pair<std::string_view, ActivationKind>, 14> kActivations = {{
    {"gelu", ActivationKind::kGelu},
    {"gelu_python", ActivationKind::kGelu},
    {"gelu_new", ActivationKind::kGeluTanh},
    {"gelu_pytorch_tanh", ActivationKind::kGeluTanh},
    {"gelu_python_tanh", ActivationKind::kGeluTanh},
    {"gelu_fast", ActivationKind::kGeluTanh},
    {"gelu_accurate", ActivationKind::kGeluTanh},
    {"quick_gelu", ActivationKind::kQuickGelu},
    {"relu", ActivationKind::kRelu},
    {"relu2", ActivationKind::kReluSquared},
    {"relu_squared", ActivationKind::kReluSquared},
    {"silu", ActivationKind::kSilu},
    {"swish", ActivationKind::kSilu},
    {"tanh", ActivationKind::kTanh},
}};

// Ignores ids beyond the vocabulary, which some files have.
void ReadSpecialIds(const JsonObject& config, ModelDescription* model) {
  for (const std::string_view key : {"bos_token_id", "eos_token_id", "pad_token_id"}) {
    const auto value = config.Value(key);
    const auto id = value ? value->Integer() : std::nullopt;
    if (!id || *id < 0 || *id >= model->vocabulary) {
      continue;
    }
    model->special_ids.push_back(static_cast<std::int32_t>(*id));
    if (key == "bos_token_id") {
      model->begin_id = model->special_ids.back();
    }
  }
}

// TransformerLens' own configs name no type.
bool IsHooked(const JsonObject& config) {
  constexpr std::array<std::string_view, 5> kKeys = {
      "n_layers", "d_model", "d_head", "n_ctx", "d_vocab"};
  return std::ranges::all_of(kKeys, [&](std::string_view key) { return config.Has(key); });
}

// Jina's older embeddings call themselves BERT.
std::string TypeOf(const JsonObject& config) {
  std::string type = config.String("model_type", "").value_or("");
  const bool is_jina = type == "bert" && config.Has("feed_forward_type") &&
                       config.String("position_embedding_type", "").value_or("") == "alibi";
  return is_jina ? "jina_bert" : type;
}

const Family* FamilyFor(std::string_view type) {
  const auto found =
      std::ranges::find_if(kFamilies, [&](const Family* family) { return HasType(*family, type); });
  return found == kFamilies.end() ? nullptr : *found;
}

Result<ModelDescription> DescribeAs(const Family& family, const JsonObject& config) {
  HEADSCOPE_TRY(auto model, family.describe(config));
  HEADSCOPE_TRY(RefuseOtherArithmetic(config, model));
  ReadSpecialIds(config, &model);
  if (const std::string own = OwnCodeNote(config, model); !own.empty()) {
    model.note += (model.note.empty() ? "" : " ") + own;
  }
  return model;
}

}  // namespace

std::span<const Family* const> AllFamilies() {
  return kFamilies;
}

std::vector<std::string_view> TypesOf(const Family& family) {
  std::vector<std::string_view> types = {family.id};
  for (std::string_view rest = family.other_types; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    types.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return types;
}

const Family& FamilyOf(const ModelDescription& description) {
  const auto found = std::ranges::find_if(
      kFamilies, [&](const Family* family) { return family->id == description.family; });
  HEADSCOPE_CHECK(found != kFamilies.end(), "a description comes from a family");
  return **found;
}

Result<ModelDescription> DescribeConfig(const JsonObject& config) {
  const Family* named = FamilyFor(TypeOf(config));
  HEADSCOPE_TRY(RefuseQuantised(config, named != nullptr && named->has_packed_experts));
  if (!config.Has("model_type")) {
    if (IsHooked(config)) {
      return DescribeAs(*FamilyFor("hooked_transformer"), config);
    }
    if (const std::string_view why = WhyNoFamily("", config); !why.empty()) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("{}: such models {}; {}", config.name(), why, kWhatOpens));
    }
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: \"model_type\" is missing, expected the model's type; {}",
                            config.name(),
                            kWhatOpens));
  }
  HEADSCOPE_TRY(const auto type, config.String("model_type"));
  HEADSCOPE_TRY(const auto text, config.Object("text_config"));
  if (text) {
    HEADSCOPE_TRY(const auto text_type, text->String("model_type", ""));
    if (const Family* family = FamilyFor(text_type)) {
      HEADSCOPE_TRY(auto model, DescribeAs(*family, *text));
      model.note += fmt::format(
          "{}This is the part of a {} model that reads text ({}, from "
          "\"text_config\"); the others are left out.",
          model.note.empty() ? "" : " ",
          type,
          text_type);
      return model;
    }
  }
  if (named != nullptr) {
    return DescribeAs(*named, config);
  }
  // What a part of it is tells more than its own name.
  const std::string part = text ? text->String("model_type", "").value_or("") : "";
  const std::string_view part_why = WhyNoFamily(part);
  const std::string_view why = part_why.empty() ? WhyNoFamily(type, config) : part_why;
  return Fail(ErrorCode::kUnsupported,
              fmt::format("{}: models of the family {} {}; {}",
                          config.name(),
                          Quoted(type),
                          why.empty() ? "do not open yet" : why,
                          kWhatOpens));
}

Result<ModelDescription> ParseConfig(std::string_view json, const std::string& name) {
  if (json.size() > kMaxConfigBytes) {
    return Fail(
        ErrorCode::kFormat,
        fmt::format(
            "{}: expected at most {} bytes of JSON, found {}", name, kMaxConfigBytes, json.size()));
  }
  HEADSCOPE_TRY(const auto document, JsonDocument::Parse(json, name));
  HEADSCOPE_TRY(const auto config, JsonObject::Root(document));
  return DescribeConfig(config);
}

Result<ActivationKind> ReadActivation(const JsonObject& config,
                                      std::string_view key,
                                      std::string_view fallback) {
  HEADSCOPE_TRY(const auto name, config.String(key, std::string(fallback)));
  const auto* found = std::ranges::find_if(
      kActivations, [&](const auto& activation) { return activation.first == name; });
  if (found == kActivations.end()) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: {} is {}, expected one of gelu, gelu_new, quick_gelu, relu, "
                            "relu2, silu, tanh",
                            config.name(),
                            Quoted(key),
                            Quoted(name)));
  }
  return found->second;
}

}  // namespace headscope
