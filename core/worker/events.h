// What the worker tells the window: plain immutable values.
//
// Threads  payloads are shared_ptr<const ...>, immutable once published, so drawing needs no lock.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/heads/effect/weighed_head.h"
#include "core/heads/scan/model_numbers.h"
#include "core/worker/requests.h"
#include "core/worker/train_curves.h"

namespace headscope {

struct ModelOpened {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const AttentionFile> attention = {};  // instead of a model
  std::filesystem::path step_zero = {};  // of its training, in a folder next to it; empty: none

  [[nodiscard]] Opening opening() const {
    return attention != nullptr ? Opening(attention) : Opening(model);
  }
};
// The file of an attention module does not say how many heads share its width: nothing was opened.
struct HeadCountNeeded {
  std::filesystem::path path;
  std::int64_t model_dim = 0;
};
// Published again once a target is generated.
struct Tokenized {
  std::shared_ptr<const Encoding> encoding;
  InputText input;
  std::shared_ptr<const Encoding> target = {};  // what the decoder reads; null: none, or not yet
  std::string generated = {};                   // the generated target as text
  std::shared_ptr<const Encoding> keys = {};    // if columns belong to another text; or null
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
struct HeadsJoined {
  std::shared_ptr<const LayerAttention> layer;
};
struct HeadWeighed {
  std::shared_ptr<const WeighedHead> head;
};
struct PictureSeen {
  std::shared_ptr<const SeenPicture> picture;
};
struct WeightsKept {
  std::shared_ptr<const KeptWeights> kept;
};
struct SplitReady {
  std::shared_ptr<const SplitResult> split;
};
struct LineageReady {
  std::vector<ParentDistance> children;       // each compared with its parent
  std::vector<std::optional<DotCheck>> sums;  // for each parent; null: not requested
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
struct HeadsPlaced {
  std::shared_ptr<const HeadPlaces> places;
};
struct SidesCompared {
  std::shared_ptr<const ComparedPair> pair;
};
struct WeightsCompared {
  std::shared_ptr<const WeightChanges> changes;
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
// Published repeatedly; the last one is complete. For a chosen probe the first may hold no scores
// yet.
struct HeadsScanned {
  std::shared_ptr<const HeadScanReport> report;
};
// The scan so far, with its measures.
struct HeadsMeasured {
  std::shared_ptr<const HeadScanReport> report;
};
struct SeriesFound {
  ModelSeries series;
};
struct RunsRead {
  std::vector<NamedTrain> runs;
};
struct SeriesProgress {
  std::filesystem::path model;  // the current one
  std::int64_t done = 0;        // models
  std::int64_t total = 0;
  double part = 0.0;          // finished part of the current one
  double seconds_left = 0.0;  // for all; 0: unknown
};
// One model of a series: its scan is complete, or there is none.
struct ModelScanned {
  std::filesystem::path folder;
  std::string fingerprint = {};
  std::shared_ptr<const HeadScanReport> report = {};
  std::string why_not = {};  // if there is no report
  ModelNumbers numbers = {};
};
// Published repeatedly; the last one is complete.
struct HeadAblated {
  std::shared_ptr<const AblationReport> report;
};
struct FigureWritten {
  std::filesystem::path path;
  std::int64_t files = 1;  // with it, of several heads
};
// Precedes the failure of a text that is too long: its first `tokens` tokens could be read.
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
                            WeightsKept,
                            TreeFound,
                            TreeAnswered,
                            PictureSeen,
                            HeadsJoined,
                            HeadWeighed,
                            SplitReady,
                            LineageReady,
                            WalkReady,
                            SourcesReady,
                            NextWordSaid,
                            TextSaid,
                            HeadCosts,
                            HeadControls,
                            TextScored,
                            AlikeFound,
                            HeadsPlaced,
                            SidesCompared,
                            WeightsCompared,
                            PairMapsReady,
                            TextsPatched,
                            ExamplesFound,
                            PartnersFound,
                            HeadsScanned,
                            HeadsMeasured,
                            HeadAblated,
                            EvidenceFound,
                            SeriesFound,
                            RunsRead,
                            SeriesProgress,
                            ModelScanned,
                            FilmFrameReady,
                            PreviewMade,
                            FigureWritten,
                            CouldRead,
                            Failed,
                            Finished>;
  RequestId request = 0;
  What what;
};

}  // namespace headscope
