#include <algorithm>

#include "app/cli/commands.h"
#include "app/cli/token_look.h"
#include "core/figure/attention_export.h"

namespace headscope {

CommandStatus RunAttend(const Options& options) {
  HEADSCOPE_TRY(CheckOutput(options, {".safetensors", ".npz"}, Figures::kNo));
  HEADSCOPE_TRY(auto run, PrepareRun(options));
  const ModelDescription& about = run.model->description();
  HEADSCOPE_TRY(const auto part, ParsePart(options.part, about));
  std::int64_t count = 0;
  for (const ModelPart each : PartsOf(about)) {
    count = !part || each == *part ? std::max(count, StackOf(about, each).layers) : count;
  }
  HEADSCOPE_TRY(const auto range,
                options.layers ? ParseLayers(*options.layers, count) : LayerRange{0, count - 1});
  HEADSCOPE_TRY(const auto look, ReadTokenLook(options));
  HEADSCOPE_TRY(auto layers, AttendLayers(&run, part, range, false));
  if (!look.IsPlain()) {
    HEADSCOPE_TRY(SeeTokens(look, &run.input, &layers));
  }
  const AttentionExport attention{.layers = layers,
                                  .encoding = *run.input.encoding,
                                  .target = run.input.target,
                                  .keys = run.input.keys,
                                  .model = run.model->name(),
                                  .family = about.family,
                                  .precision = options.precision,
                                  .look = WordsOf(look)};
  HEADSCOPE_TRY(WriteAttention(options.out, attention, {}));
  return {};
}

}  // namespace headscope
