#include "core/heads/eigenvalue_copying.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <span>

#include <Eigen/Eigenvalues>

#include "core/base/half.h"
#include "core/base/stop.h"
#include "core/heads/column_matrix.h"
#include "core/model/output_layer.h"
#include "core/model/read_weights.h"

namespace headscope {
namespace {

using Matrix = FloatMatrix;

constexpr std::int64_t kTokensAtOnce = 4096;

std::span<const float> Numbers(const Matrix& matrix) {
  return {matrix.data(), static_cast<std::size_t>(matrix.size())};
}

class Product {
 public:
  Product(Backend* backend, std::stop_token stop) : backend_(*backend), stop_(std::move(stop)) {}

  // left [n, m] x right [m, k]
  Result<Matrix> operator()(const Matrix& left, const Matrix& right) const {
    const TensorView weights{
        "weights", DataType::kF32, {right.rows(), right.cols()}, std::as_bytes(Numbers(right))};
    const auto linear = backend_.Prepare(
        {.layout = WeightLayout::kInOut, .in = right.rows(), .matrices = {{weights, std::nullopt}}},
        stop_);
    HEADSCOPE_TRY(linear);
    const auto in = backend_.Make(left.rows(), left.cols());
    HEADSCOPE_TRY(in);
    const auto out = backend_.Make(left.rows(), right.cols());
    HEADSCOPE_TRY(out);
    backend_.Load(Numbers(left), in->get());
    HEADSCOPE_TRY(backend_.Apply(**linear, **in, out->get(), stop_));
    Matrix product(left.rows(), right.cols());
    backend_.Read(**out, {product.data(), static_cast<std::size_t>(product.size())});
    return product;
  }

 private:
  Backend& backend_;
  std::stop_token stop_;
};

Matrix RowsOf(const TensorView& table, std::int64_t first, std::int64_t count) {
  Matrix rows(count, table.shape[1]);
  ConvertToFloat(
      table, first * table.shape[1], {rows.data(), static_cast<std::size_t>(rows.size())});
  return rows;
}

// W_U W_E [d, d].
Result<Matrix> MakeG(const Model& model,
                     const OutputLayer& layer,
                     const Product& product,
                     const std::stop_token& stop) {
  const ModelDescription& description = model.description();
  const TensorView& output = *model.weights().Find(layer.weight.name);
  const TensorView& embedding = *model.weights().Find(description.token_embedding.name);
  Matrix sum = Matrix::Zero(output.shape[1], embedding.shape[1]);
  for (std::int64_t first = 0; first < output.shape[0]; first += kTokensAtOnce) {
    HEADSCOPE_TRY(CheckStop(stop));
    const std::int64_t count = std::min(kTokensAtOnce, output.shape[0] - first);
    const Result<Matrix> part =
        product(RowsOf(output, first, count).transpose(), RowsOf(embedding, first, count));
    HEADSCOPE_TRY(part);
    sum += *part;
  }
  const auto columns = [&](const LinearNeed& need) -> Matrix {
    return MatrixOf(ReadColumns(model, need, 0, ColumnCount(need)));
  };
  if (layer.projection) {
    Result<Matrix> wide = product(columns(*layer.projection).transpose(), sum);
    HEADSCOPE_TRY(wide);
    sum = std::move(*wide);
  }
  if (description.embedding_projection) {
    return product(sum, columns(*description.embedding_projection).transpose());
  }
  return sum;
}

double Ratio(const Matrix& square) {
  const Eigen::MatrixXd exact = square.cast<double>();
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(exact, false);
  std::complex<double> sum;
  double size = 0.0;
  for (const std::complex<double>& value : solver.eigenvalues()) {
    sum += value;
    size += std::abs(value);
  }
  return size > 0.0 ? sum.real() / size : 0.0;
}

}  // namespace

Result<std::vector<double>> EigenvalueCopying(Forward* forward, const std::stop_token& stop) {
  const Model& model = forward->model();
  const auto layer = OutputLayerOf(model);
  HEADSCOPE_TRY(layer);
  const Product product(&forward->backend(), stop);
  const Result<Matrix> g = MakeG(model, **layer, product, stop);
  HEADSCOPE_TRY(g);
  const ModelDescription& description = model.description();
  const std::int64_t width = description.value_dim;
  const std::int64_t group = description.heads / description.kv_heads;
  std::vector<double> copying;
  for (const LayerDescription& one : description.layer) {
    const std::int64_t first = (description.heads + description.kv_heads) * description.head_dim;
    const ProjectionColumns values =
        ReadColumns(model, one.query_key_value, first, description.kv_heads * width);
    const Matrix output = MatrixOf(ReadColumns(model, one.output, 0, ColumnCount(one.output)));
    const Result<Matrix> read = product(*g, MatrixOf(values).transpose());
    HEADSCOPE_TRY(read);
    for (std::int64_t head = 0; head < description.heads; ++head) {
      HEADSCOPE_TRY(CheckStop(stop));
      const Result<Matrix> circuit = product(output.middleCols(head * width, width).transpose(),
                                             read->middleCols(head / group * width, width));
      HEADSCOPE_TRY(circuit);
      copying.push_back(Ratio(*circuit));
    }
  }
  return copying;
}

}  // namespace headscope
