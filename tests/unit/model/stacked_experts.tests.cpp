// Files with one tensor for all experts of a layer, beside files with one for each.
#include "core/model/stacked_experts.h"

#include <limits>
#include <string>
#include <vector>

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

constexpr std::int64_t kExperts = 3;
constexpr std::int64_t kInner = 6;
constexpr std::int64_t kWidth = 16;

TinyModel OneByOne() {
  return TinyModel(R"({"model_type": "qwen3_moe", "num_hidden_layers": 1, "num_attention_heads": 4,
                       "num_key_value_heads": 2, "hidden_size": 16, "moe_intermediate_size": 6,
                       "intermediate_size": 10, "num_experts": 3, "num_experts_per_tok": 2,
                       "max_position_embeddings": 16, "vocab_size": 11})");
}

// Puts matrices [rows, columns] one after another, each turned if `is_turned`.
void Append(const TinyTensor& matrix, bool is_turned, std::vector<float>* values) {
  const auto rows = static_cast<std::size_t>(matrix.shape[0]);
  const auto columns = static_cast<std::size_t>(matrix.shape[1]);
  for (std::size_t i = 0; i < rows * columns; ++i) {
    values->push_back(matrix.values[is_turned ? i % rows * columns + i / rows : i]);
  }
}

TinyModel Stacked(bool is_turned) {
  TinyModel tiny = OneByOne();
  TinyTensor both{{kExperts, 2 * kInner, kWidth}, {}};
  TinyTensor down{{kExperts, kWidth, kInner}, {}};
  if (is_turned) {
    std::swap(both.shape[1], both.shape[2]);
    std::swap(down.shape[1], down.shape[2]);
  }
  const std::string block = "layers.0.mlp.experts.";
  for (std::int64_t i = 0; i < kExperts; ++i) {
    const std::string name = block + std::to_string(i);
    const auto take = [&](const std::string& part) {
      return tiny.tensors.extract(name + part).mapped();
    };
    TinyTensor joined = take(".gate_proj.weight");
    const TinyTensor up = take(".up_proj.weight");
    joined.values.insert(joined.values.end(), up.values.begin(), up.values.end());
    joined.shape[0] = 2 * kInner;
    Append(joined, is_turned, &both.values);
    Append(take(".down_proj.weight"), is_turned, &down.values);
  }
  tiny.tensors[block + "gate_up_proj"] = std::move(both);
  tiny.tensors[block + "down_proj"] = std::move(down);
  return tiny;
}

Error Refused(const TinyModel& tiny) {
  const TempFolder folder;
  tiny.Write(folder.path());
  const auto model = Model::Open(folder.path());
  REQUIRE_FALSE(model.has_value());
  return model.error();
}

const ExpertsDescription& ExpertsOf(const Model& model) {
  return *model.description().layer.front().experts;
}

}  // namespace

TEST_CASE("experts side by side are those of one tensor each", "[model][experts]") {
  const auto expected = OneByOne().Open();
  for (const bool is_turned : {false, true}) {
    const auto model = Stacked(is_turned).Open();
    const auto backend = MakeReferenceBackend();
    PreparedWeights weights(*model, backend.get());
    PreparedWeights others(*expected, backend.get());
    for (std::size_t i = 0; i < kExperts; ++i) {
      const MlpNeeds& one = ExpertsOf(*model).expert[i];
      const MlpNeeds& other = ExpertsOf(*expected).expert[i];
      for (const auto& [need, from] : {std::pair(&one.up, &other.up),
                                       std::pair(&*one.gate, &*other.gate),
                                       std::pair(&one.down, &other.down)}) {
        const std::int64_t columns = ColumnCount(*from);
        REQUIRE(ColumnCount(*need) == columns);
        CHECK(ReadColumns(*model, *need, 0, columns).weight ==
              ReadColumns(*expected, *from, 0, columns).weight);
        // The backend reads the same numbers.
        const auto in = backend->Make(2, need->in);
        const auto out = backend->Make(2, columns);
        const auto right = backend->Make(2, columns);
        std::vector<float> values;
        for (std::int64_t cell = 0; cell < 2 * need->in; ++cell) {
          values.push_back(static_cast<float>(cell % 7) - 2.5F);
        }
        backend->Load(values, in->get());
        REQUIRE(backend->Apply(**weights.Get(*need, {}), **in, out->get(), {}));
        REQUIRE(backend->Apply(**others.Get(*from, {}), **in, right->get(), {}));
        std::vector<float> made(static_cast<std::size_t>(2 * columns));
        std::vector<float> wanted = made;
        backend->Read(**out, made);
        backend->Read(**right, wanted);
        CHECK(made == wanted);
      }
    }
  }
}

TEST_CASE("stacked experts of another number or width are refused by name", "[model][experts]") {
  TinyModel tiny = Stacked(false);
  TinyTensor& both = tiny.tensors.at("layers.0.mlp.experts.gate_up_proj");
  both.shape = {2, 18, 16};
  CHECK_THAT(Refused(tiny).message, Says("gate_up_proj") && Says("[2,18,16]") && Says("[3,12,16]"));
  both.shape = {36, 16};
  CHECK_THAT(Refused(tiny).message, Says("[36,16]") && Says("[3,12,16]"));
}

TEST_CASE("an expert beyond the last, or more chosen than there are, is refused",
          "[model][experts]") {
  TinyModel tiny = OneByOne();
  tiny.tensors["layers.0.mlp.experts.9.up_proj.weight"] =
      tiny.tensors.at("layers.0.mlp.experts.0.up_proj.weight");
  CHECK_THAT(Refused(tiny).message, Says("expert 9") && Says("experts 0 to 2"));
  const auto many = ParseConfig(R"({"model_type": "mixtral", "num_hidden_layers": 1,
      "num_attention_heads": 4, "hidden_size": 16, "intermediate_size": 10, "num_local_experts": 3,
      "num_experts_per_tok": 4, "max_position_embeddings": 16, "vocab_size": 11})",
                                "config.json");
  REQUIRE_FALSE(many.has_value());
  CHECK_THAT(many.error().message, Says("num_experts_per_tok") && Says("4") && Says("3"));
}

}  // namespace headscope
