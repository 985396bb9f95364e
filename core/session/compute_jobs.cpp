#include "core/session/compute_jobs.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/attention/capture.h"

namespace headscope {
namespace {

constexpr std::int64_t kCellsPerBlock =
    1 << 18;  // a few milliseconds of work between looks at the stop token

Error NoModel() {
  return {ErrorCode::kInput, "no model is open: open a model folder first"};
}

}  // namespace

ComputeJobs::ComputeJobs(BackendFactory make_backend, std::function<void()> between_layers)
    : make_backend_(std::move(make_backend)), between_layers_(std::move(between_layers)) {}

Status ComputeJobs::Run(const OpenModelRequest& request,
                        const Publish& publish,
                        const std::stop_token& /*stop*/) {
  Result<std::shared_ptr<const Model>> model = Model::Open(request.folder);
  if (!model) {
    return PassOn(std::move(model.error()));
  }
  if (backend_ == nullptr) {
    Result<std::unique_ptr<Backend>> backend = make_backend_();
    if (!backend) {
      return PassOn(std::move(backend.error()));
    }
    backend_ = std::move(*backend);
  }
  // Only now: whatever failed above leaves the previous model open.
  split_layer_ = nullptr;
  input_.reset();
  history_.Forget();
  model_ = *model;
  forward_ = std::make_unique<Forward>(model_, backend_.get());
  publish(ModelOpened{model_});
  return {};
}

Status ComputeJobs::Run(const AttendRequest& request,
                        const Publish& publish,
                        const std::stop_token& stop) {
  if (forward_ == nullptr) {
    return PassOn(NoModel());
  }
  Result<PreparedInput> prepared = PrepareInput(*model_, request.input, stop);
  if (!prepared) {
    return PassOn(std::move(prepared.error()));
  }
  const ModelPart part = PartOf(request.part);
  if (part != ModelPart::kEncoder) {
    HEADSCOPE_TRY(CompleteTarget(forward_.get(), &*prepared, stop));
  }
  publish(Tokenized{prepared->encoding, request.input, prepared->target});
  split_layer_ = nullptr;
  input_ = std::move(prepared->forward);
  const std::int64_t layers = StackOf(model_->description(), part).layers;
  CaptureOptions options;
  options.part = part;
  options.last_layer = layers - 1;
  return CaptureAttention(
      forward_.get(),
      *input_,
      options,
      [&](std::shared_ptr<const LayerAttention> layer) -> Status {
        const std::int64_t done = layer->layer() + 1;
        publish(LayerReady{std::move(layer)});
        publish(Progress{done, layers, fmt::format("layer {} of {}", done, layers)});
        between_layers_();
        return {};
      },
      stop,
      &history_);
}

Status ComputeJobs::Run(const MapRequest& request,
                        const Publish& publish,
                        const std::stop_token& stop) {
  if (request.tiles.empty()) {
    Result<std::shared_ptr<const HeadMap>> map = MakeHeadMap(*request.layer, request.head, stop);
    if (!map) {
      return PassOn(std::move(map.error()));
    }
    publish(MapReady{std::move(*map)});
    return {};
  }
  for (const TileIndex& index : request.tiles) {
    Result<MapTile> tile = MakeTile(*request.layer, request.head, index, stop);
    if (!tile) {
      return PassOn(std::move(tile.error()));
    }
    publish(TileReady{std::make_shared<const MapTile>(std::move(*tile))});
  }
  return {};
}

Status ComputeJobs::Run(const SplitJob& request,
                        const Publish& publish,
                        const std::stop_token& stop) {
  if (forward_ == nullptr) {
    return PassOn(NoModel());
  }
  if (!input_) {
    return Fail(ErrorCode::kInput, "there is no text yet: type a sentence first");
  }
  const ModelPart part = PartOf(request.part);
  const std::int64_t layers = StackOf(model_->description(), part).layers;
  if (request.layer < 0 || request.layer >= layers) {
    return Fail(
        ErrorCode::kInput,
        fmt::format(
            "layer {} is asked for, the model has layers 0 to {}", request.layer, layers - 1));
  }
  // States are large, so layers are kept without them; the one that is split is run again with
  // them.
  if (split_layer_ == nullptr || split_layer_->layer() != request.layer ||
      split_layer_->part() != part) {
    CaptureOptions options;
    options.part = part;
    options.first_layer = request.layer;
    options.last_layer = request.layer;
    options.keep_states = true;
    split_layer_ = nullptr;
    HEADSCOPE_TRY(CaptureAttention(
        forward_.get(),
        *input_,
        options,
        [&](std::shared_ptr<const LayerAttention> layer) -> Status {
          split_layer_ = std::move(layer);
          return {};
        },
        stop));
  }
  Result<SplitResult> split = SplitLayer(forward_.get(), *split_layer_, request.split, stop);
  if (!split) {
    return PassOn(std::move(split.error()));
  }
  publish(SplitReady{std::make_shared<const SplitResult>(std::move(*split))});
  return {};
}

Status ComputeJobs::Run(const FigureJob& request,
                        const Publish& publish,
                        const std::stop_token& /*stop*/) {
  HEADSCOPE_TRY(WriteFigure(request.path, *request.figure));
  publish(FigureWritten{request.path});
  return {};
}

ModelPart ComputeJobs::PartOf(const std::optional<ModelPart>& asked) const {
  return asked.value_or(PartsOf(model_->description()).front());
}

std::string ComputeJobs::BackendDescription() const {
  return backend_ != nullptr ? backend_->Description() : "";
}

Result<std::shared_ptr<const HeadMap>> MakeHeadMap(const LayerAttention& layer,
                                                   std::int64_t head,
                                                   const std::stop_token& stop) {
  const AttentionShape& shape = layer.shape();
  if (head < 0 || head >= shape.heads) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("head {} is asked for, the layer has heads 0 to {}", head, shape.heads - 1));
  }
  auto map = std::make_shared<HeadMap>();
  map->layer = layer.layer();
  map->head = head;
  map->queries = shape.queries;
  map->keys = shape.keys;
  map->weights.resize(static_cast<std::size_t>(shape.queries * shape.keys));
  const std::span<float> weights(map->weights);
  const std::int64_t block = std::max<std::int64_t>(1, kCellsPerBlock / shape.keys);
  for (std::int64_t begin = 0; begin < shape.queries; begin += block) {
    if (stop.stop_requested()) {
      return Fail(ErrorCode::kCancelled, "stopped: something newer was asked for");
    }
    const std::int64_t end = std::min(shape.queries, begin + block);
    const std::span<float> rows =
        weights.subspan(static_cast<std::size_t>(begin * shape.keys),
                        static_cast<std::size_t>((end - begin) * shape.keys));
    layer.RowsOnAllThreads(head, begin, end, rows);
    layer.MakeDrawable(rows);
    for (std::int64_t query = begin; query < end; ++query) {
      const std::span<float> row = weights.subspan(static_cast<std::size_t>(query * shape.keys),
                                                   static_cast<std::size_t>(shape.keys));
      const auto first = static_cast<std::ptrdiff_t>(layer.rule().FirstVisible(query));
      const auto last = static_cast<std::ptrdiff_t>(layer.rule().LastVisible(query, shape.keys));
      if (first < last) {
        map->largest =
            std::max(map->largest, *std::max_element(row.begin() + first, row.begin() + last));
      }
      std::fill(row.begin(), row.begin() + first, kMasked);
      std::fill(row.begin() + last, row.end(), kMasked);
    }
  }
  return map;
}

}  // namespace headscope
