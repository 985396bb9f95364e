#include "core/heads/weight_product.h"

#include <optional>
#include <span>

namespace headscope {
namespace {

std::span<const float> Numbers(const FloatMatrix& matrix) {
  return {matrix.data(), static_cast<std::size_t>(matrix.size())};
}

}  // namespace

Result<FloatMatrix> WeightProduct::operator()(const FloatMatrix& left,
                                              const FloatMatrix& right) const {
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
  FloatMatrix product(left.rows(), right.cols());
  backend_.Read(**out, {product.data(), static_cast<std::size_t>(product.size())});
  return product;
}

Result<FloatMatrix> WeightProduct::Project(const FloatMatrix& rows,
                                           const ProjectionColumns& columns) const {
  Result<FloatMatrix> out = (*this)(rows, MatrixOf(columns).transpose());
  HEADSCOPE_TRY(out);
  out->rowwise() += Eigen::RowVectorXf::Map(columns.bias.data(), columns.columns());
  return out;
}

}  // namespace headscope
