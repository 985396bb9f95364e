// Runs a text and publishes its attention layer by layer.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/attention/capture.h"
#include "core/worker/job.h"

namespace headscope {
namespace {

// Counts layers of every part: a decoder layer has its own attention and the cross-attention.
std::int64_t TotalLayers(const ModelDescription& model) {
  return model.layers + (model.decoder ? 2 * model.decoder->layers : 0);
}

std::string ProgressWords(const ModelDescription& model, LayerId layer) {
  return fmt::format("{}layer {} of {}",
                     model.decoder ? fmt::format("{} ", PartName(layer.part)) : "",
                     layer.layer + 1,
                     StackOf(model, layer.part).layers);
}

// Publishes the layers of the file, whatever text was requested.
Status ShowAttention(const InputText& text, Job* job) {
  const AttentionFile& file = *job->opened->attention();
  job->publish(Tokenized{file.encoding(), text, file.target(), {}, file.keys()});
  std::int64_t total = 0;
  for (const GivenPart& part : file.parts()) {
    total += std::ssize(part.layers);
  }
  std::int64_t done = 0;
  for (std::size_t part = 0; part < file.parts().size(); ++part) {
    for (std::size_t i = 0; i < file.parts()[part].layers.size(); ++i) {
      HEADSCOPE_TRY(auto layer, file.Layer(part, i, kThumbnailSize, job->stop));
      job->publish(LayerReady{std::move(layer)});
      job->publish(Progress{++done, total, fmt::format("layer {} of {}", done, total)});
      job->between_layers();
    }
  }
  return {};
}

Status Capture(const ForwardInput& input, CaptureOptions options, Job* job) {
  const ModelDescription& model = job->opened->model()->description();
  const std::int64_t total = TotalLayers(model);
  std::int64_t done = options.skips_encoder ? model.layers : 0;
  const std::int64_t deepest =
      model.decoder ? std::max(model.layers, model.decoder->layers) : model.layers;
  options.last_layer = (options.part ? StackOf(model, *options.part).layers : deepest) - 1;
  const auto take = [&](std::shared_ptr<const LayerAttention> layer) -> Status {
    const LayerId id{layer->part(), layer->layer()};
    job->publish(LayerReady{std::move(layer)});
    job->publish(Progress{++done, total, ProgressWords(model, id)});
    job->between_layers();
    return {};
  };
  return CaptureAttention(
      job->opened->forward(), input, options, take, job->stop, &job->opened->history);
}

// Publishes the encoder before a target is generated.
Status AttendEncoderFirst(const InputText& text, PreparedInput* prepared, Job* job) {
  HEADSCOPE_TRY(Capture(prepared->forward, {.part = ModelPart::kEncoder}, job));
  const Model& model = *job->opened->model();
  const auto& generation = model.description().generation;
  if (!generation || !generation->choice.unsupported.empty()) {
    return {};
  }
  const std::int64_t done = model.description().layers;
  job->publish(Progress{done, TotalLayers(model.description()), "the target"});
  HEADSCOPE_TRY(CompleteTarget(job->opened->forward(), prepared, job->stop));
  job->publish(Tokenized{prepared->encoding,
                         text,
                         prepared->target,
                         SpellTarget(model, prepared->forward.target_ids)});
  return Capture(prepared->forward, {.skips_encoder = true}, job);
}

}  // namespace

Status AttendRequest::Run(Job* job) const {
  HEADSCOPE_TRY(job->opened->Check(opening));
  if (job->opened->attention() != nullptr) {
    return ShowAttention(input, job);
  }
  HEADSCOPE_TRY(job->opened->Use(precision));
  const Model& model = *job->opened->model();
  std::int64_t could_read = 0;
  Result<PreparedInput> prepared = PrepareInput(model, input, job->stop, &could_read);
  if (!prepared && could_read > 0) {
    job->publish(CouldRead{could_read});
  }
  HEADSCOPE_TRY(prepared);
  const bool is_generated =
      model.description().decoder.has_value() && prepared->forward.target_ids.empty();
  job->publish(Tokenized{prepared->encoding, input, prepared->target, {}, prepared->keys});
  HEADSCOPE_TRY(is_generated ? AttendEncoderFirst(input, &*prepared, job)
                             : Capture(prepared->forward, {}, job));
  // Not earlier: until now splits belong to the text whose picture is shown.
  job->opened->Use(std::move(prepared->forward));
  return {};
}

}  // namespace headscope
