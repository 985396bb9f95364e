// Reads weights as numbers, wherever and however the file keeps them: for code that looks at the
// weights of single heads.
//
// Shapes   columns in the order of LinearNeed: a joined product has queries, then keys, then
//          values.
// Errors   none: an open model has everything that its description needs.
// Cost     reads the requested columns; for a matrix stored [in, out], a piece of every row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "core/compute/backend.h"
#include "core/model/model.h"

namespace headscope {

struct ProjectionColumns {
  std::int64_t in = 0;
  std::vector<float> weight;  // [columns, in]
  std::vector<float> bias;    // [columns], 0 if there is none

  [[nodiscard]] std::int64_t columns() const { return static_cast<std::int64_t>(bias.size()); }
  [[nodiscard]] std::span<const float> Column(std::int64_t column) const {
    return std::span(weight).subspan(static_cast<std::size_t>(column * in),
                                     static_cast<std::size_t>(in));
  }
};

// Columns that were copied out of a tensor, which readers of the source may still use.
using PickedBytes = std::deque<std::vector<std::byte>>;

// Returns the rows and columns of the tensor that a need asks for, dimensions before the last one joined.
[[nodiscard]] TensorView PartOf(const Model& model, const TensorNeed& need, PickedBytes* picked);

// Returns the matrices as the backend takes them. A joined product (fused_heads) is still one matrix.
[[nodiscard]] LinearSource SourceOf(const Model& model,
                                    const LinearNeed& need,
                                    PickedBytes* picked);

// The output projection of a layer's attention; of cross-attention its own.
[[nodiscard]] const LinearNeed& OutputNeedOf(const ModelDescription& model, LayerId layer);

// Returns the number of columns of the whole product.
[[nodiscard]] std::int64_t ColumnCount(const LinearNeed& need);

// Inputs of a product: [first, first + count).
struct InputRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

// Reads columns of one product, piece after piece: what of a matrix has to be copied to be read is
// copied once.
class ColumnReader {
 public:
  // Both outlive this.
  ColumnReader(const Model& model, const LinearNeed& need) : model_(model), need_(need) {}

  // Reads columns [first, first + count), each over these inputs.
  [[nodiscard]] ProjectionColumns Read(std::int64_t first, std::int64_t count, InputRange inputs);

 private:
  const Model& model_;
  const LinearNeed& need_;
  PickedBytes picked_;
  const LinearNeed::Matrix* matrix_ = nullptr;  // that weight_ is of
  TensorView weight_;
};

// Whether the column has a bias in the file.
[[nodiscard]] bool IsBiased(const LinearNeed& need, std::int64_t column);

// Reads columns [first, first + count).
[[nodiscard]] ProjectionColumns ReadColumns(const Model& model,
                                            const LinearNeed& need,
                                            std::int64_t first,
                                            std::int64_t count);

// Reads the biases of all columns, 0 if there are none.
[[nodiscard]] std::vector<float> ReadBiases(const Model& model, const LinearNeed& need);

// Reads a norm's weights as the forward applies them.
[[nodiscard]] NormWeights ReadNorm(const Model& model, const NormNeed& need);
// Returns what the layer multiplies the stream by; 1 if it does not.
[[nodiscard]] double StreamFactorOf(const Model& model, const LayerDescription& layer);
// Reads the numbers of an activation.
[[nodiscard]] Xielu ReadXielu(const Model& model, const XieluNeed& need);
// Returns what it does to that head of queries or keys, where each has weights of its own.
[[nodiscard]] NormWeights NormOfHead(NormWeights norm, std::int64_t head);

}  // namespace headscope
