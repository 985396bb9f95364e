#include <algorithm>

#include <fmt/format.h>

#include "app/cli/commands.h"
#include "core/session/figure_builders.h"

namespace headscope {
namespace {

constexpr int kLeastSize = 160;
constexpr int kMostSize = 16384;

// What the picture shows: one head, or whole layers.
struct Subject {
  ModelPart part = ModelPart::kWhole;
  LayerRange layers;
  std::optional<std::int64_t> layer;
  std::optional<HeadIndex> head;
};

CommandResult<Subject> FindSubject(const Options& options, const ModelDescription& model) {
  Subject subject;
  const CommandResult<ModelPart> part = ChoosePart(options, model);
  if (!part) {
    return tl::unexpected(part.error());
  }
  subject.part = *part;
  std::optional<HeadIndex> head;
  if (options.head) {
    head = ParseHeadName(*options.head);
    if (!head) {
      return Usage(fmt::format("--head: \"{}\" is not a head; write L5H1", *options.head));
    }
    // Plain numbers are of the part that was chosen; a name says its own.
    if (head->part == ModelPart::kWhole) {
      head->part = subject.part;
    }
    const std::vector<ModelPart> parts = PartsOf(model);
    if (std::ranges::find(parts, head->part) == parts.end() ||
        (options.part && head->part != subject.part)) {
      return Failure({ErrorCode::kInput,
                      fmt::format("--head {}: this is not a head of the {}",
                                  *options.head,
                                  options.part ? *options.part : "model, which has one part")});
    }
    subject.part = head->part;
  }
  const StackDescription& about = StackOf(model, subject.part);
  const bool measured_everywhere = options.range == Name(RangeMode::kGlobal);
  if (options.all) {
    subject.layers = {0, about.layers - 1};
    return subject;
  }
  if (options.layer) {
    if (*options.layer < 0 || *options.layer >= about.layers) {
      return Failure(
          {ErrorCode::kInput,
           fmt::format(
               "--layer {}: the model has layers 0 to {}", *options.layer, about.layers - 1)});
    }
    subject.layers = measured_everywhere ? LayerRange{0, about.layers - 1}
                                         : LayerRange{*options.layer, *options.layer};
    subject.layer = options.layer;
    return subject;
  }
  if (head->layer >= about.layers || head->head >= about.heads) {
    return Failure({ErrorCode::kInput,
                    fmt::format("--head {}: the model has layers 0 to {}, each with heads 0 to {}",
                                HeadName(*head),
                                about.layers - 1,
                                about.heads - 1)});
  }
  subject.layers =
      measured_everywhere ? LayerRange{0, about.layers - 1} : LayerRange{head->layer, head->layer};
  subject.head = head;
  return subject;
}

}  // namespace

CommandStatus RunRender(const Options& options) {
  if (options.attention) {
    return NotYet("--attention (attention made elsewhere)");
  }
  if (options.view == "lines") {
    return NotYet("--view lines");
  }
  if (!options.view.empty() && options.view != "heatmap") {
    return Usage(fmt::format("--view: \"{}\" is not heatmap", options.view));
  }
  const int chosen = static_cast<int>(options.head.has_value()) +
                     static_cast<int>(options.layer.has_value()) + static_cast<int>(options.all);
  if (chosen != 1) {
    return Usage("give one of --head L5H1, --layer 5 and --all");
  }
  const CommandResult<std::string> ending = CheckOutput(options, {".png"}, {".svg", ".pdf"});
  if (!ending) {
    return tl::unexpected(ending.error());
  }
  CommandResult<FigureContext> context = ReadFigureContext(options);
  if (!context) {
    return tl::unexpected(std::move(context.error()));
  }
  CommandResult<Run> run = PrepareRun(options);
  if (!run) {
    return tl::unexpected(std::move(run.error()));
  }
  const CommandResult<Subject> subject = FindSubject(options, run->model->description());
  if (!subject) {
    return tl::unexpected(subject.error());
  }
  const CommandResult<Layers> layers = AttendLayers(&*run, subject->part, subject->layers, false);
  if (!layers) {
    return tl::unexpected(layers.error());
  }
  DescribeRun(*run, options, &*context);
  Result<Figure> figure = subject->head    ? HeadFigure(*layers, *subject->head, *context, {})
                          : subject->layer ? LayerFigure(*layers, *subject->layer, *context, {})
                                           : GridFigure(*layers, *context);
  if (!figure) {
    return Failure(std::move(figure.error()));
  }
  if (Status status = WriteFigure(options.out, *figure); !status) {
    return Failure(std::move(status.error()));
  }
  return {};
}

CommandResult<FigureContext> ReadFigureContext(const Options& options) {
  FigureContext context;
  const CommandResult<ColorScale> scale = ParseColorScale(options);
  if (!scale) {
    return tl::unexpected(scale.error());
  }
  const CommandResult<Theme> theme = ParseTheme(options.theme);
  if (!theme) {
    return tl::unexpected(theme.error());
  }
  if (options.size_px < kLeastSize || options.size_px > kMostSize) {
    return Usage(fmt::format(
        "--size: {} is not between {} and {} pixels", options.size_px, kLeastSize, kMostSize));
  }
  context.scale = *scale;
  context.theme = *theme;
  context.size_px = options.size_px;
  return context;
}

void DescribeRun(const Run& run, const Options& options, FigureContext* context) {
  const ModelDescription& about = run.model->description();
  context->model = ModelLine(
      run.model->name(), about.family, about.layers, about.heads, about.model_dim, about.head_dim);
  context->tokens = AxisTokens(*run.input.encoding);
  if (run.input.target != nullptr) {
    context->target_tokens = AxisTokens(*run.input.target);
  }
  if (options.input.text) {
    context->text = *options.input.text;
  } else {
    context->text = fmt::format("{}", fmt::join(context->tokens, " "));
  }
}

}  // namespace headscope
