#include "app/state/queries.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "app/state/inspect/heads_off.h"
#include "app/state/inspect/joined.h"
#include "app/state/text/typed_ids.h"
#include "core/base/sentence.h"
#include "core/base/utf8.h"
#include "core/figure/map_scale.h"
#include "core/text/indexed_name.h"
#include "core/text/words.h"

namespace headscope {
namespace {

bool PendingShows(const AppState& state) {
  return std::any_of(state.pending.layers.begin(),
                     state.pending.layers.end(),
                     [](const auto& layer) { return layer != nullptr; });
}

PartHeads ShownShape(const AppState& state) {
  const ModelInfo* model = ShownModel(state);
  if (model == nullptr) {
    return {};
  }
  const std::vector<PartHeads> parts = PartsOf(*model);
  return *std::ranges::find(parts, PartInView(state), &PartHeads::part);
}

// White space as blanks, cut after some words.
std::string Shortened(const std::string& text) {
  constexpr std::size_t kMost = 60;
  std::string line = text;
  const auto is_break = [](char letter) { return letter == '\n' || letter == '\t'; };
  std::ranges::replace_if(line, is_break, ' ');
  if (line.size() <= kMost) {
    return line;
  }
  const std::size_t blank = line.rfind(' ', kMost);
  const std::size_t end = blank != std::string::npos && blank > kMost / 2 ? blank : kMost;
  return line.substr(0, CharacterStart(line, end)) + "…";
}

// The text that the model reads or read last; null: none that is known.
const InputText* InputFor(const AppState& state, const std::shared_ptr<const ModelInfo>& model) {
  for (const Attendance* const picture : {&state.pending, &state.shown}) {
    if (picture->model == model) {
      return &picture->input;
    }
  }
  return state.model == model ? &state.input : nullptr;
}

}  // namespace

const Attendance* PictureInView(const AppState& state) {
  if (PendingShows(state)) {
    return &state.pending;
  }
  return state.shown.request != 0 ? &state.shown : nullptr;
}

const ModelInfo* ShownModel(const AppState& state) {
  const Attendance* const picture = PictureInView(state);
  return picture != nullptr ? picture->model.get() : state.model.get();
}

bool IsOutdated(const AppState& state) {
  const Attendance& shown = state.shown;
  if (shown.request == 0 || !state.pending.layers.empty() || !state.opening_folder.empty()) {
    return false;
  }
  return shown.model != state.model || (shown.model->file == nullptr && shown.input != state.input);
}

std::string OutdatedNote(const AppState& state) {
  const Attendance& shown = state.shown;
  const bool waits = shown.request != 0 && !state.pending.layers.empty() && !PendingShows(state) &&
                     state.pending.model != shown.model;
  if (!waits && !IsOutdated(state)) {
    return "";
  }
  std::string note = fmt::format("These maps are of {}", shown.model->name);
  if (!shown.input.text.empty()) {
    note += fmt::format(" and its text “{}”", Shortened(shown.input.text));
  } else if (!shown.input.embeddings.empty()) {
    note += fmt::format(" and {}", shown.input.embeddings.filename().string());
  }
  if (shown.model == state.model) {
    return note + "; there are none of the text above.";
  }
  return note + (waits ? fmt::format("; those of {} are on their way.", state.model->name)
                       : fmt::format("; {} has none of the text above.", state.model->name));
}

const ModelWork* WorkOf(const AppState& state, const ModelInfo* model) {
  const auto found = std::ranges::find_if(
      state.works, [model](const ModelWork& work) { return work.model.get() == model; });
  return model != nullptr && found != state.works.end() ? &*found : nullptr;
}

const FlagSheet& FlagsInView(const AppState& state) {
  static const FlagSheet kNone;
  const ModelWork* const work = WorkOf(state, ShownModel(state));
  return work != nullptr ? work->flags : kNone;
}

const SessionPlace& SessionInView(const AppState& state) {
  static const SessionPlace kNone;
  const ModelWork* const work = WorkOf(state, ShownModel(state));
  return work != nullptr ? work->session : kNone;
}

std::vector<PartHeads> PartsOf(const ModelInfo& model) {
  if (model.file != nullptr) {
    return {model.file->parts().begin(), model.file->parts().end()};
  }
  return HeadsOf(model.description);
}

std::int64_t TotalHeads(const ModelInfo& model) {
  std::int64_t heads = 0;
  for (const PartHeads& shape : PartsOf(model)) {
    heads += std::ssize(shape.layers) * shape.heads;
  }
  return heads;
}

bool HasHead(const ModelInfo& model, HeadIndex head) {
  const std::vector<PartHeads> parts = PartsOf(model);
  const auto shape = std::ranges::find(parts, head.part, &PartHeads::part);
  return shape != parts.end() && shape->HasLayer(head.layer) && head.head >= 0 &&
         head.head < shape->heads;
}

bool HasParts(const AppState& state) {
  const ModelInfo* const model = ShownModel(state);
  return model != nullptr && PartsOf(*model).size() > 1;
}

std::string HeadsWords(const ModelInfo& model) {
  std::string words;
  for (const PartHeads& shape : PartsOf(model)) {
    const HeadIndex last{shape.end_layer() - 1, shape.heads - 1, shape.part};
    words += (words.empty() ? "" : ", ") +
             fmt::format("{} to {}",
                         HeadName({shape.layers.empty() ? 0 : shape.layers.front(), 0, shape.part}),
                         HeadName(last));
  }
  return words;
}

bool HasTarget(const AppState& state) {
  return state.model != nullptr && state.model->has_decoder();
}

ModelPart PartInView(const AppState& state) {
  const ModelInfo* model = ShownModel(state);
  if (model == nullptr) {
    return state.selection.head.part;
  }
  const std::vector<PartHeads> parts = PartsOf(*model);
  const auto found = std::ranges::find(parts, state.selection.head.part, &PartHeads::part);
  return found != parts.end() ? found->part : parts.front().part;
}

std::optional<std::size_t> SlotOf(const ModelInfo& model, LayerId layer) {
  std::int64_t first = 0;
  for (const PartHeads& shape : PartsOf(model)) {
    if (shape.part == layer.part && layer.layer >= 0 && layer.layer < shape.end_layer()) {
      return static_cast<std::size_t>(first + layer.layer);
    }
    first += shape.end_layer();
  }
  return std::nullopt;
}

std::shared_ptr<const Encoding> QueryTokens(const LayerView& view) {
  if (view.layer == nullptr) {
    return nullptr;
  }
  return HasTargetQueries(view.layer->part()) ? view.target : view.source;
}

std::shared_ptr<const Encoding> KeyTokens(const LayerView& view) {
  if (view.layer == nullptr) {
    return nullptr;
  }
  return HasTargetKeys(view.layer->part()) ? view.target
         : view.keys != nullptr            ? view.keys
                                           : view.source;
}

std::vector<std::int64_t> LayersInView(const AppState& state) {
  return ShownShape(state).layers;
}

std::int64_t ShownLayers(const AppState& state) {
  return ShownShape(state).end_layer();
}

std::int64_t ShownHeads(const AppState& state) {
  return ShownShape(state).heads;
}

LayerView LayerAt(const AppState& state, std::int64_t layer) {
  const ModelInfo* model = ShownModel(state);
  const auto slot =
      model != nullptr ? SlotOf(*model, {PartInView(state), layer}) : std::optional<std::size_t>();
  const auto at = [&slot, &state](const Attendance& attendance, bool stale) {
    return LayerView{.layer = attendance.layers[*slot],
                     .source = attendance.encoding,
                     .target = attendance.target,
                     .keys = attendance.keys,
                     .stale = stale,
                     .outdated = IsOutdated(state),
                     .from = &attendance};
  };
  if (!slot) {
    return {};
  }
  if (PendingShows(state) && state.pending.layers[*slot] != nullptr) {
    return at(state.pending, false);
  }
  const bool other_model = PendingShows(state) && state.pending.model != state.shown.model;
  if (*slot < state.shown.layers.size() && !other_model) {
    LayerView view = at(state.shown, !state.pending.layers.empty());
    if (const SeenPicture* const seen = SeenInView(state)) {
      view.layer = seen->layers[*slot];
      view.source = seen->source;
      view.target = seen->target;
      view.keys = seen->keys;
    } else {
      if (auto without = LayerWithout(state, *slot)) {
        view.layer = std::move(without);
      }
      view.stale = view.stale || (LooksAtTokens(state) && state.seen.fault.empty());
    }
    return view;
  }
  return {};
}

bool LooksAtTokens(const AppState& state) {
  return state.screen->looks_at_tokens && !state.token_look.IsPlain();
}

const SeenPicture* SeenInView(const AppState& state) {
  const Seen& seen = state.seen;
  const bool is_asked = LooksAtTokens(state) && seen.of && *seen.of == SeenAskedNow(state);
  return is_asked ? seen.answer.get() : nullptr;
}

std::string TokenLookWords(const AppState& state) {
  return LooksAtTokens(state) ? WordsOf(state.token_look) : "";
}

LayerView SelectedLayer(const AppState& state) {
  return LayerAt(state, state.selection.head.layer);
}

std::optional<ChosenCount> ChosenOf(const AppState& state) {
  const Counts& counts = state.counts;
  if (counts.result == nullptr || counts.source == nullptr) {
    return std::nullopt;
  }
  const CountHead at = counts.chosen.value_or(
      CountHead{.heads = counts.result->trained_heads, .head = state.selection.head.head});
  const auto& all = counts.result->counts;
  const auto found = std::ranges::find(all, at.heads, &SplitCount::heads);
  if (found == all.end()) {
    return std::nullopt;
  }
  return ChosenCount{.count = static_cast<std::size_t>(found - all.begin()),
                     .head = std::clamp<std::int64_t>(at.head, 0, at.heads - 1)};
}

FullMap MapInFull(const AppState& state) {
  const LayerView selected = SelectedLayer(state);
  if (state.screen->subject != ScreenSubject::kHeadCounts) {
    const MapView map{.layer = selected.layer, .head = state.selection.head.head};
    if (map.layer == nullptr || map.head >= map.layer->shape().heads) {
      return {};
    }
    const auto joined = JoinedInView(state);
    if (joined != nullptr) {
      return {.map = {.layer = joined, .head = 0},
              .query_tokens = QueryTokens(selected),
              .key_tokens = KeyTokens(selected),
              .stale = selected.stale,
              .outdated = selected.outdated,
              .is_joined = true};
    }
    return {.map = map,
            .query_tokens = QueryTokens(selected),
            .key_tokens = KeyTokens(selected),
            .stale = selected.stale,
            .outdated = selected.outdated};
  }
  const Counts& counts = state.counts;
  const std::optional<ChosenCount> chosen = ChosenOf(state);
  if (!chosen) {
    return {};
  }
  // The tokens are those of the layer that was cut, whatever is shown or computed by now.
  const PictureSubject& of = counts.source_of;
  const LayerView cut{
      .layer = counts.source, .source = of.encoding, .target = of.target, .keys = of.keys};
  return {.map = {.layer = counts.result->counts[chosen->count].attention, .head = chosen->head},
          .query_tokens = QueryTokens(cut),
          .key_tokens = KeyTokens(cut),
          .stale = selected.stale || selected.layer != counts.source,
          .outdated = selected.outdated};
}

std::optional<WhyCell> HeldCell(const AppState& state) {
  const Selection& selection = state.selection;
  if (state.screen->subject != ScreenSubject::kHeads || !selection.point_locked ||
      !selection.point || !selection.point->cell()) {
    return std::nullopt;
  }
  const FullMap full = MapInFull(state);
  if (full.map.layer == nullptr || full.stale || full.outdated || !full.map.layer->has_scores()) {
    return std::nullopt;
  }
  if (IsLayerWithout(state, full.map.layer.get())) {
    return std::nullopt;  // who wrote it is known of the whole model alone
  }
  const CellIndex cell = *selection.point->cell();
  if (!full.map.layer->Visible(cell.query, cell.key)) {
    return std::nullopt;
  }
  return WhyCell{full.map, cell};
}

std::optional<WordPlace> HeldRow(const AppState& state) {
  const Selection& selection = state.selection;
  if (state.screen->subject != ScreenSubject::kHeads || !selection.point_locked ||
      !selection.point) {
    return std::nullopt;
  }
  const FullMap full = MapInFull(state);
  if (full.map.layer == nullptr || full.stale || full.outdated || !full.map.layer->has_scores()) {
    return std::nullopt;
  }
  const PictureSubject& from = *SelectedLayer(state).from;
  const bool is_of_target = HasTargetQueries(full.map.layer->part());
  const std::shared_ptr<const Encoding>& text = is_of_target ? from.target : from.encoding;
  const bool says_words = from.model != nullptr && from.model->reads_tokens() &&
                          is_of_target == from.model->has_decoder();
  if (!says_words || full.query_tokens != text) {
    return std::nullopt;
  }
  const HeadsOff* const off = HeadsOffInView(state);
  return WordPlace{text, selection.point->query, off != nullptr ? *off : HeadsOff{}};
}

std::shared_ptr<const HeadMap> MapAt(const AppState& state, const MapView& map) {
  const auto& cache = state.maps.cache;
  const auto found =
      std::ranges::find_if(cache, [&map](const auto& entry) { return entry->of == map; });
  return found != cache.end() ? *found : nullptr;
}

const Notice* NoticeAt(const AppState& state, ErrorPlace place) {
  for (const Notice& notice : state.notices) {
    if (notice.place == place) {
      return &notice;
    }
  }
  return nullptr;
}

std::filesystem::path TokenMapsOf(const AppState& state) {
  return state.probes_folder.parent_path() / "token_maps.txt";
}

bool ShowsScoresAlone(const AppState& state) {
  return state.screen->wants_scores && state.model != nullptr && state.model->reads_ids_alone() &&
         PictureInView(state) == nullptr;
}

std::string ReadsNoTextWords(const ModelInfo& model) {
  constexpr std::string_view kHow = "type token ids in the box above, as in “ids: 1, 2, 3”.";
  return model.tokenizer_fault.empty()
             ? fmt::format("{} has no tokenizer, so it reads no text: {}", model.name, kHow)
             : fmt::format(
                   "{} Until its tokenizer can be read, {}", Ended(model.tokenizer_fault), kHow);
}

bool AwaitsChoice(const AppState& state) {
  const bool lacks_embeddings =
      state.model != nullptr && state.model->reads_embeddings() && state.input.embeddings.empty();
  const bool lacks_ids =
      state.model != nullptr && state.model->reads_ids_alone() && state.input.ids.empty();
  return lacks_embeddings || lacks_ids || state.dialogs.popup == Popup::kHeadCount;
}

bool IsSettled(const AppState& state) {
  return state.opening_folder.empty() && state.pending.request == 0;
}

ColorScale ScaleFor(const AppState& state, HeadIndex head) {
  MapView map{.layer = LayerAt(state, head.layer).layer, .head = head.head};
  if (map.layer != nullptr && head.head >= map.layer->shape().heads) {
    map.layer = nullptr;
  }
  std::vector<std::shared_ptr<const LayerAttention>> all;
  if (state.settings.range == RangeMode::kGlobal) {
    for (std::int64_t layer = 0; layer < ShownLayers(state); ++layer) {
      all.push_back(LayerAt(state, layer).layer);
    }
  }
  return ScaleOfMap(ScaleOf(state.settings), map, all);
}

ColorScale ScaleInFull(const AppState& state, const FullMap& full) {
  if (full.is_joined) {
    return ScaleOfMap(ScaleOf(state.settings), full.map, {{full.map.layer}});
  }
  return ScaleFor(state, state.selection.head);
}

ColorScale ScaleOfCount(const AppState& state, const MapView& map) {
  return ScaleOfMap(ScaleOf(state.settings), map, state.counts.result->Cuts());
}

const Token* TokenAt(const Encoding& encoding, std::int64_t index) {
  return index >= 0 && index < std::ssize(encoding.tokens)
             ? &encoding.tokens[static_cast<std::size_t>(index)]
             : nullptr;
}

std::string TokenWord(const Encoding& encoding, std::int64_t index) {
  return TokenAt(encoding, index) != nullptr ? TokenName(encoding, static_cast<std::size_t>(index))
                                             : std::string();
}

std::string TokenLabel(const Encoding& encoding, std::int64_t index) {
  std::string word = TokenWord(encoding, index);
  std::int64_t same = 0;
  for (std::int64_t i = 0; i < std::ssize(encoding.tokens) && same < 2; ++i) {
    same += TokenWord(encoding, i) == word ? 1 : 0;
  }
  return same > 1 ? IndexedName(word, index) : word;
}

std::vector<std::int64_t> CountsFor(const LayerAttention& layer) {
  const AttentionShape& shape = layer.shape();
  const std::int64_t width = shape.heads * shape.head_dim;
  // The comparison grows with the square of the count; never fewer heads than the trained ones.
  const std::int64_t cells = std::max<std::int64_t>(1, shape.queries * shape.keys);
  const std::int64_t most = std::clamp<std::int64_t>(
      (std::int64_t{32} << 20) / cells, shape.heads, std::max(shape.heads, width));
  return DefaultHeadCounts(shape.heads, width, std::min<std::int64_t>(most, 64));
}

SessionFile SessionOf(const AppState& state, const ModelWork& work) {
  SessionFile session = work.session.known;
  session.model_path = work.model->folder.string();
  session.model_name = work.model->name;
  session.model_fingerprint = work.model->fingerprint;
  if (const InputText* const input = InputFor(state, work.model)) {
    std::tie(session.text, session.pair, session.target) = TextsOfInput(*input);
  }
  if (ShownModel(state) == work.model.get()) {
    session.selected_part = state.selection.head.part;
    session.selected_layer = state.selection.head.layer;
    session.selected_head = state.selection.head.head;
    session.view_json = SessionViewText(SessionViewOf(state));
  }
  session.shared = work.flags.shared;
  session.flags = work.flags.flags;
  session.flags.insert(
      session.flags.end(), work.session.elsewhere.begin(), work.session.elsewhere.end());
  std::ranges::stable_sort(session.flags, {}, [](const HeadFlag& flag) {
    return std::tuple(flag.part, flag.layer, flag.head);
  });
  return session;
}

}  // namespace headscope
