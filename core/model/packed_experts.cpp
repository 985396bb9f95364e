#include "core/model/packed_experts.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/base/quantised.h"
#include "core/base/quote.h"

namespace headscope {
namespace {

constexpr std::string_view kBlocks = "_blocks";
constexpr std::string_view kScales = "_scales";
constexpr std::int64_t kBytes = kPairBytes;

Status CheckBytes(const TensorView& tensor,
                  const std::vector<std::int64_t>& shape,
                  const std::string& file) {
  if (tensor.type == DataType::kU8 && tensor.shape == shape) {
    return {};
  }
  return Fail(ErrorCode::kShape,
              fmt::format("{}: tensor {} is {} {}, expected U8 {}, as MXFP4 has it",
                          file,
                          Quoted(tensor.name),
                          Name(tensor.type),
                          ShapeText(tensor.shape),
                          ShapeText(shape)));
}

Result<TensorView> Join(const TensorView& blocks,
                        const TensorView* scales,
                        const std::string& own,
                        const std::string& file) {
  if (scales == nullptr) {
    return Fail(
        ErrorCode::kFormat,
        fmt::format("{}: tensor {} is missing, expected the scales of {}; is the file whole?",
                    file,
                    Quoted(own + std::string(kScales)),
                    Quoted(blocks.name)));
  }
  std::vector<std::int64_t> shape = blocks.shape;
  shape.resize(std::max<std::size_t>(shape.size(), 3), 1);
  shape.back() = kBytes;
  HEADSCOPE_TRY(CheckBytes(blocks, shape, file));
  shape.pop_back();
  HEADSCOPE_TRY(CheckBytes(*scales, shape, file));
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) {
    rows *= shape[i];
  }
  TensorView joined = blocks;
  joined.type = DataType::kMxfp4;
  joined.shape = {rows, 2 * kBytes * shape.back()};
  joined.scales = scales->bytes;
  return joined;
}

// Where the gate and the rest take turns among columns they do so among rows here.
void Unpack(const PlainNames& names, LinearNeed* linear) {
  TensorNeed& weight = linear->matrices.front().weight;
  const bool is_packed =
      names.Has(weight.name) && !names.At(names.Find(weight.name).front()).scales.empty();
  if (!is_packed || linear->layout != WeightLayout::kInOut || !weight.rows) {
    return;
  }
  const std::int64_t out = weight.shape.back();
  const std::int64_t expert = weight.rows->first / linear->in;
  const ColumnPick columns = weight.columns.value_or(ColumnPick{0, out, 1});
  linear->layout = WeightLayout::kOutIn;
  weight.shape = {weight.shape.front() * out, linear->in};
  weight.rows = RowRange{expert * out + columns.first, columns.count, columns.step};
  weight.columns.reset();
}

}  // namespace

Status JoinBlocks(WeightStore* weights) {
  std::vector<std::string> found;
  for (const auto& [name, tensor] : weights->tensors()) {
    if (name.ends_with(kBlocks)) {
      found.push_back(name.substr(0, name.size() - kBlocks.size()));
    }
  }
  for (const std::string& own : found) {
    const std::string blocks = own + std::string(kBlocks);
    const std::string scales = own + std::string(kScales);
    HEADSCOPE_TRY(
        auto joined,
        Join(*weights->Find(blocks), weights->Find(scales), own, weights->path().string()));
    weights->Put(own, std::move(joined));
    weights->Drop(blocks);
    weights->Drop(scales);
  }
  return {};
}

void UsePackedExperts(const PlainNames& names, ModelDescription* description) {
  for (LayerDescription& layer : description->layer) {
    if (!layer.experts) {
      continue;
    }
    for (MlpNeeds& expert : layer.experts->expert) {
      Unpack(names, &expert.up);
      if (expert.gate) {
        Unpack(names, &*expert.gate);
      }
      Unpack(names, &expert.down);
    }
  }
}

}  // namespace headscope
