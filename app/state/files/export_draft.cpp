#include "app/state/files/export_draft.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "app/state/compare/compared.h"
#include "app/state/compare/patching.h"
#include "app/state/compare/weights.h"
#include "app/state/counts/head_tree.h"
#include "app/state/figures/kept.h"
#include "app/state/heads/ablation_words.h"
#include "app/state/heads/own_probe.h"
#include "app/state/inspect/film.h"
#include "app/state/inspect/heads_off.h"
#include "app/state/inspect/joined.h"
#include "app/state/inspect/loss_words.h"
#include "app/state/inspect/next_words.h"
#include "app/state/queries.h"
#include "core/base/parse_number.h"

namespace headscope {
namespace {

constexpr double kCentimetresPerInch = 2.54;

std::string SubjectName(const AppState& state, FigureOf of) {
  const HeadIndex head = state.selection.head;
  const ModelPart part = PartInView(state);
  switch (of) {
    case FigureOf::kHead:
      return "head " + HeadName(head);
    case FigureOf::kLayer:
      return "layer " + LayerName({head.part, head.layer});
    case FigureOf::kAll:
      return part == ModelPart::kWhole ? "all heads" : fmt::format("all {} heads", PartName(part));
    case FigureOf::kComparison:
      return "comparison";
    case FigureOf::kPair: {
      const ComparedHeads pair = SelectedPair(state);
      return pair.other ? fmt::format("{} beside {}",
                                      HeadName(pair.head),
                                      HeadName({pair.head.layer, *pair.other, pair.head.part}))
                        : HeadName(head) + " beside its match";
    }
    case FigureOf::kScores:
      return "score map";
    case FigureOf::kSeries:
      return "series of models";
    case FigureOf::kAblation:
      return "without " + HeadName(head);
    case FigureOf::kEffects:
      return "shares of patching";
    case FigureOf::kTraining:
      return "curves of trainings";
    case FigureOf::kWord:
      return "shares of the next word";
    case FigureOf::kLosses:
      return "loss of each token";
    case FigureOf::kCounts:
      break;
  }
  return "head counts";
}

}  // namespace

std::string ChoiceName(const AppState& state, const FigureKind& kind) {
  if (kind.of == FigureOf::kScores && kind.view != kPlainView) {
    return kind.view == "alike" ? "heads by how alike they look"
                                : fmt::format("{} of heads", kind.view);
  }
  if (kind.of == FigureOf::kWord && kind.view != kPlainView) {
    return kind.view == "lens" ? "next word after each layer" : "next word, all its parts";
  }
  const std::string subject = SubjectName(state, kind.of);
  return kind.view == kPlainView ? subject : fmt::format("{}, {}", subject, kind.view);
}

bool ArePlaced(const AppState& state) {
  const HeadPlacesState* const places = HeadPlacesInView(state);
  return places != nullptr && places->answer != nullptr;
}

bool IsThere(const AppState& state, const FigureKind& kind) {
  const bool is_any = state.screen->shows_figures;  // whatever shows it
  if (kind.weighs_by) {
    const auto weighed = WeighedInView(state);
    return weighed != nullptr && weighed->by == *kind.weighs_by;
  }
  if (kind.view == "rank") {
    return is_any || state.screen->subject == ScreenSubject::kHeadCounts;
  }
  if (kind.view == "filmstrip") {
    const FilmStrip* const film = FilmInView(state);
    return film != nullptr && std::ranges::any_of(film->frames, [](const FilmFrame& frame) {
             return frame.map.layer != nullptr;
           });
  }
  if (kind.view == kWeightsView) {
    return (is_any || state.screen->compares) && WeightsInView(state) != nullptr;
  }
  switch (kind.of) {
    case FigureOf::kScores:
      return (is_any || state.screen->wants_scores) && ShownScan(state) != nullptr &&
             (kind.view != "alike" || ArePlaced(state));
    case FigureOf::kSeries:
      return (is_any || state.screen->wants_scores) &&
             std::ranges::any_of(state.series.found,
                                 [](const ModelScanned& model) { return model.report != nullptr; });
    case FigureOf::kAblation:
      return (is_any || state.screen->wants_scores) && AblationInView(state) != nullptr;
    case FigureOf::kEffects:
      return (is_any || state.screen->compares) &&
             (kind.view == kPlainView ? HeadsToDraw(state) : LayersToDraw(state)) != nullptr;
    case FigureOf::kWord: {
      const auto word = WordInView(state);
      return word != nullptr &&
             (kind.view == "lens" ? !word->lens.empty() : word->prediction.shares.has_value());
    }
    case FigureOf::kLosses:
      return HasLosses(state);
    case FigureOf::kTraining:
      return (is_any || state.screen->trains) && state.train.curves.curves != nullptr;
    case FigureOf::kComparison:
    case FigureOf::kPair:
      return state.compare.result != nullptr;
    default:
      return true;
  }
}

int SizeOf(const ExportDraft& draft) {
  const auto width = ParseFigureWidth(draft.size);
  const int size = width ? width->pixels : 0;
  return size >= kLeastFigureSize && size <= kMostFigureSize ? size : 0;
}

FigureLook LookOf(const ExportDraft& draft) {
  FigureLook look{.font_points = ParseAs<double>(draft.points).value_or(0.0),
                  .has_labels = draft.has_labels,
                  .has_bar = draft.has_bar,
                  .has_caption = draft.has_caption};
  // A plain number is the longer side.
  const auto width = ParseAs<int>(draft.size) ? std::nullopt : ParseFigureWidth(draft.size);
  if (width) {
    look.is_width = true;
    look.is_on_paper = width->is_on_paper;
    look.pixels_per_inch = width->pixels_per_inch;
  }
  return look;
}

void PutLook(const ExportDraft& draft, FigureContext* context) {
  context->theme = draft.theme;
  context->size_px = SizeOf(draft);
  context->look = LookOf(draft);
}

std::string SizeText(const FigurePreset& preset) {
  return preset.centimetres > 0.0 ? fmt::format("{} cm", preset.centimetres)
                                  : fmt::format("{} px", preset.pixels);
}

std::string PointsText(const FigurePreset& preset) {
  return preset.points > 0.0 ? fmt::format("{}", preset.points) : "";
}

std::string PointsProblem(const ExportDraft& draft) {
  constexpr double kLeast = 1.0;
  constexpr double kMost = 200.0;
  const auto points = ParseAs<double>(draft.points);
  return draft.points.empty() || (points && *points >= kLeast && *points <= kMost)
             ? ""
             : fmt::format("a number from {} to {}, or nothing", kLeast, kMost);
}

std::string SizeProblem(const ExportDraft& draft) {
  return SizeOf(draft) != 0
             ? ""
             : fmt::format("a whole number from {} to {} pixels, or a width: 8.9 cm, 1920 px",
                           kLeastFigureSize,
                           kMostFigureSize);
}

std::string SizeHint(const ExportDraft& draft) {
  const std::int64_t size = SizeOf(draft);
  if (size == 0) {
    return "";
  }
  if (size * size > kMostFigurePixels) {
    return fmt::format("a square picture of this side is over {} million pixels, which is the most",
                       kMostFigurePixels / 1'000'000);
  }
  const FigureLook look = LookOf(draft);
  if (look.is_width) {
    return look.is_on_paper
               ? fmt::format("the width: {} pixels, {:.0f} an inch", size, look.pixels_per_inch)
               : "the width";
  }
  const FigureFormat* format = FormatOf(draft);
  const bool is_page = format != nullptr && format->is_page;
  const int per_inch = is_page ? kPixelsPerInch : static_cast<int>(kPrintedPixelsPerInch);
  const double centimetres = static_cast<double>(size) / per_inch * kCentimetresPerInch;
  return is_page ? fmt::format("a page of {:.1f} cm, sharp at any size", centimetres)
                 : fmt::format("{:.1f} cm at {} pixels an inch", centimetres, per_inch);
}

const FigureFormat* FormatOf(const ExportDraft& draft) {
  return FormatOf(std::filesystem::path(draft.path));
}

const FigurePreset* PresetOf(const ExportDraft& draft) {
  const auto found = std::ranges::find_if(kFigurePresets, [&](const FigurePreset& preset) {
    return draft.size == SizeText(preset) && draft.points == PointsText(preset);
  });
  return found != kFigurePresets.end() ? &*found : nullptr;
}

void UsePreset(const FigurePreset& preset, ExportDraft* draft) {
  draft->size = SizeText(preset);
  draft->points = PointsText(preset);
}

std::string LookKey(const ExportDraft& draft) {
  return SizeOf(draft) == 0 || !PointsProblem(draft).empty()
             ? ""
             : fmt::format("{} {} {} {} {} {}",
                           draft.size,
                           draft.points,
                           draft.has_labels,
                           draft.has_bar,
                           draft.has_caption,
                           static_cast<int>(draft.theme));
}

const NumbersFormat* NumbersOf(const ExportDraft& draft) {
  return draft.of != ExportOf::kAllKept ? NumbersFormatOf(*draft.kind, draft.path) : nullptr;
}

bool HasGround(const ExportDraft& draft) {
  const NumbersFormat* const numbers = NumbersOf(draft);
  return numbers == nullptr || numbers->is_page;
}

std::string PathAs(const ExportDraft& draft, std::string_view ending) {
  std::filesystem::path path = draft.path;
  if (FormatOf(path) != nullptr || IsOfNumbers(draft)) {
    path.replace_extension();
  }
  return path.string() + std::string(ending);
}

std::string PathProblem(const ExportDraft& draft) {
  const std::filesystem::path path = draft.path;
  const std::string endings =
      draft.of == ExportOf::kAllKept ? FigureEndings() : EndingsOf(*draft.kind);
  if (draft.path.empty()) {
    return "the name of a file that ends in " + endings;
  }
  if (!path.has_filename() || path.filename() == "." || path.filename() == "..") {
    return "this is a folder: add a name that ends in " + endings;
  }
  return FormatOf(draft) != nullptr || IsOfNumbers(draft)
             ? ""
             : "the ending says what it is: " + endings;
}

bool CanExport(const ExportDraft& draft) {
  const bool has_size = SizeOf(draft) != 0 || IsOfNumbers(draft);
  return draft.request == 0 && has_size && PointsProblem(draft).empty() &&
         PathProblem(draft).empty();
}

std::string WhyNotEach(const AppState& state, const ExportDraft& draft) {
  if (draft.kind->of != FigureOf::kHead) {
    return "Several files are of pictures of one head.";
  }
  if (draft.kind->weighs_by || draft.kind->view == "filmstrip") {
    return "This picture is computed for one head at a time.";
  }
  return HeadsOffInView(state) != nullptr ? "Heads are off: put them back first." : "";
}

std::vector<HeadFile> FilesOfHeads(const AppState& state, const ExportDraft& draft) {
  std::vector<HeadFile> files;
  if (draft.of != ExportOf::kShown || draft.each == EachHead::kThis ||
      !WhyNotEach(state, draft).empty()) {
    return files;
  }
  const HeadIndex selected = state.selection.head;
  const std::filesystem::path path = draft.path;
  const std::string stem = path.stem().string();
  const std::string name = HeadName(selected);
  const std::size_t at = stem.rfind(name);
  const auto add = [&](HeadIndex head) {
    std::string file = at != stem.npos ? std::string(stem).replace(at, name.size(), HeadName(head))
                                       : stem + "-" + HeadName(head);
    files.push_back({head, path.parent_path() / (std::move(file) + path.extension().string())});
  };
  const FlagSheet& flags = FlagsInView(state);
  for (std::int64_t layer = 0; layer < ShownLayers(state); ++layer) {
    for (std::int64_t head = 0; head < ShownHeads(state); ++head) {
      const HeadIndex index{layer, head, selected.part};
      const bool is_chosen =
          draft.each == EachHead::kAll ||
          (draft.each == EachHead::kLayer && layer == selected.layer) ||
          (draft.each == EachHead::kFlagged && FindFlag(flags, index) != nullptr);
      if (is_chosen) {
        add(index);
      }
    }
  }
  return files;
}

std::string PreviewKey(const AppState& state) {
  const ExportDraft& draft = state.dialogs.exporting;
  const std::string look = LookKey(draft);
  if (state.dialogs.popup != Popup::kExport || IsOfNumbers(draft) || look.empty() ||
      !WaitsFor(state).empty()) {
    return "";
  }
  if (draft.of != ExportOf::kShown) {
    const KeptFigure* const chosen = ChosenFigure(state);
    return chosen == nullptr ? "" : fmt::format("kept {} | {}", chosen->number, look);
  }
  const auto address = [](const void* value) { return reinterpret_cast<std::uintptr_t>(value); };
  const HeadIndex head = state.selection.head;
  const MapSettings& map = state.settings;
  return fmt::format("{} {} | {} | {} {} | {} {} {} | {} {} {} | {} {} {} {} {} {} {} {} {} {}",
                     static_cast<int>(draft.kind->of),
                     draft.kind->view,
                     look,
                     HeadName(head),
                     static_cast<int>(head.part),
                     static_cast<int>(map.curve),
                     static_cast<int>(map.range),
                     static_cast<int>(map.colormap),
                     state.shown.request,
                     state.pending.request,
                     state.film.done,
                     address(state.seen.answer.get()),
                     address(state.weighed.answer.get()),
                     address(state.counts.result.get()),
                     address(state.compare.result.get()),
                     address(state.compare.weights.answer.get()),
                     address(ShownScan(state).get()),
                     address(state.next_word.answer.get()),
                     address(state.whole_text.answer.whole.get()),
                     address(state.heads_off.said.without.get()),
                     state.series.found.size());
}

bool ExportsCounts(const AppState& state) {
  return state.dialogs.popup == Popup::kExport && state.dialogs.exporting.of == ExportOf::kShown &&
         state.dialogs.exporting.kind->of == FigureOf::kCounts;
}

std::string WaitsFor(const AppState& state) {
  if (state.dialogs.exporting.of != ExportOf::kShown ||
      state.dialogs.exporting.kind->of != FigureOf::kCounts) {
    return {};
  }
  const LayerView now = SelectedLayer(state);
  if (now.layer != nullptr && !now.layer->has_scores()) {
    return "This attention comes from a file that holds its weights only: open the model to cut a "
           "layer into other head counts.";
  }
  if (now.from != nullptr && now.from->model != state.model) {
    return fmt::format(
        "Only layers of the model that is open can be cut into other head counts; "
        "these maps are of {}.",
        now.from->model->name);
  }
  if (const Notice* const notice = NoticeAt(state, ErrorPlace::kCounts)) {
    return notice->sentence;
  }
  return AreCountsStale(state) || !IsWhole(state.counts)
             ? "Waits for the head counts of this layer and text: they are being computed."
             : std::string();
}

}  // namespace headscope
