// What the window asks of the worker, and what comes back: plain immutable values.
//
// A kind of request is a struct here with a rule (core/worker/request_rule.h), its place in
// Request, what it says in Event, and its Run in core/worker/jobs/<name>.cpp. One that lacks a
// part of this does not compile or link; nothing else names the kinds one by one.
//
// Threads  payloads are shared_ptr<const ...>, immutable once published, so drawing needs no lock.
//          Run is the worker's alone.
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
#include "core/attention/layer_attention.h"
#include "core/attention/map_tile.h"
#include "core/attention/map_view.h"
#include "core/base/error.h"
#include "core/compare/most_alike.h"
#include "core/compare/pair_maps.h"
#include "core/compare/parent_divergence.h"
#include "core/compute/precision.h"
#include "core/figure/figure_kind.h"
#include "core/headcount/lineage.h"
#include "core/headcount/split.h"
#include "core/heads/effect/cell_sources.h"
#include "core/heads/effect/key_composition.h"
#include "core/heads/probe/chosen_probe.h"
#include "core/heads/scan/head_examples.h"
#include "core/heads/scan/head_scan_settings.h"
#include "core/model/model.h"
#include "core/model/model_series.h"
#include "core/text/tokenizer.h"
#include "core/worker/model_input.h"
#include "core/worker/request_rule.h"

namespace headscope {

using RequestId = std::uint64_t;

struct HeadScanReport;  // core/heads/scan/head_scan.h
struct ScoreReport;     // core/heads/scan/score_report.h
struct AblationReport;  // core/heads/scan/ablated_heads.h
struct LayerWalk;       // core/headcount/walk.h
struct ComparedPair;    // core/compare/compared_pair.h

// A model, or attention made elsewhere where a file is that.
struct OpenModelRequest {
  std::filesystem::path folder;  // or a file
  OpenOptions options = {};
  bool is_attention = false;  // asked for as that, whatever it may be
  std::string tensor = {};    // of attention: which array (core/attention/attention_file.h)

  static constexpr RequestRule kRule{.turn = 0, .begins = Topic::kModel};
  [[nodiscard]] Status Run(Job* job) const;
};

// One opening of a model, or of attention made elsewhere, told from every other, of the same folder
// too. Keeps neither in memory. One that was made of nothing stands for whatever is open.
class Opening {
 public:
  Opening() = default;
  explicit Opening(const std::shared_ptr<const void>& opened) : opened_(opened) {}

  [[nodiscard]] bool IsOf(const std::shared_ptr<const void>& opened) const {
    const auto is_owned_by = [this](const auto& other) {
      return !opened_.owner_before(other) && !other.owner_before(opened_);
    };
    return is_owned_by(opened) || is_owned_by(std::weak_ptr<const void>{});
  }

 private:
  std::weak_ptr<const void> opened_;
};

// Tokenize, run, publish layer by layer: of an encoder-decoder the encoder's, then (once a target
// is there) each decoder layer's own and cross. Without a target, and with no output layer to
// generate one, the encoder is all.
struct AttendRequest {
  InputText input;
  Precision precision = Precision::kF32;  // of this text, and of what is split after it
  Opening opening = {};                   // what it asks about; kGone where another is open

  static constexpr RequestRule kRule{.turn = 1, .begins = Topic::kText, .is_about = Topic::kModel};
  [[nodiscard]] Status Run(Job* job) const;
};

// The whole map of one head, or pieces of it, for the detail view.
struct MapRequest {
  MapView map;
  std::vector<TileIndex> tiles = {};  // made in this order; none: the whole map

  static constexpr RequestRule kRule{
      .turn = 2, .is_about = Topic::kText, .goes_between_layers = true};
  [[nodiscard]] Status Run(Job* job) const;
};

// The chosen layer under other head counts, of the input of the last AttendRequest.
struct SplitJob {
  std::int64_t layer = 0;
  SplitRequest split;
  std::optional<ModelPart> part = {};  // none: the encoder, or the whole of other models
  Opening opening = {};                // as in AttendRequest
  // The layer where it is there already: its maps are cut first, without running the model again.
  std::shared_ptr<const LayerAttention> known = {};
  std::filesystem::path step_zero = {};  // the model of SplitWeights::kStepZero

  static constexpr RequestRule kRule{.turn = 3, .is_about = Topic::kText};
  [[nodiscard]] Status Run(Job* job) const;
};

// How far heads of one count lie from those of another, their parents or any.
struct LineageJob {
  std::shared_ptr<const LayerAttention> parents;
  std::shared_ptr<const LayerAttention> children;
  std::vector<std::int64_t> parent_of;  // [heads of children]; kNoParent: not asked
  bool adds_up = false;  // the children of a parent have its columns: sums are checked

  static constexpr RequestRule kRule{
      .turn = 3, .is_about = Topic::kText, .goes_between_layers = true};
  [[nodiscard]] Status Run(Job* job) const;
};

// One head of a layer from what its attention reads to what it adds, beside the others, of the input
// of the last AttendRequest.
struct WalkJob {
  LayerId layer;
  std::int64_t head = 0;
  std::int64_t first_row = 0;  // of the rows that are kept, where not all of them are
  Opening opening = {};        // as in AttendRequest

  static constexpr RequestRule kRule{.turn = 3, .is_about = Topic::kText};
  [[nodiscard]] Status Run(Job* job) const;
};

// The score of one cell, taken apart by who wrote it, of the input of the last AttendRequest.
struct SourcesJob {
  Cell cell;
  Opening opening = {};  // as in AttendRequest

  static constexpr RequestRule kRule{.turn = 3, .is_about = Topic::kText};
  [[nodiscard]] Status Run(Job* job) const;
};

// A figure made, drawn and written. Never dropped: it is of what was on screen when it was asked
// for.
struct FigureJob {
  const FigureKind* kind = nullptr;
  FigureSubject subject;
  std::filesystem::path path;  // its ending says what file it is (core/figure/figure_format.h)

  static constexpr RequestRule kRule{.turn = 4, .only_newest = false, .is_done_at_the_end = true};
  [[nodiscard]] Status Run(Job* job) const;
};

// Scores of all heads on the text of the last AttendRequest alone.
struct TextScoresJob {
  std::shared_ptr<const Encoding> text;
  std::shared_ptr<const Encoding> target = {};  // what the decoder reads; null: nothing
  Opening opening = {};                         // as in AttendRequest

  static constexpr RequestRule kRule{.turn = 3, .is_about = Topic::kText};
  [[nodiscard]] Status Run(Job* job) const;
};

// The heads whose maps are most like that of one of them, on the text of these layers.
struct AlikeJob {
  std::vector<std::shared_ptr<const LayerAttention>> layers;
  HeadIndex head;

  static constexpr RequestRule kRule{.turn = 3, .is_about = Topic::kText};
  [[nodiscard]] Status Run(Job* job) const;
};

// What stands beside the picture: another model, another text, or both; or one of its own layers,
// cut into another number of heads.
struct ComparedSide {
  std::filesystem::path model;          // or a file of attention; empty: the one that is open
  std::optional<InputText> input = {};  // none: the picture's
  std::int64_t cut_heads = 0;           // 0: no cut; else neither model nor text is another
  std::int64_t cut_layer = 0;
  friend bool operator==(const ComparedSide&, const ComparedSide&) = default;
};

// Runs side B in memory of its own (what is open stays open), aligns it with the picture, and
// compares all heads. kInput: its layers would take more than 2 GB, or nothing is shared. With no
// layers: lets go of the model that was opened for side B.
struct CompareJob {
  std::vector<std::shared_ptr<const LayerAttention>> layers;  // of side A, of one part
  std::shared_ptr<const Encoding> queries;                    // of side A
  std::shared_ptr<const Encoding> keys;
  InputText input;  // that side A read
  std::string name;
  ComparedSide other;
  Precision precision = Precision::kF32;
  Opening opening = {};  // as in AttendRequest

  static constexpr RequestRule kRule{.turn = 3, .is_about = Topic::kText};
  [[nodiscard]] Status Run(Job* job) const;
};

// The maps of two heads of a comparison on the same rows and columns, or a part of them.
struct PairMapsJob {
  std::shared_ptr<const ComparedPair> pair;
  std::int64_t layer = 0;
  std::int64_t a = 0;  // heads
  std::int64_t b = 0;
  std::optional<PairPart> part = {};  // none: all

  static constexpr RequestRule kRule{.turn = 2, .goes_between_layers = true};
  [[nodiscard]] Status Run(Job* job) const;
};

// Texts of a scan on which a head does most, as much as usual, and least of a metric. After the scan.
struct ExamplesJob {
  HeadIndex head;
  std::string metric;
  bool on_repeats = false;  // else on sentences
  bool on_chosen = false;   // on the texts of ProbeScanJob, in place of either
  Opening opening = {};     // as in AttendRequest

  static constexpr RequestRule kRule{.turn = 4, .is_about = Topic::kModel, .gives_way = true};
  [[nodiscard]] Status Run(Job* job) const;
};

// The heads that one of the open model reads by its weights, and those that read it.
struct PartnersJob {
  HeadIndex head;
  Opening opening = {};  // as in AttendRequest

  static constexpr RequestRule kRule{.turn = 4, .is_about = Topic::kModel};
  [[nodiscard]] Status Run(Job* job) const;
};

// What the open model loses without one head, and without others of its layer, on texts of a scan
// with these settings, published as it comes. After the scan.
struct AblationJob {
  HeadIndex head;
  bool on_repeats = false;  // else on sentences
  HeadScanSettings settings;
  std::filesystem::path probes;  // as HeadScan::Make
  std::filesystem::path kept;
  Opening opening = {};  // as in AttendRequest

  static constexpr RequestRule kRule{.turn = 5, .is_about = Topic::kModel, .gives_way = true};
  [[nodiscard]] Status Run(Job* job) const;
};

// Scores of all heads of the open model over repeats and probe sentences, published as they come.
struct HeadScanJob {
  HeadScanSettings settings;
  std::filesystem::path probes;  // as HeadScan::Make
  std::filesystem::path kept;
  bool only_kept = false;  // nothing is run: what an earlier scan kept whole, or nothing
  Opening opening = {};    // as in AttendRequest

  static constexpr RequestRule kRule{.turn = 5, .is_about = Topic::kModel, .gives_way = true};
  [[nodiscard]] Status Run(Job* job) const;
};

// Scores of all heads of the open model over texts that a person chose, published as they come; not
// the bundled ones.
struct ProbeScanJob {
  ChosenProbe probe;
  std::uint64_t asked = 0;       // another number: asked for anew, and read anew
  std::filesystem::path probes;  // as MeasureSources
  std::filesystem::path token_maps;
  std::filesystem::path kept;  // as HeadScan::Make
  Opening opening = {};        // as in AttendRequest

  static constexpr RequestRule kRule{.turn = 5, .is_about = Topic::kModel, .gives_way = true};
  [[nodiscard]] Status Run(Job* job) const;
};

// What a scan measures that decides no role (core/heads/measure/measure.h), after it.
struct MeasuresJob {
  HeadScanSettings settings;     // of the scan
  std::filesystem::path probes;  // as HeadScan::Make
  std::filesystem::path kept;
  std::filesystem::path token_maps;  // as MeasureSources
  Opening opening = {};              // as in AttendRequest

  static constexpr RequestRule kRule{.turn = 7, .is_about = Topic::kModel, .gives_way = true};
  [[nodiscard]] Status Run(Job* job) const;
};

// The models that one belongs with.
struct FindSeriesJob {
  std::filesystem::path model;

  static constexpr RequestRule kRule{.turn = 2};
  [[nodiscard]] Status Run(Job* job) const;
};

// Scores of all heads of several models, one after another, beside what is open and after its scan;
// each is told when it is whole. Another model that is opened does not end it. With no models: lets
// go of the one that is under way.
struct SeriesJob {
  std::vector<std::filesystem::path> models;
  HeadScanSettings settings;
  bool with_measures = false;    // as MeasuresJob
  std::filesystem::path probes;  // as HeadScan::Make
  std::filesystem::path kept;
  std::filesystem::path token_maps;  // as MeasureSources

  static constexpr RequestRule kRule{.turn = 6, .gives_way = true};
  [[nodiscard]] Status Run(Job* job) const;
};

using Request = std::variant<OpenModelRequest,
                             AttendRequest,
                             MapRequest,
                             SplitJob,
                             LineageJob,
                             WalkJob,
                             SourcesJob,
                             TextScoresJob,
                             AlikeJob,
                             CompareJob,
                             PairMapsJob,
                             ExamplesJob,
                             PartnersJob,
                             AblationJob,
                             HeadScanJob,
                             ProbeScanJob,
                             MeasuresJob,
                             FindSeriesJob,
                             SeriesJob,
                             FigureJob>;

template <typename... Kinds>
constexpr bool AllAreWorkerRequests(const std::variant<Kinds...>* /*request*/) {
  return (WorkerRequest<Kinds> && ...);
}
static_assert(AllAreWorkerRequests(static_cast<const Request*>(nullptr)),
              "each kind of request has a kRule and a Run");

// A map made whole for drawing.
struct HeadMap {
  MapView of;
  std::vector<float> weights;  // [queries, keys]; kMasked where masked
};

struct ModelOpened {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const AttentionFile> attention = {};  // in place of a model
  std::filesystem::path step_zero = {};                 // of its training, beside it; empty: none

  [[nodiscard]] Opening opening() const {
    return attention != nullptr ? Opening(attention) : Opening(model);
  }
};
// The file of an attention module does not say how many heads share its width; nothing was opened.
struct HeadCountNeeded {
  std::filesystem::path path;
  std::int64_t model_dim = 0;
};
// Comes again once a target is generated.
struct Tokenized {
  std::shared_ptr<const Encoding> encoding;
  InputText input;
  std::shared_ptr<const Encoding> target = {};  // what the decoder reads; null: nothing, or not yet
  std::string generated = {};                   // the target that was generated, as a text
  std::shared_ptr<const Encoding> keys = {};    // of columns that are another text's; or null
};
struct LayerReady {
  std::shared_ptr<const LayerAttention> layer;
};
struct Progress {
  std::int64_t done = 0;
  std::int64_t total = 0;
  std::string what;  // "layer 3 of 12"
};
struct MapReady {
  std::shared_ptr<const HeadMap> map;
};
struct TileReady {
  std::shared_ptr<const MapTile> tile;
};
struct SplitReady {
  std::shared_ptr<const SplitResult> split;
};
struct LineageReady {
  std::vector<ParentDistance> children;       // each from its parent
  std::vector<std::optional<DotCheck>> sums;  // of each parent; null: not asked
};
struct WalkReady {
  std::shared_ptr<const LayerWalk> walk;
};
struct SourcesReady {
  std::shared_ptr<const CellSources> sources;
};
struct TextScored {
  std::shared_ptr<const ScoreReport> scores;
};
struct AlikeFound {
  std::vector<AlikeHead> heads;  // the nearest first
};
struct SidesCompared {
  std::shared_ptr<const ComparedPair> pair;
};
struct PairMapsReady {
  std::shared_ptr<const PairMaps> maps;
};
struct ExamplesFound {
  HeadExamples examples;
};
struct PartnersFound {
  std::shared_ptr<const CompositionPartners> partners;
};
// Comes again and again; the last one is whole. Of a chosen probe the first may hold no score yet.
struct HeadsScanned {
  std::shared_ptr<const HeadScanReport> report;
};
// The scan as it stands, with its measures.
struct HeadsMeasured {
  std::shared_ptr<const HeadScanReport> report;
};
struct SeriesFound {
  ModelSeries series;
};
struct SeriesProgress {
  std::filesystem::path model;  // under way
  std::int64_t done = 0;        // models
  std::int64_t total = 0;
  double part = 0.0;          // of the one under way
  double seconds_left = 0.0;  // of all; 0: not known
};
// One model of a series: its scan is whole, or there is none.
struct ModelScanned {
  std::filesystem::path folder;
  std::string fingerprint = {};
  std::shared_ptr<const HeadScanReport> report = {};
  std::string why_not = {};  // where there is no report
};
// Comes again and again; the last one is whole.
struct HeadAblated {
  std::shared_ptr<const AblationReport> report;
};
struct FigureWritten {
  std::filesystem::path path;
};
// Comes before the failure of a text that is too long: so many of its first tokens could be read.
struct CouldRead {
  std::int64_t tokens = 0;
};
struct Failed {
  Error error;
};
struct Finished {
  double milliseconds = 0.0;
  std::string backend;  // "oneDNN 2.6.3, float32, 2 threads"
};

struct Event {
  using What = std::variant<ModelOpened,
                            HeadCountNeeded,
                            Tokenized,
                            LayerReady,
                            Progress,
                            MapReady,
                            TileReady,
                            SplitReady,
                            LineageReady,
                            WalkReady,
                            SourcesReady,
                            TextScored,
                            AlikeFound,
                            SidesCompared,
                            PairMapsReady,
                            ExamplesFound,
                            PartnersFound,
                            HeadsScanned,
                            HeadsMeasured,
                            HeadAblated,
                            SeriesFound,
                            SeriesProgress,
                            ModelScanned,
                            FigureWritten,
                            CouldRead,
                            Failed,
                            Finished>;
  RequestId request = 0;
  What what;
};

}  // namespace headscope
