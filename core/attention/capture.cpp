#include "core/attention/capture.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/attention/run_plan.h"
#include "core/attention/thumbnail_builder.h"
#include "core/base/check.h"
#include "core/base/thread_role.h"
#include "core/model/layer_changes.h"

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

// Copies the first `rows` of [heads, n] to [heads, queries].
std::vector<float> FirstOfHeads(const std::vector<float>& before,
                                const AttentionShape& shape,
                                std::int64_t rows,
                                std::int64_t queries) {
  std::vector<float> first(static_cast<std::size_t>(shape.heads * queries));
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    std::copy_n(before.data() + head * shape.queries, rows, first.data() + head * queries);
  }
  return first;
}

class Capture : public LayerObserver, public AttentionObserver {
 public:
  Capture(const CaptureOptions& options,
          const LayerSink& sink,
          const RunPlan& plan,
          AttentionHistory* history)
      : options_(options), sink_(sink), plan_(plan), history_(history) {}

  AttentionObserver* BeginLayer(LayerId layer) override {
    if (!Wants(options_, layer)) {
      return nullptr;
    }
    content_ = {};
    content_.part = layer.part;
    content_.layer = layer.layer;
    before_ = plan_.Before(layer);
    return this;
  }

  bool WantsStates(LayerId layer) override {
    return options_.keep_states && Wants(options_, layer);
  }

  // Past queries come first, if they are watched, then the new ones.
  void OnProjections(const AttentionProjections& projections) override {
    first_query_ = projections.rule.offset;
    if (!thumbnails_) {
      Start(projections.shape, projections.rule, projections.keys, projections.values);
    }
    if (first_query_ == plan_.past.tokens) {
      content_.queries.insert(
          content_.queries.end(), projections.queries.begin(), projections.queries.end());
    }
  }

  void OnBlock(const AttentionBlock& block) override {
    AttentionBlock placed = block;
    placed.query_begin += first_query_;
    placed.query_end += first_query_;
    CopyRow(placed.row_max, placed, content_.shape.queries, &content_.row_max);
    CopyRow(placed.row_inverse_sum, placed, content_.shape.queries, &content_.row_inverse_sum);
    thumbnails_->Add(placed);
  }

  void OnStates(LayerId /*layer*/,
                std::span<const float> projection_input,
                std::span<const float> attention_output) override {
    content_.projection_input.assign(projection_input.begin(), projection_input.end());
    content_.attention_output.assign(attention_output.begin(), attention_output.end());
  }

  Status EndLayer(LayerId layer) override {
    if (!Wants(options_, layer)) {
      return {};
    }
    HEADSCOPE_TRY(CheckRows());
    content_.thumbnails = thumbnails_->Take();
    thumbnails_.reset();
    auto made = std::make_shared<const LayerAttention>(std::exchange(content_, {}));
    if (history_ != nullptr) {
      history_->Keep({made, std::move(values_)}, plan_.input, options_.thumbnail_size);
    }
    return sink_(std::move(made));
  }

 private:
  // Starts the layer from what an earlier run left of it.
  void Start(const AttentionShape& shape,
             const AttentionRule& rule,
             std::span<const float> keys,
             std::span<const float> values) {
    const std::int64_t kept = before_ == nullptr ? 0 : plan_.past.tokens;
    const std::int64_t queries = plan_.Queries(content_.part);
    content_.shape = shape;
    content_.shape.queries = queries;
    content_.rule = rule;
    content_.rule.offset = 0;
    content_.keys.assign(keys.begin(), keys.end());
    if (options_.keep_states) {
      content_.values.assign(values.begin(), values.end());
    }
    const bool grows = rule.causal || content_.part == ModelPart::kCross;
    values_ = history_ == nullptr || !grows
                  ? nullptr
                  : std::make_shared<const std::vector<float>>(values.begin(), values.end());
    content_.queries.reserve(static_cast<std::size_t>(queries * shape.heads * shape.head_dim));
    thumbnails_.emplace(content_.shape, content_.rule, options_.thumbnail_size);
    if (before_ == nullptr) {
      const auto rows = static_cast<std::size_t>(shape.heads * queries);
      content_.row_max.resize(rows);
      content_.row_inverse_sum.resize(rows);
      return;
    }
    const LayerAttention::Content& before = before_->content();
    content_.queries.assign(before.queries.begin(),
                            before.queries.begin() + kept * shape.heads * shape.head_dim);
    content_.row_max = FirstOfHeads(before.row_max, before.shape, kept, queries);
    content_.row_inverse_sum = FirstOfHeads(before.row_inverse_sum, before.shape, kept, queries);
    thumbnails_->Keep(*before_, kept);
  }

  // Finite weights can still be so large that their products overflow.
  [[nodiscard]] Status CheckRows() const {
    for (std::int64_t head = 0; head < content_.shape.heads; ++head) {
      for (std::int64_t query = 0; query < content_.shape.queries; ++query) {
        const auto row = static_cast<std::size_t>(head * content_.shape.queries + query);
        const bool sees_any = content_.rule.FirstVisible(query) <
                              content_.rule.LastVisible(query, content_.shape.keys);
        if (sees_any && !(std::isfinite(content_.row_max[row]) &&
                          std::isfinite(content_.row_inverse_sum[row]))) {
          return Fail(ErrorCode::kNumeric,
                      fmt::format("layer {}, head {}: the scores of token {} are not finite, "
                                  "expected numbers; weights before it are too large for float32",
                                  content_.layer,
                                  head,
                                  query));
        }
      }
    }
    return {};
  }

  const CaptureOptions& options_;
  const LayerSink& sink_;
  const RunPlan& plan_;
  AttentionHistory* history_;
  LayerAttention::Content content_;
  std::optional<ThumbnailBuilder> thumbnails_;
  std::shared_ptr<const std::vector<float>> values_;  // for the history
  const LayerAttention* before_ = nullptr;            // the layer from an earlier run
  std::int64_t first_query_ = 0;                      // of the coming blocks
};

// Owns what a capture only refers to.
struct CaptureParts {
  CaptureOptions options;
  LayerSink sink;
  RunPlan plan;
};

class OwnCapture : private CaptureParts, public Capture {
 public:
  explicit OwnCapture(CaptureParts parts)
      : CaptureParts(std::move(parts)),
        Capture(CaptureParts::options, CaptureParts::sink, CaptureParts::plan, nullptr) {}
};

}  // namespace

std::unique_ptr<LayerObserver> MakeCapture(const ModelDescription& model,
                                           const ForwardInput& input,
                                           CaptureOptions options,
                                           LayerSink sink) {
  const LayerId last{options.part.value_or(PartsOf(model).back()), options.last_layer};
  RunPlan plan = PlanRun(model, input, options, last, nullptr);
  return std::make_unique<OwnCapture>(
      CaptureParts{std::move(options), std::move(sink), std::move(plan)});
}

Status CaptureAttention(Forward* forward,
                        const ForwardInput& input,
                        const CaptureOptions& options,
                        const LayerSink& sink,
                        const std::stop_token& stop,
                        AttentionHistory* history) {
  CheckNotDrawing("computing attention");
  HEADSCOPE_CHECK(options.thumbnail_size >= 1, "a thumbnail has cells");
  const ModelDescription& model = forward->model().description();
  const ModelPart part = options.part.value_or(PartsOf(model).back());
  // With all parts, layers count up to the longer stack's; the shorter stack ends earlier.
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
  const LayerId last{part, std::min(options.last_layer, StackOf(model, part).layers - 1)};
  history = options.keep_states ? nullptr : history;
  const RunPlan plan = PlanRun(model, input, options, last, history);
  for (const auto& layer : plan.done) {
    HEADSCOPE_TRY(sink(layer));
  }
  if (plan.is_done) {
    return {};
  }
  Capture capture(options, sink, plan, history);
  return forward->Run(input, last, &capture, stop, plan.past);
}

Status CaptureChanged(Forward* forward,
                      const ForwardInput& input,
                      const Restart& from,
                      LayerChanges* changes,
                      const CaptureOptions& options,
                      const LayerSink& sink,
                      const std::stop_token& stop) {
  CheckNotDrawing("computing attention");
  const ModelDescription& model = forward->model().description();
  const RunPlan plan = PlanRun(model, input, options, {PartsOf(model).back(), 0}, nullptr);
  Capture capture(options, sink, plan, nullptr);
  return forward->RunChanged(input, from, changes, &capture, stop);
}

}  // namespace headscope
