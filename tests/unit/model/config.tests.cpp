#include "core/model/config.h"

#include <array>
#include <cmath>
#include <string>

#include "core/model/rotary.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"

namespace headscope {
namespace {

const std::string kGpt2 = R"("model_type": "gpt2", "n_layer": 2, "n_head": 3, "n_embd": 12,
                             "n_positions": 16, "vocab_size": 11)";
const std::string kLlama = R"("model_type": "llama", "num_hidden_layers": 2,
    "num_attention_heads": 4, "hidden_size": 24, "intermediate_size": 10,
    "max_position_embeddings": 16, "vocab_size": 11)";

const std::string kQwen2 = R"("model_type": "qwen2", "num_hidden_layers": 2,
    "num_attention_heads": 4, "hidden_size": 24, "intermediate_size": 10, "vocab_size": 11)";
const std::string kGemma2 = R"("model_type": "gemma2", "num_hidden_layers": 2,
    "num_attention_heads": 4, "hidden_size": 24, "intermediate_size": 10, "vocab_size": 11)";

// `changes` come first: the first of equal keys counts.
Result<ModelDescription> Describe(const std::string& base, const std::string& changes = "") {
  return ParseConfig("{" + changes + (changes.empty() ? "" : ",") + base + "}", "config.json");
}

ModelDescription Described(const std::string& base, const std::string& changes = "") {
  Result<ModelDescription> model = Describe(base, changes);
  INFO((model ? "" : model.error().message));
  REQUIRE(model.has_value());
  return *model;
}

Error Refused(const std::string& base, const std::string& changes = "") {
  const Result<ModelDescription> model = Describe(base, changes);
  INFO(changes);
  REQUIRE_FALSE(model.has_value());
  return model.error();
}

bool Contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a GPT-2 config is described with its sizes, shapes and scale", "[model][config]") {
  const ModelDescription model = Described(kGpt2);
  CHECK(model.family == "gpt2");
  CHECK(model.layers == 2);
  CHECK(model.heads == 3);
  CHECK(model.kv_heads == 3);
  CHECK(model.head_dim == 4);
  CHECK(model.value_dim == 4);
  CHECK(model.positions == 16);
  CHECK(model.vocabulary == 11);
  CHECK(model.ties_embeddings);
  CHECK(model.position_scheme == PositionScheme::kLearned);
  REQUIRE(model.layer.size() == 2);
  const LayerDescription& layer = model.layer[1];
  REQUIRE(layer.query_key_value.matrices.size() == 1);
  CHECK(layer.query_key_value.matrices[0].weight.name == "h.1.attn.c_attn.weight");
  CHECK(layer.query_key_value.matrices[0].weight.shape == std::vector<std::int64_t>{12, 36});
  CHECK(layer.query_key_value.layout == WeightLayout::kInOut);
  CHECK(layer.rule.scale == test::Near(0.5));
  CHECK(layer.rule.causal);
  CHECK(layer.activation == ActivationKind::kGeluTanh);
  CHECK(layer.mlp_up.matrices[0].weight.shape == std::vector<std::int64_t>{12, 48});
  CHECK_FALSE(layer.mlp_gate.has_value());
  CHECK(layer.attention_norm.before->epsilon == test::Near(1e-5));
}

TEST_CASE("GPT-2's odd settings reach the description", "[model][config]") {
  CHECK(Described(kGpt2, R"("scale_attn_weights": false)").layer[0].rule.scale == 1.0);
  const ModelDescription by_layer = Described(kGpt2, R"("scale_attn_by_inverse_layer_idx": true)");
  CHECK(by_layer.layer[0].rule.scale == test::Near(0.5));
  CHECK(by_layer.layer[1].rule.scale == test::Near(0.25));
  CHECK(Described(kGpt2, R"("n_inner": 7)").layer[0].mlp_down.in == 7);
  CHECK(Described(kGpt2, R"("n_inner": null)").layer[0].mlp_down.in == 48);
  CHECK(Described(kGpt2, R"("layer_norm_epsilon": 0.25)").layer[0].mlp_norm.before->epsilon ==
        0.25);
  CHECK_FALSE(Described(kGpt2, R"("tie_word_embeddings": false)").ties_embeddings);
  CHECK(Described(kGpt2, R"("activation_function": "relu")").layer[0].activation ==
        ActivationKind::kRelu);
  CHECK(Described(kGpt2, R"("activation_function": "gelu")").layer[0].activation ==
        ActivationKind::kGelu);
}

TEST_CASE("a Llama config is described with grouped keys and rotary angles", "[model][config]") {
  const ModelDescription plain = Described(kLlama);
  CHECK(plain.kv_heads == 4);
  CHECK(plain.head_dim == 6);
  CHECK(plain.rotary[0].table.inverse_frequency.size() == 3);
  CHECK(plain.rotary[0].table.inverse_frequency[1] == test::Near(std::pow(10000.0, -1.0 / 3.0)));

  const ModelDescription model = Described(
      kLlama,
      R"("num_key_value_heads": 2, "head_dim": 10, "attention_bias": true, "mlp_bias": true)");
  CHECK(model.kv_heads == 2);
  CHECK(model.head_dim == 10);
  const LayerDescription& layer = model.layer[0];
  REQUIRE(layer.query_key_value.matrices.size() == 3);
  CHECK(layer.query_key_value.matrices[0].weight.shape == std::vector<std::int64_t>{40, 24});
  CHECK(layer.query_key_value.matrices[2].weight.shape == std::vector<std::int64_t>{20, 24});
  REQUIRE(layer.query_key_value.matrices[2].bias.has_value());
  CHECK(layer.output.in == 40);
  CHECK(layer.rule.scale == test::Near(1.0 / std::sqrt(10.0)));
  REQUIRE(layer.mlp_gate.has_value());
  CHECK(layer.mlp_gate->matrices[0].bias.has_value());
  CHECK(layer.attention_norm.before->kind == NormKind::kRms);
}

TEST_CASE("the rotary base is read from old and from new keys", "[model][config]") {
  const auto second = [](const std::string& changes) {
    return Described(kLlama, changes).rotary[0].table.inverse_frequency[1];
  };
  CHECK(second(R"("rope_theta": 8.0)") == test::Near(0.5));
  CHECK(second(R"("rope_parameters": {"rope_theta": 27.0, "rope_type": "default"})") ==
        test::Near(1.0 / 3.0));
  CHECK(second(R"("rope_theta": 8.0, "rope_scaling": null)") == test::Near(0.5));
  CHECK(second(R"("rope_theta": 8.0, "rope_scaling": {"type": "default"})") == test::Near(0.5));
}

TEST_CASE("GPT-NeoX calls its rotary settings by names of its own", "[model][config]") {
  constexpr const char* kNeox =
      R"("model_type": "gpt_neox", "num_hidden_layers": 1, "num_attention_heads": 2,
         "hidden_size": 24, "intermediate_size": 10, "vocab_size": 11)";
  const auto rotary = [&](const std::string& changes) {
    return Described(kNeox, changes).rotary[0];
  };
  // What stands outside is never read; what stands in the object goes before.
  const std::string outer = R"("rotary_pct": 0.5, "rotary_emb_base": 8.0)";
  CHECK(rotary(outer).dims == 6);
  CHECK(rotary(outer).table.inverse_frequency[1] == test::Near(0.5));
  CHECK(rotary(outer + R"(, "rope_theta": 27.0, "partial_rotary_factor": 1.0)").dims == 6);
  CHECK(rotary(outer + R"(, "rope_theta": 27.0)").table.inverse_frequency[1] == test::Near(0.5));
  const auto inner =
      rotary(outer + R"(, "rope_parameters": {"rope_theta": 27.0, "partial_rotary_factor": 0.5,
                                       "rope_type": "default"})");
  CHECK(inner.table.inverse_frequency[1] == test::Near(1.0 / 3.0));
  CHECK(rotary(R"("rope_theta": 27.0)").dims == 3);
}

TEST_CASE("scaled rotary positions lengthen what a model reads", "[model][config]") {
  const auto reads = [](const std::string& changes) {
    return Described(kLlama, changes).positions;
  };
  CHECK(reads(R"("rope_scaling": {"type": "linear", "factor": 3})") == 48);
  CHECK(reads(R"("rope_scaling": {"type": "dynamic", "factor": 2.5})") == 40);
  CHECK(reads(R"("rope_scaling": {"type": "dynamic", "factor": 0.5})") == 16);
  CHECK(reads(R"("rope_scaling": {"type": "yarn", "factor": 4,
                 "original_max_position_embeddings": 16})") == 64);
  CHECK(reads(R"("rope_scaling": {"type": "yarn", "factor": 4,
                 "original_max_position_embeddings": 2})") == 16);
  CHECK(reads(R"("rope_scaling": {"type": "linear", "factor": 1e6},
                 "max_position_embeddings": 100000000)") == kMaxPositions);
}

TEST_CASE("a dynamic base grows with the text, past the original length only", "[model][config]") {
  const RotaryRule rule =
      Described(kLlama, R"("rope_theta": 64.0, "rope_scaling": {"type": "dynamic", "factor": 3})")
          .rotary[0];
  CHECK(rule.original_positions == 16);
  CHECK(TableFor(rule, 1) == rule.table);
  CHECK(TableFor(rule, 16) == rule.table);
  CHECK(rule.table.inverse_frequency[1] == test::Near(std::pow(64.0, -1.0 / 3.0)));
  // Twice as long: base * (3 * 2 - 2)^(6 / 4).
  CHECK(TableFor(rule, 32).inverse_frequency[1] == test::Near(std::pow(64.0 * 8.0, -1.0 / 3.0)));
  CHECK_FALSE(TableFor(rule, 33) == TableFor(rule, 32));
}

TEST_CASE("windows are read for the layers that have them", "[model][config]") {
  const auto windows = [](const std::string& base, const std::string& changes) {
    std::vector<std::int64_t> all;
    for (const LayerDescription& layer : Described(base, changes).layer) {
      all.push_back(layer.rule.window);
    }
    return all;
  };
  using Windows = std::vector<std::int64_t>;
  CHECK(windows(kQwen2, R"("sliding_window": 7)") == Windows{0, 0});
  CHECK(windows(kQwen2, R"("sliding_window": 7, "use_sliding_window": true)") == Windows{0, 0});
  CHECK(windows(kQwen2,
                R"("sliding_window": 7, "use_sliding_window": true, "max_window_layers": 1)") ==
        Windows{0, 7});
  CHECK(windows(kQwen2, R"("sliding_window": null, "use_sliding_window": true,
                           "max_window_layers": 0)") == Windows{0, 0});
  CHECK(windows(kGemma2, "") == Windows{4096, 0});
  CHECK(windows(kGemma2, R"("layer_types": ["full_attention", "full_attention"],
                            "sliding_window": null)") == Windows{0, 0});
}

TEST_CASE("Gemma 2 scales and caps its scores as it is told", "[model][config]") {
  const AttentionRule usual = Described(kGemma2).layer[0].rule;
  CHECK(usual.scale == test::Near(1.0 / 16.0));
  CHECK(usual.softcap == 50.0);
  CHECK(Described(kGemma2, R"("attn_logit_softcapping": null)").layer[0].rule.softcap == 0.0);
  CHECK(Described(kGemma2, R"("query_pre_attn_scalar": 9)").layer[0].rule.scale ==
        test::Near(1.0 / 3.0));
  CHECK(Described(kGemma2).embedding_scale == test::Near(std::sqrt(24.0)));
}

TEST_CASE("what is well formed but not done yet is refused as such", "[model][config]") {
  const Error family = Refused(R"("model_type": "mamba")");
  CHECK(family.code == ErrorCode::kUnsupported);
  CHECK(Contains(family.message, "\"mamba\""));
  CHECK(Contains(family.message, "headscope families"));

  const Error scaling = Refused(kLlama, R"("rope_scaling": {"type": "other", "factor": 2})");
  CHECK(scaling.code == ErrorCode::kUnsupported);
  CHECK(Contains(scaling.message, "config.json: rope_scaling: \"type\" is \"other\""));
  CHECK(
      Refused(kLlama, R"("rope_parameters": {"full_attention": {"rope_type": "default"}})").code ==
      ErrorCode::kUnsupported);
  CHECK(Refused(kQwen2, R"("layer_types": ["full_attention", "chunked_attention"])").code ==
        ErrorCode::kUnsupported);
  const Error part = Refused(kLlama, R"("partial_rotary_factor": 0.5)");
  CHECK(part.code == ErrorCode::kUnsupported);
  CHECK(Contains(part.message, "\"partial_rotary_factor\" lets 3 of the 6 columns"));
  const Error ahead = Refused(kGemma2, R"("use_bidirectional_attention": true)");
  CHECK(ahead.code == ErrorCode::kUnsupported);
  CHECK(Contains(ahead.message, "\"use_bidirectional_attention\" is true"));
  CHECK(Refused(kGpt2, R"("add_cross_attention": true)").code == ErrorCode::kUnsupported);

  const Error activation = Refused(kGpt2, R"("activation_function": "relu6")");
  CHECK(activation.code == ErrorCode::kUnsupported);
  CHECK(Contains(activation.message, "\"activation_function\" is \"relu6\""));
}

TEST_CASE("absurd, wrongly typed and missing values each give a sentence with the key",
          "[model][config]") {
  struct Case {
    const std::string& base;
    const char* changes;
    const char* key;
  };
  const std::array cases = {
      Case{kGpt2, R"("n_layer": 1000000000)", "\"n_layer\" is 1000000000"},
      Case{kGpt2, R"("n_layer": 0)", "\"n_layer\" is 0"},
      Case{kGpt2, R"("n_layer": -3)", "\"n_layer\" is -3"},
      Case{kGpt2, R"("n_layer": "two")", "\"n_layer\" is \"two\""},
      Case{kGpt2, R"("n_layer": null, "x": 0)", "\"n_layer\" is missing"},
      Case{kGpt2, R"("n_layer": 2.5)", "\"n_layer\" is 2.5"},
      Case{kGpt2, R"("n_layer": [2])", "\"n_layer\" is a list"},
      Case{kGpt2, R"("n_layer": true)", "\"n_layer\" is true"},
      Case{kGpt2, R"("n_head": 5)", "\"n_embd\" is 12, expected a multiple of \"n_head\""},
      Case{kGpt2, R"("n_embd": 18446744073709551615)", "\"n_embd\" is 18446744073709551615"},
      Case{kGpt2, R"("n_positions": 1e300)", "\"n_positions\" is 1e"},
      Case{kGpt2, R"("n_inner": 9223372036854775807)", "\"n_inner\" is"},
      Case{kGpt2, R"("vocab_size": {})", "\"vocab_size\" is an object"},
      Case{kGpt2, R"("layer_norm_epsilon": -1e-5)", "\"layer_norm_epsilon\" is -1e-05"},
      Case{kGpt2, R"("scale_attn_weights": "no")", "\"scale_attn_weights\" is \"no\""},
      Case{kGpt2, R"("activation_function": 3)", "\"activation_function\" is 3"},
      Case{kLlama, R"("num_key_value_heads": 3)", "\"num_attention_heads\" is 4"},
      Case{kLlama, R"("num_key_value_heads": 8)", "\"num_key_value_heads\" is 8"},
      Case{kLlama, R"("head_dim": 7)", "the width of a head is 7"},
      Case{kLlama, R"("head_dim": 4294967296)", "\"head_dim\" is 4294967296"},
      Case{kLlama, R"("hidden_size": 25)", "\"hidden_size\" is 25"},
      Case{kLlama, R"("rope_theta": 0)", "\"rope_theta\" is 0"},
      Case{kLlama, R"("rope_scaling": 4)", "\"rope_scaling\" is 4"},
      Case{kLlama, R"("rope_scaling": {"type": "linear"})", "\"factor\" is missing"},
      Case{kLlama, R"("rope_scaling": {"type": "linear", "factor": 0})", "\"factor\" is 0"},
      Case{kLlama,
           R"("head_dim": 2, "rope_scaling": {"type": "dynamic", "factor": 2})",
           "2 columns"},
      Case{kLlama, R"("rope_scaling": {"type": "llama3", "factor": 2})", "\"low_freq_factor\" is"},
      Case{kLlama,
           R"("rope_theta": 1, "rope_scaling": {"type": "yarn", "factor": 2})",
           "\"rope_theta\" is 1, expected more"},
      Case{kLlama,
           R"("rope_scaling": {"type": "longrope", "short_factor": [1, 1, 1], "long_factor": [1]})",
           "\"long_factor\" is 1 number,"},
      Case{kLlama,
           R"("rope_scaling": {"type": "longrope", "short_factor": [1, 1, -1]})",
           "\"short_factor\" is not one"},
      Case{kLlama, R"("partial_rotary_factor": 0)", "0 of its columns turn"},
      Case{kLlama, R"("partial_rotary_factor": 1.5)", "\"partial_rotary_factor\" is 1.5"},
      Case{kQwen2, R"("layer_types": ["full_attention"])", "\"layer_types\" names 1 layer,"},
      Case{kQwen2,
           R"("layer_types": ["full_attention", "sliding_attention"])",
           "\"sliding_window\" is missing"},
      Case{kGemma2, R"("query_pre_attn_scalar": 0)", "\"query_pre_attn_scalar\" is 0"},
      Case{kGemma2, R"("attn_logit_softcapping": -1)", "\"attn_logit_softcapping\" is -1"},
      Case{kLlama, R"("attention_bias": 1)", "\"attention_bias\" is 1"},
      Case{kLlama, R"("rms_norm_eps": "small")", "\"rms_norm_eps\" is \"small\""},
  };
  for (const Case& one : cases) {
    INFO(one.changes);
    const Error error = Refused(one.base, one.changes);
    CHECK(error.code == ErrorCode::kFormat);
    INFO(error.message);
    CHECK(error.message.starts_with("config.json: "));
    CHECK(Contains(error.message, one.key));
    CHECK(Contains(error.message, "expected"));
  }
}

TEST_CASE("a config that is no JSON object or names no family is refused", "[model][config]") {
  for (const char* text : {"",
                           "[]",
                           "3",
                           "{\"model_type\":",
                           "\"gpt2\"",
                           "{}",
                           R"({"model_type": 7})",
                           R"({"model_type": null})"}) {
    INFO(text);
    const Result<ModelDescription> model = ParseConfig(text, "config.json");
    REQUIRE_FALSE(model.has_value());
    CHECK(model.error().code == ErrorCode::kFormat);
    CHECK(model.error().message.starts_with("config.json: "));
  }
  CHECK_FALSE(ParseConfig(std::string(kMaxConfigBytes + 1, ' '), "config.json").has_value());
}

TEST_CASE("every family describes its own example", "[model][config]") {
  REQUIRE(AllFamilies().size() >= 2);
  for (const Family* family : AllFamilies()) {
    INFO(family->id);
    const Result<ModelDescription> model = ParseConfig(family->example, "example");
    INFO((model ? "" : model.error().message));
    REQUIRE(model.has_value());
    CHECK(&FamilyOf(*model) == family);
    CHECK(static_cast<std::int64_t>(model->layer.size()) == model->layers);
    CHECK(model->heads % model->kv_heads == 0);
    CHECK_FALSE(family->prefixes.empty());
  }
}

TEST_CASE("a model of pictures and text opens the part that reads text", "[config]") {
  constexpr const char* kWhole = R"({"model_type": "some_pictures", "vision_config": {},
      "text_config": {"model_type": "qwen2", "num_hidden_layers": 2, "num_attention_heads": 2,
                      "hidden_size": 8, "intermediate_size": 10, "vocab_size": 11}})";
  const auto model = ParseConfig(kWhole, "config.json");
  REQUIRE(model);
  CHECK(model->family == "qwen2");
  CHECK(model->layers == 2);
  CHECK_THAT(model->note, test::Says("some_pictures") && test::Says("text_config"));
  // Gemma 3 says little more than its sizes there.
  const auto gemma = ParseConfig(
      R"({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "hidden_size": 64,
          "intermediate_size": 10, "num_hidden_layers": 6, "sliding_window": 7,
          "rope_scaling": {"factor": 8.0, "rope_type": "linear"}}})",
      "config.json");
  REQUIRE(gemma);
  CHECK(gemma->heads == 8);
  CHECK(gemma->kv_heads == 4);
  CHECK(gemma->head_dim == 256);
  CHECK(gemma->layer[0].rule.window == 7);
  CHECK(gemma->layer[5].rule.window == 0);
  // Only whole layers are scaled, and the others turn by a base of their own.
  REQUIRE(gemma->rotary.size() == 2);
  CHECK(gemma->rotary[0].table.inverse_frequency[0] == test::Near(1.0 / 8.0));
  CHECK(gemma->rotary[1].table.inverse_frequency[0] == 1.0);
  CHECK(gemma->rotary[1].table.inverse_frequency[1] ==
        test::Near(1.0 / std::pow(10'000.0, 2.0 / 256.0)));
  const auto other = ParseConfig(
      R"({"model_type": "some_pictures", "text_config": {"model_type": "other"}})", "config.json");
  REQUIRE_FALSE(other);
  CHECK_THAT(other.error().message, test::Says("some_pictures"));
}

TEST_CASE("every type of a family is described with the family's keys or refused in words",
          "[config]") {
  for (const Family* family : AllFamilies()) {
    INFO(family->id);
    const auto model = ParseConfig(family->example, "config.json");
    REQUIRE(model);
    CHECK(&FamilyOf(*model) == family);
  }
}

}  // namespace headscope
