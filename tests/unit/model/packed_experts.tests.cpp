// GPT-OSS with experts as MXFP4, beside one with the same numbers as F32.
#include "core/model/packed_experts.h"

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/model/prepared_weights.h"
#include "core/model/read_weights.h"
#include "tests/support/catch.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::Says;
using test::TempFolder;
using test::TinyModel;
using test::TinyTensor;

constexpr std::string_view kConfig =
    R"({"model_type": "gpt_oss", "num_hidden_layers": 1, "num_attention_heads": 2,
        "num_key_value_heads": 1, "hidden_size": 64, "head_dim": 32, "intermediate_size": 32,
        "num_local_experts": 3, "num_experts_per_tok": 2, "sliding_window": 4,
        "quantization_config": {"quant_method": "mxfp4"},
        "max_position_embeddings": 16, "vocab_size": 11})";
const std::string kBoth = "layers.0.mlp.experts.gate_up_proj";
const std::string kDown = "layers.0.mlp.experts.down_proj";

struct Packed {
  std::vector<std::int64_t> shape;  // of the codes: [experts, out, groups, 16]
  std::vector<std::byte> codes;
  std::vector<std::byte> scales;
};

// Codes and scales of a matrix [experts, in, out], of which the numbers become what they stand for.
Packed Pack(TinyTensor* matrix, RandomStream* random) {
  constexpr std::array<float, 8> kSizes = {0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F};
  const std::int64_t experts = matrix->shape[0];
  const std::int64_t in = matrix->shape[1];
  const std::int64_t out = matrix->shape[2];
  Packed packed{{experts, out, in / 32, 16}, {}, {}};
  for (std::int64_t row = 0; row < experts * out; ++row) {
    for (std::int64_t column = 0; column < in; ++column) {
      if (column % 32 == 0) {
        packed.scales.push_back(static_cast<std::byte>(120 + random->Below(6)));
      }
      const std::size_t code = random->Below(16);
      if (column % 2 == 0) {
        packed.codes.push_back(static_cast<std::byte>(code));
      } else {
        packed.codes.back() |= static_cast<std::byte>(code << 4U);
      }
      const float size =
          std::ldexp(kSizes[code % 8], std::to_integer<int>(packed.scales.back()) - 127);
      matrix->values[static_cast<std::size_t>((row / out * in + column) * out + row % out)] =
          code < 8 ? size : -size;
    }
  }
  return packed;
}

struct Models {
  TinyModel plain = TinyModel(kConfig);
  Packed both;
  Packed down;

  Models() {
    RandomStream random(5);
    both = Pack(&plain.tensors.at(kBoth), &random);
    down = Pack(&plain.tensors.at(kDown), &random);
  }

  void Write(const std::filesystem::path& folder) const {
    std::vector<TensorView> views;
    for (const auto& [name, tensor] : plain.tensors) {
      if (name != kBoth && name != kDown) {
        views.push_back({"model." + name,
                         DataType::kF32,
                         tensor.shape,
                         std::as_bytes(std::span(tensor.values))});
      }
    }
    for (const auto& [name, packed] : {std::pair(kBoth, &both), std::pair(kDown, &down)}) {
      views.push_back({"model." + name + "_blocks", DataType::kU8, packed->shape, packed->codes});
      if (!packed->scales.empty()) {
        views.push_back({"model." + name + "_scales",
                         DataType::kU8,
                         {packed->shape.begin(), packed->shape.begin() + 3},
                         packed->scales});
      }
    }
    REQUIRE(WriteSafetensors(folder / "model.safetensors", views, {}));
    std::ofstream(folder / "config.json") << plain.config;
  }

  [[nodiscard]] std::string Refused() const {
    const TempFolder folder;
    Write(folder.path());
    const auto model = Model::Open(folder.path());
    REQUIRE_FALSE(model.has_value());
    return model.error().message;
  }
};

std::vector<float> Made(const Model& model, const LinearNeed& need, Backend* backend) {
  PreparedWeights weights(model, backend);
  const std::int64_t columns = ColumnCount(need);
  const auto in = backend->Make(3, need.in);
  const auto out = backend->Make(3, columns);
  std::vector<float> values;
  for (std::int64_t cell = 0; cell < 3 * need.in; ++cell) {
    values.push_back(static_cast<float>(cell % 7) - 2.5F);
  }
  backend->Load(values, in->get());
  REQUIRE(backend->Apply(**weights.Get(need, {}), **in, out->get(), {}));
  std::vector<float> made(static_cast<std::size_t>(3 * columns));
  backend->Read(**out, made);
  return made;
}

TEST_CASE("packed experts are the numbers that their codes stand for", "[model][experts]") {
  const Models models;
  const TempFolder folder;
  models.Write(folder.path());
  const auto packed = Model::Open(folder.path());
  REQUIRE(packed.has_value());
  const auto plain = models.plain.Open();
  CHECK((*packed)->description().precision == "MXFP4");
  CHECK((*packed)->parameters() == plain->parameters());
  const auto backend = MakeReferenceBackend();
  const auto fast = MakeOnednnBackend();
  REQUIRE(fast);
  for (std::size_t i = 0; i < 3; ++i) {
    const MlpNeeds& one = (*packed)->description().layer.front().experts->expert[i];
    const MlpNeeds& other = plain->description().layer.front().experts->expert[i];
    for (const auto& [need, from] : {std::pair(&one.up, &other.up),
                                     std::pair(&*one.gate, &*other.gate),
                                     std::pair(&one.down, &other.down)}) {
      INFO("expert " << i << ", " << from->matrices.front().weight.name);
      const std::int64_t columns = ColumnCount(*from);
      REQUIRE(ColumnCount(*need) == columns);
      const ProjectionColumns read = ReadColumns(**packed, *need, 0, columns);
      const ProjectionColumns wanted = ReadColumns(*plain, *from, 0, columns);
      CHECK(read.weight == wanted.weight);
      CHECK(read.bias == wanted.bias);
      const std::vector<float> exact = Made(*plain, *from, backend.get());
      CHECK(Made(**packed, *need, backend.get()) == exact);
      const std::vector<float> made = Made(**packed, *need, fast->get());
      for (std::size_t cell = 0; cell < made.size(); ++cell) {
        CHECK(std::abs(made[cell] - exact[cell]) <= 1e-5F * (1.0F + std::abs(exact[cell])));
      }
    }
  }
}

TEST_CASE("a model of packed experts has another fingerprint with other scales",
          "[model][experts]") {
  Models models;
  const auto fingerprint = [&] {
    const TempFolder folder;
    models.Write(folder.path());
    const auto model = Model::Open(folder.path());
    REQUIRE(model.has_value());
    return (*model)->fingerprint();
  };
  const std::string before = fingerprint();
  models.both.scales.front() = std::byte{100};
  CHECK(fingerprint() != before);
}

TEST_CASE("packed experts without scales, or of other sizes, are refused by name",
          "[model][experts]") {
  Models models;
  models.down.scales.clear();
  CHECK_THAT(models.Refused(), Says("down_proj_scales\" is missing"));
  models = Models();
  models.both.shape = {3, 32, 4, 16};
  models.both.codes.resize(3 * 32 * 4 * 16);
  models.both.scales.resize(3 * 32 * 4);
  CHECK_THAT(models.Refused(), Says("gate_up_proj\" is [96,128], expected [192,64]"));
  models = Models();
  models.both.shape = {3, 64, 4, 8};
  models.both.scales.resize(3 * 64 * 4);
  CHECK_THAT(models.Refused(),
             Says("gate_up_proj_blocks\" is U8 [3,64,4,8], expected U8 [3,64,4,16]"));
}

TEST_CASE("a model of another family with such tensors is refused", "[model][experts]") {
  const std::string config = R"({"model_type": "llama", "num_hidden_layers": 1,
      "num_attention_heads": 2, "hidden_size": 32, "intermediate_size": 32, "vocab_size": 11,
      "max_position_embeddings": 16, "quantization_config": {"quant_method": "mxfp4"}})";
  const auto described = ParseConfig(config, "config.json");
  REQUIRE_FALSE(described.has_value());
  CHECK_THAT(described.error().message, Says("MXFP4"));
}

}  // namespace
}  // namespace headscope
