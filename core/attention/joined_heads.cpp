#include "core/attention/joined_heads.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/attention/given_layer.h"
#include "core/attention/thumbnail_builder.h"
#include "core/base/counted.h"
#include "core/base/stop.h"

namespace headscope {
namespace {

constexpr std::int64_t kJoinedRowsAtOnce = 64;
constexpr std::size_t kMostJoinedBytes = std::size_t{512} << 20U;

using Cells = std::vector<float>;  // [queries, keys]

// The mean over heads; a row's sink stays with nobody.
Result<Cells> MeanOf(const LayerAttention& layer, const std::stop_token& stop) {
  const AttentionShape& shape = layer.shape();
  const auto keys = static_cast<std::size_t>(shape.keys);
  Cells mean(static_cast<std::size_t>(shape.queries) * keys);
  std::vector<float> read(static_cast<std::size_t>(kJoinedRowsAtOnce) * keys);
  std::vector<double> sums(read.size());
  for (std::int64_t begin = 0; begin < shape.queries; begin += kJoinedRowsAtOnce) {
    const std::int64_t end = std::min(shape.queries, begin + kJoinedRowsAtOnce);
    const std::size_t count = static_cast<std::size_t>(end - begin) * keys;
    std::ranges::fill(sums, 0.0);
    for (std::int64_t head = 0; head < shape.heads; ++head) {
      HEADSCOPE_TRY(CheckStop(stop));
      layer.RowsOnAllThreads(head, begin, end, std::span(read).first(count));
      for (std::size_t i = 0; i < count; ++i) {
        sums[i] += static_cast<double>(read[i]);
      }
    }
    float* const to = mean.data() + static_cast<std::size_t>(begin) * keys;
    for (std::size_t i = 0; i < count; ++i) {
      if (!std::isfinite(sums[i])) {
        return Fail(
            ErrorCode::kNumeric,
            fmt::format("Layer {} has a weight that is not finite (query {}, key {}), so its "
                        "heads are not joined: it would spread to every later token.",
                        layer.layer(),
                        static_cast<std::size_t>(begin) + i / keys,
                        i % keys));
      }
      to[i] = static_cast<float>(sums[i] / static_cast<double>(shape.heads));
    }
  }
  return mean;
}

// Half of the row as it is, half of the token itself.
void KeepHalf(std::int64_t size, Cells* cells) {
  const auto n = static_cast<std::size_t>(size);
  for (std::size_t row = 0; row < n; ++row) {
    const std::span<float> own = std::span(*cells).subspan(row * n, n);
    double sum = 0.0;
    for (const float weight : own) {
      sum += static_cast<double>(weight);
    }
    const double half = sum > 0.0 ? 0.5 / sum : 0.0;
    for (float& weight : own) {
      weight = static_cast<float>(static_cast<double>(weight) * half);
    }
    own[row] += sum > 0.0 ? 0.5F : 1.0F;
  }
}

// one · other, both [n, n].
Result<Cells> ProductOf(const Cells& one,
                        const Cells& other,
                        std::int64_t size,
                        const std::stop_token& stop) {
  const auto n = static_cast<std::size_t>(size);
  Cells product(one.size());
  for (std::int64_t begin = 0; begin < size; begin += kJoinedRowsAtOnce) {
    HEADSCOPE_TRY(CheckStop(stop));
    const std::int64_t end = std::min(size, begin + kJoinedRowsAtOnce);
#pragma omp parallel for schedule(dynamic, 4)
    for (std::int64_t row = begin; row < end; ++row) {
      const std::size_t at = static_cast<std::size_t>(row) * n;
      std::vector<double> sums(n);
      for (std::size_t k = 0; k < n; ++k) {
        const auto factor = static_cast<double>(one[at + k]);
        if (factor == 0.0) {
          continue;  // masked, in one layer or the other
        }
        const float* const from = other.data() + k * n;
        for (std::size_t column = 0; column < n; ++column) {
          sums[column] += factor * static_cast<double>(from[column]);
        }
      }
      for (std::size_t column = 0; column < n; ++column) {
        product[at + column] = static_cast<float>(sums[column]);
      }
    }
  }
  return product;
}

Result<Cells> RolloutOf(std::span<const std::shared_ptr<const LayerAttention>> layers,
                        std::int64_t size,
                        const std::stop_token& stop) {
  Cells rollout;
  for (const auto& layer : layers) {
    HEADSCOPE_TRY(auto mean, MeanOf(*layer, stop));
    KeepHalf(size, &mean);
    if (rollout.empty()) {
      rollout = std::move(mean);
      continue;
    }
    HEADSCOPE_TRY(rollout, ProductOf(mean, rollout, size, stop));
  }
  return rollout;
}

Status CheckJoin(std::span<const std::shared_ptr<const LayerAttention>> layers, HeadsJoin join) {
  if (layers.empty() || layers.back() == nullptr) {
    return Fail(ErrorCode::kInput, "There is no layer whose heads could be joined.");
  }
  const AttentionShape& shape = layers.back()->shape();
  const std::size_t bytes = static_cast<std::size_t>(shape.queries) *
                            static_cast<std::size_t>(shape.keys) * sizeof(float) * 3;
  if (bytes > kMostJoinedBytes) {
    return Fail(ErrorCode::kInput,
                fmt::format("Heads of {} by {} tokens are not joined: it would take {} MiB, and "
                            "the most is {}. Choose a shorter text.",
                            shape.queries,
                            shape.keys,
                            bytes >> 20U,
                            kMostJoinedBytes >> 20U));
  }
  if (join == HeadsJoin::kMean) {
    return {};
  }
  if (layers.back()->part() == ModelPart::kCross || shape.queries != shape.keys) {
    return Fail(ErrorCode::kInput,
                "Rollout follows one text through its layers; these heads look from one text into "
                "another.");
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const bool is_there =
        layers[i] != nullptr && layers[i]->layer() == static_cast<std::int64_t>(i) &&
        layers[i]->shape().queries == shape.queries && layers[i]->shape().keys == shape.keys;
    if (!is_there) {
      return Fail(ErrorCode::kInput,
                  fmt::format("Rollout needs every layer up to the one that is shown; layer {} is "
                              "not there.",
                              i));
    }
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const LayerAttention>> JoinHeads(
    std::span<const std::shared_ptr<const LayerAttention>> layers,
    HeadsJoin join,
    const std::stop_token& stop) {
  HEADSCOPE_TRY(CheckJoin(layers, join));
  const LayerAttention& last = *layers.back();
  const AttentionShape& shape = last.shape();
  HEADSCOPE_TRY(
      auto cells,
      join == HeadsJoin::kMean ? MeanOf(last, stop) : RolloutOf(layers, shape.queries, stop));
  const auto kept = std::make_shared<const Cells>(std::move(cells));
  LayerAttention::Content content;
  content.part = last.part();
  content.layer = last.layer();
  content.shape = {.queries = shape.queries, .keys = shape.keys, .heads = 1, .kv_heads = 1};
  content.rule.causal = last.rule().causal;
  content.given = HeldWeights(kept, content.shape);
  return MakeGivenLayer(std::move(content), kThumbnailSize, stop);
}

std::string JoinedName(const LayerAttention& last, HeadsJoin join) {
  if (join == HeadsJoin::kMean) {
    return fmt::format(
        "Mean of the {} of layer {}", Counted(last.shape().heads, "head"), last.layer());
  }
  return fmt::format(
      "Rollout of {} (mean over heads, half of each token kept)",
      last.layer() == 0 ? std::string("layer 0") : fmt::format("layers 0 to {}", last.layer()));
}

}  // namespace headscope
