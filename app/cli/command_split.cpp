#include <algorithm>

#include <fmt/format.h>

#include "app/cli/commands.h"
#include "core/figure/figure_format.h"
#include "core/headcount/split.h"
#include "core/headcount/split_export.h"

namespace headscope {
namespace {

// What is to come and is not there yet, then what fits nothing.
CommandStatus CheckSplitOptions(const Options& options) {
  if (options.segments == "strided" || options.segments == "random" ||
      options.segments == "overlapping") {
    if (options.head_dim && options.segments == "strided") {
      return Usage("--head-dim goes with random and overlapping segments");
    }
    return NotYet("--segments " + options.segments);
  }
  if (options.segments != "contiguous") {
    return Usage(fmt::format("--segments: \"{}\" is not contiguous", options.segments));
  }
  if (options.head_dim) {
    return Usage("--head-dim goes with random and overlapping segments");
  }
  if (options.weights == "ones" || options.weights == "random") {
    return NotYet("--weights " + options.weights);
  }
  if (options.weights != "trained") {
    return Usage(fmt::format("--weights: \"{}\" is not trained", options.weights));
  }
  if (options.split_input == "normal" || options.input_scale) {
    return NotYet("--input normal and --input-scale");
  }
  if (options.split_input && options.split_input != "layer") {
    return Usage(fmt::format("--input: \"{}\" is not layer", *options.split_input));
  }
  if (!options.layer) {
    return Usage("--layer is missing: say which layer to cut again");
  }
  return {};
}

CommandStatus Write(const Options& options,
                    const FigureKind& kind,
                    SplitResult split,
                    FigureContext context) {
  if (FormatOf(options.out) != nullptr) {
    FigureSubject subject{{}, {}, nullptr, std::move(context)};
    subject.counts = std::make_shared<const SplitResult>(std::move(split));
    return WriteFigureTo(options, kind, subject);
  }
  const Status status = WriteSplit(
      options.out,
      split,
      {{"model", context.model}, {"text", context.text}, {"precision", options.precision}});
  if (!status) {
    return Failure(status.error());
  }
  return {};
}

}  // namespace

CommandStatus RunSplit(const Options& options) {
  HEADSCOPE_TRY(CheckSplitOptions(options));
  const CommandResult<const FigureKind*> kind = ChooseFigure(options, FigureOf::kCounts);
  HEADSCOPE_TRY(kind);
  HEADSCOPE_TRY(CheckOutput(options, {".safetensors", ".json"}, Figures::kYes));
  CommandResult<FigureContext> context = ReadFigureContext(options);
  HEADSCOPE_TRY(context);
  CommandResult<Run> run = PrepareRun(options);
  HEADSCOPE_TRY(run);
  const CommandResult<ModelPart> part = ChoosePart(options, run->model->description());
  HEADSCOPE_TRY(part);
  const StackDescription& about = StackOf(run->model->description(), *part);
  if (*options.layer < 0 || *options.layer >= about.layers) {
    return Failure(
        {ErrorCode::kInput,
         fmt::format(
             "--layer {}: the model has layers 0 to {}", *options.layer, about.layers - 1)});
  }
  SplitRequest request;
  if (options.head_counts) {
    CommandResult<std::vector<std::int64_t>> counts =
        ParseNumbers(*options.head_counts, "--heads", 0, std::int64_t{1} << 31);
    HEADSCOPE_TRY(counts);
    request.head_counts = std::move(*counts);
    std::sort(request.head_counts.begin(), request.head_counts.end());
    const auto end = std::unique(request.head_counts.begin(), request.head_counts.end());
    request.head_counts.erase(end, request.head_counts.end());
  }
  const CommandResult<Layers> layers =
      AttendLayers(&*run, *part, {*options.layer, *options.layer}, true);
  HEADSCOPE_TRY(layers);
  DescribeRun(*run, options, &*context);
  Result<SplitResult> split = SplitLayer(run->forward.get(), layers->front(), request, {});
  if (!split) {
    return Failure(split.error());
  }
  return Write(options, **kind, std::move(*split), std::move(*context));
}

}  // namespace headscope
