#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/cli/commands.h"
#include "core/figure/figure_format.h"
#include "core/headcount/split.h"
#include "core/headcount/split_export.h"

namespace headscope {
namespace {

// Turns the words of the options into a request.
CommandResult<SplitRequest> ReadRequest(const Options& options) {
  SplitRequest request;
  const auto segments = ParseSegments(options.segments);
  if (!segments) {
    return Usage(fmt::format("--segments: \"{}\" is not contiguous, strided, random or overlapping",
                             options.segments));
  }
  const bool has_width =
      *segments == SegmentKind::kRandom || *segments == SegmentKind::kOverlapping;
  if (options.head_dim && !has_width) {
    return Usage("--head-dim goes with random and overlapping segments");
  }
  const auto weights = ParseSplitWeights(options.weights);
  if (!weights) {
    return Usage(fmt::format("--weights: \"{}\" is not trained, ones or random", options.weights));
  }
  if (options.split_input) {
    request.input = ParseSplitInput(*options.split_input);
    if (!request.input) {
      return Usage(fmt::format("--input: \"{}\" is not layer or normal", *options.split_input));
    }
  }
  request.segments = *segments;
  request.head_dim = options.head_dim;
  request.weights = *weights;
  request.input_scale = options.input_scale.value_or(1.0);
  request.seed = options.seed.value_or(request.seed);
  if (!std::isfinite(request.input_scale)) {
    return Usage(
        fmt::format("--input-scale: {} is not a number to multiply with", request.input_scale));
  }
  if (!request.UsesLayer() && (options.input.key_embeddings || options.input.value_embeddings)) {
    return Usage(
        "--key-embeddings and --value-embeddings go with the layer's own weights and input");
  }
  if (!options.layer) {
    return Usage("--layer is missing: say which layer to cut again");
  }
  return request;
}

std::string JsonList(const std::vector<std::int32_t>& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ","));
}

// Describes what was cut: the text, or ids if these were given.
SplitAbout About(const Options& options, const Run& run, const FigureContext& context) {
  SplitAbout about = {{"model", run.model->name()}, {"precision", options.precision}};
  if (!context.text.empty()) {
    about["text"] = context.text;
  } else if (!run.input.forward.ids.empty()) {
    about["ids"] = JsonList(run.input.forward.ids);
  }
  if (!context.target.empty()) {
    about["target"] = context.target;
  } else if (!run.input.forward.target_ids.empty()) {
    about["target_ids"] = JsonList(run.input.forward.target_ids);
  }
  return about;
}

// Notes on standard error if heads should overlap but do not.
void NoteOverlap(const SplitRequest& request) {
  if (request.segments == SegmentKind::kOverlapping && !request.head_dim) {
    fmt::print(
        stderr,
        "headscope: note: overlapping heads of D/h columns stand side by side, as contiguous "
        "ones do; --head-dim K, about 2 D/h, makes them overlap\n");
  }
}

CommandStatus Write(const Options& options,
                    const FigureKind& kind,
                    SplitResult split,
                    const SplitAbout& about,
                    FigureContext context) {
  if (FormatOf(options.out) != nullptr || NumbersFormatOf(kind, options.out) != nullptr) {
    FigureSubject subject{{}, {}, nullptr, std::move(context)};
    subject.counts = std::make_shared<const SplitResult>(std::move(split));
    return WriteFigureTo(options, kind, subject);
  }
  HEADSCOPE_TRY(WriteSplit(options.out, split, about));
  return {};
}

}  // namespace

CommandStatus RunSplit(const Options& options) {
  HEADSCOPE_TRY(auto request, ReadRequest(options));
  HEADSCOPE_TRY(const auto kind, ChooseFigure(options, FigureOf::kCounts));
  std::vector<std::string> endings = NumberEndings(*kind);
  endings.insert(endings.begin(), {".safetensors", ".json"});
  HEADSCOPE_TRY(CheckOutput(options, std::move(endings), Figures::kYes));
  HEADSCOPE_TRY(auto context, ReadFigureContext(options));
  HEADSCOPE_TRY(auto run, PrepareRun(options));
  HEADSCOPE_TRY(const auto part, ChoosePart(options, run.model->description()));
  const StackDescription& about = StackOf(run.model->description(), part);
  if (*options.layer < 0 || *options.layer >= about.layers) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("--layer {}: the model has layers 0 to {}", *options.layer, about.layers - 1));
  }
  if (options.head_counts) {
    HEADSCOPE_TRY(request.head_counts,
                  ParseNumbers(*options.head_counts, "--heads", 0, std::int64_t{1} << 31));
    std::sort(request.head_counts.begin(), request.head_counts.end());
    const auto end = std::unique(request.head_counts.begin(), request.head_counts.end());
    request.head_counts.erase(end, request.head_counts.end());
  }
  HEADSCOPE_TRY(const auto layers,
                AttendLayers(&run, part, {*options.layer, *options.layer}, true));
  DescribeRun(run, options, &context);
  HEADSCOPE_TRY(auto split, SplitLayer(run.forward.get(), layers.front(), request, {}));
  NoteOverlap(request);
  const SplitAbout told = About(options, run, context);
  return Write(options, *kind, std::move(split), told, std::move(context));
}

}  // namespace headscope
