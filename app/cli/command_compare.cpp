#include <algorithm>
#include <cstdio>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/token_look.h"
#include "core/attention/attention_file.h"
#include "core/compare/compared_pair.h"
#include "core/compare/weight_changes.h"
#include "core/worker/figure_words.h"

namespace headscope {
namespace {

using Tokens = std::shared_ptr<const Encoding>;

// One of the two runs, ready to be compared.
struct ComparedRun {
  std::string name;
  ModelPart part = ModelPart::kWhole;
  Layers layers;
  Tokens queries;
  Tokens keys;
  FigureContext about;  // what a figure says about it
};

// Chooses the tokens along the axes of a part's maps.
void ChooseAxes(const Tokens& source, const Tokens& target, const Tokens& keys, ComparedRun* run) {
  run->queries = HasTargetQueries(run->part) ? target : source;
  run->keys = HasTargetKeys(run->part) ? target : keys != nullptr ? keys : source;
}

CommandResult<ComparedRun> RunModel(const Options& options) {
  HEADSCOPE_TRY(auto run, PrepareRun(options));
  const ModelDescription& about = run.model->description();
  HEADSCOPE_TRY(const auto part, ChoosePart(options, about));
  HEADSCOPE_TRY(auto layers, AttendLayers(&run, part, {0, StackOf(about, part).layers - 1}, false));
  ComparedRun made;
  made.name = run.model->name();
  made.part = part;
  made.layers = std::move(layers);
  ChooseAxes(run.input.encoding, run.input.target, run.input.keys, &made);
  DescribeRun(run, options, &made.about);
  return made;
}

CommandResult<ComparedRun> ReadGiven(const Options& options, const ComparedOption& one) {
  const std::string& path = one.value;
  HEADSCOPE_TRY(const auto file, AttentionFile::Open(path, one.tensor, {}));
  const std::vector<GivenPart>& parts = file->parts();
  std::size_t chosen = 0;
  if (options.part) {
    HEADSCOPE_TRY(const auto named, ParsePartName(*options.part));
    const auto found = std::ranges::find(parts, named, &GivenPart::part);
    if (found == parts.end()) {
      return Fail(ErrorCode::kInput,
                  fmt::format("--part {}: {} holds no such part", *options.part, path));
    }
    chosen = static_cast<std::size_t>(found - parts.begin());
  }
  ComparedRun made;
  made.name = file->name();
  made.part = parts[chosen].part;
  for (std::size_t layer = 0; layer < parts[chosen].layers.size(); ++layer) {
    HEADSCOPE_TRY(auto read, file->Layer(chosen, layer, kThumbnailSize, {}));
    made.layers.push_back(std::move(read));
  }
  ChooseAxes(file->encoding(), file->target(), file->keys(), &made);
  DescribeGiven(*file, &made.about);
  return made;
}

CommandResult<ComparedRun> RunOne(const Options& options, const ComparedOption& one) {
  if (one.is_attention) {
    return ReadGiven(options, one);
  }
  Options own = options;
  own.model = one.value;
  return RunModel(own);
}

CommandStatus CheckCompared(const Options& options) {
  if (options.compared.size() != 2) {
    return Usage(fmt::format("two things are compared, found {}: give --model or --attention twice",
                             options.compared.size()));
  }
  if (!options.spare_tensor.empty()) {
    return Usage(
        fmt::format("--tensor {}: there is no --attention left for it; it names an array of "
                    "the file before it",
                    options.spare_tensor));
  }
  const bool runs = std::ranges::any_of(
      options.compared, [](const ComparedOption& one) { return !one.is_attention; });
  if (!runs && HasInput(options.input)) {
    return Usage("two --attention files hold their own tokens: leave the input out");
  }
  return {};
}

// Returns the text that both read, if both are models: words are found in it.
SharedText TextOf(const Options& options,
                  const InputText& input,
                  bool is_target,
                  const Tokens& a,
                  const Tokens& b) {
  SharedText shared{.a = *a, .b = *b};
  const auto files = std::ranges::count(options.compared, true, &ComparedOption::is_attention);
  const bool runs = files == 0;
  shared.advice = runs         ? "compare them on one text (--text), where words can be matched"
                  : files == 1 ? "give the model the tokens of the file (--ids)"
                               : "make both files from one text, cut by one tokenizer";
  if (runs && is_target && input.target) {
    shared.text = &*input.target;
  } else if (runs && !is_target && !input.text.empty()) {
    shared.text = &input.text;
    shared.pair = input.pair ? &*input.pair : nullptr;
  }
  return shared;
}

Result<ComparedPair> Compare(const Options& options,
                             const InputText& input,
                             const TokenLook& look,
                             const ComparedRun& one,
                             const ComparedRun& other) {
  HEADSCOPE_TRY(const auto a, SeeLayers({one.layers, one.queries, one.keys}, look, {}));
  HEADSCOPE_TRY(const auto b, SeeLayers({other.layers, other.queries, other.keys}, look, {}));
  HEADSCOPE_TRY(
      auto queries,
      ShareAxis(TextOf(options, input, HasTargetQueries(one.part), a.queries, b.queries)));
  HEADSCOPE_TRY(auto keys,
                ShareAxis(TextOf(options, input, HasTargetKeys(one.part), a.keys, b.keys)));
  const bool terminal = isatty(STDERR_FILENO) == 1;
  const auto progress = [terminal](std::int64_t done, std::int64_t layers) {
    if (terminal) {
      fmt::print(stderr,
                 "\rlayer {} of {} compared\033[K{}",
                 done,
                 layers,
                 done < layers ? "" : "\r\033[K");
    }
  };
  HEADSCOPE_TRY(auto pair, PairUp(a, b, std::move(queries), std::move(keys), look, progress, {}));
  pair.comparison.a = one.name;
  pair.comparison.b = other.name;
  return pair;
}

// Divergences are drawn from 0 to the largest one shown, unless --range says otherwise.
CommandResult<FigureContext> ReadContext(const Options& options) {
  HEADSCOPE_TRY(auto context, ReadFigureContext(options));
  ColorScale& scale = context.scale;
  scale.range = RangeMode::kGlobal;
  if (options.divergence_range &&
      (!ParseRange(*options.divergence_range, &scale) || scale.range != RangeMode::kFixed)) {
    return Usage(fmt::format("--range: \"{}\" is not low:high with 0 <= low < high",
                             *options.divergence_range));
  }
  return context;
}

void DescribeBoth(const ComparedRun& a, const ComparedRun& b, FigureContext* context) {
  context->model = fmt::format("A: {}. B: {}", a.about.model, b.about.model);
  context->text = a.about.text;
  context->tokens = a.about.tokens;
  context->target_tokens = a.about.target_tokens;
  context->target = a.about.target;
  context->target_is_generated = a.about.target_is_generated;
}

void AddNotes(char side, const ComparedRun& run, Comparison* comparison) {
  for (const std::string& note : run.about.notes) {
    comparison->notes.push_back(fmt::format("{}: {}", side, note));
  }
}

// What changed between two models, without a text.
CommandStatus CompareWeights(const Options& options, const FigureKind& kind) {
  HEADSCOPE_TRY(CheckOutput(options, NumberEndings(kind), Figures::kYes));
  if (std::ranges::any_of(options.compared, &ComparedOption::is_attention)) {
    return Usage("--view weights compares two models: attention from a file holds no weights");
  }
  if (HasInput(options.input)) {
    return Usage("--view weights reads no text: leave the input out");
  }
  HEADSCOPE_TRY(auto context, ReadContext(options));
  std::vector<std::shared_ptr<const Model>> models;
  for (const ComparedOption& one : options.compared) {
    Options own = options;
    own.model = one.value;
    HEADSCOPE_TRY(auto model, OpenModel(own));
    models.push_back(std::move(model));
  }
  HEADSCOPE_TRY(const auto comparison, WeightComparison::Make(models[0], models[1]));
  const bool terminal = isatty(STDERR_FILENO) == 1;
  const auto progress = [terminal](std::int64_t done, std::int64_t total) {
    if (terminal) {
      fmt::print(stderr, "\rstep {} of {}\033[K", done + 1, total);
    }
  };
  auto changes = comparison->Run(progress, {});
  if (terminal) {
    fmt::print(stderr, "\r\033[K");
  }
  FigureSubject subject{{}, {}, nullptr, std::move(context)};
  HEADSCOPE_TRY(subject.weights, std::move(changes));
  return WriteFigureTo(options, kind, subject);
}

}  // namespace

CommandStatus RunCompare(const Options& options) {
  HEADSCOPE_TRY(CheckCompared(options));
  HEADSCOPE_TRY(const auto kind, ChooseFigure(options, FigureOf::kComparison));
  if (kind->view == kWeightsView) {
    return CompareWeights(options, *kind);
  }
  HEADSCOPE_TRY(CheckOutput(options, {".json", ".safetensors", ".html"}, Figures::kYes));
  HEADSCOPE_TRY(auto context, ReadContext(options));
  InputText input;
  if (HasInput(options.input)) {
    HEADSCOPE_TRY(input, ReadInput(options.input));
  }
  HEADSCOPE_TRY(const auto look, ReadTokenLook(options));
  if (!look.IsPlain() && std::ranges::any_of(options.compared, &ComparedOption::is_attention)) {
    return Usage("--words and --hide need two models: a file does not say what its tokens are");
  }
  HEADSCOPE_TRY(const auto a, RunOne(options, options.compared[0]));
  HEADSCOPE_TRY(const auto b, RunOne(options, options.compared[1]));
  HEADSCOPE_TRY(auto pair, Compare(options, input, look, a, b));
  AddNotes('A', a, &pair.comparison);
  AddNotes('B', b, &pair.comparison);
  DescribeBoth(a, b, &context);
  FigureSubject subject{{}, {}, nullptr, std::move(context)};
  const auto beside = std::make_shared<const ComparedPair>(std::move(pair));
  subject.comparison = std::shared_ptr<const Comparison>(beside, &beside->comparison);
  subject.beside = std::make_shared<const HeadsBeside>(HeadsBeside{.of = beside});
  subject.metadata = {{"text", subject.context.text}, {"precision", options.precision}};
  return WriteFigureTo(options, *kind, subject);
}

}  // namespace headscope
