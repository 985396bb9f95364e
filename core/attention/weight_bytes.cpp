#include "core/attention/weight_bytes.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/base/byte_text.h"
#include "core/base/check.h"
#include "core/base/stop.h"

namespace headscope {

WeightBytes::WeightBytes(std::string name,
                         std::vector<std::shared_ptr<const LayerAttention>> layers,
                         std::stop_token stop)
    : name_(std::move(name)), layers_(std::move(layers)), stop_(std::move(stop)) {
  for (const auto& layer : layers_) {
    HEADSCOPE_CHECK(layer->shape().heads == shape().heads &&
                        layer->shape().queries == shape().queries &&
                        layer->shape().keys == shape().keys,
                    "layers of one text have one shape");
  }
}

TensorView WeightBytes::About() const {
  return {.name = name_,
          .type = DataType::kF32,
          .shape = {std::ssize(layers_), shape().heads, shape().queries, shape().keys},
          .bytes = {}};
}

Result<std::span<const std::byte>> WeightBytes::Next() {
  constexpr std::int64_t kCellsAtOnce = std::int64_t{1} << 20;
  const std::int64_t rows_of_layer = shape().heads * shape().queries;
  if (next_row_ == std::ssize(layers_) * rows_of_layer) {
    return std::span<const std::byte>();
  }
  HEADSCOPE_TRY(CheckStop(stop_));
  const std::int64_t query = next_row_ % shape().queries;
  const std::int64_t count =
      std::clamp<std::int64_t>(kCellsAtOnce / shape().keys, 1, shape().queries - query);
  rows_.resize(static_cast<std::size_t>(count * shape().keys));
  layers_[static_cast<std::size_t>(next_row_ / rows_of_layer)]->RowsOnAllThreads(
      next_row_ % rows_of_layer / shape().queries, query, query + count, rows_);
  next_row_ += count;
  return std::as_bytes(std::span<const float>(rows_));
}

SinkBytes::SinkBytes(std::string name, std::vector<std::shared_ptr<const LayerAttention>> layers)
    : name_(std::move(name)), layers_(std::move(layers)) {}

TensorView SinkBytes::About() const {
  const AttentionShape& shape = layers_[0]->shape();
  return {.name = name_,
          .type = DataType::kF32,
          .shape = {std::ssize(layers_), shape.heads, shape.queries},
          .bytes = {}};
}

Result<std::span<const std::byte>> SinkBytes::Next() {
  if (next_layer_ == layers_.size()) {
    return std::span<const std::byte>();
  }
  const LayerAttention& layer = *layers_[next_layer_++];
  weights_.clear();
  for (std::int64_t head = 0; head < layer.shape().heads; ++head) {
    for (std::int64_t query = 0; query < layer.shape().queries; ++query) {
      weights_.push_back(static_cast<float>(layer.SinkWeight(head, query)));
    }
  }
  return std::as_bytes(std::span<const float>(weights_));
}

Status CheckRoom(const std::filesystem::path& path,
                 std::span<const StreamedTensor> tensors,
                 const std::string& fewer) {
  std::optional<std::uint64_t> bytes = 0;
  for (const StreamedTensor& tensor : tensors) {
    const std::optional<std::uint64_t> own =
        CheckedByteCount(tensor.about.shape, tensor.about.type);
    bytes = !bytes || !own || *own > std::numeric_limits<std::uint64_t>::max() - *bytes
                ? std::nullopt
                : std::optional(*bytes + *own);
  }
  std::error_code error;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  if (!bytes || (!error && *bytes > space.available)) {
    return Fail(
        ErrorCode::kIo,
        fmt::format("{}: attention {} takes {} on the disk; write it elsewhere or ask for {}",
                    path.string(),
                    tensors.size() == 1 ? ShapeText(tensors.front().about.shape)
                                        : fmt::format("in {} arrays", tensors.size()),
                    bytes ? RoomText(*bytes, space.available) : "more than any disk holds",
                    fewer));
  }
  return {};
}

}  // namespace headscope
