#include "core/model/attention_module.h"

#include <map>
#include <string>
#include <vector>

#include "core/model/forward_input.h"
#include "core/model/model.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

using test::Says;
using Shapes = std::map<std::string, std::vector<std::int64_t>>;

const Shapes kFused = {{"in_proj_weight", {36, 12}},
                       {"in_proj_bias", {36}},
                       {"out_proj.weight", {12, 12}},
                       {"out_proj.bias", {12}}};

// A state of zeros.
std::filesystem::path Write(const test::TempFolder& folder,
                            const Shapes& shapes,
                            const std::map<std::string, std::string>& metadata = {}) {
  const std::vector<float> zeros(4096, 0.0F);
  std::vector<TensorView> views;
  for (const auto& [name, shape] : shapes) {
    const auto count = *CheckedByteCount(shape, DataType::kF32);
    views.push_back({name, DataType::kF32, shape, std::as_bytes(std::span(zeros)).first(count)});
  }
  const auto path = folder / "state.safetensors";
  REQUIRE(WriteSafetensors(path, views, metadata).has_value());
  return path;
}

std::string Refusal(const Shapes& shapes,
                    const std::map<std::string, std::string>& metadata = {},
                    std::optional<std::int64_t> heads = 3) {
  const test::TempFolder folder;
  const auto path = Write(folder, shapes, metadata);
  const auto model = Model::Open(path, {.heads = heads});
  REQUIRE_FALSE(model);
  CHECK(model.error().message.find(path.string()) == 0);
  CHECK(model.error().message.find('\n') == std::string::npos);
  return model.error().message;
}

TEST_CASE("a module's state is a model of one layer that reads embeddings", "[model][module]") {
  const test::TempFolder folder;
  const auto path = Write(folder, kFused, {{"num_heads", "4"}});
  const auto model = Model::Open(path);
  REQUIRE(model);
  const ModelDescription& about = (*model)->description();
  CHECK(about.family == kModuleFamily);
  CHECK(about.layers == 1);
  CHECK(about.heads == 4);
  CHECK(about.head_dim == 3);
  CHECK(about.value_dim == 3);
  CHECK_FALSE(about.causal);
  CHECK((*model)->parameters() == 36 * 12 + 36 + 12 * 12 + 12);
  CHECK((*model)->name() == "state");
  CHECK((*model)->tokenizer() == nullptr);
  const auto other = Model::Open(path, {.heads = 6});
  REQUIRE(other);
  CHECK((*other)->description().heads == 6);
  CHECK((*other)->fingerprint() != (*model)->fingerprint());
}

TEST_CASE("a module may stand under one prefix, and may have widths of its own",
          "[model][module]") {
  const test::TempFolder folder;
  const auto path = Write(folder,
                          {{"self_attn.q_proj_weight", {12, 12}},
                           {"self_attn.k_proj_weight", {12, 5}},
                           {"self_attn.v_proj_weight", {12, 7}},
                           {"self_attn.out_proj.weight", {12, 12}},
                           {"linear1.weight", {4, 12}}});
  const auto model = Model::Open(path, {.heads = 2});
  REQUIRE(model);
  const auto& separate = (*model)->description().layer[0].separate;
  REQUIRE(separate);
  CHECK(separate->query.in == 12);
  CHECK(separate->key.in == 5);
  CHECK(separate->value.in == 7);
  CHECK((*model)->parameters() == 12 * (12 + 5 + 7 + 12));
}

TEST_CASE("what a module's state must not be is said in one sentence", "[model][module]") {
  const auto with = [](const std::string& name, std::vector<std::int64_t> shape) {
    Shapes shapes = kFused;
    shapes[name] = std::move(shape);
    return shapes;
  };
  const auto without = [](const std::string& name) {
    Shapes shapes = kFused;
    shapes.erase(name);
    return shapes;
  };
  CHECK_THAT(Refusal(kFused, {}, std::nullopt), Says("--head-count"));
  CHECK_THAT(Refusal(kFused, {{"num_heads", "many"}}, std::nullopt), Says("\"many\""));
  CHECK_THAT(Refusal(kFused, {}, 5), Says("12 columns cannot be shared by 5 heads"));
  CHECK_THAT(Refusal(kFused, {}, 0), Says("0 heads"));
  CHECK_THAT(Refusal(with("bias_k", {1, 1, 12})), Says("bias_k"));
  CHECK_THAT(Refusal(with("bias_v", {1, 1, 12})), Says("bias_v"));
  CHECK_THAT(Refusal(kFused, {{"add_zero_attn", "True"}}), Says("add_zero_attn"));
  CHECK_THAT(Refusal(without("in_proj_weight")), Says("MultiheadAttention"));
  CHECK_THAT(Refusal(without("out_proj.weight")), Says("MultiheadAttention"));
  CHECK_THAT(Refusal(with("in_proj_weight", {24, 12})), Says("expected [36,12]"));
  CHECK_THAT(Refusal(with("in_proj_bias", {12})), Says("expected [36]"));
  CHECK_THAT(Refusal(with("in_proj_weight", {36})), Says("expected a matrix"));
  CHECK_THAT(Refusal(with("out_proj.bias", {11})), Says("expected [12]"));
  CHECK_THAT(Refusal({{"q_proj_weight", {12, 12}}, {"out_proj.weight", {12, 12}}}),
             Says("k_proj_weight"));
  CHECK_THAT(Refusal({{"attention", {2, 3, 4, 4}}}), Says("--attention"));
  Shapes two = kFused;
  two["other.in_proj_weight"] = {36, 12};
  two["other.out_proj.weight"] = {12, 12};
  CHECK_THAT(Refusal(two), Says("2 attention modules"));
}

TEST_CASE("a module refuses inputs that do not fit it", "[model][module]") {
  const test::TempFolder folder;
  const auto path = Write(folder,
                          {{"q_proj_weight", {12, 12}},
                           {"k_proj_weight", {12, 5}},
                           {"v_proj_weight", {12, 7}},
                           {"out_proj.weight", {12, 12}}});
  const auto model = Model::Open(path, {.heads = 2});
  REQUIRE(model);
  const ModelDescription& about = (*model)->description();
  const auto refusal = [&](const ForwardInput& input) {
    const Status status = CheckInput(about, input);
    REQUIRE_FALSE(status);
    return status.error().message;
  };
  ForwardInput input;
  input.ids = {1, 2};
  CHECK_THAT(refusal(input), Says("--embeddings") && Says("[n,12]"));
  input.ids.clear();
  input.embeddings.resize(36);
  CHECK_THAT(refusal(input), Says("--key-embeddings"));
  input.key_embeddings.resize(10);
  CHECK_THAT(refusal(input), Says("--value-embeddings"));
  input.value_embeddings.resize(21);
  CHECK_THAT(refusal(input), Says("3 tokens for the keys of 2"));
  input.value_embeddings.resize(14);
  CHECK(CheckInput(about, input));
  CHECK(TokenCount(about, input) == 3);
  CHECK(KeyCount(about, input) == 2);
}

}  // namespace
}  // namespace headscope
