// The window's requests to the worker: plain immutable values. What comes back: core/worker/events.h.
//
// A kind of request is a struct here with a rule (core/worker/request_rule.h), its place in
// Request, its events in Event, and its Run in core/worker/jobs/<name>.cpp. If one of these is
// missing, the program does not compile or link; nothing else lists the kinds one by one.
//
// Threads  payloads are shared_ptr<const ...>, immutable once published, so drawing needs no lock.
//          Only the worker calls Run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "core/attention/attention_file.h"
#include "core/attention/joined_heads.h"
#include "core/attention/kept_weights.h"
#include "core/attention/layer_attention.h"
#include "core/attention/map_tile.h"
#include "core/attention/map_view.h"
#include "core/attention/token_look.h"
#include "core/base/error.h"
#include "core/compare/head_places.h"
#include "core/compare/most_alike.h"
#include "core/compare/pair_maps.h"
#include "core/compare/parent_divergence.h"
#include "core/compute/precision.h"
#include "core/figure/figure_kind.h"
#include "core/headcount/lineage.h"
#include "core/headcount/split.h"
#include "core/heads/effect/cell_sources.h"
#include "core/heads/effect/key_composition.h"
#include "core/heads/effect/weighed_head.h"
#include "core/heads/probe/chosen_probe.h"
#include "core/heads/scan/head_examples.h"
#include "core/heads/scan/head_scan_settings.h"
#include "core/model/model.h"
#include "core/model/model_series.h"
#include "core/text/tokenizer.h"
#include "core/worker/compared_side.h"
#include "core/worker/film_request.h"
#include "core/worker/found_evidence.h"
#include "core/worker/head_control.h"
#include "core/worker/head_cost.h"
#include "core/worker/model_input.h"
#include "core/worker/next_word_request.h"
#include "core/worker/opening.h"
#include "core/worker/patch_request.h"
#include "core/worker/preview_request.h"
#include "core/worker/request_rule.h"
#include "core/worker/text_said.h"
#include "core/worker/tree_request.h"

namespace headscope {

using RequestId = std::uint64_t;

struct HeadScanReport;  // core/heads/scan/head_scan.h
struct ScoreReport;     // core/heads/scan/score_report.h
struct AblationReport;  // core/heads/scan/ablated_heads.h
struct LayerWalk;       // core/headcount/walk.h
struct ComparedPair;    // core/compare/compared_pair.h
struct WeightChanges;   // core/compare/weight_changes.h

// Opens a model, or attention from a file if the path is one.
struct OpenModelRequest {
  std::filesystem::path folder;  // or a file
  OpenOptions options = {};
  bool is_attention = false;  // open as attention whatever the file may be
  std::string tensor = {};    // for attention: which array (core/attention/attention_file.h)

  static constexpr RequestRule kRule{.turn = 0, .begins = Topic::kModel};
  [[nodiscard]] Status Run(Job* job) const;
};

// Tokenizes, runs and publishes layer by layer: for an encoder-decoder the encoder's layers, then
// (once there is a target) each decoder layer's own and cross-attention. Without a target, and
// without an output layer to generate one, only the encoder runs.
struct AttendRequest {
  InputText input;
  Precision precision = Precision::kF32;  // of this text, and of later splits of it
  Opening opening = {};                   // what it is about; kGone if something else is open

  static constexpr RequestRule kRule{.turn = 1, .begins = Topic::kText, .is_about = Topic::kModel};
  [[nodiscard]] Status Run(Job* job) const;
};

// Makes the whole map of one head, or tiles of it, for the detail view.
struct MapRequest {
  MapView map;
  std::vector<TileIndex> tiles = {};  // made in this order; empty: the whole map

  static constexpr RequestRule kRule{
      .turn = 2, .is_about = Topic::kText, .goes_between_layers = true};
  [[nodiscard]] Status Run(Job* job) const;
};

// Finds the largest weights of some heads of a layer, for lines between tokens.
struct KeepJob {
  std::vector<MapView> maps;
  KeepRule rule;

  static constexpr RequestRule kRule{
      .turn = 2, .is_about = Topic::kText, .goes_between_layers = true};
  [[nodiscard]] Status Run(Job* job) const;
};

// Merges and hides tokens of a picture's maps.
struct LookJob {
  SeenSubject subject;
  TokenLook look;

  static constexpr RequestRule kRule{.turn = 2, .is_about = Topic::kText};
  [[nodiscard]] Status Run(Job* job) const;
};

// Joins the heads of the last of a part's first layers into one map.
struct JoinJob {
  std::vector<std::shared_ptr<const LayerAttention>> layers;
  HeadsJoin join = HeadsJoin::kMean;

  static constexpr RequestRule kRule{.turn = 2, .is_about = Topic::kText};
  [[nodiscard]] Status Run(Job* job) const;
};

// Weighs one head's map by what its keys bring, for the input of the last AttendRequest.
struct WeighJob {
  HeadIndex head;
  WeighedBy by = WeighedBy::kValues;
  Opening opening = {};  // as in AttendRequest

  static constexpr RequestRule kRule{.turn = 2, .is_about = Topic::kText};
  [[nodiscard]] Status Run(Job* job) const;
};

// Cuts the chosen layer into other head counts, for the input of the last AttendRequest.
struct SplitJob {
  std::int64_t layer = 0;
  SplitRequest split;
  std::optional<ModelPart> part = {};  // none: the encoder, or the whole model if it has no parts
  Opening opening = {};                // as in AttendRequest
  // The layer, if it is already there: its maps are cut first, without running the model again.
  std::shared_ptr<const LayerAttention> known = {};
  std::filesystem::path step_zero = {};  // the model of SplitWeights::kStepZero

  static constexpr RequestRule kRule{.turn = 3, .is_about = Topic::kText};
  [[nodiscard]] Status Run(Job* job) const;
};

// Compares the heads of one count with those of another, their parents or any others.
struct LineageJob {
  std::shared_ptr<const LayerAttention> parents;
  std::shared_ptr<const LayerAttention> children;
  std::vector<std::int64_t> parent_of;  // [heads of children]; kNoParent: not requested
  bool adds_up = false;  // children together have their parent's columns: check the sums

  static constexpr RequestRule kRule{
      .turn = 3, .is_about = Topic::kText, .goes_between_layers = true};
  [[nodiscard]] Status Run(Job* job) const;
};

// Follows one head of a layer from what its attention reads to what it adds, next to the other
// heads, for the input of the last AttendRequest.
struct WalkJob {
  LayerId layer;
  std::int64_t head = 0;
  std::int64_t first_row = 0;  // of the kept rows, if not all are kept
  Opening opening = {};        // as in AttendRequest

  static constexpr RequestRule kRule{.turn = 3, .is_about = Topic::kText};
  [[nodiscard]] Status Run(Job* job) const;
};

// Splits the score of one cell by what wrote it, for the input of the last AttendRequest.
struct SourcesJob {
  Cell cell;
  Opening opening = {};  // as in AttendRequest

  static constexpr RequestRule kRule{.turn = 3, .is_about = Topic::kText};
  [[nodiscard]] Status Run(Job* job) const;
};

// A figure, and the file that it goes to.
struct FigureFile {
  const FigureKind* kind = nullptr;
  FigureSubject subject;
  std::filesystem::path path;  // the extension is the format (core/figure/figure_format.h)
};

// Makes, draws and writes figures, one after another. Never dropped: they show what was on screen when
// they were requested.
struct FigureJob {
  std::vector<FigureFile> files;

  static constexpr RequestRule kRule{.turn = 4, .only_newest = false, .is_done_at_the_end = true};
  [[nodiscard]] Status Run(Job* job) const;
};

// Computes scores of all heads on the text of the last AttendRequest alone.
struct TextScoresJob {
  std::shared_ptr<const Encoding> text;
  std::shared_ptr<const Encoding> target = {};  // what the decoder reads; null: none
  Opening opening = {};                         // as in AttendRequest

  static constexpr RequestRule kRule{.turn = 3, .is_about = Topic::kText};
  [[nodiscard]] Status Run(Job* job) const;
};

// Finds the heads whose maps are most like a given head's, on the text of these layers.
struct AlikeJob {
  std::vector<std::shared_ptr<const LayerAttention>> layers;
  HeadIndex head;

  static constexpr RequestRule kRule{.turn = 3, .is_about = Topic::kText};
  [[nodiscard]] Status Run(Job* job) const;
};

// Places all heads of one part by how alike their maps are, on the text of these layers. kInput: fewer
// than three heads, or more than are placed.
struct PlaceHeadsJob {
  std::vector<std::shared_ptr<const LayerAttention>> layers;
  ModelPart part = ModelPart::kWhole;

  static constexpr RequestRule kRule{.turn = 3, .is_about = Topic::kText};
  [[nodiscard]] Status Run(Job* job) const;
};

// Runs side B in its own memory (what is open stays open), aligns it with the picture, and compares
// all heads. kInput: its layers would take more than 2 GB, or nothing is shared. With no layers:
// releases the model that was opened for side B.
struct CompareJob {
  std::vector<std::shared_ptr<const LayerAttention>> layers;  // of side A, of one part
  std::shared_ptr<const Encoding> queries;                    // of side A
  std::shared_ptr<const Encoding> keys;
  InputText input;  // what side A read
  std::string name;
  ComparedSide other;
  Precision precision = Precision::kF32;
  Opening opening = {};  // as in AttendRequest
  TokenLook look = {};   // of both sides; what is hidden by hand, where B has the same tokens

  static constexpr RequestRule kRule{.turn = 3, .is_about = Topic::kText};
  [[nodiscard]] Status Run(Job* job) const;
};

// Compares the open model's weights with those of the model in `folder`, which CompareJob runs as side B.
// kInput: their shapes differ.
struct WeightsJob {
  std::filesystem::path folder;
  Opening opening = {};  // as in AttendRequest

  static constexpr RequestRule kRule{.turn = 4, .is_about = Topic::kModel, .gives_way = true};
  [[nodiscard]] Status Run(Job* job) const;
};

// Makes the maps of two heads of a comparison on the same rows and columns, or a part of them.
struct PairMapsJob {
  std::shared_ptr<const ComparedPair> pair;
  std::int64_t layer = 0;
  std::int64_t a = 0;  // heads
  std::int64_t b = 0;
  std::optional<PairPart> part = {};  // none: the whole

  static constexpr RequestRule kRule{.turn = 2, .goes_between_layers = true};
  [[nodiscard]] Status Run(Job* job) const;
};

// Finds texts of a scan on which a head has the most, a typical amount and the least of a metric.
// Runs after the scan.
struct ExamplesJob {
  HeadIndex head;
  std::string metric;
  bool on_repeats = false;  // otherwise on sentences
  bool on_chosen = false;   // on the texts of ProbeScanJob instead
  Opening opening = {};     // as in AttendRequest

  static constexpr RequestRule kRule{.turn = 4, .is_about = Topic::kModel, .gives_way = true};
  [[nodiscard]] Status Run(Job* job) const;
};

// Finds the heads whose output a given head reads, by its weights, and those that read its output.
struct PartnersJob {
  HeadIndex head;
  Opening opening = {};  // as in AttendRequest

  static constexpr RequestRule kRule{.turn = 4, .is_about = Topic::kModel};
  [[nodiscard]] Status Run(Job* job) const;
};

// Measures what the open model loses without one head, and without others of its layer, on texts of
// a scan with these settings; published as it progresses. Runs after the scan.
struct AblationJob {
  HeadIndex head;
  bool on_repeats = false;  // otherwise on sentences
  HeadScanSettings settings;
  std::filesystem::path probes;  // as in HeadScan::Make
  std::filesystem::path kept;
  Opening opening = {};  // as in AttendRequest

  static constexpr RequestRule kRule{.turn = 5, .is_about = Topic::kModel, .gives_way = true};
  [[nodiscard]] Status Run(Job* job) const;
};

// Scores all heads of the open model on repeats and probe sentences; published as it progresses.
struct HeadScanJob {
  HeadScanSettings settings;
  std::filesystem::path probes;  // as in HeadScan::Make
  std::filesystem::path kept;
  bool only_kept = false;  // runs nothing: a complete earlier scan, or nothing
  Opening opening = {};    // as in AttendRequest

  static constexpr RequestRule kRule{.turn = 5, .is_about = Topic::kModel, .gives_way = true};
  [[nodiscard]] Status Run(Job* job) const;
};

// Scores all heads of the open model on texts that the user chose instead of the bundled ones;
// published as it progresses.
struct ProbeScanJob {
  ChosenProbe probe;
  std::uint64_t asked = 0;       // a new number: requested again, so read again
  std::filesystem::path probes;  // as in MeasureSources
  std::filesystem::path token_maps;
  std::filesystem::path kept;  // as in HeadScan::Make
  Opening opening = {};        // as in AttendRequest

  static constexpr RequestRule kRule{.turn = 5, .is_about = Topic::kModel, .gives_way = true};
  [[nodiscard]] Status Run(Job* job) const;
};

// Measures what decides no role (core/heads/measure/measure.h), after a scan.
struct MeasuresJob {
  HeadScanSettings settings;     // of the scan
  std::filesystem::path probes;  // as in HeadScan::Make
  std::filesystem::path kept;
  std::filesystem::path token_maps;  // as in MeasureSources
  Opening opening = {};              // as in AttendRequest

  static constexpr RequestRule kRule{.turn = 7, .is_about = Topic::kModel, .gives_way = true};
  [[nodiscard]] Status Run(Job* job) const;
};

// Finds the other models of the same series.
struct FindSeriesJob {
  std::filesystem::path model;

  static constexpr RequestRule kRule{.turn = 2};
  [[nodiscard]] Status Run(Job* job) const;
};

// Reads the training runs of a folder.
struct ReadRunsJob {
  std::filesystem::path folder;

  static constexpr RequestRule kRule{.turn = 2};
  [[nodiscard]] Status Run(Job* job) const;
};

// Scores all heads of several models one after another, in addition to the open model and after its
// scan; each is published when it is complete. Opening another model does not end it. With no
// models: releases the current one.
struct SeriesJob {
  std::vector<std::filesystem::path> models;
  HeadScanSettings settings;
  bool with_measures = false;    // as in MeasuresJob
  std::filesystem::path probes;  // as in HeadScan::Make
  std::filesystem::path kept;
  std::filesystem::path token_maps;  // as in MeasureSources

  static constexpr RequestRule kRule{.turn = 6, .gives_way = true};
  [[nodiscard]] Status Run(Job* job) const;
};

// In the order in which the window asks for what is wanted and not there.
using Request = std::variant<OpenModelRequest,
                             AttendRequest,
                             MapRequest,
                             KeepJob,
                             FindTreeJob,
                             AnswerTreeJob,
                             LookJob,
                             JoinJob,
                             WeighJob,
                             SplitJob,
                             LineageJob,
                             WalkJob,
                             SourcesJob,
                             HeadsOffJob,
                             LossesJob,
                             NextWordJob,
                             HeadCostJob,
                             HeadControlJob,
                             AlikeJob,
                             PlaceHeadsJob,
                             HeadScanJob,
                             ProbeScanJob,
                             MeasuresJob,
                             TextScoresJob,
                             ExamplesJob,
                             PartnersJob,
                             FindSeriesJob,
                             ReadRunsJob,
                             SeriesJob,
                             CompareJob,
                             WeightsJob,
                             PairMapsJob,
                             PatchJob,
                             AblationJob,
                             EvidenceJob,
                             FilmJob,
                             PreviewJob,
                             FigureJob>;

template <typename... Kinds>
constexpr bool AllAreWorkerRequests(const std::variant<Kinds...>* /*request*/) {
  return (WorkerRequest<Kinds> && ...);
}
static_assert(AllAreWorkerRequests(static_cast<const Request*>(nullptr)),
              "each kind of request has a kRule and a Run");

}  // namespace headscope
