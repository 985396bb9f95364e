#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "app/cli/cause_input.h"
#include "app/files/assets.h"
#include "core/base/atomic_file.h"
#include "core/base/quote.h"
#include "core/causes/asked_heads.h"
#include "core/causes/next_word.h"
#include "core/causes/prediction_file.h"
#include "core/causes/probe_means.h"
#include "core/causes/text_without.h"
#include "core/causes/token_names.h"
#include "core/heads/probe/probe.h"
#include "core/model/masked_output.h"

namespace headscope {
namespace {

// The rows are those of the decoder's text, if the model has one.
const std::vector<std::int32_t>& IdsOfWords(const Run& run) {
  return run.model->description().decoder ? run.input.forward.target_ids : run.input.forward.ids;
}

// Puts the mask at the chosen positions, and keeps what stood there.
CommandStatus MaskWords(const Options& options, Run* run, PredictionQuestion* question) {
  if (!options.causes.mask) {
    return {};
  }
  if (!IsMasked(run->model->description())) {
    return Usage(
        "--mask goes with models that say the word at a masked place; this one says the next word");
  }
  const auto mask = MaskTokenOf(*run->model);
  if (!mask) {
    return Fail(ErrorCode::kInput,
                "--mask: the model's tokenizer names no mask; give --ids with the mask's number");
  }
  std::vector<std::int32_t>& ids = run->input.forward.ids;
  HEADSCOPE_TRY(const auto positions,
                ParseNumbers(*options.causes.mask, "--mask", 0, std::ssize(ids) - 1));
  for (const std::int64_t position : positions) {
    std::int32_t& id = ids[static_cast<std::size_t>(position)];
    question->masked.try_emplace(position, id);
    id = *mask;
  }
  return {};
}

CommandStatus ChooseRows(const Options& options, const Run& run, PredictionQuestion* question) {
  const std::int64_t last = std::ssize(IdsOfWords(run)) - 1;
  const std::string rows = options.causes.rows.value_or("last");
  if (rows == "all") {
    question->rows.resize(static_cast<std::size_t>(last) + 1);
    std::iota(question->rows.begin(), question->rows.end(), 0);
  } else if (!options.causes.rows && !question->masked.empty()) {
    for (const auto& [position, id] : question->masked) {
      question->rows.push_back(position);
    }
  } else if (rows == "last") {
    question->rows = {last};
  } else {
    HEADSCOPE_TRY(question->rows, ParseNumbers(rows, "--rows", 0, last));
  }
  question->row = options.causes.row.value_or(question->rows.back());
  if (question->row < 0 || question->row > last) {
    return Fail(ErrorCode::kInput,
                fmt::format("--row {}: the text has the rows 0 to {}", question->row, last));
  }
  return {};
}

CommandResult<PredictionQuestion> ReadQuestion(const Options& options, Run* run) {
  const CauseOptions& causes = options.causes;
  const ModelDescription& shape = run->model->description();
  constexpr std::int64_t kMostTop = 1'000'000;
  if (causes.top < 1 || causes.top > kMostTop) {
    return Usage(fmt::format("--top: expected 1 to {}", kMostTop));
  }
  if (causes.against && !causes.id) {
    return Usage("--against goes with --id: the token whose lead it is");
  }
  PredictionQuestion question{.rows = {}, .top = causes.top};
  HEADSCOPE_TRY(MaskWords(options, run, &question));
  HEADSCOPE_TRY(ChooseRows(options, *run, &question));
  if (causes.id) {
    HEADSCOPE_TRY(question.id, ReadTokenOption(*run->model, "--id", *causes.id));
  }
  if (causes.against) {
    HEADSCOPE_TRY(question.against, ReadTokenOption(*run->model, "--against", *causes.against));
    if (Status differ =
            CheckTokensDiffer(*run->model, *question.id, *question.against, "--id and --against");
        !differ) {
      return Usage(std::move(differ.error().message));
    }
  }
  if (causes.keys) {
    HEADSCOPE_TRY(question.by_key, ReadHeads(*causes.keys, shape));
  }
  const bool is_asked =
      causes.id || causes.keys || causes.row || (IsPicture(options) && !causes.lens);
  question.has_shares = is_asked || CheckShares(shape).has_value();
  question.has_lens = causes.lens;
  if (IsPicture(options)) {
    question.rows = {question.row};
  }
  return question;
}

CommandResult<Replacement> ReadReplacement(const Options& options) {
  const std::string name = options.causes.replace.value_or("zero");
  const auto replacement = ParseReplacement(name);
  if (!replacement || replacement == Replacement::kPositionMean) {
    return Usage(fmt::format("--replace: {} is not zero, mean or text", Quoted(name)));
  }
  if (options.renormalise && !options.causes.cut) {
    return Usage("--renormalise goes with --cut: the edges whose rows add up to 1 again");
  }
  if (options.causes.control && !options.causes.without && !options.causes.cut) {
    return Usage("--control goes with --without or --cut: what it is the control of");
  }
  if (options.seed && !options.causes.control) {
    return Usage("--seed goes with --control: the draws of other heads");
  }
  if (options.causes.replace && !options.causes.without) {
    return Usage("--replace goes with --without: the heads that are taken away");
  }
  if (options.causes.by_position) {
    if (replacement != Replacement::kProbeMean) {
      return Usage(
          "--by-position goes with --replace mean: a mean over sentences for each position");
    }
    return Replacement::kPositionMean;
  }
  return *replacement;
}

// The text, of which heads can be taken away; and what they write elsewhere, where that stands in
// their place.
CommandResult<std::unique_ptr<TextWithout>> TextFor(Run* run, const HeadsOff& off) {
  auto text = std::make_unique<TextWithout>(run->forward.get(), run->input.forward);
  if (!off.heads.empty() && IsOfOtherTexts(off.replacement)) {
    HEADSCOPE_TRY(auto sentences, ReadSentences(*run->model, AssetsFolder() / "probes", {}));
    auto means = std::make_shared<ProbeMeans>(std::move(sentences));
    HEADSCOPE_TRY(means->Run(run->forward.get(), {}));
    text->Use(std::move(means));
  }
  return text;
}

// What the figure's numbers lack, in a sentence; empty: they are the whole model's.
std::string WithoutWords(const HeadsOff& off) {
  std::string words;
  std::vector<std::string> names;
  if (!off.heads.empty()) {
    std::ranges::transform(off.heads, std::back_inserter(names), HeadName);
    words = fmt::format("Without {} (in their place: {}).",
                        fmt::join(names, ", "),
                        ReplacementWords(off.replacement));
  }
  if (!off.edges.empty()) {
    names.clear();
    std::ranges::transform(off.edges, std::back_inserter(names), EdgeName);
    words += fmt::format(
        "{}Cut: {}; {}.",
        words.empty() ? "" : " ",
        fmt::join(names, ", "),
        off.renormalises ? "the rest of the row adds up to 1 again" : "the rest of the row stays");
  }
  return words;
}

// Each head's share; where it was asked, what the stream would say after each layer.
CommandStatus DrawWord(const Options& options,
                       const Run& run,
                       Prediction prediction,
                       const HeadsOff& off) {
  FigureSubject subject;
  HEADSCOPE_TRY(subject.context, ReadFigureContext(options));
  DescribeRun(run, options, &subject.context);
  if (std::string words = WithoutWords(off); !words.empty()) {
    subject.context.notes.push_back(std::move(words));
  }
  subject.word = std::make_shared<const NextWord>(NameWords(*run.model, std::move(prediction)));
  return WriteFigureTo(options,
                       *FindFigureKind(FigureOf::kWord, options.causes.lens ? "lens" : kPlainView),
                       subject);
}

CommandResult<PredictionAbout::Control> MeasureControl(const Options& options,
                                                       Run* run,
                                                       const HeadsOff& off,
                                                       TextWithout* text) {
  const ModelDescription& model = run->model->description();
  PredictionAbout::Control control{
      .seed = options.seed.value_or(kControlSeed), .draws = {}, .cost = {}};
  HEADSCOPE_TRY(control.draws, DrawOthers(model, off, kControlDraws, control.seed));
  HEADSCOPE_TRY(const auto words, MakeWordLayer(run->forward.get()));
  HEADSCOPE_TRY(control.cost, RandomCostOf(text, model, off, *words, control.seed, {}));
  return control;
}

}  // namespace

CommandStatus RunPredict(const Options& options) {
  HEADSCOPE_TRY(CheckOutput(options, {".json", ".csv"}, Figures::kYes));
  HEADSCOPE_TRY(RefuseRounding(options));
  HEADSCOPE_TRY(const auto replacement, ReadReplacement(options));
  HEADSCOPE_TRY(auto run, PrepareRun(options));
  if (run.model->description().reads_embeddings() || run.input.forward.ids.empty()) {
    return Fail(ErrorCode::kInput, "predict reads tokens: give --text or --ids, and a whole model");
  }
  HEADSCOPE_TRY(CompleteTarget(run.forward.get(), &run.input, {}));
  std::vector<HeadIndex> without;
  if (options.causes.without) {
    HEADSCOPE_TRY(without, ReadHeads(*options.causes.without, run.model->description()));
  }
  HEADSCOPE_TRY(const auto question, ReadQuestion(options, &run));
  for (const HeadIndex head : question.by_key) {
    if (std::ranges::find(without, head) != without.end()) {
      return Usage(fmt::format("--keys {}: the head is taken away by --without", HeadName(head)));
    }
  }
  HeadsOff off{.heads = without,
               .replacement = replacement,
               .edges = {},
               .renormalises = options.renormalise};
  if (options.causes.cut) {
    HEADSCOPE_TRY(off.edges, ReadEdges(*options.causes.cut, run.model->description()));
  }
  HEADSCOPE_TRY(const auto text, TextFor(&run, off));
  HEADSCOPE_TRY(const auto removed, text->Changes(off, {}));
  HEADSCOPE_TRY(const auto made,
                Predict(run.forward.get(), run.input.forward, question, removed.get(), {}));
  if (IsPicture(options)) {
    return DrawWord(options, run, made, off);
  }
  PredictionAbout about{.model = run.model->name(),
                        .tokens = {},
                        .tokenizer = TokenizerOfWords(*run.model),
                        .without = without,
                        .replaced_by = {},
                        .cut = off.edges,
                        .renormalises = off.renormalises};
  if (!without.empty()) {
    about.replaced_by = replacement;
  }
  if (options.causes.control) {
    HEADSCOPE_TRY(about.control, MeasureControl(options, &run, off, text.get()));
  }
  for (const std::int32_t id : IdsOfWords(run)) {
    about.tokens.push_back(TokenText(about.tokenizer, id));
  }
  const bool is_json = options.out.ends_with(".json");
  HEADSCOPE_TRY(WriteFileAtomically(
      options.out, is_json ? PredictionJson(made, about) : PredictionCsv(made, about)));
  return {};
}

}  // namespace headscope
