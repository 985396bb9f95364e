#include "core/heads/effect/weight_product.h"

#include <optional>
#include <span>

namespace headscope {
namespace {

std::span<const float> Numbers(const FloatMatrix& matrix) {
  return {matrix.data(), static_cast<std::size_t>(matrix.size())};
}

}  // namespace

Result<FloatMatrix> WeightProduct::Times(const FloatMatrix& left,
                                         const FloatMatrix& right,
                                         WeightLayout layout) const {
  const bool is_turned = layout == WeightLayout::kOutIn;
  const Eigen::Index columns = is_turned ? right.rows() : right.cols();
  const TensorView weights{
      "weights", DataType::kF32, {right.rows(), right.cols()}, std::as_bytes(Numbers(right))};
  HEADSCOPE_TRY(const auto linear,
                backend_.Prepare({.layout = layout,
                                  .in = is_turned ? right.cols() : right.rows(),
                                  .matrices = {{weights, std::nullopt}}},
                                 stop_));
  HEADSCOPE_TRY(const auto in, backend_.Make(left.rows(), left.cols()));
  HEADSCOPE_TRY(const auto out, backend_.Make(left.rows(), columns));
  backend_.Load(Numbers(left), in.get());
  HEADSCOPE_TRY(backend_.Apply(*linear, *in, out.get(), stop_));
  FloatMatrix product(left.rows(), columns);
  backend_.Read(*out, {product.data(), static_cast<std::size_t>(product.size())});
  return product;
}

Result<FloatMatrix> WeightProduct::operator()(const FloatMatrix& left,
                                              const FloatMatrix& right) const {
  return Times(left, right, WeightLayout::kInOut);
}

Result<FloatMatrix> WeightProduct::TimesTransposed(const FloatMatrix& left,
                                                   const FloatMatrix& right) const {
  return Times(left, right, WeightLayout::kOutIn);
}

Result<FloatMatrix> WeightProduct::Project(const FloatMatrix& rows,
                                           const ProjectionColumns& columns) const {
  HEADSCOPE_TRY(auto out, TimesTransposed(rows, MatrixOf(columns)));
  out.rowwise() += Eigen::RowVectorXf::Map(columns.bias.data(), columns.columns());
  return out;
}

}  // namespace headscope
