#include "app/window/exports.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/state/compare/compared.h"
#include "app/state/compare/patching.h"
#include "app/state/compare/weights.h"
#include "app/state/figures/kept.h"
#include "app/state/files/export_draft.h"
#include "app/state/files/export_kind.h"
#include "app/state/heads/ablation_words.h"
#include "app/state/heads/own_probe.h"
#include "app/state/heads/series_words.h"
#include "app/state/inspect/film.h"
#include "app/state/inspect/head_views.h"
#include "app/state/inspect/heads_off.h"
#include "app/state/inspect/joined.h"
#include "app/state/inspect/loss_words.h"
#include "app/state/inspect/next_words.h"
#include "app/state/inspect/text_tree.h"
#include "app/state/queries.h"
#include "app/views/compare/panels.h"
#include "app/views/screens.h"
#include "core/base/home_path.h"
#include "core/figure/film_strip.h"
#include "core/model/head_widths.h"
#include "core/model/model_folder.h"
#include "core/worker/figure_words.h"

namespace headscope {

bool ShowsHeadsOff(const AppState& state, const FigureKind& kind) {
  return (kind.of <= FigureOf::kAll || kind.of == FigureOf::kWord) &&
         HeadsOffInView(state) != nullptr;
}

namespace {

FigureContext ContextOf(const AppState& state, const ExportDraft& draft, const PictureSubject& of) {
  FigureContext context;
  const ModelInfo& model = *of.model;
  const ModelDescription& about = model.description;
  context.model = ModelLine(
      model.name, about.family, about.layers, about.heads, about.model_dim, HeadDimText(about));
  if (of.encoding != nullptr) {
    DescribeInput(of.input, *of.encoding, &context);
  }
  if (of.keys != nullptr) {
    context.key_tokens = AxisTokens(*of.keys);
  }
  if (of.target != nullptr) {
    DescribeTarget(of.input, *of.target, of.generated, &context);
  }
  context.scale = ScaleOf(state.settings);
  if (const ModelWork* const work = WorkOf(state, &model)) {
    context.flags = OnlyFlags(work->flags.flags);
  }
  if (const std::string note = PrecisionNote(of.precision); !note.empty()) {
    context.notes.push_back(note);
  }
  context.pool = state.settings.pooling == Pooling::kMax ? Pool::kLargest : Pool::kMean;
  PutLook(draft, &context);
  if (model.file != nullptr) {
    DescribeGiven(*model.file, &context);
  }
  return context;
}

// What a picture is of, with the tokens that are shown of it.
PictureSubject SubjectInView(const AppState& state, const PictureSubject& of) {
  PictureSubject shown = of;
  const SeenPicture* const seen = &of == &state.shown ? SeenInView(state) : nullptr;
  if (seen != nullptr) {
    shown.encoding = seen->source;
    shown.target = seen->target;
    shown.keys = seen->keys;
  }
  return shown;
}

// What does not come from a picture: model, colours, size.
FigureContext ContextOfScores(const AppState& state, const ExportDraft& draft) {
  FigureContext context;
  const ModelInfo& model = *ShownModel(state);
  const ModelDescription& about = model.description;
  context.model = ModelLine(
      model.name, about.family, about.layers, about.heads, about.model_dim, HeadDimText(about));
  context.scale.colormap = state.settings.colormap;
  PutLook(draft, &context);
  return context;
}

// Suggestions, flags and the filter, as the Heads screen shows them.
void AddWhatIsSaid(const AppState& state, ShownScores* shown) {
  shown->part = PartInView(state);
  shown->metric = MetricInView(state);
  shown->second = SecondMetricInView(state);
  shown->order = state.heads_look.order;
  shown->is_ascending = state.heads_look.is_ascending;
  shown->flags = FlagsInView(state);
  shown->selected = state.selection.head;
  if (!state.flag_files.is_blind) {
    const HeadScanReport* const roles = RolesInView(state);
    const auto own = OwnScanInView(state);
    shown->roles = roles == own.get() ? own : state.scan.report;
  }
  const HeadScanReport* const scan = ShownScan(state).get();
  const auto heads = scan != nullptr ? ScannedHeads(scan->Of(shown->part)) : std::nullopt;
  const auto& only = state.heads_look.only;
  const HeadSuggestions suggestions = SuggestionsInView(state);
  for (std::size_t place = 0; only && heads && place < heads->count(); ++place) {
    const HeadIndex head = heads->At(place);
    if (AgreementOf(FlagsInView(state), suggestions, head) != *only) {
      shown->left_out.push_back(head);
    }
  }
}

std::string TextOrIds(const InputText& input) {
  return input.ids.empty() ? input.text : fmt::format("{}", fmt::join(input.ids, ", "));
}

Result<FigureSubject> ScoresSubject(const AppState& state, const ExportDraft& draft) {
  auto scan = ShownScan(state);
  if (scan == nullptr) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("No head is scored yet; open {} and wait for a scan.", NameAndKeys("heads")));
  }
  FigureSubject subject;
  subject.context = ContextOfScores(state, draft);
  ShownScores shown;
  shown.models.push_back(
      {.name = ShownModel(state)->name, .label = {}, .report = std::move(scan), .is_open = true});
  AddWhatIsSaid(state, &shown);
  if (const HeadPlacesState* const places = HeadPlacesInView(state)) {
    shown.places = places->answer;
    shown.placed_on = TextOrIds(state.shown.input);
  }
  subject.scores = std::make_shared<const ShownScores>(std::move(shown));
  return subject;
}

Result<FigureSubject> SeriesSubject(const AppState& state, const ExportDraft& draft) {
  FigureSubject subject;
  subject.context = ContextOfScores(state, draft);
  ShownScores shown;
  const SeriesKind kind = SeriesKindInView(state);
  for (const SeriesScore& score : ScoresInSeries(state, MetricInView(state))) {
    shown.models.push_back(
        {.name = ModelName(score.model->folder),
         .label = PlaceLabel(kind, *score.model),
         .report = score.scanned != nullptr ? score.scanned->report : nullptr,
         .is_open = state.model != nullptr && score.model->folder == state.model->folder,
         .numbers =
             score.scanned != nullptr ? std::optional(score.scanned->numbers) : std::nullopt});
  }
  if (!HasReport(shown)) {
    return Fail(ErrorCode::kInput,
                "No model of the series is scanned yet; open Series on the Heads screen.");
  }
  shown.is_training = kind != SeriesKind::kHeadCounts;
  shown.across = AcrossWords(kind);
  AddWhatIsSaid(state, &shown);
  subject.scores = std::make_shared<const ShownScores>(std::move(shown));
  return subject;
}

Result<FigureSubject> AblationSubject(const AppState& state, const ExportDraft& draft) {
  const AblationReport* const report = AblationInView(state);
  if (report == nullptr) {
    return Fail(ErrorCode::kInput,
                fmt::format("{} was not taken away yet; ask for it on its page in {}.",
                            HeadName(state.selection.head),
                            NameAndKeys("heads")));
  }
  FigureSubject subject;
  subject.context = ContextOfScores(state, draft);
  subject.ablation = std::make_shared<const AblationReport>(*report);
  return subject;
}

// The comparison with the open picture, with the pairs that the user sees.
Result<FigureSubject> ComparisonSubject(const AppState& state, const ExportDraft& draft) {
  const CompareState& compare = state.compare;
  if (compare.result == nullptr || !IsCompared(state)) {
    return Fail(ErrorCode::kInput,
                fmt::format("What is open is not compared yet; open {} and wait for it.",
                            NameAndKeys("compare")));
  }
  FigureSubject subject;
  subject.context = ContextOf(state, draft, state.shown);
  FigureContext& context = subject.context;
  subject.metadata = {{"text", context.text}, {"precision", Name(state.shown.precision)}};
  Comparison shown = ComparisonAsShown(state);
  for (const std::string& note : context.notes) {
    shown.notes.push_back("A: " + note);
  }
  for (const std::string& note : compare.result->notes_b) {
    shown.notes.push_back("B: " + note);
  }
  if (!compare.result->text_b.empty()) {
    shown.notes.push_back(fmt::format("B reads “{}”.", compare.result->text_b));
  }
  context.notes.clear();
  context.flags.clear();
  context.model = fmt::format("A: {}. B: {}", context.model, compare.result->model_b);
  context.scale = {.curve = state.settings.curve,
                   .range = RangeMode::kGlobal,  // measured over what the figure shows
                   .colormap = state.settings.colormap};
  subject.comparison = std::make_shared<const Comparison>(std::move(shown));
  subject.beside = std::make_shared<const HeadsBeside>(HeadsBeside{.of = compare.result});
  return subject;
}

// What changed between the two models' weights: of no text.
Result<FigureSubject> WeightsSubject(const AppState& state, const ExportDraft& draft) {
  FigureSubject subject;
  subject.weights = WeightsInView(state);
  PutLook(draft, &subject.context);
  return subject;
}

// The selected pair of the comparison, in the chosen colours.
Result<FigureSubject> PairSubject(const AppState& state, const ExportDraft& draft) {
  HEADSCOPE_TRY(auto subject, ComparisonSubject(state, draft));
  const ComparedHeads pair = SelectedPair(state);
  if (pair.layer == nullptr || !pair.other) {
    return Fail(ErrorCode::kInput,
                fmt::format("{} has no partner in side B; select a head that has one.",
                            HeadName(pair.head)));
  }
  subject.context.scale = ScaleOf(state.settings);
  subject.beside = std::make_shared<const HeadsBeside>(HeadsBeside{.of = state.compare.result,
                                                                   .layer = pair.head.layer,
                                                                   .a = pair.head.head,
                                                                   .b = *pair.other,
                                                                   .by_hand = pair.by_hand});
  if (IsPatching(state) && AreTwoTextsOfOneModel(state)) {
    Comparison shown = *subject.comparison;
    shown.notes.emplace_back(
        "Taken from Patching: the same head on both texts, not the pair of the matching.");
    subject.comparison = std::make_shared<const Comparison>(std::move(shown));
  }
  return subject;
}

// The shares of the heads of the part in view, or of the layers at each position.
Result<FigureSubject> PatchSubject(const AppState& state, const ExportDraft& draft) {
  const bool is_of_heads = draft.kind->view == kPlainView;
  const auto patched = is_of_heads ? HeadsToDraw(state) : LayersToDraw(state);
  if (patched == nullptr) {
    return Fail(ErrorCode::kInput,
                fmt::format("Nothing is patched yet; open Patching in {} and wait for it.",
                            NameAndKeys("compare")));
  }
  FigureSubject subject;
  subject.context = ContextOf(state, draft, state.shown);
  subject.context.flags.clear();
  const ModelPart part = PartInView(state);
  const StackDescription& stack = StackOf(state.shown.model->description, part);
  subject.effects =
      std::make_shared<const EffectMap>(EffectMapOf(*patched,
                                                    {part, stack.layers, stack.heads},
                                                    TextOrIds(state.shown.input),
                                                    TextOrIds(*state.compare.other->input)));
  return subject;
}

// Maps without some heads never leave the window without a word of it.
Status AddHeadsOff(const AppState& state, const ExportDraft& draft, FigureContext* context) {
  if (HeadsOffInView(state) == nullptr) {
    return {};
  }
  if (!IsHeadsOffDone(state)) {
    return Fail(ErrorCode::kInput,
                "The layers after the heads that are off are being computed; wait for them.");
  }
  const bool is_said = draft.has_caption && HasGround(draft);
  if (!is_said) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}, and this would not say so: put them back, or save a picture "
                            "or a page with its caption.",
                            HeadsOffTitle(state)));
  }
  context->notes.push_back(HeadsOffNote(state));
  return {};
}

// What the model says at the held row, or of each token.
Result<FigureSubject> SaidSubject(const AppState& state, const ExportDraft& draft) {
  FigureSubject subject;
  subject.context = ContextOf(state, draft, state.shown);
  if (draft.kind->of == FigureOf::kLosses) {
    subject.losses = LossesInView(state);
  } else {
    subject.word = WordInView(state);
  }
  if (subject.losses == nullptr && subject.word == nullptr) {
    return Fail(ErrorCode::kInput,
                "The model says no word here yet; click a row of a map to keep it.");
  }
  if (ShowsHeadsOff(state, *draft.kind)) {
    HEADSCOPE_TRY(AddHeadsOff(state, draft, &subject.context));
  }
  return subject;
}

}  // namespace

// Of the one figure that the dialog makes.
const FigureKind& KindFor(const AppState& state, const ExportDraft& draft) {
  const KeptFigure* const chosen = draft.of == ExportOf::kShown ? nullptr : ChosenFigure(state);
  return chosen != nullptr ? *chosen->kind : *draft.kind;
}

// A figure shows one picture: while the layers of a new picture replace the previous ones, only
// layers of the selected layer's picture are drawn.
Result<FigureSubject> SubjectFor(const AppState& state, const ExportDraft& draft) {
  if (draft.of != ExportOf::kShown) {
    const KeptFigure* const chosen = ChosenFigure(state);
    return chosen != nullptr ? SubjectOf(*chosen, draft)
                             : Fail(ErrorCode::kInput, "No figure is kept any more.");
  }
  FigureSubject subject;
  subject.head = state.selection.head;
  const FigureOf of = draft.kind->of;
  if (of == FigureOf::kCounts) {
    const Counts& counts = state.counts;
    if (const std::string waits = WaitsFor(state); !waits.empty()) {
      return Fail(ErrorCode::kInput, waits);
    }
    if (counts.result == nullptr || counts.source == nullptr) {
      return Fail(
          ErrorCode::kInput,
          fmt::format("No head counts are computed yet; open {} first.", NameAndKeys("counts")));
    }
    subject.counts = counts.result;
    subject.context = ContextOf(state, draft, counts.source_of);
    return subject;
  }
  if (of == FigureOf::kTraining) {
    if (state.train.curves.curves == nullptr) {
      return Fail(ErrorCode::kInput,
                  fmt::format("There is no curve of a training yet; open {} and show curves.",
                              NameAndKeys("train")));
    }
    subject.training = state.train.curves.curves;
    PutLook(draft, &subject.context);
    return subject;
  }
  if (IsOfScores(of) && ShownModel(state) == nullptr) {
    return Fail(ErrorCode::kInput, "There is no model to draw yet; open one first.");
  }
  if (of == FigureOf::kScores) {
    return ScoresSubject(state, draft);
  }
  if (of == FigureOf::kSeries) {
    return SeriesSubject(state, draft);
  }
  if (of == FigureOf::kAblation) {
    return AblationSubject(state, draft);
  }
  if (draft.kind->view == kWeightsView) {
    return WeightsSubject(state, draft);
  }
  if (of == FigureOf::kComparison) {
    return ComparisonSubject(state, draft);
  }
  if (of == FigureOf::kPair) {
    return PairSubject(state, draft);
  }
  if (of == FigureOf::kEffects) {
    return PatchSubject(state, draft);
  }
  if (of == FigureOf::kWord || of == FigureOf::kLosses) {
    return SaidSubject(state, draft);
  }
  const LayerView selected = SelectedLayer(state);
  const Attendance* const picture = selected.from != nullptr ? selected.from : PictureInView(state);
  if (picture == nullptr) {
    return Fail(ErrorCode::kInput, "There is no picture to save yet; open a model first.");
  }
  subject.context = ContextOf(state, draft, SubjectInView(state, *picture));
  const SeenPicture* const seen = picture == &state.shown ? SeenInView(state) : nullptr;
  if (seen != nullptr) {
    subject.context.notes.push_back(TokenLookWords(state) + ".");
  }
  HEADSCOPE_TRY(AddHeadsOff(state, draft, &subject.context));
  const auto layers = seen != nullptr           ? seen->layers
                      : picture == &state.shown ? LayersShown(state)
                                                : picture->layers;
  for (std::int64_t layer = 0; layer < ShownLayers(state); ++layer) {
    const auto slot = SlotOf(*picture->model, {PartInView(state), layer});
    if (slot && layers[*slot] != nullptr) {
      subject.layers.push_back(layers[*slot]);
    } else if (of == FigureOf::kAll && picture->model->file == nullptr) {
      return Fail(ErrorCode::kInput,
                  "Not every layer is computed yet; wait until the status line says so.");
    }
  }
  subject.weighed = WeighedInView(state);
  subject.context.keep = state.head_look.keep;
  const ShadeQuestion shades = ShadesInView(state);
  if (state.head_look.heads == LineHeads::kSeveral) {
    subject.heads = HeadsInView(state);
  }
  if (draft.kind->view == "arcs" && ShowsTree(state)) {
    subject.tree = TreeInView(state);
    subject.tree_direction = state.head_look.tree_direction;
  }
  if (draft.kind->view == "filmstrip") {
    const FilmStrip* const film = FilmInView(state);
    if (film == nullptr || HeadsOffInView(state) != nullptr) {
      return Fail(
          ErrorCode::kInput,
          "There is no filmstrip of this head yet; open Steps in Inspect, without heads off.");
    }
    if (!IsFilmDone(state) && state.film.request != 0) {
      return Fail(ErrorCode::kInput, "The steps are being run; wait for them, or stop them.");
    }
    subject.film = std::make_shared<const FilmStrip>(*film);
    subject.context = ContextOf(state, draft, *picture);
  }
  subject.text = {.words = shades.words, .by_key = state.head_look.by_key};
  if (of != FigureOf::kAll && selected.layer == nullptr) {
    return Fail(ErrorCode::kInput, "This head is not computed yet; wait for its picture.");
  }
  return subject;
}

Result<std::string> ValuesToCopy(const AppState& state) {
  const ExportDraft& draft = state.dialogs.exporting;
  if (KindFor(state, draft).table == nullptr) {
    return Fail(ErrorCode::kInput, "This figure has no table of values to copy.");
  }
  if (draft.of == ExportOf::kShown && ShowsHeadsOff(state, *draft.kind)) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}, and a table would not say so: put them back to copy it.",
                            HeadsOffTitle(state)));
  }
  if (const KeptFigure* const kept = ChosenFigure(state);
      draft.of != ExportOf::kShown && kept != nullptr) {
    HEADSCOPE_TRY(CheckSaid(*kept, false));
  }
  HEADSCOPE_TRY(const auto subject, SubjectFor(state, draft));
  HEADSCOPE_TRY(const auto table, KindFor(state, draft).table(subject));
  return TableTabs(table);
}

Result<FigureJob> FigureToMake(const AppState& state, bool only_one) {
  const ExportDraft& draft = state.dialogs.exporting;
  FigureJob job;
  if (draft.of == ExportOf::kAllKept && !only_one) {
    const auto paths = FilesOfKept(state, draft);
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const KeptFigure& figure = state.figures.kept[i];
      HEADSCOPE_TRY(auto subject, SubjectOf(figure, draft));
      job.files.push_back({figure.kind, std::move(subject), ExpandHome(paths[i].string())});
    }
    return job;
  }
  HEADSCOPE_TRY(auto subject, SubjectFor(state, draft));
  if (only_one || draft.of != ExportOf::kShown || draft.each == EachHead::kThis ||
      !WhyNotEach(state, draft).empty()) {
    job.files.push_back({&KindFor(state, draft), std::move(subject), ExpandHome(draft.path)});
    return job;
  }
  subject.heads.clear();
  for (const HeadFile& file : FilesOfHeads(state, draft)) {
    const bool is_there = std::ranges::any_of(subject.layers, [&](const auto& layer) {
      return layer != nullptr && layer->layer() == file.head.layer;
    });
    if (!is_there) {
      return Fail(ErrorCode::kInput,
                  "Not every layer is computed yet; wait until the status line says so.");
    }
    subject.head = file.head;
    job.files.push_back({draft.kind, subject, ExpandHome(file.path.string())});
  }
  if (job.files.empty()) {
    return Fail(ErrorCode::kInput, "No head is flagged; flag one (F), or choose other heads.");
  }
  return job;
}

Result<PreviewJob> PreviewToMake(const AppState& state) {
  constexpr FigureSize kMost{1000, 900};
  const ExportDraft& draft = state.dialogs.exporting;
  HEADSCOPE_TRY(auto subject, SubjectFor(state, draft));
  return PreviewJob{.kind = draft.kind, .subject = std::move(subject), .most = kMost};
}

}  // namespace headscope
