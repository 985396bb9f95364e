#include "core/heads/effect/key_composition.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include <Eigen/Dense>

#include "core/heads/measure/measure.h"
#include "core/heads/scan/previous_heads.h"
#include "core/heads/scan/weight_means.h"
#include "core/model/read_weights.h"
#include "core/model/scaled_context.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/exact_columns.h"
#include "tests/support/near.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::ExactColumns;
using test::Near;
using test::TinyModel;

using Exact = Eigen::MatrixXd;

// A norm as the matrix that it is but for its scale.
Exact NormMatrix(const Model& model, const std::optional<NormNeed>& need, std::int64_t width) {
  const Exact one = Exact::Identity(width, width);
  if (!need) {
    return one;
  }
  const NormWeights norm = ReadNorm(model, *need);
  const Eigen::VectorXd weights = Eigen::VectorXf::Map(norm.weight.data(), width).cast<double>();
  const double center = norm.kind == NormKind::kLayer ? 1.0 / static_cast<double>(width) : 0.0;
  return weights.asDiagonal() * (one - Exact::Constant(width, width, center));
}

// The same for the queries or keys of one head: its part of a norm over all.
Exact NormMatrixOf(const Model& model,
                   const std::optional<NormNeed>& need,
                   std::int64_t head,
                   std::int64_t width) {
  if (!need || need->weight.shape.front() == width) {
    return NormMatrix(model, need, width);
  }
  const std::int64_t all = need->weight.shape.front();
  return NormMatrix(model, need, all).block(head * width, head * width, width, width);
}

// As the definition is written: every matrix is d by d.
double ByDefinition(const Model& model,
                    HeadIndex later,
                    HeadIndex earlier,
                    CompositionWay way = CompositionWay::kKeys) {
  const ModelDescription& shape = model.description();
  const std::int64_t d = shape.model_dim;
  const std::int64_t width = shape.head_dim;
  const std::int64_t group = shape.heads / shape.kv_heads;
  const LayerDescription& to = shape.layer[static_cast<std::size_t>(later.layer)];
  const LayerDescription& from = shape.layer[static_cast<std::size_t>(earlier.layer)];
  const Exact query = NormMatrixOf(model, to.query_norm, later.head, width) *
                      ExactColumns(model, to.query_key_value, later.head * width, width);
  const Exact key =
      NormMatrixOf(model, to.key_norm, later.head / group, width) *
      ExactColumns(model, to.query_key_value, (shape.heads + later.head / group) * width, width);
  const Exact read_later = NormMatrix(model, to.attention_norm.before, d);
  const auto moved = [&](const LayerDescription& layer, std::int64_t head) -> Exact {
    return NormMatrix(model, layer.attention_norm.inside, d) *
           ExactColumns(model, layer.output, 0, d)
               .middleCols(head * shape.value_dim, shape.value_dim) *
           ExactColumns(model,
                        layer.query_key_value,
                        (shape.heads + shape.kv_heads) * width + head / group * shape.value_dim,
                        shape.value_dim) *
           NormMatrix(model, layer.attention_norm.before, d);
  };
  Exact circuit = moved(to, later.head);
  if (way == CompositionWay::kKeys) {
    circuit = (query * read_later).transpose() * (key * read_later);
  } else if (way == CompositionWay::kQueries) {
    circuit = (key * read_later).transpose() * (query * read_later);
  }
  Exact written = moved(from, earlier.head);
  for (std::int64_t layer = earlier.layer; layer < later.layer; ++layer) {
    const LayerDescription& passed = shape.layer[static_cast<std::size_t>(layer)];
    written = NormMatrix(model, passed.mlp_norm.after, d) *
              NormMatrix(model, passed.attention_norm.after, d) * written;
  }
  return (circuit * written).norm() / (circuit.norm() * written.norm());
}

TinyModel Gpt2() {
  return TinyModel(R"({"model_type": "gpt2", "n_layer": 2, "n_head": 3, "n_embd": 24,
                       "n_positions": 64, "vocab_size": 90})");
}

// Whether a layer norm of queries and keys spans several heads: its mean is of all of them.
bool CentresHeadsTogether(const ModelDescription& model) {
  return NormsHeadsTogether(model, 0) && model.layer.front().query_norm->kind == NormKind::kLayer;
}

}  // namespace

TEST_CASE("composition through factors is that of whole matrices, in every family",
          "[heads][composition]") {
  int checked = 0;
  int told = 0;
  for (const Family* family : AllFamilies()) {
    const auto model = TinyModel(family->example).Open();
    const ModelDescription& shape = model->description();
    if (shape.reads_embeddings() || shape.layers < 2) {
      continue;
    }
    INFO(family->id);
    RandomStream random(5);
    std::vector<bool> writers;
    for (std::int64_t i = 0; i < shape.layers * shape.heads; ++i) {
      writers.push_back(i == 0 || random.Below(2) == 1);
    }
    for (const auto& backend : test::AllBackends()) {
      INFO(backend->Description());
      Forward forward(model, backend.get());
      const auto composed = ComposeKeys(&forward, writers, {});
      if (HasLatents(shape) || ScalesContext(shape) || CentresHeadsTogether(shape) ||
          HasPlainBlocks(shape)) {
        REQUIRE_FALSE(composed.has_value());
        CHECK(composed.error().code == ErrorCode::kUnsupported);
        continue;
      }
      REQUIRE(composed.has_value());
      REQUIRE(std::ssize(composed->largest) == shape.layers * shape.heads);
      for (std::int64_t to = 0; to < shape.layers * shape.heads; ++to) {
        const HeadIndex later{to / shape.heads, to % shape.heads};
        std::optional<double> expected;
        double runner_up = 0.0;
        std::int64_t writer = -1;
        for (std::int64_t from = 0; from < later.layer * shape.heads; ++from) {
          if (writers[static_cast<std::size_t>(from)]) {
            const double one =
                ByDefinition(*model, later, {from / shape.heads, from % shape.heads});
            const bool is_most = !expected || one > *expected;
            runner_up = std::max(runner_up, is_most ? expected.value_or(0.0) : one);
            expected = is_most ? one : *expected;
            writer = is_most ? from : writer;
          }
        }
        const auto& found = composed->largest[static_cast<std::size_t>(to)];
        REQUIRE(found.has_value() == expected.has_value());
        if (expected) {
          CHECK(*found == Near(*expected, 1e-5));
          const bool is_close = *expected - runner_up < 1e-4;
          CHECK((is_close || composed->writer[static_cast<std::size_t>(to)] == writer));
          told += is_close ? 0 : 1;
          ++checked;
        }
      }
    }
  }
  CHECK(checked > 20);
  CHECK(told > checked / 2);
}

TEST_CASE("partners of a head are all pairs with it, by keys, queries and values, in every family",
          "[heads][composition]") {
  int checked = 0;
  for (const Family* family : AllFamilies()) {
    const auto model = TinyModel(family->example).Open();
    const ModelDescription& shape = model->description();
    if (shape.reads_embeddings() || shape.layers < 2 || HasLatents(shape) || ScalesContext(shape) ||
        HasPlainBlocks(shape) || CentresHeadsTogether(shape)) {
      continue;
    }
    INFO(family->id);
    for (const auto& backend : test::AllBackends()) {
      INFO(backend->Description());
      Forward forward(model, backend.get());
      for (const std::int64_t layer : {std::int64_t{0}, shape.layers - 1}) {
        const HeadIndex head{layer, shape.heads - 1};
        const auto partners = FindCompositionPartners(&forward, head, {});
        REQUIRE(partners.has_value());
        CHECK(std::ssize(partners->reads) == 3 * layer * shape.heads);
        CHECK(std::ssize(partners->read_by) == 3 * (shape.layers - 1 - layer) * shape.heads);
        for (const auto* found : {&partners->reads, &partners->read_by}) {
          CHECK(std::ranges::is_sorted(*found, std::greater<>(), &CompositionPartner::sigmas));
          for (const CompositionPartner& one : *found) {
            const bool is_later = found == &partners->read_by;
            CHECK(one.share ==
                  Near(ByDefinition(
                           *model, is_later ? one.head : head, is_later ? head : one.head, one.way),
                       1e-5));
            CHECK(one.random_spread > 0.0);
            ++checked;
          }
        }
      }
    }
  }
  CHECK(checked > 60);
}

TEST_CASE("the keys' best partner is what composition with all heads gives",
          "[heads][composition]") {
  const auto model = Gpt2().Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  const auto partners = FindCompositionPartners(&forward, {1, 2}, {});
  const auto composed = ComposeKeys(&forward, std::vector<bool>(6, true), {});
  REQUIRE(partners.has_value());
  REQUIRE(composed.has_value());
  const auto best =
      std::ranges::find(partners->reads, CompositionWay::kKeys, &CompositionPartner::way);
  REQUIRE(best != partners->reads.end());
  CHECK(best->share == Near(*composed->largest[5], 1e-7));
  CHECK(best->random_mean == Near(composed->random_mean, 1e-12));
  const auto none = FindCompositionPartners(&forward, {2, 0}, {});
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error().code == ErrorCode::kInput);
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = FindCompositionPartners(&forward, {1, 0}, stop.get_token());
  REQUIRE_FALSE(stopped.has_value());
  CHECK(stopped.error().code == ErrorCode::kCancelled);
}

TEST_CASE("random heads compose by one over the root of the width", "[heads][composition]") {
  for (const std::int64_t width : {48, 192}) {
    const TinyModel tiny(R"({"model_type": "gpt2", "n_layer": 1, "n_head": 12, "n_embd": )" +
                         std::to_string(width) + R"(, "n_positions": 16, "vocab_size": 11})");
    const auto backend = MakeReferenceBackend();
    Forward forward(tiny.Open(), backend.get());
    const auto composed = ComposeKeys(&forward, std::vector<bool>(12, true), {});
    REQUIRE(composed.has_value());
    CHECK(composed->random_mean == Near(1.0 / std::sqrt(static_cast<double>(width)), 0.03));
    CHECK(composed->random_spread > 0.0);
    CHECK(composed->random_spread < 0.2 * composed->random_mean);
    // The only layer has none before it.
    CHECK(std::ranges::none_of(composed->largest, [](const auto& one) { return one.has_value(); }));
  }
}

TEST_CASE("keys that read what was written compose fully, others not at all",
          "[heads][composition]") {
  TinyModel tiny = Gpt2();
  for (const char* norm : {"h.0.ln_1.weight", "h.1.ln_1.weight"}) {
    std::ranges::fill(tiny.tensors.at(norm).values, 1.0F);
  }
  std::vector<float>& joined = tiny.tensors.at("h.1.attn.c_attn.weight").values;  // [24, 72]
  std::vector<float>& output = tiny.tensors.at("h.0.attn.c_proj.weight").values;  // [24, 24]
  std::ranges::fill(output, 0.0F);
  std::vector<float>& before = tiny.tensors.at("h.0.attn.c_attn.weight").values;
  // Head 0 writes one direction, without a mean; layer 1's heads read with their keys that one (head
  // 0), one across it (head 1), and half of each (head 2).
  for (std::size_t row = 0; row < 24; ++row) {
    for (std::size_t column = 24; column < 48; ++column) {
      joined[row * 72 + column] = 0.0F;
    }
    for (std::size_t column = 49; column < 56; ++column) {
      before[row * 72 + column] = 0.0F;
    }
  }
  output[0] = 1.0F;
  output[1] = -1.0F;
  const auto key = [&](std::size_t head, std::size_t row) -> float& {
    return joined[row * 72 + 24 + head * 8];
  };
  key(0, 0) = 1.0F;
  key(0, 1) = -1.0F;
  key(1, 2) = 1.0F;
  key(1, 3) = -1.0F;
  for (const std::size_t row : {0U, 2U}) {
    key(2, row) = 1.0F;
    key(2, row + 1) = -1.0F;
  }
  std::vector<bool> writers(6, false);
  writers[0] = true;
  for (const auto& backend : test::AllBackends()) {
    Forward forward(tiny.Open(), backend.get());
    const auto composed = ComposeKeys(&forward, writers, {});
    REQUIRE(composed.has_value());
    CHECK(composed->writer == std::vector<std::int64_t>{-1, -1, -1, 0, 0, 0});
    CHECK(*composed->largest[3] == Near(1.0, 1e-5));
    CHECK(*composed->largest[4] < 1e-6);
    CHECK(*composed->largest[5] == Near(std::sqrt(0.5), 1e-5));
  }
}

TEST_CASE("a model whose heads look nowhere in particular has no composition, and can be stopped",
          "[heads][composition]") {
  const auto backend = MakeReferenceBackend();
  const auto model = Gpt2().Open();
  Forward forward(model, backend.get());
  const auto writers = FindPreviousHeads(&forward, {}, {});
  REQUIRE(writers.has_value());
  CHECK(*writers == std::vector<bool>(6, false));
  BatchSums sums;
  REQUIRE(AddWeightMeans(&forward, {}, {}, &sums));
  CHECK_FALSE(sums.means.contains("k_composition"));
  CHECK(sums.key_writers.empty());
  CHECK(sums.means.contains("copying"));
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = ComposeKeys(&forward, std::vector<bool>(6, true), stop.get_token());
  REQUIRE_FALSE(stopped.has_value());
  CHECK(stopped.error().code == ErrorCode::kCancelled);
}

}  // namespace headscope
