#include "core/heads/effect/weighed_head.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/attention/given_layer.h"
#include "core/attention/thumbnail_builder.h"
#include "core/base/stop.h"
#include "core/model/read_weights.h"

namespace headscope {
namespace {

constexpr std::int64_t kWeighedRowsAtOnce = 64;
constexpr std::size_t kMostWeighedBytes = std::size_t{512} << 20U;

Status CheckWeighed(const Model& model,
                    const LayerAttention& layer,
                    std::int64_t head,
                    WeighedBy by) {
  const AttentionShape& shape = layer.shape();
  if (layer.content().values.empty()) {
    return Fail(ErrorCode::kInput, "There are weights only, no values that they could be times.");
  }
  if (head < 0 || head >= shape.heads) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("Head {} is asked for, the layer has heads 0 to {}.", head, shape.heads - 1));
  }
  const std::size_t bytes = static_cast<std::size_t>(shape.queries) *
                            static_cast<std::size_t>(shape.keys) * sizeof(float);
  if (bytes > kMostWeighedBytes) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("A map of {} by {} tokens takes {} MiB, and the most that is weighed is "
                    "{}. Choose a shorter text.",
                    shape.queries,
                    shape.keys,
                    bytes >> 20U,
                    kMostWeighedBytes >> 20U));
  }
  const LayerDescription& about =
      StackOf(model.description(), layer.part()).layer[static_cast<std::size_t>(layer.layer())];
  if (by == WeighedBy::kOutputs && layer.part() != ModelPart::kCross &&
      (about.output_gate || about.context_norm)) {
    return Fail(ErrorCode::kInput,
                fmt::format("In this model a {} of each row stands between values and output "
                            "projection, so a value has no output of its own. Choose Values.",
                            about.output_gate ? "gate" : "norm"));
  }
  return {};
}

// W Wᵀ [dv, dv], W the head's rows of the output projection [dv, d].
std::vector<double> OutputGram(const Model& model, const LayerAttention& layer, std::int64_t head) {
  const LinearNeed& need = OutputNeedOf(model.description(), {layer.part(), layer.layer()});
  const ProjectionColumns columns = ReadColumns(model, need, 0, ColumnCount(need));
  const auto width = static_cast<std::size_t>(layer.shape().value_dim);
  std::vector<double> gram(width * width);
  for (std::int64_t column = 0; column < columns.columns(); ++column) {
    const auto own = columns.Column(column).subspan(static_cast<std::size_t>(head) * width, width);
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t j = 0; j < width; ++j) {
        gram[i * width + j] += static_cast<double>(own[i]) * static_cast<double>(own[j]);
      }
    }
  }
  return gram;
}

// vᵀ G v; without `gram` of v itself.
double SquareOf(std::span<const float> value, std::span<const double> gram) {
  double square = 0.0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    double turned = gram.empty() ? static_cast<double>(value[i]) : 0.0;
    for (std::size_t j = 0; j < value.size() && !gram.empty(); ++j) {
      turned += gram[i * value.size() + j] * static_cast<double>(value[j]);
    }
    square += turned * static_cast<double>(value[i]);
  }
  return std::isfinite(square) ? std::max(square, 0.0) : square;  // rounding may go below 0
}

Result<std::vector<double>> LengthsOf(const LayerAttention& layer,
                                      std::int64_t head,
                                      std::span<const double> gram,
                                      const std::stop_token& stop) {
  const AttentionShape& shape = layer.shape();
  const auto width = static_cast<std::size_t>(shape.value_dim);
  const std::int64_t first = head / (shape.heads / shape.kv_heads) * shape.value_dim;
  std::vector<double> lengths;
  for (std::int64_t key = 0; key < shape.keys; ++key) {
    HEADSCOPE_TRY(CheckStop(stop));
    const auto at = static_cast<std::size_t>(key * shape.kv_heads * shape.value_dim + first);
    lengths.push_back(
        std::sqrt(SquareOf(std::span(layer.content().values).subspan(at, width), gram)));
    if (!std::isfinite(lengths.back())) {
      return Fail(
          ErrorCode::kNumeric,
          fmt::format("{}: what key {} brings is not finite, so no weight is weighed by it.",
                      HeadName({layer.layer(), head, layer.part()}),
                      key));
    }
  }
  return lengths;
}

// Whether any query sees the key.
std::vector<bool> SeenKeys(const LayerAttention& layer) {
  std::vector<bool> seen(static_cast<std::size_t>(layer.shape().keys));
  for (std::int64_t query = 0; query < layer.shape().queries; ++query) {
    const auto last = layer.rule().LastVisible(query, layer.shape().keys);
    for (std::int64_t key = layer.rule().FirstVisible(query); key < last; ++key) {
      seen[static_cast<std::size_t>(key)] = true;
    }
  }
  return seen;
}

}  // namespace

Result<WeighedHead> WeighHead(const Model& model,
                              const LayerAttention& layer,
                              std::int64_t head,
                              WeighedBy by,
                              const std::stop_token& stop) {
  HEADSCOPE_TRY(CheckWeighed(model, layer, head, by));
  const AttentionShape& shape = layer.shape();
  const auto keys = static_cast<std::size_t>(shape.keys);
  const std::vector<double> gram =
      by == WeighedBy::kOutputs ? OutputGram(model, layer, head) : std::vector<double>{};
  HEADSCOPE_TRY(const auto lengths, LengthsOf(layer, head, gram, stop));
  WeighedHead weighed{.layer = nullptr, .of = {layer.layer(), head, layer.part()}, .by = by};
  const std::vector<bool> seen = SeenKeys(layer);
  for (std::size_t key = 0; key < keys; ++key) {
    if (seen[key] && lengths[key] > weighed.longest) {
      weighed.longest = lengths[key];
      weighed.longest_key = static_cast<std::int64_t>(key);
    }
  }
  const auto cells =
      std::make_shared<std::vector<float>>(static_cast<std::size_t>(shape.queries) * keys);
  for (std::int64_t begin = 0; begin < shape.queries; begin += kWeighedRowsAtOnce) {
    HEADSCOPE_TRY(CheckStop(stop));
    const std::int64_t end = std::min(shape.queries, begin + kWeighedRowsAtOnce);
    const std::span<float> rows = std::span(*cells).subspan(
        static_cast<std::size_t>(begin) * keys, static_cast<std::size_t>(end - begin) * keys);
    layer.RowsOnAllThreads(head, begin, end, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double share = weighed.longest > 0.0 ? lengths[i % keys] / weighed.longest : 0.0;
      rows[i] = static_cast<float>(static_cast<double>(rows[i]) * share);
    }
  }
  LayerAttention::Content content;
  content.part = layer.part();
  content.layer = layer.layer();
  content.shape = {.queries = shape.queries, .keys = shape.keys, .heads = 1, .kv_heads = 1};
  content.rule = layer.rule();  // what is masked; nothing that makes scores
  content.rule.bias = nullptr;
  content.rule.sinks = nullptr;
  content.rule.positions = nullptr;
  content.given = HeldWeights(cells, content.shape);
  HEADSCOPE_TRY(weighed.layer, MakeGivenLayer(std::move(content), kThumbnailSize, stop));
  return weighed;
}

std::string WeighedName(const WeighedHead& head) {
  return fmt::format("{}, each weight times the length of {}",
                     HeadName(head.of),
                     head.by == WeighedBy::kValues ? "its value" : "its value's output");
}

std::string WeighedScale(const WeighedHead& head, std::string_view longest_token) {
  return head.longest > 0.0
             ? fmt::format("1 is all weight on “{}”, whose length {:.3g} is the largest",
                           longest_token,
                           head.longest)
             : "All lengths are 0";
}

}  // namespace headscope
