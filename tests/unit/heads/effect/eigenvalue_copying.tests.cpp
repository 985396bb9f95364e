#include "core/heads/effect/eigenvalue_copying.h"

#include <cmath>
#include <complex>
#include <string>

#include <Eigen/Eigenvalues>

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
using test::Floats;
using test::Near;
using test::Says;
using test::TinyModel;

// The table [rows, cols], from what lies in the file.
Eigen::MatrixXd Table(const TinyModel& tiny, const TensorNeed& need) {
  const test::TinyTensor& stored = tiny.tensors.at(need.name);
  const Eigen::MatrixXd table =
      Eigen::Map<const Floats>(stored.values.data(), stored.shape[0], stored.shape[1])
          .cast<double>();
  return need.is_turned ? Eigen::MatrixXd(table.transpose()) : table;
}

// As the definition is written: all V x V numbers.
double ByDefinition(const Model& model,
                    const TinyModel& tiny,
                    std::int64_t layer,
                    std::int64_t head) {
  const ModelDescription& description = model.description();
  const LayerDescription& one = description.layer[static_cast<std::size_t>(layer)];
  const std::int64_t width = description.value_dim;
  // Some have more tokens than their output layer says.
  Eigen::MatrixXd embedding =
      Table(tiny, tiny.description.token_embedding).topRows(description.vocabulary);
  Eigen::MatrixXd output = Table(tiny, tiny.description.output_layer->weight);
  if (description.embedding_projection) {
    embedding *= ExactColumns(model, *description.embedding_projection, 0, description.model_dim)
                     .transpose();
    output *=
        ExactColumns(model, *description.output_layer->projection, 0, description.embedding_dim());
  }
  const std::int64_t group = description.heads / description.kv_heads;
  const std::int64_t first =
      (description.heads + description.kv_heads) * description.head_dim + head / group * width;
  const Eigen::MatrixXd value = ExactColumns(model, one.query_key_value, first, width);
  const Eigen::MatrixXd back = ExactColumns(model, one.output, 0, description.model_dim);
  const Eigen::MatrixXd circuit = embedding * value.transpose() *
                                  back.middleCols(head * width, width).transpose() *
                                  output.transpose();
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(circuit, false);
  std::complex<double> sum;
  double size = 0.0;
  for (const std::complex<double>& eigenvalue : solver.eigenvalues()) {
    sum += eigenvalue;
    size += std::abs(eigenvalue);
  }
  return sum.real() / size;
}

std::vector<double> Copying(const std::shared_ptr<const Model>& model, Backend* backend) {
  Forward forward(model, backend);
  Result<std::vector<double>> copying = EigenvalueCopying(&forward, {});
  REQUIRE(copying.has_value());
  return std::move(*copying);
}

}  // namespace

TEST_CASE("eigenvalues of the small product are those of all tokens by all", "[heads][copying]") {
  for (const Family* family : AllFamilies()) {
    TinyModel tiny(family->example);
    if (!tiny.description.output_layer || HasLatents(tiny.description) ||
        ScalesContext(tiny.description)) {
      continue;
    }
    INFO(family->id);
    RandomStream random(3);
    const OutputLayer& layer = *tiny.description.output_layer;
    tiny.tensors[layer.weight.name] = test::RandomTensor(layer.weight, &random);
    if (layer.projection) {
      const TensorNeed& projection = layer.projection->matrices.front().weight;
      tiny.tensors[projection.name] = test::RandomTensor(projection, &random);
    }
    const auto model = tiny.Open();
    const std::int64_t heads = model->description().heads;
    for (const auto& backend : test::AllBackends()) {
      INFO(backend->Description());
      const std::vector<double> copying = Copying(model, backend.get());
      REQUIRE(std::ssize(copying) == model->description().layers * heads);
      for (std::int64_t i = 0; i < std::ssize(copying); ++i) {
        // Eigenvalues of random matrices move by many times what their entries do, and the zeros
        // of the large product by the root of it.
        CHECK(copying[static_cast<std::size_t>(i)] ==
              Near(ByDefinition(*model, tiny, i / heads, i % heads), 1e-4));
      }
    }
  }
}

TEST_CASE("a head that hands tokens on copies, its negative does the opposite",
          "[heads][copying]") {
  TinyModel tiny(R"({"model_type": "gpt2", "n_layer": 1, "n_head": 2, "n_embd": 12,
                     "n_positions": 16, "vocab_size": 11})");
  // W_O is W_V transposed, for the second head with the other sign; W_U is W_E.
  const std::vector<float>& joined = tiny.tensors.at("h.0.attn.c_attn.weight").values;
  std::vector<float>& output = tiny.tensors.at("h.0.attn.c_proj.weight").values;
  for (std::size_t row = 0; row < 12; ++row) {
    for (std::size_t column = 0; column < 12; ++column) {
      const float value = joined[column * 36 + 24 + row];
      output[row * 12 + column] = row < 6 ? value : -value;
    }
  }
  for (const auto& backend : test::AllBackends()) {
    const std::vector<double> copying = Copying(tiny.Open(), backend.get());
    CHECK(copying[0] == Near(1.0, 1e-5));
    CHECK(copying[1] == Near(-1.0, 1e-5));
  }
}

TEST_CASE("eigenvalues are stopped, and there are none without an output layer",
          "[heads][copying]") {
  const auto backend = MakeReferenceBackend();
  std::stop_source stop;
  stop.request_stop();
  for (const Family* family : AllFamilies()) {
    const TinyModel tiny(family->example);
    Forward forward(tiny.Open(), backend.get());
    const auto copying = EigenvalueCopying(&forward, stop.get_token());
    REQUIRE_FALSE(copying.has_value());
    const ModelDescription& description = forward.model().description();
    const auto& layer = description.output_layer;
    CHECK(copying.error().code == (HasLatents(description) || ScalesContext(description)
                                       ? ErrorCode::kUnsupported
                                   : layer && layer->is_stored ? ErrorCode::kCancelled
                                                               : ErrorCode::kInput));
  }
}

}  // namespace headscope
