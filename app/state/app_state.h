// Everything the window shows, as one plain value: the views read it, the reducer alone writes it.
//
// Threads  UI thread. Payloads from the worker are shared and immutable.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/state/asked.h"
#include "app/state/compare/state.h"
#include "app/state/counts/state.h"
#include "app/state/dialogs.h"
#include "app/state/figures/state.h"
#include "app/state/flags/files_state.h"
#include "app/state/flags/session_view.h"
#include "app/state/flags/sessions.h"
#include "app/state/heads/state.h"
#include "app/state/inspect/grid_look.h"
#include "app/state/inspect/head_look.h"
#include "app/state/inspect/heads_off_state.h"
#include "app/state/inspect/map_tiles.h"
#include "app/state/inspect/selection.h"
#include "app/state/map_settings.h"
#include "app/state/screen.h"
#include "app/state/train/state.h"
#include "app/state/view_history.h"
#include "app/state/walk/state.h"
#include "core/figure/color_scale.h"
#include "core/model/block_description.h"
#include "core/worker/events.h"

namespace headscope {

// What the window says about a model, without holding its weights.
struct ModelInfo {
  std::filesystem::path folder;
  std::string name;
  std::string fingerprint;
  ModelDescription description;  // of attention made elsewhere: family, layers and heads alone
  bool takes_text = true;
  std::string tokenizer_fault = {};  // why it does not, in a sentence; empty: it has no tokenizer
  // Attention made elsewhere, in place of a model; null: there is a model.
  std::shared_ptr<const AttentionFile> file = {};
  Opening opening = {};                  // what the worker computes with
  std::filesystem::path step_zero = {};  // of its training, beside it; empty: none

  [[nodiscard]] bool has_decoder() const { return description.decoder.has_value(); }
  [[nodiscard]] bool generates_target() const {
    return description.generation && description.generation->choice.unsupported.empty();
  }
  // An attention module.
  [[nodiscard]] bool reads_embeddings() const {
    return file == nullptr && description.reads_embeddings();
  }
  // A model, of tokens: neither attention made elsewhere nor an attention module.
  [[nodiscard]] bool reads_tokens() const {
    return file == nullptr && !description.reads_embeddings();
  }
  // A model without a tokenizer, or with one that cannot be read.
  [[nodiscard]] bool reads_ids_alone() const { return reads_tokens() && !takes_text; }
};

struct ModelChoice {
  std::string name;
  std::filesystem::path folder;                     // or a file
  std::string about = {};                           // beside the name; empty: the path says enough
  std::vector<std::int64_t> checkpoint_steps = {};  // of its training, each in folder/step-<N>
  friend bool operator==(const ModelChoice&, const ModelChoice&) = default;
};

struct Sample {
  std::string title;
  std::string text;
  std::string about;                  // what to look for, in any model
  std::string model;                  // that it was chosen for
  std::optional<HeadIndex> head;      // where it shows, in that model
  std::optional<std::int64_t> query;  // the row that shows it
  bool only_model = false;            // no other model knows its words: choosing it opens that one
  std::optional<std::string> pair = std::nullopt;
  std::string of_model = {};  // heads and numbers of `model`, said where that is open
};

// What a picture is of. Whoever names, labels, flags or exports what is drawn asks this, not what
// is open or typed by now.
struct PictureSubject {
  std::shared_ptr<const ModelInfo> model;
  InputText input;
  std::shared_ptr<const Encoding> encoding;
  std::shared_ptr<const Encoding> target;  // what the decoder reads; null: nothing, or not yet
  std::string generated;                   // the target as a text, where nobody typed one
  std::shared_ptr<const Encoding> keys;    // of columns that are another text's; or null
  Precision precision = Precision::kF32;
};

// What one AttendRequest gave so far.
struct Attendance : PictureSubject, Asking {
  // [L] of every part, one part after another; null until it arrives.
  std::vector<std::shared_ptr<const LayerAttention>> layers;
  std::int64_t could_read = 0;  // of a text that is too long
  double started_s = 0.0;       // on the window's clock
  double milliseconds = 0.0;
  std::string backend;
};

// Where an error is shown: in the place of its result. Four places are of no errors: kFile, what a
// file of attention holds that it should not; kModelNote, what to know of a model; kShared, what
// another window changed in the session; kOffer, what else a dropped file is good for.
enum class ErrorPlace {
  kModel,
  kText,
  kCounts,
  kSession,
  kExport,
  kMap,
  kFile,
  kModelNote,
  kFlags,
  kShared,
  kPreferences,
  kProbe,
  kFigures,
  kOffer,
};
struct Notice {
  ErrorPlace place = ErrorPlace::kModel;
  std::string sentence;
  std::int64_t first_tokens = 0;     // of a text that is too long: so many could be used
  std::filesystem::path probe = {};  // offered: heads can be scored on it
};

struct MapsInFull : Asking {
  std::vector<std::shared_ptr<const HeadMap>> cache;   // least recently used first
  TileCache tiles;                                     // of maps too large for one copy
  std::int64_t byte_budget = std::int64_t{512} << 20;  // of both
  MapView wanted;                                      // asked for; no layer: nothing
  std::vector<TileIndex> wanted_tiles;
  MapSize size;
};

struct Counts : Asking {
  std::shared_ptr<const LayerAttention> wanted;  // the layer asked for; null: nothing under way
  PictureSubject wanted_of;
  std::shared_ptr<const LayerAttention> source;  // the layer `result` was made from
  PictureSubject source_of;
  std::shared_ptr<const SplitResult> result;
  std::optional<CountHead> chosen;  // the map in full; none: the selected head of the trained count
};

// A cell of a map, whose score can be taken apart.
struct WhyCell {
  MapView map;
  CellIndex cell;
  friend bool operator==(const WhyCell&, const WhyCell&) = default;
};

// Who wrote what a held cell's score is made of.
using Why = Asked<WhyCell, std::shared_ptr<const CellSources>>;

// A row whose next word can be said: of the text, or of the target.
struct WordPlace {
  std::shared_ptr<const Encoding> text;
  std::int64_t row = 0;
  HeadsOff off = {};  // taken away
  friend bool operator==(const WordPlace&, const WordPlace&) = default;
};

// What the model says there, a logit split for these tokens, and a head's share over the keys.
struct RowQuestion {
  WordPlace place;
  SplitTokens tokens;
  std::optional<HeadIndex> by_key;
  friend bool operator==(const RowQuestion&, const RowQuestion&) = default;
};
using SaidWord = Asked<RowQuestion, std::shared_ptr<const NextWord>>;

// A head of a picture, and a row of it that says a word.
struct CostPlace {
  RequestId picture = 0;
  HeadIndex head;
  std::int64_t row = 0;
  friend bool operator==(const CostPlace&, const CostPlace&) = default;
};

// What losing the head costs, and what it writes there.
using CostOfHead = Asked<CostPlace, std::shared_ptr<const HeadCost>>;

// What is off on a picture, or would be: what a control is of.
struct ControlPlace {
  RequestId picture = 0;
  HeadsOff off;
  friend bool operator==(const ControlPlace&, const ControlPlace&) = default;
};
using ControlOfHeads = Asked<ControlPlace, std::shared_ptr<const HeadControl>>;

// Evidence for roles of all heads of a model.
struct EvidenceAsk {
  std::shared_ptr<const ModelInfo> model;
  friend bool operator==(const EvidenceAsk&, const EvidenceAsk&) = default;
};
using EvidenceState = Asked<EvidenceAsk, std::shared_ptr<const FoundEvidence>>;

// A model with the flags on its heads and the file that they are kept in.
struct ModelWork {
  std::shared_ptr<const ModelInfo> model;
  OpenModelRequest opened_with;
  FlagSheet flags;
  SessionPlace session;
};

// The text goes on with what the model says after its end.
struct Writing {
  std::int64_t tokens = 0;   // the likeliest, so many times more
  bool follows_end = false;  // the next picture's last row is held
};

struct AppState {
  Theme theme = Theme::kDark;
  bool follows_desktop = true;         // in light or dark, where the desktop says which
  std::optional<Theme> desktop_theme;  // none: it does not say
  std::optional<Theme> presenting;     // to others: the theme from before; none: not now
  ViewHistory view_history;
  const ScreenKind* screen = &kNoScreen;  // never null
  FindScreen find_screen = nullptr;       // by its id; null: no other is known
  float detail_width = 560.0F;            // of the right part, in unscaled pixels
  double zoom = 1.0;                      // of all text and controls
  bool sheet_open = false;                // narrow windows: the right part lies over the middle
  std::optional<std::size_t> tour;  // the stop of the tour that is shown; none: there is no tour
  bool shows_doors = false;         // of a first start: where one may begin

  std::vector<ModelChoice> bundled_models;
  std::vector<ModelChoice> cached_models;
  std::vector<ModelChoice> recent_models;
  std::vector<Sample> samples;
  std::filesystem::path sessions_folder;
  std::filesystem::path exports_folder;
  std::filesystem::path files_folder;   // that the list of files shows first
  std::filesystem::path probes_folder;  // what scans run over
  std::filesystem::path scans_folder;   // where their results are kept; empty: nowhere

  std::shared_ptr<const ModelInfo> model;  // what the worker has open
  RequestId last_request = 0;              // numbers are given out in order
  Asking opening;
  std::filesystem::path opening_folder;
  OpenModelRequest opening_with;  // as asked for
  bool restoring_model = false;   // going back to the picture's model, quietly
  bool closing = false;           // once every session is stored
  std::optional<DeferredStart> deferred_start;
  std::filesystem::path loading_session;  // named by a person, being read
  std::optional<ArrivingSession> arriving_session;
  // The work on the open model, on the picture's where that is another, and on that of a flag that
  // is being edited.
  std::vector<ModelWork> works;

  InputText input;  // as typed last
  // Ids as they stand in their box, be they right or not; empty: the box holds `input`'s text.
  std::string typed_ids;
  std::string typed_target_ids;
  // The model that the text was chosen for, by the program or as a sample; none: a person gave it.
  std::optional<std::string> text_made_for;
  Attendance pending;  // being computed, layer by layer
  Attendance shown;    // the last complete picture
  MapsInFull maps;
  Kept kept;
  Counts counts;
  HeadTreeState tree;
  WalkState walk;
  Why why;
  SaidWord next_word;
  SplitTokens split_tokens;  // as a person chose them; they stay from row to row
  SaidWord last_said;        // the last one, which Help tells where no row is held
  Writing writing;
  HeadsOffState heads_off;
  WholeText whole_text;
  CostOfHead head_cost;
  ControlOfHeads head_control;
  std::optional<ControlPlace> control_asked;  // by a person
  HeadScanState scan;
  ProbeScanState probe_scan;
  MeasuresState measures;
  TextScoresState text_scores;
  ExamplesState examples;
  AlikeState alike;
  HeadPlacesState head_places;
  PartnersState partners;
  AblationState ablation;
  EvidenceState evidence;
  std::shared_ptr<const ModelInfo> evidence_asked;  // by a person; null: of none
  SeriesState series;
  CompareState compare;
  TrainScreenState train;
  HeadsLook heads_look;
  GridLook grid_look;
  TokenLook token_look;  // as chosen; it holds where the screen looks so
  Seen seen;
  Joined joined;
  Weighed weighed;
  std::shared_ptr<const Treebank> treebank;  // opened by a person; null: none
  TreeOfText text_tree;
  AnswersOfTree tree_answers;
  FilmState film;
  HeadLook head_look;
  FiguresState figures;
  FlagFilesState flag_files;
  std::vector<Notice> notices;

  Precision precision = Precision::kF32;  // of what is computed next
  MapSettings settings;
  Selection selection;
  // The session's, or named with the model: selected when its picture begins.
  std::optional<HeadIndex> arriving_head;
  std::optional<SessionView> arriving_view;  // of a session: taken when its picture is there
  std::optional<Sample> arriving_sample;  // its head and row are selected when its picture is there
  Dialogs dialogs;
};

}  // namespace headscope
