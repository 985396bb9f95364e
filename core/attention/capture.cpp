#include "core/attention/capture.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/attention/thumbnail_builder.h"
#include "core/base/check.h"

namespace headscope {
namespace {

void CopyRow(std::span<const float> block_rows,
             const AttentionBlock& block,
             std::int64_t queries,
             std::vector<float>* out) {
  const std::int64_t count = block.query_end - block.query_begin;
  for (std::int64_t head = block.head_begin; head < block.head_end; ++head) {
    const float* from = block_rows.data() + (head - block.head_begin) * count;
    std::copy(from, from + count, out->data() + head * queries + block.query_begin);
  }
}

class Capture : public LayerObserver, public AttentionObserver {
 public:
  Capture(const CaptureOptions& options, const LayerSink& sink) : options_(options), sink_(sink) {}

  AttentionObserver* BeginLayer(LayerId layer) override {
    if (!Wants(layer)) {
      return nullptr;
    }
    parts_ = {};
    parts_.part = layer.part;
    parts_.layer = layer.layer;
    return this;
  }

  bool WantsStates(LayerId layer) override { return options_.keep_states && Wants(layer); }

  void OnProjections(const AttentionShape& shape,
                     const AttentionRule& rule,
                     std::span<const float> queries,
                     std::span<const float> keys,
                     std::span<const float> values) override {
    parts_.shape = shape;
    parts_.rule = rule;
    parts_.queries.assign(queries.begin(), queries.end());
    parts_.keys.assign(keys.begin(), keys.end());
    if (options_.keep_states) {
      parts_.values.assign(values.begin(), values.end());
    }
    const auto rows = static_cast<std::size_t>(shape.heads * shape.queries);
    parts_.row_max.resize(rows);
    parts_.row_inverse_sum.resize(rows);
    thumbnails_.emplace(shape, rule, options_.thumbnail_size);
  }

  void OnBlock(const AttentionBlock& block) override {
    CopyRow(block.row_max, block, parts_.shape.queries, &parts_.row_max);
    CopyRow(block.row_inverse_sum, block, parts_.shape.queries, &parts_.row_inverse_sum);
    thumbnails_->Add(block);
  }

  void OnStates(LayerId /*layer*/,
                std::span<const float> projection_input,
                std::span<const float> attention_output) override {
    parts_.projection_input.assign(projection_input.begin(), projection_input.end());
    parts_.attention_output.assign(attention_output.begin(), attention_output.end());
  }

  Status EndLayer(LayerId layer) override {
    if (!Wants(layer)) {
      return {};
    }
    HEADSCOPE_TRY(CheckRows());
    parts_.thumbnails = thumbnails_->Take();
    thumbnails_.reset();
    return sink_(std::make_shared<const LayerAttention>(std::exchange(parts_, {})));
  }

 private:
  [[nodiscard]] bool Wants(LayerId layer) const {
    return (!options_.part || layer.part == *options_.part) &&
           layer.layer >= options_.first_layer && layer.layer <= options_.last_layer;
  }

  // Finite weights can still be so large that their products are not numbers.
  [[nodiscard]] Status CheckRows() const {
    for (std::int64_t head = 0; head < parts_.shape.heads; ++head) {
      for (std::int64_t query = 0; query < parts_.shape.queries; ++query) {
        const auto row = static_cast<std::size_t>(head * parts_.shape.queries + query);
        const bool sees_any =
            parts_.rule.FirstVisible(query) < parts_.rule.LastVisible(query, parts_.shape.keys);
        if (sees_any &&
            !(std::isfinite(parts_.row_max[row]) && std::isfinite(parts_.row_inverse_sum[row]))) {
          return Fail(ErrorCode::kNumeric,
                      fmt::format("layer {}, head {}: the scores of token {} are not finite, "
                                  "expected numbers; weights before it are too large for float32",
                                  parts_.layer,
                                  head,
                                  query));
        }
      }
    }
    return {};
  }

  const CaptureOptions& options_;
  const LayerSink& sink_;
  LayerAttention::Parts parts_;
  std::optional<ThumbnailBuilder> thumbnails_;
};

}  // namespace

Status CaptureAttention(Forward* forward,
                        const ForwardInput& input,
                        const CaptureOptions& options,
                        const LayerSink& sink,
                        std::stop_token stop) {
  HEADSCOPE_CHECK(options.thumbnail_size >= 1, "a thumbnail has cells");
  const ModelDescription& model = forward->model().description();
  const ModelPart part = options.part.value_or(PartsOf(model).back());
  // Every part: the longer stack has them all, the shorter one ends earlier.
  const bool is_all = !options.part && model.decoder && model.layers > model.decoder->layers;
  for (const std::int64_t layer : {options.first_layer, options.last_layer}) {
    HEADSCOPE_TRY(CheckLayer(model, {is_all ? ModelPart::kEncoder : part, layer}));
  }
  if (options.first_layer > options.last_layer) {
    return Fail(ErrorCode::kInput,
                fmt::format("the layers {} to {} were asked for, expected the first to come first",
                            options.first_layer,
                            options.last_layer));
  }
  Capture capture(options, sink);
  const std::int64_t last = std::min(options.last_layer, StackOf(model, part).layers - 1);
  return forward->Run(input, LayerId{part, last}, &capture, std::move(stop));
}

}  // namespace headscope
