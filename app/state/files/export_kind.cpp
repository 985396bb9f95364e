// Which figure a screen shows, and what its file is called.
#include "app/state/files/export_kind.h"

#include <fmt/format.h>

#include "app/state/compare/patching.h"
#include "app/state/compare/weights.h"
#include "app/state/files/export_draft.h"
#include "app/state/heads/series_words.h"
#include "app/state/queries.h"

namespace headscope {
namespace {

// "-The-cat-sat" of "The cat sat on the mat": its first words, safe on any file system.
std::string Slug(const std::string& text) {
  constexpr std::size_t kMost = 24;
  std::string slug;
  bool blank = true;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain && blank && !slug.empty() && slug.size() > kMost / 2) {
      break;
    }
    if (plain) {
      slug += blank ? "-" : "";
      slug += c;
    }
    blank = !plain;
    if (slug.size() > kMost) {
      break;
    }
  }
  return slug;
}

// What a figure's file is called after: "L5H1", "all-heads".
std::string PartOfName(const FigureKind& kind, HeadIndex head) {
  switch (kind.of) {
    case FigureOf::kHead:
      return HeadName(head);
    case FigureOf::kLayer:
      return LayerName({head.part, head.layer}) + "-heads";
    case FigureOf::kAll:
      return head.part == ModelPart::kWhole ? "all-heads"
                                            : fmt::format("{}-heads", PartName(head.part));
    case FigureOf::kComparison:
      return "comparison";
    case FigureOf::kPair:
      return HeadName(head) + "-beside";
    case FigureOf::kScores:
      return "scores";
    case FigureOf::kSeries:
      return "series";
    case FigureOf::kAblation:
      return HeadName(head) + "-ablation";
    case FigureOf::kEffects:
      return "patching";
    case FigureOf::kTraining:
      return "training";
    case FigureOf::kWord:
      return "word";
    case FigureOf::kLosses:
      return "losses";
    case FigureOf::kCounts:
      break;
  }
  return LayerName({head.part, head.layer}) + "-counts";
}

// What the Heads screen shows.
const FigureKind* KindOfScores(const AppState& state) {
  switch (state.heads_look.view) {
    case HeadsView::kRoles:
      return FindFigureKind(FigureOf::kScores, "roles");
    case HeadsView::kScatter:
      return FindFigureKind(FigureOf::kScores, "scatter");
    case HeadsView::kList:
      return FindFigureKind(FigureOf::kScores, "list");
    case HeadsView::kSeries:
      return FindFigureKind(FigureOf::kSeries,
                            SeriesKindInView(state) == SeriesKind::kFamily ? "curves" : kPlainView);
    case HeadsView::kAcross:
      return FindFigureKind(FigureOf::kSeries, "across");
    case HeadsView::kAlike:
      return FindFigureKind(FigureOf::kScores, "alike");
    case HeadsView::kRelations:
      return FindFigureKind(FigureOf::kScores, "relations");
    case HeadsView::kMap:
      break;
  }
  return FindFigureKind(FigureOf::kScores);
}

// Null: the head as it is.
const FigureKind* KindOfMapOf(const HeadLook& look) {
  switch (look.map_of) {
    case MapOf::kHead:
      return nullptr;
    case MapOf::kValues:
      return FindFigureKind(FigureOf::kHead, "values");
    case MapOf::kOutputs:
      return FindFigureKind(FigureOf::kHead, "outputs");
    case MapOf::kMean:
      return FindFigureKind(FigureOf::kLayer, "mean");
    case MapOf::kRollout:
      return FindFigureKind(FigureOf::kLayer, "rollout");
  }
  return nullptr;
}

// As the head is seen in Inspect; null: there is no figure of it.
const FigureKind* KindOfHeadLook(const AppState& state) {
  if (!state.screen->looks_at_tokens) {
    return nullptr;
  }
  const HeadLook& look = state.head_look;
  switch (look.view) {
    case HeadView::kMap:
      return KindOfMapOf(look);
    case HeadView::kLines:
      return FindFigureKind(FigureOf::kHead, "lines");
    case HeadView::kArcs:
      return FindFigureKind(FigureOf::kHead, "arcs");
    case HeadView::kText:
      return FindFigureKind(FigureOf::kHead, "text");
    case HeadView::kSteps:
      return FindFigureKind(FigureOf::kHead, "filmstrip");
    case HeadView::kPair:
      break;
  }
  return nullptr;
}

}  // namespace

const FigureKind* KindOfScreen(const AppState& state) {
  if (state.screen->wants_scores) {
    const FigureKind* const kind = KindOfScores(state);
    return IsThere(state, *kind) ? kind : FindFigureKind(FigureOf::kHead);
  }
  if (state.screen->trains && IsThere(state, *FindFigureKind(FigureOf::kTraining))) {
    return FindFigureKind(FigureOf::kTraining);
  }
  if (state.screen->compares && HeadsToDraw(state) != nullptr) {
    return FindFigureKind(FigureOf::kEffects);
  }
  if (state.screen->compares && ShowsWeights(state) && WeightsInView(state) != nullptr) {
    return FindFigureKind(FigureOf::kComparison, kWeightsView);
  }
  if (state.screen->compares && state.compare.result != nullptr) {
    return FindFigureKind(FigureOf::kComparison);
  }
  if (state.screen->subject == ScreenSubject::kHeadCounts) {
    return FindFigureKind(FigureOf::kCounts);
  }
  const FigureKind* const kind = KindOfHeadLook(state);
  return kind != nullptr && IsThere(state, *kind) ? kind : FindFigureKind(FigureOf::kHead);
}

bool CanExportSomething(const AppState& state) {
  const bool has_curves = state.screen->trains && state.train.curves.curves != nullptr;
  const bool has_figures = state.screen->shows_figures && !state.figures.kept.empty();
  return ShownLayers(state) > 0 || has_curves || has_figures;
}

std::string FileOf(const AppState& state, const FigureKind& kind) {
  const ModelInfo* model = ShownModel(state);
  const PictureSubject* of = PictureInView(state);
  // Maps of a text that is no longer above say which one: a file of them would pass for the new.
  const std::string text = IsOutdated(state) && of != nullptr ? Slug(of->input.text) : "";
  std::string name = (model != nullptr ? model->name : "headscope") + text;
  if (IsOfTwo(kind) && state.compare.result != nullptr) {
    name += Slug(state.compare.result->comparison.b);
  }
  const std::string view = kind.view == kPlainView ? "" : fmt::format("-{}", kind.view);
  return fmt::format("{}-{}{}", name, PartOfName(kind, state.selection.head), view);
}

}  // namespace headscope
