#include "app/cli/commands.h"
#include "core/figure/attention_export.h"

namespace headscope {

CommandStatus RunAttend(const Options& options) {
  if (options.part) {
    return NotYet("--part (encoder-decoder models)");
  }
  const CommandResult<std::string> ending = CheckOutput(options, {".safetensors", ".npz"}, {});
  if (!ending) {
    return tl::unexpected(ending.error());
  }
  CommandResult<Run> run = PrepareRun(options);
  if (!run) {
    return tl::unexpected(std::move(run.error()));
  }
  const ModelDescription& about = run->model->description();
  const CommandResult<LayerRange> range =
      options.layers ? ParseLayers(*options.layers, about.layers) : LayerRange{0, about.layers - 1};
  if (!range) {
    return tl::unexpected(range.error());
  }
  const CommandResult<Layers> layers = AttendLayers(&*run, *range, false);
  if (!layers) {
    return tl::unexpected(layers.error());
  }
  const AttentionExport attention{.layers = *layers,
                                  .encoding = *run->input.encoding,
                                  .model = run->model->name(),
                                  .family = about.family,
                                  .precision = options.precision};
  if (Status status = WriteAttention(options.out, attention, {}); !status) {
    return Failure(std::move(status.error()));
  }
  return {};
}

}  // namespace headscope
