#include "core/heads/effect/eigenvalue_copying.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "core/base/eigenvalues.h"
#include "core/base/stop.h"
#include "core/heads/effect/column_matrix.h"
#include "core/heads/effect/weight_product.h"
#include "core/model/latent_attention.h"
#include "core/model/output_layer.h"
#include "core/model/read_weights.h"
#include "core/model/scaled_context.h"

namespace headscope {
namespace {

using Matrix = FloatMatrix;

// W_U W_E [d, d].
Result<Matrix> MakeG(const Model& model,
                     const OutputLayer& layer,
                     const WeightProduct& product,
                     const std::stop_token& stop) {
  const ModelDescription& description = model.description();
  const TensorView& output = *model.weights().Find(layer.weight.name);
  const TensorView& embedding = *model.weights().Find(description.token_embedding.name);
  Matrix sum = Matrix::Zero(output.shape[1], embedding.shape[1]);
  for (std::int64_t first = 0; first < output.shape[0]; first += kTableRowsAtOnce) {
    HEADSCOPE_TRY(CheckStop(stop));
    const std::int64_t count = std::min(kTableRowsAtOnce, output.shape[0] - first);
    HEADSCOPE_TRY(
        const auto part,
        product(Transposed(TableRows(output, first, count)), TableRows(embedding, first, count)));
    sum += part;
  }
  const auto columns = [&](const LinearNeed& need) -> Matrix {
    return MatrixOf(ReadColumns(model, need, 0, ColumnCount(need)));
  };
  if (layer.projection) {
    HEADSCOPE_TRY(sum, product(columns(*layer.projection).transpose(), sum));
  }
  if (description.embedding_projection) {
    return product(sum, columns(*description.embedding_projection).transpose());
  }
  return sum;
}

double Ratio(const Matrix& square) {
  std::complex<double> sum;
  double size = 0.0;
  for (const std::complex<double>& value :
       Eigenvalues({square.data(), square.data() + square.size()}, square.rows())) {
    sum += value;
    size += std::abs(value);
  }
  return size > 0.0 ? sum.real() / size : 0.0;
}

}  // namespace

Result<std::vector<double>> EigenvalueCopying(Forward* forward, const std::stop_token& stop) {
  const Model& model = forward->model();
  HEADSCOPE_TRY(RefuseLatents(model.description(), "its circuit"));
  HEADSCOPE_TRY(RefuseScaledContext(model.description(), "its circuit"));
  HEADSCOPE_TRY(const auto layer, OutputLayerOf(model));
  const WeightProduct product(&forward->backend(), stop);
  HEADSCOPE_TRY(const auto g, MakeG(model, *layer, product, stop));
  const ModelDescription& description = model.description();
  const std::int64_t group = description.heads / description.kv_heads;
  std::vector<double> copying;
  for (const LayerDescription& one : description.layer) {
    const auto [key_width, width] = description.WidthsOf(one);
    const std::int64_t first = (description.heads + description.kv_heads) * key_width;
    const ProjectionColumns values =
        ReadColumns(model, one.query_key_value, first, description.kv_heads * width);
    const Matrix output = MatrixOf(ReadColumns(model, one.output, 0, ColumnCount(one.output)));
    HEADSCOPE_TRY(const auto read, product.TimesTransposed(g, MatrixOf(values)));
    for (std::int64_t head = 0; head < description.heads; ++head) {
      HEADSCOPE_TRY(CheckStop(stop));
      HEADSCOPE_TRY(const auto circuit,
                    product(output.middleCols(head * width, width).transpose(),
                            read.middleCols(head / group * width, width)));
      copying.push_back(Ratio(circuit));
    }
  }
  return copying;
}

}  // namespace headscope
