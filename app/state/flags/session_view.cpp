#include "app/state/flags/session_view.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/state/app_state.h"
#include "app/state/figures/recipe_fields.h"
#include "app/state/text/typed_ids.h"
#include "app/state/train/remembered_fields.h"
#include "app/state/view_names.h"
#include "core/io/fields.h"

namespace headscope {
namespace {

constexpr FieldNames<enum MapOf, 5> kMapsOf = {{{{MapOf::kHead, "head"},
                                                 {MapOf::kValues, "values"},
                                                 {MapOf::kOutputs, "outputs"},
                                                 {MapOf::kMean, "mean"},
                                                 {MapOf::kRollout, "rollout"}}},
                                               kWrongName};
constexpr FieldNames<LineHeads, 2> kLineHeads = {
    {{{LineHeads::kOne, "one"}, {LineHeads::kSeveral, "several"}}}, kWrongName};
constexpr FieldNames<Pooling, 2> kPoolings = {{{{Pooling::kMean, "mean"}, {Pooling::kMax, "max"}}},
                                              kWrongName};
constexpr FieldNames<GridOrder, 4> kGridOrders = {{{{GridOrder::kName, "name"},
                                                    {GridOrder::kRole, "role"},
                                                    {GridOrder::kFlag, "flag"},
                                                    {GridOrder::kScore, "score"}}},
                                                  kWrongName};
constexpr FieldNames<GridFlags, 3> kGridFlags = {{{{GridFlags::kAll, "all"},
                                                   {GridFlags::kFlagged, "flagged"},
                                                   {GridFlags::kUnflagged, "unflagged"}}},
                                                 kWrongName};
constexpr FieldNames<HeadsView, 8> kHeadsViews = {{{{HeadsView::kRoles, "roles"},
                                                    {HeadsView::kMap, "map"},
                                                    {HeadsView::kScatter, "scatter"},
                                                    {HeadsView::kList, "list"},
                                                    {HeadsView::kSeries, "series"},
                                                    {HeadsView::kAcross, "across"},
                                                    {HeadsView::kRelations, "relations"},
                                                    {HeadsView::kAlike, "alike"}}},
                                                  kWrongName};
constexpr FieldNames<HeadsOrder, 6> kHeadsOrders = {{{{HeadsOrder::kName, "name"},
                                                      {HeadsOrder::kScore, "score"},
                                                      {HeadsOrder::kError, "error"},
                                                      {HeadsOrder::kChance, "chance"},
                                                      {HeadsOrder::kControl, "control"},
                                                      {HeadsOrder::kRows, "rows"}}},
                                                    kWrongName};
// The first stands for none.
enum class ShownAgreement { kAny, kNothing, kAgree, kOnlyMine, kOnlySuggested, kConflict };
constexpr FieldNames<ShownAgreement, 6> kAgreements = {
    {{{ShownAgreement::kAny, "any"},
      {ShownAgreement::kNothing, "nothing"},
      {ShownAgreement::kAgree, "agree"},
      {ShownAgreement::kOnlyMine, "only_mine"},
      {ShownAgreement::kOnlySuggested, "only_suggested"},
      {ShownAgreement::kConflict, "conflict"}}},
    kWrongName};
constexpr FieldNames<CompareView, 3> kCompareViews = {{{{CompareView::kBeside, "beside"},
                                                        {CompareView::kSwipe, "swipe"},
                                                        {CompareView::kDifference, "difference"}}},
                                                      kWrongName};
constexpr FieldNames<Replacement, 4> kReplacements = {{{{Replacement::kZero, "zero"},
                                                        {Replacement::kProbeMean, "mean"},
                                                        {Replacement::kPositionMean, "position"},
                                                        {Replacement::kTextMean, "text"}}},
                                                      kWrongName};

constexpr FieldNames<PatchWhat, 5> kPatchedHeads = {{{{PatchWhat::kOutput, "output"},
                                                      {PatchWhat::kPattern, "pattern"},
                                                      {PatchWhat::kQueries, "queries"},
                                                      {PatchWhat::kKeys, "keys"},
                                                      {PatchWhat::kValues, "values"}}},
                                                    kWrongName};
constexpr FieldNames<PatchWhat, 3> kPatchedLayers = {{{{PatchWhat::kStream, "stream"},
                                                       {PatchWhat::kMlp, "mlp"},
                                                       {PatchWhat::kAttention, "attention"}}},
                                                     kWrongName};
constexpr FieldNames<PatchDirection, 2> kPatchDirections = {
    {{{PatchDirection::kDenoise, "denoise"}, {PatchDirection::kNoise, "noise"}}}, kWrongName};
// The first stands for none: effects arrive in the logits.
enum class PathInput { kLogits, kQueries, kKeys, kValues };
constexpr FieldNames<PathInput, 4> kPathInputs = {{{{PathInput::kLogits, "logits"},
                                                    {PathInput::kQueries, "queries"},
                                                    {PathInput::kKeys, "keys"},
                                                    {PathInput::kValues, "values"}}},
                                                  kWrongName};

constexpr FieldRule kToken = {.most = 1e9};

// Patching as it is stored: heads by name.
struct StoredPatching {
  PatchLook look;
  PathInput into = PathInput::kLogits;
  std::vector<std::string> to;
  std::string pairs;  // a file
  friend bool operator==(const StoredPatching&, const StoredPatching&) = default;
};

// What has no field of its own kind: heads and edges by name, tokens by number, side B's texts.
struct Stored {
  SessionView view;
  ShownAgreement only = ShownAgreement::kAny;
  std::vector<std::string> off;
  std::vector<std::string> cut;
  std::string hidden_heads;
  std::string words;
  std::string hidden_tokens;
  std::optional<std::int64_t> row;
  std::optional<std::int64_t> key;
  bool compares = false;
  std::string other_model;
  bool other_has_text = false;
  std::string other_text;
  std::string other_pair;
  std::string other_target;
  std::int64_t other_heads = 0;
  std::int64_t other_layer = 0;
  std::optional<StoredPatching> patching;  // none in older files
};

template <typename Numbers>
std::string NumbersInWords(const Numbers& numbers) {
  return fmt::format("{}", fmt::join(numbers, " "));
}

// What is no number ends the list.
std::vector<std::int64_t> NumbersOf(std::string_view words) {
  std::vector<std::int64_t> numbers;
  const char* at = words.data();
  const char* const end = at + words.size();
  while (at != end) {
    std::int64_t number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc{} || number < 0) {
      break;
    }
    numbers.push_back(number);
    at = next != end ? next + 1 : next;
  }
  return numbers;
}

// "L1H0:3", "L1H0:5:3", as EdgeName says them.
std::optional<CutEdge> EdgeOf(std::string_view name) {
  const std::size_t colon = name.find(':');
  const auto head = ParseHeadName(name.substr(0, colon));
  if (colon == name.npos || !head) {
    return std::nullopt;
  }
  const std::vector<std::int64_t> numbers = NumbersOf(name.substr(colon + 1));
  if (numbers.size() == 1) {
    return CutEdge{*head, numbers[0], std::nullopt};
  }
  return numbers.size() == 2 ? std::optional(CutEdge{*head, numbers[1], numbers[0]}) : std::nullopt;
}

StoredPatching ToStore(const PatchLook& look) {
  StoredPatching stored{.look = look, .to = {}, .pairs = look.file.path.string()};
  if (look.paths.input) {
    stored.into = static_cast<PathInput>(static_cast<int>(*look.paths.input) + 1);
  }
  for (const HeadIndex head : look.paths.to) {
    stored.to.push_back(HeadName(head));
  }
  return stored;
}

PatchLook FromStored(const StoredPatching& stored) {
  PatchLook look = stored.look;
  look.file.path = stored.pairs;
  if (stored.into != PathInput::kLogits) {
    look.paths.input = static_cast<HeadInput>(static_cast<int>(stored.into) - 1);
  }
  for (const std::string& name : stored.to) {
    const auto head = ParseHeadName(name);
    if (head && std::ranges::find(look.paths.to, *head) == look.paths.to.end()) {
      look.paths.to.push_back(*head);
    }
  }
  return look;
}

Stored ToStore(const SessionView& view) {
  Stored stored;
  stored.view = view;
  const ViewPlace& place = view.place;
  stored.only = place.heads.only
                    ? static_cast<ShownAgreement>(static_cast<int>(*place.heads.only) + 1)
                    : ShownAgreement::kAny;
  for (const HeadIndex head : place.off.heads) {
    stored.off.push_back(HeadName(head));
  }
  for (const CutEdge& edge : place.off.edges) {
    stored.cut.push_back(EdgeName(edge));
  }
  stored.hidden_heads = NumbersInWords(place.head.hidden);
  stored.words = NumbersInWords(place.head.words.tokens);
  stored.hidden_tokens = NumbersInWords(place.tokens.hidden);
  if (view.point) {
    stored.row = view.point->query;
    stored.key = view.point->key;
  }
  if (view.other) {
    stored.compares = true;
    stored.other_model = view.other->model.string();
    stored.other_heads = view.other->cut_heads;
    stored.other_layer = view.other->cut_layer;
    if (const auto& input = view.other->input) {
      stored.other_has_text = true;
      std::tie(stored.other_text, stored.other_pair, stored.other_target) = TextsOfInput(*input);
    }
  }
  return stored;
}

SessionView FromStored(const Stored& stored) {
  SessionView view = stored.view;
  ViewPlace& place = view.place;
  if (stored.only != ShownAgreement::kAny) {
    place.heads.only = static_cast<Agreement>(static_cast<int>(stored.only) - 1);
  }
  for (const std::string& name : stored.off) {
    if (const auto head = ParseHeadName(name)) {
      place.off.heads.push_back(*head);
    }
  }
  for (const std::string& name : stored.cut) {
    if (const auto edge = EdgeOf(name)) {
      place.off.edges.push_back(*edge);
    }
  }
  const auto in_order = [](auto* all) {
    std::ranges::sort(*all);
    all->erase(std::unique(all->begin(), all->end()), all->end());
  };
  in_order(&place.off.heads);
  in_order(&place.off.edges);
  const std::vector<std::int64_t> hidden = NumbersOf(stored.hidden_heads);
  place.head.hidden = {hidden.begin(), hidden.end()};
  place.head.words.tokens = NumbersOf(stored.words);
  place.tokens.hidden = NumbersOf(stored.hidden_tokens);
  in_order(&place.tokens.hidden);
  if (stored.row) {
    view.point = MapPoint{.query = *stored.row, .key = stored.key};
  }
  if (stored.compares) {
    view.other = ComparedSide{.model = stored.other_model,
                              .cut_heads = stored.other_heads,
                              .cut_layer = stored.other_layer};
    if (stored.other_has_text) {
      view.other->input = InputOfTexts(stored.other_text, stored.other_pair, stored.other_target);
    }
  }
  return view;
}

}  // namespace

void EachField(FieldsOf<HeadLook> auto& look, auto& visit) {
  visit("view", look.view, kHeadViews);
  visit("of", look.map_of, kMapsOf);
  visit("mass", look.keep.mass, {.most = 1});
  visit("per_row", look.keep.per_row, kToken);
  visit("heads", look.heads, kLineHeads);
  visit("by_key", look.by_key);
  visit("whole_line", look.whole_line);
  visit("sorted", look.is_sorted);
  visit("lines_in_grid", look.lines_in_grid);
  visit("losses", look.shows_losses);
}

void EachField(FieldsOf<GridLook> auto& look, auto& visit) {
  visit("order", look.order, kGridOrders);
  visit("role", look.role);
  visit("flags", look.flags, kGridFlags);
  visit("least", look.least);
}

void EachField(FieldsOf<TokenLook> auto& look, auto& visit) {
  visit("merges_words", look.merges_words);
  visit("hides_special", look.hides_special);
  visit("hides_first", look.hides_first);
  visit("hides_punctuation", look.hides_punctuation);
  visit("hides_stop_words", look.hides_stop_words);
  visit("stop_words", look.stop_words);
  visit("renormalises", look.renormalises);
}

void EachField(FieldsOf<MapSettings> auto& settings, auto& visit) {
  visit("curve", settings.curve, kCurves);
  visit("range", settings.range, kRanges);
  visit("high", settings.high, {.least = 1e-6, .most = 1e6});
  visit("colormap", settings.colormap, kColormaps);
  visit("pooling", settings.pooling, kPoolings);
}

void EachField(FieldsOf<HeadsLook> auto& look, auto& visit) {
  visit("view", look.view, kHeadsViews);
  visit("metric", look.metric);
  visit("second", look.second);
  visit("order", look.order, kHeadsOrders);
  visit("ascending", look.is_ascending);
}

void EachField(FieldsOf<CompareLook> auto& look, auto& visit) {
  visit("view", look.view, kCompareViews);
  visit("divider", look.divider, {.most = 1});
  visit("weights", look.shows_weights);
}

void EachField(FieldsOf<HeadsOff> auto& off, auto& visit) {
  visit("replacement", off.replacement, kReplacements);
  visit("renormalises", off.renormalises);
}

void EachField(FieldsOf<StoredPatching> auto& stored, auto& visit) {
  auto& look = stored.look;
  visit("shown", look.is_shown);
  visit("heads", look.of_heads, kPatchedHeads);
  visit("layers", look.of_layers, kPatchedLayers);
  visit("direction", look.direction, kPatchDirections);
  visit("right", look.right, kSkipsEmpty);
  visit("wrong", look.wrong, kSkipsEmpty);
  visit("row", look.row, {.most = 1e9, .skips_empty = true});
  visit("at", look.at, {.most = 1e9, .skips_empty = true});
  visit("direct", look.paths.is_shown);
  visit("into", stored.into, kPathInputs);
  visit("to", stored.to, kSkipsEmpty);
  visit("freezes_mlps", look.paths.freezes_mlps);
  visit("pairs", stored.pairs, kSkipsEmpty);
}

void EachField(FieldsOf<Stored> auto& stored, auto& visit) {
  auto& place = stored.view.place;
  visit("screen", stored.view.screen);
  visit("keeps_head", stored.view.keeps_head);
  visit("row", stored.row, {.most = 1e9, .skips_empty = true});
  visit("key", stored.key, {.most = 1e9, .skips_empty = true});
  visit("head", place.head);
  visit("hidden_heads", stored.hidden_heads, kSkipsEmpty);
  visit("words", stored.words, kSkipsEmpty);
  visit("grid", place.grid);
  visit("tokens", place.tokens);
  visit("hidden_tokens", stored.hidden_tokens, kSkipsEmpty);
  visit("colours", place.map);
  visit("scores", place.heads);
  visit("agreement", stored.only, kAgreements);
  visit("without", place.off);
  visit("off", stored.off);
  visit("cut", stored.cut);
  visit("compare", place.compare);
  visit("compares", stored.compares);
  visit("other_model", stored.other_model, kSkipsEmpty);
  visit("other_has_text", stored.other_has_text, kSkipsEmpty);
  visit("other_text", stored.other_text, kSkipsEmpty);
  visit("other_pair", stored.other_pair, kSkipsEmpty);
  visit("other_target", stored.other_target, kSkipsEmpty);
  visit("other_heads", stored.other_heads, {.most = 1e6, .skips_empty = true});
  visit("other_layer", stored.other_layer, {.most = 1e6, .skips_empty = true});
  visit("share_in", stored.view.split.of, kSkipsEmpty);
  visit("lead_over", stored.view.split.over, kSkipsEmpty);
  visit("patching", stored.patching);
  visit("figures", stored.view.figures, kSkipsEmpty);
  visit("training", stored.view.training, kSkipsEmpty);
}

SessionView SessionViewOf(const AppState& state) {
  SessionView view = PlainViewOf(state);
  view.figures = FiguresToRemember(state);
  view.training = TrainingToRemember(state);
  return view;
}

SessionView PlainViewOf(const AppState& state) {
  const Selection& selection = state.selection;
  SessionView view{.place = PlaceOf(state),
                   .screen = std::string(state.screen->id),
                   .keeps_head = selection.head_locked,
                   .point = selection.point_locked ? selection.point : std::nullopt,
                   .other = state.compare.other,
                   .patching = state.compare.patch_look,
                   .split = state.split_tokens};
  view.patching.file.asked = 0;
  if (!view.point && selection.row) {
    view.point = MapPoint{.query = *selection.row};
  }
  view.place.screen = &kNoScreen;
  view.place.kept.reset();
  view.place.edges_of = {};
  view.place.head.words.of = nullptr;
  return view;
}

std::string SessionViewText(const SessionView& view) {
  Stored stored = ToStore(view);
  stored.patching = ToStore(view.patching);
  return JsonText(FieldsToJson(stored));
}

Result<SessionView> ReadSessionView(const std::string& json, const std::string& name) {
  HEADSCOPE_TRY(const auto document, JsonDocument::Parse(json, name));
  Stored stored;
  FieldReader reader(document.root(), [&name](std::string_view path) {
    return fmt::format("{}: view{}", name, path);
  });
  EachField(stored, reader);
  HEADSCOPE_TRY(reader.status());
  SessionView view = FromStored(stored);
  if (stored.patching) {
    view.patching = FromStored(*stored.patching);
  }
  return view;
}

}  // namespace headscope
