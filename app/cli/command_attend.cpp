#include <algorithm>

#include "app/cli/commands.h"
#include "core/figure/attention_export.h"

namespace headscope {

CommandStatus RunAttend(const Options& options) {
  HEADSCOPE_TRY(CheckOutput(options, {".safetensors", ".npz"}, Figures::kNo));
  CommandResult<Run> run = PrepareRun(options);
  HEADSCOPE_TRY(run);
  const ModelDescription& about = run->model->description();
  const CommandResult<std::optional<ModelPart>> part = ParsePart(options.part, about);
  HEADSCOPE_TRY(part);
  std::int64_t count = 0;
  for (const ModelPart each : PartsOf(about)) {
    count = !*part || each == **part ? std::max(count, StackOf(about, each).layers) : count;
  }
  const CommandResult<LayerRange> range =
      options.layers ? ParseLayers(*options.layers, count) : LayerRange{0, count - 1};
  HEADSCOPE_TRY(range);
  const CommandResult<Layers> layers = AttendLayers(&*run, *part, *range, false);
  HEADSCOPE_TRY(layers);
  const AttentionExport attention{.layers = *layers,
                                  .encoding = *run->input.encoding,
                                  .target = run->input.target,
                                  .keys = run->input.keys,
                                  .model = run->model->name(),
                                  .family = about.family,
                                  .precision = options.precision};
  if (Status status = WriteAttention(options.out, attention, {}); !status) {
    return Failure(std::move(status.error()));
  }
  return {};
}

}  // namespace headscope
