#include "core/session/compute_jobs.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "core/model/attention_module.h"

namespace headscope {
namespace {

constexpr std::int64_t kCellsPerBlock =
    1 << 18;  // a few milliseconds of work between looks at the stop token

constexpr const char* kNothingToCut =
    "the file holds weights only, no queries, keys and values to cut again; open the model";

Error NoModel() {
  return {ErrorCode::kInput, "no model is open: open a model folder first"};
}

Error Gone() {
  return {ErrorCode::kGone, "another model has been opened since: open this one again"};
}

// The window still shows what was open before: that stays open.
Error Unheard() {
  return {ErrorCode::kCancelled, "stopped: something newer was asked for"};
}

// Of every part: a decoder layer has its own and the cross-attention.
std::int64_t TotalLayers(const ModelDescription& model) {
  return model.layers + (model.decoder ? 2 * model.decoder->layers : 0);
}

std::string ProgressWords(const ModelDescription& model, LayerId layer) {
  return fmt::format("{}layer {} of {}",
                     model.decoder ? fmt::format("{} ", PartName(layer.part)) : "",
                     layer.layer + 1,
                     StackOf(model, layer.part).layers);
}

}  // namespace

ComputeJobs::ComputeJobs(BackendFactory make_backend, std::function<void()> between_layers)
    : make_backend_(std::move(make_backend)), between_layers_(std::move(between_layers)) {}

Status ComputeJobs::Run(const OpenModelRequest& request,
                        const Publish& publish,
                        const std::stop_token& stop) {
  if (request.is_attention || HoldsAttention(request.folder)) {
    return OpenAttention(request, publish, stop);
  }
  const auto width = request.options.heads ? std::nullopt : WidthWithoutHeads(request.folder);
  if (width) {
    publish(HeadCountNeeded{request.folder, *width});
    return {};
  }
  Result<std::shared_ptr<const Model>> model = Model::Open(request.folder, request.options);
  if (!model) {
    return PassOn(std::move(model.error()));
  }
  HEADSCOPE_TRY(Use(precision_));
  if (!publish(ModelOpened{*model})) {
    return PassOn(Unheard());
  }
  // Only now: whatever failed above leaves the previous model open.
  split_layer_ = nullptr;
  input_.reset();
  history_.Forget();
  attention_ = nullptr;
  model_ = *model;
  forward_ = std::make_unique<Forward>(model_, backend_.get());
  return {};
}

Status ComputeJobs::Use(Precision precision) {
  if (backend_ != nullptr && precision == precision_) {
    return {};
  }
  Result<std::unique_ptr<Backend>> backend = make_backend_(precision);
  if (!backend) {
    return PassOn(std::move(backend.error()));
  }
  split_layer_ = nullptr;
  history_.Forget();
  forward_.reset();  // before its backend
  backend_ = std::move(*backend);
  precision_ = precision;
  if (model_ != nullptr) {
    forward_ = std::make_unique<Forward>(model_, backend_.get());
  }
  return {};
}

Status ComputeJobs::OpenAttention(const OpenModelRequest& request,
                                  const Publish& publish,
                                  const std::stop_token& stop) {
  auto file = AttentionFile::Open(request.folder, request.tensor, stop);
  HEADSCOPE_TRY(file);
  if (!publish(ModelOpened{nullptr, *file})) {
    return PassOn(Unheard());
  }
  split_layer_ = nullptr;
  input_.reset();
  history_.Forget();
  forward_ = nullptr;
  model_ = nullptr;
  attention_ = std::move(*file);
  return {};
}

// The layers of the file, whatever text was asked for.
Status ComputeJobs::ShowAttention(const AttendRequest& request,
                                  const Publish& publish,
                                  const std::stop_token& stop) {
  publish(Tokenized{
      attention_->encoding(), request.input, attention_->target(), {}, attention_->keys()});
  std::int64_t total = 0;
  for (const GivenPart& part : attention_->parts()) {
    total += std::ssize(part.layers);
  }
  std::int64_t done = 0;
  for (std::size_t part = 0; part < attention_->parts().size(); ++part) {
    for (std::size_t i = 0; i < attention_->parts()[part].layers.size(); ++i) {
      auto layer = attention_->Layer(part, i, kThumbnailSize, stop);
      HEADSCOPE_TRY(layer);
      publish(LayerReady{std::move(*layer)});
      publish(Progress{++done, total, fmt::format("layer {} of {}", done, total)});
      between_layers_();
    }
  }
  return {};
}

Status ComputeJobs::Run(const AttendRequest& request,
                        const Publish& publish,
                        const std::stop_token& stop) {
  if (!HasOpen(request.opening)) {
    return PassOn(Gone());
  }
  if (attention_ != nullptr) {
    return ShowAttention(request, publish, stop);
  }
  if (forward_ == nullptr) {
    return PassOn(NoModel());
  }
  HEADSCOPE_TRY(Use(request.precision));
  std::int64_t could_read = 0;
  Result<PreparedInput> prepared = PrepareInput(*model_, request.input, stop, &could_read);
  if (!prepared) {
    if (could_read > 0) {
      publish(CouldRead{could_read});
    }
    return PassOn(std::move(prepared.error()));
  }
  const bool is_generated =
      model_->description().decoder.has_value() && prepared->forward.target_ids.empty();
  publish(Tokenized{prepared->encoding, request.input, prepared->target, {}, prepared->keys});
  HEADSCOPE_TRY(is_generated ? AttendEncoderFirst(&*prepared, request.input, publish, stop)
                             : Capture(prepared->forward, {}, publish, stop));
  // Only now: until then splits are of the text whose picture is shown.
  split_layer_ = nullptr;
  input_ = std::move(prepared->forward);
  return {};
}

Status ComputeJobs::AttendEncoderFirst(PreparedInput* prepared,
                                       const InputText& text,
                                       const Publish& publish,
                                       const std::stop_token& stop) {
  HEADSCOPE_TRY(Capture(prepared->forward, {.part = ModelPart::kEncoder}, publish, stop));
  const auto& generation = model_->description().generation;
  if (!generation || !generation->choice.unsupported.empty()) {
    return {};
  }
  const std::int64_t done = model_->description().layers;
  publish(Progress{done, TotalLayers(model_->description()), "the target"});
  HEADSCOPE_TRY(CompleteTarget(forward_.get(), prepared, stop));
  publish(Tokenized{prepared->encoding,
                    text,
                    prepared->target,
                    SpellTarget(*model_, prepared->forward.target_ids)});
  return Capture(prepared->forward, {.skips_encoder = true}, publish, stop);
}

Status ComputeJobs::Capture(const ForwardInput& input,
                            CaptureOptions options,
                            const Publish& publish,
                            const std::stop_token& stop) {
  const ModelDescription& model = model_->description();
  const std::int64_t total = TotalLayers(model);
  std::int64_t done = options.skips_encoder ? model.layers : 0;
  const std::int64_t deepest =
      model.decoder ? std::max(model.layers, model.decoder->layers) : model.layers;
  options.last_layer = (options.part ? StackOf(model, *options.part).layers : deepest) - 1;
  return CaptureAttention(
      forward_.get(),
      input,
      options,
      [&](std::shared_ptr<const LayerAttention> layer) -> Status {
        const LayerId id{layer->part(), layer->layer()};
        publish(LayerReady{std::move(layer)});
        publish(Progress{++done, total, ProgressWords(model, id)});
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
    Result<std::shared_ptr<const HeadMap>> map = MakeHeadMap(request.map, stop);
    if (!map) {
      return PassOn(std::move(map.error()));
    }
    publish(MapReady{std::move(*map)});
    return {};
  }
  for (const TileIndex& index : request.tiles) {
    Result<MapTile> tile = MakeTile(*request.map.layer, request.map.head, index, stop);
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
  if (!HasOpen(request.opening)) {
    return PassOn(Gone());
  }
  if (attention_ != nullptr) {
    return Fail(ErrorCode::kUnsupported, kNothingToCut);
  }
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
  Result<SplitResult> split = SplitLayer(forward_.get(), split_layer_, request.split, stop);
  if (!split) {
    return PassOn(std::move(split.error()));
  }
  publish(SplitReady{std::make_shared<const SplitResult>(std::move(*split))});
  return {};
}

Status ComputeJobs::Run(const FigureJob& request,
                        const Publish& publish,
                        const std::stop_token& stop) {
  HEADSCOPE_TRY(WriteFigure(request.path, *request.kind, request.subject, stop));
  publish(FigureWritten{request.path});
  return {};
}

bool ComputeJobs::HasOpen(const Opening& opening) const {
  return attention_ != nullptr ? opening.IsOf(attention_) : opening.IsOf(model_);
}

ModelPart ComputeJobs::PartOf(const std::optional<ModelPart>& asked) const {
  return asked.value_or(PartsOf(model_->description()).front());
}

std::string ComputeJobs::BackendDescription() const {
  return backend_ != nullptr ? backend_->Description() : "";
}

Result<std::shared_ptr<const HeadMap>> MakeHeadMap(const MapView& view,
                                                   const std::stop_token& stop) {
  const std::int64_t heads = view.layer->shape().heads;
  if (view.head < 0 || view.head >= heads) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("head {} is asked for, the layer has heads 0 to {}", view.head, heads - 1));
  }
  auto map = std::make_shared<HeadMap>();
  map->of = view;
  map->weights.resize(static_cast<std::size_t>(view.queries() * view.keys()));
  const std::int64_t block = std::max<std::int64_t>(1, kCellsPerBlock / view.keys());
  for (std::int64_t begin = 0; begin < view.queries(); begin += block) {
    if (stop.stop_requested()) {
      return Fail(ErrorCode::kCancelled, "stopped: something newer was asked for");
    }
    const std::int64_t end = std::min(view.queries(), begin + block);
    const auto first = static_cast<std::size_t>(begin * view.keys());
    const auto count = static_cast<std::size_t>((end - begin) * view.keys());
    view.DrawableRows(begin, end, std::span(map->weights).subspan(first, count));
  }
  return map;
}

}  // namespace headscope
