#include <cstdio>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/subject.h"
#include "core/attention/attention_file.h"
#include "core/compute/precision.h"
#include "core/worker/figure_words.h"

namespace headscope {
namespace {

// Returns what was requested: one of --head, --layer and --all.
FigureOf FigureAsked(const Options& options) {
  return options.head ? FigureOf::kHead : options.layer ? FigureOf::kLayer : FigureOf::kAll;
}

CommandStatus Draw(const Options& options,
                   const FigureKind& kind,
                   Layers layers,
                   const Subject& subject,
                   FigureContext context) {
  const HeadIndex head =
      subject.head.value_or(HeadIndex{subject.layer.value_or(0), 0, subject.part});
  return WriteFigureTo(options, kind, {std::move(layers), head, nullptr, std::move(context)});
}

// Renders attention from a file: only its thumbnails are computed.
CommandStatus RenderGiven(const Options& options, const FigureKind& kind, FigureContext context) {
  if (HasInput(options.input) || !options.model.empty()) {
    return Usage("--attention holds its own tokens: leave --model and the input out");
  }
  HEADSCOPE_TRY(const auto file, AttentionFile::Open(*options.attention, options.tensor, {}));
  const std::vector<PartHeads> parts(file->parts().begin(), file->parts().end());
  HEADSCOPE_TRY(const auto subject, FindSubject(options, parts));
  for (const std::string& note : file->notes()) {
    fmt::print(stderr, "headscope: {}: {}\n", ValidUtf8(*options.attention), ValidUtf8(note));
  }
  Layers layers;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (std::size_t i = 0; i < parts[part].layers.size(); ++i) {
      const std::int64_t layer = parts[part].layers[i];
      if (parts[part].part != subject.part || layer < subject.layers.first ||
          layer > subject.layers.last) {
        continue;
      }
      HEADSCOPE_TRY(auto made, file->Layer(part, i, kThumbnailSize, {}));
      layers.push_back(std::move(made));
    }
  }
  DescribeGiven(*file, &context);
  return Draw(options, kind, std::move(layers), subject, std::move(context));
}

}  // namespace

CommandStatus RunRender(const Options& options) {
  if (!options.scores.empty()) {
    return RenderScores(options);
  }
  const int chosen = static_cast<int>(options.head.has_value()) +
                     static_cast<int>(options.layer.has_value()) + static_cast<int>(options.all);
  if (chosen != 1) {
    return Usage("give one of --head L5H1, --layer 5 and --all");
  }
  HEADSCOPE_TRY(const auto kind, ChooseFigure(options, FigureAsked(options)));
  HEADSCOPE_TRY(CheckOutput(options, NumberEndings(*kind), Figures::kYes));
  HEADSCOPE_TRY(auto context, ReadFigureContext(options));
  if (options.attention) {
    return RenderGiven(options, *kind, std::move(context));
  }
  HEADSCOPE_TRY(auto run, PrepareRun(options));
  HEADSCOPE_TRY(const auto subject, FindSubject(options, HeadsOf(run.model->description())));
  HEADSCOPE_TRY(auto layers, AttendLayers(&run, subject.part, subject.layers, false));
  DescribeRun(run, options, &context);
  return Draw(options, *kind, std::move(layers), subject, std::move(context));
}

CommandStatus RunPage(const Options& options) {
  if (std::filesystem::path(options.out).extension() != ".html") {
    return Usage(fmt::format("--out {}: expected a file that ends in .html", options.out));
  }
  Options page = options;
  if (!page.scores.empty()) {
    page.view = "roles";
  } else {
    page.all = !page.head && !page.layer;
  }
  return RunRender(page);
}

CommandResult<FigureContext> ReadFigureContext(const Options& options) {
  FigureContext context;
  HEADSCOPE_TRY(context.scale, ParseColorScale(options));
  HEADSCOPE_TRY(context.theme, ParseTheme(options.theme));
  if (options.size_px < kLeastFigureSize || options.size_px > kMostFigureSize) {
    return Usage(fmt::format("--size: {} is not between {} and {} pixels",
                             options.size_px,
                             kLeastFigureSize,
                             kMostFigureSize));
  }
  context.size_px = options.size_px;
  return context;
}

void DescribeRun(const Run& run, const Options& options, FigureContext* context) {
  if (const std::string note = PrecisionNote(*ParsePrecision(options.precision)); !note.empty()) {
    context->notes.push_back(note);
  }
  const ModelDescription& about = run.model->description();
  context->model = ModelLine(
      run.model->name(), about.family, about.layers, about.heads, about.model_dim, about.head_dim);
  DescribeInput(run.text, *run.input.encoding, context);
  if (run.input.target != nullptr) {
    DescribeTarget(run.text,
                   *run.input.target,
                   SpellTarget(*run.model, run.input.forward.target_ids),
                   context);
  }
  if (run.input.keys != nullptr) {
    context->key_tokens = AxisTokens(*run.input.keys);
  }
}

}  // namespace headscope
