#include "core/heads/effect/ablating_backend.h"

#include <utility>

#include "core/base/check.h"
#include "core/compute/copy_weights.h"
#include "core/heads/effect/column_matrix.h"

namespace headscope {
namespace {

// Keeps the weights of one text.
class MapKeeper : public AttentionObserver {
 public:
  explicit MapKeeper(std::vector<float>* map) : map_(*map) {}
  void OnProjections(const AttentionProjections& projections) override {
    queries_ = projections.shape.queries;
    map_.assign(static_cast<std::size_t>(projections.shape.heads * projections.shape.queries *
                                         projections.shape.keys),
                0.0F);
  }
  void OnBlock(const AttentionBlock& block) override { CopyWeights(block, queries_, map_); }

 private:
  std::vector<float>& map_;
  std::int64_t queries_ = 0;
};

FloatMatrix ReadAll(const Backend& backend, const Activations& from) {
  FloatMatrix all(from.rows(), from.cols());
  backend.Read(from, {all.data(), static_cast<std::size_t>(all.size())});
  return all;
}

}  // namespace

AblatingBackend::AblatingBackend(Backend* inner, const Model& model)
    : ForwardingBackend(inner), heads_(model.description().heads) {
  const ModelDescription& shape = model.description();
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
    sums_.emplace_back(static_cast<std::size_t>(heads_ * shape.WidthsAt(layer).value));
  }
  rows_.resize(sums_.size());
}

void AblatingBackend::BeginClean(Maps* maps) {
  layer_ = 0;
  kept_ = maps;
  ablated_ = std::nullopt;
  if (kept_ != nullptr) {
    kept_->assign(sums_.size(), {});
  }
}

void AblatingBackend::Begin(std::int64_t layer,
                            std::int64_t head,
                            AblationKind kind,
                            const Maps* maps) {
  HEADSCOPE_CHECK(kind != AblationKind::kPattern || maps != nullptr, "there are maps to look at");
  layer_ = 0;
  replayed_ = maps;
  ablated_ = {.layer = layer, .head = head, .kind = kind};
}

Status AblatingBackend::Attend(const AttentionInput& input,
                               AttentionObserver* observer,
                               Activations* context,
                               std::stop_token stop) {
  HEADSCOPE_CHECK(
      observer == nullptr && context != nullptr && layer_ < static_cast<std::int64_t>(sums_.size()),
      "a run for ablation is watched by nobody and goes to its end");
  const auto layer = static_cast<std::size_t>(layer_);
  const bool is_last = input.text + 1 == input.texts;
  if (ablated_ && ablated_->kind == AblationKind::kPattern && layer_ > ablated_->layer) {
    if (is_last) {
      Replay(input, context);
    }
  } else if (!ablated_ && kept_ != nullptr) {
    (*kept_)[layer].resize(static_cast<std::size_t>(input.texts));
    MapKeeper keeper(&(*kept_)[layer][static_cast<std::size_t>(input.text)]);
    HEADSCOPE_TRY(inner().Attend(input, &keeper, context, std::move(stop)));
  } else {
    HEADSCOPE_TRY(inner().Attend(input, nullptr, context, std::move(stop)));
  }
  if (!is_last) {
    return {};
  }
  if (!ablated_ && kept_ == nullptr) {
    AddMeans(*context);
  }
  if (ablated_ && ablated_->layer == layer_) {
    Remove(context);
  }
  ++layer_;
  return {};
}

void AblatingBackend::AddMeans(const Activations& context) {
  const auto layer = static_cast<std::size_t>(layer_);
  Eigen::VectorXd::Map(sums_[layer].data(), context.cols()) +=
      ReadAll(inner(), context).cast<double>().colwise().sum().transpose();
  rows_[layer] += static_cast<double>(context.rows());
}

void AblatingBackend::Remove(Activations* context) {
  FloatMatrix all = ReadAll(inner(), *context);
  const std::int64_t width = context->cols() / heads_;
  auto own = all.middleCols(ablated_->head * width, width);
  own.setZero();
  const auto layer = static_cast<std::size_t>(layer_);
  if (ablated_->kind == AblationKind::kMean) {
    HEADSCOPE_CHECK(rows_[layer] > 0.0, "means are of runs that were");
    own.rowwise() += (Eigen::RowVectorXd::Map(sums_[layer].data() + ablated_->head * width, width) /
                      rows_[layer])
                         .cast<float>();
  }
  inner().Load({all.data(), static_cast<std::size_t>(all.size())}, context);
}

void AblatingBackend::Replay(const AttentionInput& input, Activations* context) {
  const AttentionShape& shape = input.shape;
  const FloatMatrix values = ReadAll(inner(), *input.values);
  FloatMatrix all(context->rows(), context->cols());
  const std::vector<std::vector<float>>& maps = (*replayed_)[static_cast<std::size_t>(layer_)];
  HEADSCOPE_CHECK(std::ssize(maps) == input.texts, "the run before had these texts");
  for (std::int64_t text = 0; text < input.texts; ++text) {
    const std::vector<float>& map = maps[static_cast<std::size_t>(text)];
    HEADSCOPE_CHECK(std::ssize(map) == shape.heads * shape.queries * shape.keys,
                    "the run before had texts of this length");
    for (std::int64_t head = 0; head < shape.heads; ++head) {
      const std::int64_t value_head = head / (shape.heads / shape.kv_heads);
      const Eigen::Map<const FloatMatrix> weights(
          map.data() + head * shape.queries * shape.keys, shape.queries, shape.keys);
      const std::int64_t width = shape.value_dim;
      all.block(text * shape.queries, head * width, shape.queries, width) =
          weights * values.block(text * shape.keys, value_head * width, shape.keys, width);
    }
  }
  inner().Load({all.data(), static_cast<std::size_t>(all.size())}, context);
}

}  // namespace headscope
