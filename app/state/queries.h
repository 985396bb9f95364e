// Questions that the views and the reducer ask of the state.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/state/app_state.h"
#include "core/base/part_heads.h"

namespace headscope {

// A layer as it should be drawn now: the newest there is, and whether a newer one is on its way.
struct LayerView {
  std::shared_ptr<const LayerAttention> layer;  // null: nothing yet
  std::shared_ptr<const Encoding> source;       // the text's tokens
  std::shared_ptr<const Encoding> target;       // the decoder's; null where there are none
  std::shared_ptr<const Encoding> keys;         // of columns that are another text's; or null
  bool stale = false;
  bool outdated = false;             // as IsOutdated
  const Attendance* from = nullptr;  // in the state: the picture that the layer is of
};

// The tokens along the layer's rows and columns; null before there is a layer.
[[nodiscard]] std::shared_ptr<const Encoding> QueryTokens(const LayerView& view);
[[nodiscard]] std::shared_ptr<const Encoding> KeyTokens(const LayerView& view);

// The picture on screen: layers of the newest come one by one over those of the one before.
[[nodiscard]] const Attendance* PictureInView(const AppState& state);  // null before the first
// Whether the picture is of another model or text than those that are open, and nothing is on its
// way to replace it: a text that the model refused, work that was cancelled.
[[nodiscard]] bool IsOutdated(const AppState& state);
// Whose picture it then is, in a sentence; also while another model's first layer is awaited.
// Empty: there is nothing to say.
[[nodiscard]] std::string OutdatedNote(const AppState& state);

// The flags and the session of a model that is open or on screen; null: of none such.
[[nodiscard]] const ModelWork* WorkOf(const AppState& state, const ModelInfo* model);
// The flags and the session of the picture's model.
[[nodiscard]] const FlagSheet& FlagsInView(const AppState& state);
[[nodiscard]] const SessionPlace& SessionInView(const AppState& state);

// The model whose picture is on screen (or, before the first picture, the one that is open).
[[nodiscard]] const ModelInfo* ShownModel(const AppState& state);
// The parts that it has maps of, in order.
[[nodiscard]] std::vector<PartHeads> PartsOf(const ModelInfo& model);
[[nodiscard]] std::int64_t TotalHeads(const ModelInfo& model);  // of every part
[[nodiscard]] bool HasHead(const ModelInfo& model, HeadIndex head);
[[nodiscard]] bool HasParts(const AppState& state);  // whether the picture is of an encoder-decoder
// "layers 0 to 11, heads 0 to 11", for each part.
[[nodiscard]] std::string HeadsWords(const ModelInfo& model);
// The selected part, or the first one of a model that does not have it.
[[nodiscard]] ModelPart PartInView(const AppState& state);
[[nodiscard]] bool HasTarget(const AppState& state);  // whether an encoder-decoder is open
// Where an Attendance keeps a layer of that model; none: the model has no such layer.
[[nodiscard]] std::optional<std::size_t> SlotOf(const ModelInfo& model, LayerId layer);
// The numbers of the layers of the part in view, ascending; a file may hold some only. Every layer
// asked for by its number is of that part, too.
[[nodiscard]] std::vector<std::int64_t> LayersInView(const AppState& state);
// One past the last of them; 0: there are none.
[[nodiscard]] std::int64_t ShownLayers(const AppState& state);
[[nodiscard]] std::int64_t ShownHeads(const AppState& state);
[[nodiscard]] LayerView LayerAt(const AppState& state, std::int64_t layer);
[[nodiscard]] LayerView SelectedLayer(const AppState& state);
// Whether maps are to be shown with tokens merged or hidden, and the picture so; null: not yet.
[[nodiscard]] bool LooksAtTokens(const AppState& state);
[[nodiscard]] const SeenPicture* SeenInView(const AppState& state);
[[nodiscard]] SeenQuestion SeenAskedNow(const AppState& state);
// "Pieces merged to words, special tokens hidden"; empty: all tokens are shown.
[[nodiscard]] std::string TokenLookWords(const AppState& state);

// The map of a cut that stands in full: the chosen one, or the selected head of the trained count.
struct ChosenCount {
  std::size_t count = 0;  // index among the counts
  std::int64_t head = 0;
};
[[nodiscard]] std::optional<ChosenCount> ChosenOf(const AppState& state);

// The map in full at the right: the selected head's, in Counts that of the cut.
struct FullMap {
  MapView map;  // no layer: nothing yet
  std::shared_ptr<const Encoding> query_tokens;
  std::shared_ptr<const Encoding> key_tokens;
  bool stale = false;      // a newer one is on its way, or there is none
  bool outdated = false;   // as IsOutdated
  bool is_joined = false;  // of several heads, in Inspect
};
[[nodiscard]] FullMap MapInFull(const AppState& state);
// The colours of that map.
[[nodiscard]] ColorScale ScaleInFull(const AppState& state, const FullMap& full);

// The cell in full that a click holds, if it has a score: weights from a file and masked cells have
// none. Head counts are not taken apart.
[[nodiscard]] std::optional<WhyCell> HeldCell(const AppState& state);

// The row that a click holds, with or without a cell, if the model may say a word there: tokens as the
// model reads them, in a decoder where there is one.
[[nodiscard]] std::optional<WordPlace> HeldRow(const AppState& state);

// Made whole, if it is cached; null: not yet (see the thumbnail).
[[nodiscard]] std::shared_ptr<const HeadMap> MapAt(const AppState& state, const MapView& map);

[[nodiscard]] const Notice* NoticeAt(const AppState& state, ErrorPlace place);
// Whether nothing can be shown before a person chooses: a module's heads, or its embeddings, or ids
// for a model that reads no text.
[[nodiscard]] bool AwaitsChoice(const AppState& state);
// Whether the worker has the model that is open, and its last text.
[[nodiscard]] bool IsSettled(const AppState& state);

// Whether scores stand without a picture: a scan needs no text of a person's.
[[nodiscard]] bool ShowsScoresAlone(const AppState& state);
// Why a model reads ids alone, and how ids are typed, in a sentence or two.
[[nodiscard]] std::string ReadsNoTextWords(const ModelInfo& model);

// What measures of weights read beside the probes: word to plural, country to capital and others.
[[nodiscard]] std::filesystem::path TokenMapsOf(const AppState& state);

// The scale of a head's map under the settings.
[[nodiscard]] ColorScale ScaleFor(const AppState& state, HeadIndex head);
// The scale of a map of a cut: a global range is measured over all counts.
[[nodiscard]] ColorScale ScaleOfCount(const AppState& state, const MapView& map);

// Null where the text has no such token.
[[nodiscard]] const Token* TokenAt(const Encoding& encoding, std::int64_t index);
// As labels show it (core/text/words.h): "the", "·il"; empty where there is none.
[[nodiscard]] std::string TokenWord(const Encoding& encoding, std::int64_t index);
// The same, with its index where another label reads alike: "the (4)".
[[nodiscard]] std::string TokenLabel(const Encoding& encoding, std::int64_t index);

// Head counts worth computing for a layer: 1, 2, 4, ... and the trained one, as far as comparing
// their heads takes no longer than a person waits.
[[nodiscard]] std::vector<std::int64_t> CountsFor(const LayerAttention& layer);

[[nodiscard]] SessionFile SessionOf(const AppState& state, const ModelWork& work);

}  // namespace headscope
