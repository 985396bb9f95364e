#include "app/cli/commands.h"
#include "app/cli/subject.h"
#include "core/model/head_matrices.h"

namespace headscope {

CommandStatus RunWeights(const Options& options) {
  HEADSCOPE_TRY(CheckOutput(options, {".safetensors", ".npz"}, Figures::kNo));
  if (options.head.has_value() == options.layer.has_value()) {
    return Usage("one of --head and --layer says whose matrices: --head L1H3, or --layer 1");
  }
  HEADSCOPE_TRY(const auto model, OpenModel(options));
  HEADSCOPE_TRY(const auto subject, FindSubject(options, HeadsOf(model->description())));
  const auto head = subject.head ? std::optional(subject.head->head) : std::nullopt;
  const LayerId layer{subject.part, subject.head ? subject.head->layer : *subject.layer};
  HEADSCOPE_TRY(WriteHeadMatrices(options.out, *model, layer, head));
  return {};
}

}  // namespace headscope
