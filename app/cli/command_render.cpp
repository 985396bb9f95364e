#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/subject.h"
#include "app/cli/token_look.h"
#include "core/attention/attention_file.h"
#include "core/compute/precision.h"
#include "core/figure/figure_preset.h"
#include "core/heads/measure/text_tree.h"
#include "core/heads/measure/word_cases.h"
#include "core/io/annotated_text.h"
#include "core/model/head_widths.h"
#include "core/worker/figure_words.h"

namespace headscope {
namespace {

// Returns what was requested: one of --head, --layer and --all.
FigureOf FigureAsked(const Options& options) {
  return options.head || options.each ? FigureOf::kHead
         : options.layer              ? FigureOf::kLayer
                                      : FigureOf::kAll;
}

// What a figure shows besides its layers.
struct Beside {
  std::shared_ptr<const WeighedHead> weighed = nullptr;
  std::shared_ptr<const TextTree> tree = nullptr;
  PairDirection direction = PairDirection::kDependentToHead;
};

CommandStatus Draw(const Options& options,
                   const FigureKind& kind,
                   Layers layers,
                   const Subject& subject,
                   FigureContext context,
                   const Beside& beside = {}) {
  const HeadIndex head =
      subject.head.value_or(HeadIndex{subject.layer.value_or(0), 0, subject.part});
  FigureSubject drawn{std::move(layers), head, nullptr, std::move(context)};
  drawn.weighed = beside.weighed;
  drawn.tree = beside.tree;
  drawn.tree_direction = beside.direction;
  return WriteFigureTo(options, kind, drawn);
}

// One for each head of the layers of --each: out-L5H1.svg.
CommandResult<std::vector<Options>> EachHeadOf(const Options& options,
                                               const std::vector<PartHeads>& parts) {
  HEADSCOPE_TRY(const auto subject, FindSubject(options, parts));
  const auto part = std::ranges::find(parts, subject.part, &PartHeads::part);
  const std::filesystem::path out = options.out;
  std::vector<Options> each;
  for (const std::int64_t layer : part->layers) {
    for (std::int64_t head = 0; head < part->heads; ++head) {
      if (options.layer && *options.layer != layer) {
        continue;
      }
      const std::string name = HeadName({layer, head, subject.part});
      each.push_back(options);
      each.back().head = name;
      each.back().layer.reset();
      each.back().all = false;
      each.back().out =
          (out.parent_path() / (out.stem().string() + "-" + name + out.extension().string()))
              .string();
    }
  }
  return each;
}

// One for each head of --head L0H1,L5H2, with files that are numbered: out-1-L0H1.svg; else as given.
std::vector<Options> EachNamedHead(const Options& options) {
  std::vector<std::string> heads;
  for (std::string_view rest = options.head.value_or(""); !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    heads.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  if (heads.size() < 2) {
    return {options};
  }
  const std::size_t digits = std::to_string(heads.size()).size();
  const std::filesystem::path out = options.out;
  std::vector<Options> each;
  for (const std::string& head : heads) {
    each.push_back(options);
    each.back().head = head;
    each.back().out = (out.parent_path() / fmt::format("{}-{:0{}}-{}{}",
                                                       out.stem().string(),
                                                       each.size(),
                                                       digits,
                                                       head,
                                                       out.extension().string()))
                          .string();
  }
  return each;
}

Result<Layers> LayersOf(const AttentionFile& file, const Subject& subject) {
  const auto& parts = file.parts();
  Layers layers;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (std::size_t i = 0; i < parts[part].layers.size(); ++i) {
      const std::int64_t layer = parts[part].layers[i];
      if (parts[part].part != subject.part || layer < subject.layers.first ||
          layer > subject.layers.last) {
        continue;
      }
      HEADSCOPE_TRY(auto made, file.Layer(part, i, kThumbnailSize, {}));
      layers.push_back(std::move(made));
    }
  }
  return layers;
}

// What is drawn, each with its own file.
CommandResult<std::vector<std::pair<Options, Subject>>> FiguresOf(
    const Options& options, const FigureKind& kind, const std::vector<PartHeads>& parts) {
  HEADSCOPE_TRY(const auto each,
                options.each ? EachHeadOf(options, parts)
                             : CommandResult<std::vector<Options>>(EachNamedHead(options)));
  std::vector<std::pair<Options, Subject>> figures;
  for (const Options& one : each) {
    HEADSCOPE_TRY(auto subject, FindSubject(one, parts));
    if (kind.needs_layers_below) {
      subject.layers.first = 0;
    }
    figures.emplace_back(one, subject);
  }
  return figures;
}

// Renders attention from a file: only its thumbnails are computed.
CommandStatus RenderGiven(const Options& options, const FigureKind& kind, FigureContext context) {
  if (HasInput(options.input) || !options.model.empty()) {
    return Usage("--attention holds its own tokens: leave --model and the input out");
  }
  HEADSCOPE_TRY(const auto file, AttentionFile::Open(*options.attention, options.tensor, {}));
  const std::vector<PartHeads> parts(file->parts().begin(), file->parts().end());
  HEADSCOPE_TRY(const auto figures, FiguresOf(options, kind, parts));
  for (const std::string& note : file->notes()) {
    fmt::print(stderr, "headscope: {}: {}\n", ValidUtf8(*options.attention), ValidUtf8(note));
  }
  DescribeGiven(*file, &context);
  for (const auto& [one, subject] : figures) {
    HEADSCOPE_TRY(auto layers, LayersOf(*file, subject));
    HEADSCOPE_TRY(Draw(one, kind, std::move(layers), subject, context));
  }
  return {};
}

// The file of --tree with its sentence; no file: nothing is asked.
struct AskedTree {
  AnnotatedText file;
  std::size_t sentence = 0;
  PairDirection direction = PairDirection::kDependentToHead;
};

// Reads --tree, --sentence and --tree-direction; a sentence is the text where none is given.
CommandResult<std::optional<AskedTree>> ReadTree(const TokenLook& look, Options* options) {
  if (options->tree.empty()) {
    if (!options->sentence.empty() || !options->tree_direction.empty()) {
      return Usage("--sentence and --tree-direction need --tree, a file of annotated sentences");
    }
    return std::nullopt;
  }
  if (options->view != "arcs" || !(options->head || options->each)) {
    return Usage("--tree is drawn beside one head: give --head L5H1 and --view arcs");
  }
  if (options->attention || !look.IsPlain()) {
    return Usage(
        "--tree needs a model and all its tokens: leave --attention, --words and --hide out");
  }
  AskedTree asked;
  const std::array kDirections = {PairDirection::kDependentToHead, PairDirection::kHeadToDependent};
  const auto direction =
      std::ranges::find(kDirections,
                        options->tree_direction.empty() ? std::string_view("dependent-to-head")
                                                        : std::string_view(options->tree_direction),
                        DirectionName);
  if (direction == kDirections.end()) {
    return Usage(
        fmt::format("--tree-direction: \"{}\" is not dependent-to-head or head-to-dependent",
                    options->tree_direction));
  }
  asked.direction = *direction;
  HEADSCOPE_TRY(asked.file, ReadAnnotatedText(options->tree));
  for (const std::string& warning : asked.file.warnings) {
    fmt::print(stderr, "headscope: {}\n", ValidUtf8(warning));
  }
  InputOptions& input = options->input;
  if (HasInput(input) && !input.text) {
    return Usage("--tree needs its sentence as the text: give --text, or no input");
  }
  if (input.text && options->sentence.empty()) {
    const auto found = FindSentence(asked.file, *input.text);
    if (!found) {
      return Fail(
          ErrorCode::kInput,
          fmt::format("{}: the text of --text is none of its {} sentences; leave --text out and "
                      "give --sentence",
                      options->tree,
                      asked.file.sentences.size()));
    }
    asked.sentence = *found;
    return std::optional(std::move(asked));
  }
  HEADSCOPE_TRY(asked.sentence, ChooseSentence(asked.file, options->sentence, options->tree));
  const std::string& text = asked.file.sentences[asked.sentence].text;
  if (input.text && *input.text != text) {
    return Usage("--text is another text than --sentence: leave one of them out");
  }
  input.text = text;
  return std::optional(std::move(asked));
}

}  // namespace

CommandStatus RunRender(const Options& given) {
  Options options = given;
  if (!options.scores.empty()) {
    return RenderScores(options);
  }
  if (!options.runs.empty()) {
    return RenderRuns(options);
  }
  const int chosen = static_cast<int>(options.head.has_value()) +
                     static_cast<int>(options.layer.has_value()) + static_cast<int>(options.all);
  if (chosen != 1) {
    return Usage("give one of --head L5H1, --layer 5 and --all");
  }
  if (options.each && options.head) {
    return Usage("--each is of --layer or --all; several heads are --head L0H1,L5H2");
  }
  HEADSCOPE_TRY(const auto kind, ChooseFigure(options, FigureAsked(options)));
  HEADSCOPE_TRY(CheckOutput(options, NumberEndings(*kind), Figures::kYes));
  if (kind->view == "filmstrip") {
    return RenderFilm(options, *kind);
  }
  HEADSCOPE_TRY(auto context, ReadFigureContext(options));
  HEADSCOPE_TRY(const auto look, ReadTokenLook(options));
  HEADSCOPE_TRY(const auto asked_tree, ReadTree(look, &options));
  if (kind->weighs_by && (options.attention || !look.IsPlain())) {
    return Usage(
        fmt::format("--view {} needs a model, for its values, and all tokens: leave "
                    "--attention, --words and --hide out",
                    kind->view));
  }
  if (options.attention) {
    if (!look.IsPlain()) {
      return Usage("--words and --hide need a model: a file does not say what its tokens are");
    }
    return RenderGiven(options, *kind, std::move(context));
  }
  HEADSCOPE_TRY(auto run, PrepareRun(options));
  HEADSCOPE_TRY(const auto figures, FiguresOf(options, *kind, HeadsOf(run.model->description())));
  Layers attended;
  const Subject* attended_for = nullptr;
  for (const auto& [one, subject] : figures) {
    // Heads of one layer come one after another.
    if (attended_for == nullptr || attended_for->part != subject.part ||
        attended_for->layers != subject.layers) {
      HEADSCOPE_TRY(attended,
                    AttendLayers(&run, subject.part, subject.layers, kind->weighs_by.has_value()));
      attended_for = &subject;
    }
    Layers layers = attended;
    Beside beside;
    if (kind->weighs_by) {
      HEADSCOPE_TRY(
          auto made,
          WeighHead(*run.model, *layers.back(), subject.head->head, *kind->weighs_by, {}));
      beside.weighed = std::make_shared<const WeighedHead>(std::move(made));
    }
    if (asked_tree) {
      beside.tree = std::make_shared<const TextTree>(TreeOfSentence(
          asked_tree->file, asked_tree->sentence, options.tree, *run.input.encoding));
      beside.direction = asked_tree->direction;
    }
    FigureContext own = context;
    PreparedInput whole = run.input;
    if (!look.IsPlain()) {
      HEADSCOPE_TRY(SeeTokens(look, &run.input, &layers));
      own.notes.push_back(WordsOf(look) + ".");
    }
    DescribeRun(run, one, &own);  // a target may be generated while it runs
    run.input = std::move(whole);
    HEADSCOPE_TRY(Draw(one, *kind, std::move(layers), subject, std::move(own), beside));
  }
  return {};
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

namespace {

// --preset, then what --width and --font-size say in its place.
CommandStatus ReadLook(const Options& options, FigureContext* context) {
  FigureLook& look = context->look;
  look.has_labels = !options.no_labels;
  look.has_bar = !options.no_bar;
  look.has_caption = !options.no_caption;
  std::optional<FigureWidth> width;
  if (!options.preset.empty()) {
    const FigurePreset* const preset = FindPreset(options.preset);
    if (preset == nullptr) {
      return Usage(fmt::format(
          "--preset: \"{}\" is not screen, slide, column, two-columns or poster", options.preset));
    }
    width = WidthOf(*preset);
    look.font_points = preset->points;
  }
  if (options.width) {
    width = ParseFigureWidth(*options.width);
    if (!width) {
      return Usage(
          fmt::format("--width: \"{}\" is no width; write 8.9cm or 1600px", *options.width));
    }
  }
  if (width) {
    context->size_px = width->pixels;
    look.is_width = true;
    look.is_on_paper = width->is_on_paper;
    look.pixels_per_inch = width->pixels_per_inch;
  }
  if (options.font_points) {
    constexpr double kLeast = 1.0;
    constexpr double kMost = 200.0;
    if (!(*options.font_points >= kLeast && *options.font_points <= kMost)) {
      return Usage(fmt::format("--font-size: expected {} to {} points", kLeast, kMost));
    }
    look.font_points = *options.font_points;
  }
  return {};
}

}  // namespace

CommandResult<FigureContext> ReadFigureContext(const Options& options) {
  FigureContext context;
  HEADSCOPE_TRY(context.scale, ParseColorScale(options));
  HEADSCOPE_TRY(context.theme, ParseTheme(options.theme));
  context.size_px = options.size_px;
  HEADSCOPE_TRY(ReadLook(options, &context));
  if (context.size_px < kLeastFigureSize || context.size_px > kMostFigureSize) {
    return Usage(fmt::format("{}: {} is not between {} and {} pixels",
                             context.look.is_width ? "--width" : "--size",
                             context.size_px,
                             kLeastFigureSize,
                             kMostFigureSize));
  }
  return context;
}

void DescribeRun(const Run& run, const Options& options, FigureContext* context) {
  if (const std::string note = PrecisionNote(*ParsePrecision(options.precision)); !note.empty()) {
    context->notes.push_back(note);
  }
  const ModelDescription& about = run.model->description();
  context->model = ModelLine(run.model->name(),
                             about.family,
                             about.layers,
                             about.heads,
                             about.model_dim,
                             HeadDimText(about));
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
