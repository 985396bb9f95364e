// LoRA adapters: W + scale B A against what is written down here, and what is refused.
#include "core/model/adapter.h"

#include <cmath>
#include <fstream>
#include <string>

#include "core/model/read_weights.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"
#include "tests/support/tiny_gguf.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::Says;
using test::TempFolder;
using test::TinyModel;
using test::TinyTensor;

namespace fs = std::filesystem;

constexpr const char* kAdaptedLlama = R"({"model_type": "llama", "num_hidden_layers": 2,
    "num_attention_heads": 3, "num_key_value_heads": 1, "hidden_size": 12, "intermediate_size": 10,
    "max_position_embeddings": 16, "vocab_size": 11})";
constexpr const char* kAdaptedGpt2 =
    R"({"model_type": "gpt2", "n_layer": 2, "n_head": 3, "n_embd": 12,
                                  "n_positions": 16, "vocab_size": 11})";
const std::string kQueryModule = "layers.1.self_attn.q_proj";

// A base in base/ and an adapter in adapter/, beside each other.
struct AdaptedPair {
  TempFolder folder;
  TinyModel base;
  std::map<std::string, TinyTensor> tensors;

  explicit AdaptedPair(const char* config) : base(config) {
    fs::create_directory(folder / "base");
    fs::create_directory(folder / "adapter");
    base.Write(folder / "base");
  }

  // Adds a module's two matrices of this rank.
  void Add(const std::string& module, std::int64_t in, std::int64_t out, std::int64_t rank) {
    RandomStream random(tensors.size() + 7);
    const std::string name = "base_model.model." + module;
    tensors[name + ".lora_A.weight"] = test::RandomTensor({"a.weight", {rank, in}}, &random);
    tensors[name + ".lora_B.weight"] = test::RandomTensor({"b.weight", {out, rank}}, &random);
  }

  Result<std::shared_ptr<const Model>> Open(const std::string& settings = "",
                                            const std::string& named = "somewhere/base") {
    std::vector<TensorView> views;
    for (const auto& [name, tensor] : tensors) {
      views.push_back(
          {name, DataType::kF32, tensor.shape, std::as_bytes(std::span(tensor.values))});
    }
    REQUIRE(WriteSafetensors(folder / "adapter" / "adapter_model.safetensors", views, {}));
    std::ofstream(folder / "adapter" / "adapter_config.json")
        << R"({"peft_type": "LORA", "r": 2, "lora_alpha": 6, "base_model_name_or_path": ")" +
               named + "\"" + settings + "}";
    return Model::Open(folder / "adapter");
  }

  std::string Refused(const std::string& settings = "") {
    const auto model = Open(settings);
    REQUIRE_FALSE(model.has_value());
    return model.error().message;
  }

  // scale (B A)[row, col]
  double Added(const std::string& module, double scale, std::int64_t row, std::int64_t col) {
    const std::string name = "base_model.model." + module;
    const TinyTensor& a = tensors.at(name + ".lora_A.weight");
    const TinyTensor& b = tensors.at(name + ".lora_B.weight");
    double sum = 0.0;
    for (std::int64_t i = 0; i < a.shape[0]; ++i) {
      sum += static_cast<double>(b.values[static_cast<std::size_t>(row * b.shape[1] + i)]) *
             static_cast<double>(a.values[static_cast<std::size_t>(i * a.shape[1] + col)]);
    }
    return scale * sum;
  }
};

// Checks the query columns of layer 1 against the definition.
void CheckQueries(AdaptedPair* pair, const Model& model, double scale) {
  const ProjectionColumns made =
      ReadColumns(model, model.description().layer[1].query_key_value, 0, 12);
  const TinyTensor& stored = pair->base.tensors.at(kQueryModule + ".weight");
  for (std::int64_t row = 0; row < 12; ++row) {
    for (std::int64_t col = 0; col < 12; ++col) {
      const double plain =
          static_cast<double>(stored.values[static_cast<std::size_t>(12 * row + col)]);
      CHECK(static_cast<double>(made.Column(row)[static_cast<std::size_t>(col)]) ==
            test::Near(plain + pair->Added(kQueryModule, scale, row, col), 1e-5));
    }
  }
}

}  // namespace

TEST_CASE("an adapter is added to its base's weights and says so", "[model][adapter]") {
  AdaptedPair pair(kAdaptedLlama);
  pair.Add(kQueryModule, 12, 12, 2);
  const auto base = Model::Open(pair.folder / "base");
  const auto model = pair.Open();
  REQUIRE(model.has_value());
  CheckQueries(&pair, **model, 3.0);
  CHECK_THAT((*model)->description().note, Says("LoRA adapter of rank 2 merged"));
  CHECK((*model)->name() == "adapter");
  CHECK((*model)->fingerprint() != (*base)->fingerprint());
  CHECK((*model)->parameters() == (*base)->parameters());
  // Another layer is the base's.
  const auto first = [](const Model& from) {
    return ReadColumns(from, from.description().layer[0].query_key_value, 0, 20).weight;
  };
  CHECK(first(**model) == first(**base));

  pair.tensors.begin()->second.values.front() += 1.0F;
  const auto other = pair.Open();
  REQUIRE(other.has_value());
  CHECK((*other)->fingerprint() != (*model)->fingerprint());
}

TEST_CASE("the scale is alpha over the rank or its root, and alpha may differ by module",
          "[model][adapter]") {
  AdaptedPair pair(kAdaptedLlama);
  pair.Add(kQueryModule, 12, 12, 2);
  const auto check = [&](const char* settings, double scale) {
    INFO(settings);
    const auto model = pair.Open(settings);
    REQUIRE(model.has_value());
    CheckQueries(&pair, **model, scale);
  };
  check(R"(, "use_rslora": true)", 6.0 / std::sqrt(2.0));
  check(R"(, "alpha_pattern": {"q_proj": 4})", 2.0);
  check(R"(, "alpha_pattern": {"proj": 4})", 3.0);  // no part between dots
  check(R"(, "alpha_pattern": {"^q_proj": 4})", 3.0);
  check(R"(, "alpha_pattern": {"^layers.1.self_attn.q_proj": 1})", 0.5);
  check(R"(, "fan_in_fan_out": false, "use_dora": false, "loftq_config": {})", 3.0);
  CHECK_THAT(pair.Refused(R"(, "alpha_pattern": {"q_.*": 4})"), Says("\"alpha_pattern\""));
  CHECK_THAT(pair.Refused(R"(, "alpha_pattern": {"q_proj": -4})"), Says("above 0"));
}

TEST_CASE("square matrices of GPT-2's kind are added to as they lie", "[model][adapter]") {
  AdaptedPair pair(kAdaptedGpt2);
  pair.Add("transformer.h.1.attn.c_proj", 12, 12, 2);  // the base has no prefix
  const auto model = pair.Open();
  REQUIRE(model.has_value());
  const ProjectionColumns made =
      ReadColumns(**model, (*model)->description().layer[1].output, 0, 12);
  const TinyTensor& stored = pair.base.tensors.at("h.1.attn.c_proj.weight");
  for (std::int64_t out = 0; out < 12; ++out) {
    for (std::int64_t in = 0; in < 12; ++in) {
      const double plain =
          static_cast<double>(stored.values[static_cast<std::size_t>(12 * in + out)]);
      CHECK(static_cast<double>(made.Column(out)[static_cast<std::size_t>(in)]) ==
            test::Near(plain + pair.Added("transformer.h.1.attn.c_proj", 3.0, out, in), 1e-5));
    }
  }
}

TEST_CASE("tensors that an adapter holds whole replace the base's", "[model][adapter]") {
  AdaptedPair pair(kAdaptedLlama);
  RandomStream random(5);
  pair.tensors["base_model.model.model.norm.modules_to_save.weight"] =
      test::RandomTensor({"norm.weight", {12}}, &random);
  const auto model = pair.Open();
  REQUIRE(model.has_value());
  CHECK(ReadNorm(**model, *(*model)->description().final_norm).weight ==
        pair.tensors.begin()->second.values);
  pair.tensors.begin()->second = test::RandomTensor({"norm.weight", {6}}, &random);
  CHECK_THAT(pair.Refused(), Says("norm") && Says("[6]") && Says("[12]"));
}

TEST_CASE("kinds of adapters that change more than weights are refused by their key",
          "[model][adapter]") {
  AdaptedPair pair(kAdaptedLlama);
  pair.Add(kQueryModule, 12, 12, 2);
  for (const char* setting : {R"("use_dora": true)",
                              R"("use_something_new": true)",
                              R"("lora_bias": true)",
                              R"("kasa_config": {"beta": 1})",
                              R"("target_parameters": ["experts"])",
                              R"("init_lora_weights": "pissa_niter_4")"}) {
    const std::string text(setting);
    CHECK_THAT(pair.Refused(", " + text),
               Says("adapter_config.json: ") && Says(text.substr(0, text.find(':'))) &&
                   Says("merge_and_unload"));
  }
}

TEST_CASE("an adapter that does not fit its base is refused by the tensor", "[model][adapter]") {
  AdaptedPair pair(kAdaptedLlama);
  pair.Add(kQueryModule, 12, 12, 2);
  const std::string a = "base_model.model." + kQueryModule + ".lora_A.weight";
  const std::string b = "base_model.model." + kQueryModule + ".lora_B.weight";
  const auto tensors = pair.tensors;

  pair.tensors.erase(a);
  CHECK_THAT(pair.Refused(), Says("only one of two matrices") && Says(kQueryModule));
  RandomStream random(1);
  pair.tensors = tensors;
  pair.tensors[a] = test::RandomTensor({"a.weight", {2, 10}}, &random);
  CHECK_THAT(pair.Refused(), Says(a) && Says("[2,10]") && Says("[12,12]"));
  pair.tensors[a] = test::RandomTensor({"a.weight", {3, 12}}, &random);
  CHECK_THAT(pair.Refused(), Says("[3,12]") && Says("[12,2]"));
  pair.tensors[a] = test::RandomTensor({"a.weight", {24}}, &random);
  CHECK_THAT(pair.Refused(), Says("expected a matrix"));
  pair.tensors = tensors;
  pair.tensors[b].values[3] = std::numeric_limits<float>::quiet_NaN();
  CHECK_THAT(pair.Refused(), Says(b) && Says("NaN"));
  pair.tensors = tensors;
  pair.Add("layers.7.self_attn.q_proj", 12, 12, 2);
  CHECK_THAT(pair.Refused(), Says("layers.7.self_attn.q_proj") && Says("no such tensor"));
  pair.tensors = tensors;
  pair.tensors["base_model.model." + kQueryModule + ".lora_magnitude_vector"] =
      test::RandomTensor({"m", {12}}, &random);
  CHECK_THAT(pair.Refused(), Says("lora_magnitude_vector"));
  pair.tensors.clear();
  CHECK_THAT(pair.Refused(), Says("holds no tensor"));
}

TEST_CASE("the base is found by its path or beside the adapter, or the sentence says what to do",
          "[model][adapter]") {
  AdaptedPair pair(kAdaptedLlama);
  pair.Add(kQueryModule, 12, 12, 2);
  for (const std::string& named : {std::string("base"),
                                   std::string("../base"),
                                   std::string("/elsewhere/base"),
                                   (pair.folder / "base").string(),
                                   std::string("someone/base/")}) {
    INFO(named);
    CHECK(pair.Open("", named));
  }
  for (const char* file : {"adapter_config.json", "adapter_model.safetensors"}) {
    CHECK(Model::Open(pair.folder / "adapter" / file));
  }
  const auto lost = pair.Open("", "someone/other");
  REQUIRE_FALSE(lost.has_value());
  CHECK_THAT(lost.error().message,
             Says("a LoRA adapter of the model \"someone/other\"") &&
                 Says("hf download someone/other") && Says("beside"));
  const auto nameless = pair.Open("", "");
  REQUIRE_FALSE(nameless.has_value());
  CHECK_THAT(nameless.error().message, Says("base_model_name_or_path"));
  const auto itself = pair.Open("", "adapter");
  REQUIRE_FALSE(itself.has_value());
  fs::create_directory(pair.folder / "other");
  std::ofstream(pair.folder / "other" / "adapter_config.json")
      << R"({"peft_type": "LORA", "base_model_name_or_path": "adapter"})";
  const auto circle = pair.Open("", "other");
  REQUIRE_FALSE(circle.has_value());
  CHECK_THAT(circle.error().message, Says("other: is a LoRA adapter, expected a whole model"));
  pair.Open();
  fs::remove(pair.folder / "adapter" / "adapter_model.safetensors");
  const auto empty = Model::Open(pair.folder / "adapter");
  REQUIRE_FALSE(empty.has_value());
  CHECK_THAT(empty.error().message, Says("adapter_model.safetensors"));
}

TEST_CASE("an adapter is added to a GGUF file, wherever the file is", "[model][adapter]") {
  AdaptedPair pair(kAdaptedLlama);
  const std::string module = "model.layers.0.self_attn.q_proj";
  pair.Add(module, 8, 8, 2);
  pair.Add("model.layers.0.mlp.down_proj", 6, 8, 2);
  fs::create_directory(pair.folder / "packed");
  for (const fs::path& file : {pair.folder / "small.gguf", pair.folder / "packed" / "q4.gguf"}) {
    std::ofstream(file, std::ios::binary) << test::TinyGguf().Bytes();
  }
  for (const std::string& named : {std::string("somewhere/small.gguf"),
                                   (pair.folder / "small.gguf").string(),
                                   std::string("someone/packed")}) {
    INFO(named);
    const auto model = pair.Open("", named);
    INFO((model ? std::string() : model.error().message));
    REQUIRE(model);
    const ModelDescription& about = (*model)->description();
    CHECK_THAT(about.note, Says("LoRA adapter of rank 2 merged") && Says(".gguf with it"));
    // The file keeps the rows of queries in another order than the adapter.
    const ProjectionColumns made = ReadColumns(**model, about.layer[0].query_key_value, 0, 8);
    const ProjectionColumns down = ReadColumns(**model, about.layer[0].mlp_down, 0, 8);
    for (std::int64_t row = 0; row < 8; ++row) {
      for (std::int64_t col = 0; col < 8; ++col) {
        CHECK(static_cast<double>(made.Column(row)[static_cast<std::size_t>(col)]) ==
              test::Near(0.5 + pair.Added(module, 3.0, row, col), 1e-5));
      }
      CHECK(static_cast<double>(down.Column(row)[5]) ==
            test::Near(0.5 + pair.Added("model.layers.0.mlp.down_proj", 3.0, row, 5), 1e-5));
    }
  }
}

TEST_CASE("what a GGUF file has not as its adapter knows it is refused", "[model][adapter]") {
  const auto refused = [](const std::string& name, std::vector<std::int64_t> shape) {
    AdaptedPair pair(kAdaptedLlama);
    RandomStream random(3);
    pair.Add("model.layers.0.self_attn.v_proj", 8, 4, 2);
    if (shape.empty()) {
      pair.Add(name, 8, 8, 2);
    } else {
      pair.tensors["base_model.model." + name] = test::RandomTensor({"weight", shape}, &random);
    }
    std::ofstream(pair.folder / "small.gguf", std::ios::binary) << test::TinyGguf().Bytes();
    const auto model = pair.Open("", "small.gguf");
    REQUIRE_FALSE(model.has_value());
    CHECK(model.error().code == ErrorCode::kUnsupported);
    CHECK_THAT(model.error().message, Says("small.gguf") && Says("llama-export-lora"));
    return model.error().message;
  };
  CHECK_THAT(refused("model.norm.weight", {8}), Says("model.norm.weight in place of the base's"));
  CHECK_THAT(refused("model.layers.0.self_attn.qkv_proj", {}), Says("self_attn.qkv_proj"));
  CHECK_THAT(refused("model.layers.1.self_attn.q_proj", {}), Says("layers.1.self_attn"));
}

}  // namespace headscope
