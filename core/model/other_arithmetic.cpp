#include "core/model/other_arithmetic.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "core/base/quote.h"

namespace headscope {
namespace {

constexpr const char* kOwnCode = "auto_map";

// Null, false, 0, "", "none", [] and {} switch a setting off.
bool IsOff(JsonValue value) {
  if (const auto text = value.Text()) {
    return text->empty() || *text == "none";
  }
  const auto list = value.Array();
  return value.is_null() || value.Boolean() == false || value.Number() == 0.0 ||
         (list && list->empty()) || (value.is_object() && value.Object()->empty());
}

bool IsThere(const JsonObject& config, std::string_view key) {
  const std::optional<JsonValue> value = config.Value(key);
  return value && !IsOff(*value);
}

tl::unexpected<Error> Refuse(const JsonObject& config,
                             std::string_view key,
                             std::string_view expected) {
  const JsonValue value = *config.Value(key);
  const bool is_short = !value.is_object() && !value.Array();
  return Fail(ErrorCode::kUnsupported,
              fmt::format("{}: {} is {}, expected {}",
                          config.name(),
                          Quoted(key),
                          value.Text() ? Quoted(*value.Text())
                          : is_short   ? value.Minified()
                                       : "there",
                          expected));
}

Status RefusePositions(const JsonObject& config, const ModelDescription& model) {
  constexpr const char* kExpected =
      "none; positions by a bias of the scores (ALiBi), by their distance or of another kind than "
      "the family's do not open";
  constexpr const char* kType = "position_embedding_type";
  const std::optional<JsonValue> type = config.Value(kType);
  const std::string_view text = type ? type->Text().value_or("") : "";
  const bool turns = text.starts_with("rot") || text == "rope";
  const auto& bias = model.layer.front().rule.bias;
  const bool has_slopes = bias != nullptr && !bias->slopes.empty();
  if ((text == "alibi" && !has_slopes) || text.starts_with("relative") ||
      (turns && model.position_scheme != PositionScheme::kRotary)) {
    return Refuse(config, kType, kExpected);
  }
  // What the family reads itself.
  if (has_slopes) {
    return {};
  }
  for (const JsonField& field : config.Fields()) {
    if (field.key.find("alibi") != std::string_view::npos && !IsOff(field.value)) {
      return Refuse(config, field.key, kExpected);
    }
  }
  return {};
}

struct Setting {
  std::string_view key;
  std::string_view expected;
};

constexpr std::string_view kOfLayers = "per_layer_config";
constexpr std::string_view kTiedHalves = "tie_encoder_decoder";

// Settings that some version of transformers supports in every family.
constexpr std::array<Setting, 3> kOfLibrary = {{
    {"pruned_heads", "none; models whose heads were pruned do not open"},
    {kOfLayers, "none; layers that differ from each other do not open"},
    {kTiedHalves, "false; an encoder that is the decoder, too, does not open"},
}};

// Settings that only a model's own code understands.
constexpr std::array<std::string_view, 16> kOfOwnCode = {"attention_multiplier",
                                                         "embedding_multiplier",
                                                         "feed_forward_type",
                                                         "layer_scale_init_value",
                                                         "parallel_attn",
                                                         "parallel_block",
                                                         "prenorm",
                                                         "qk_norm",
                                                         "residual_multiplier",
                                                         "rope_scaling",
                                                         "rope_theta",
                                                         "rotary_emb_fraction",
                                                         "scale_depth",
                                                         "scale_emb",
                                                         "use_qk_norm",
                                                         "use_rms_norm"};

}  // namespace

Status RefuseOtherArithmetic(const JsonObject& config, const ModelDescription& model) {
  HEADSCOPE_TRY(RefusePositions(config, model));
  const bool looks_back = model.causal || model.decoder;
  const std::optional<JsonValue> causal = config.Value("is_causal");
  if (looks_back && causal && causal->Boolean() == false) {
    return Refuse(config, "is_causal", "true; models of this family that look ahead do not open");
  }
  for (const Setting& setting : kOfLibrary) {
    const bool is_read = (setting.key == kOfLayers && model.layer.front().own_heads) ||
                         (setting.key == kTiedHalves && model.family == "encoder-decoder");
    if (IsThere(config, setting.key) && !is_read) {
      return Refuse(config, setting.key, setting.expected);
    }
  }
  for (const std::string_view key : kOfOwnCode) {
    const std::optional<JsonValue> value = config.Value(key);
    const bool is_usual =
        model.position_scheme == PositionScheme::kRotary && key.starts_with("rope_");
    const bool is_read = key == "feed_forward_type" && model.family == "jina_bert";
    if (config.Has(kOwnCode) && IsThere(config, key) && value->Number() != 1.0 && !is_usual &&
        !is_read) {
      return Refuse(config,
                    key,
                    fmt::format("none in a {} model; it is for code of the model's own ({}), "
                                "which is not run",
                                model.family,
                                Quoted(kOwnCode)));
    }
  }
  return {};
}

std::string OwnCodeNote(const JsonObject& config, const ModelDescription& model) {
  const JsonFields fields =
      config.Value(kOwnCode).value_or(JsonValue()).Object().value_or(JsonFields());
  const auto found = std::ranges::find_if(
      fields, [](const JsonField& field) { return field.key.starts_with("AutoModel"); });
  if (found == fields.end()) {
    return {};
  }
  return fmt::format(
      "{} names code of the model's own ({}), which is not run: the maps are those of a {} model "
      "with these weights",
      Quoted(kOwnCode),
      found->value.Text() ? Quoted(*found->value.Text()) : found->value.Minified(),
      model.family);
}

}  // namespace headscope
