// What the state holds of the scores of all heads. What follows from it: app/state/heads/scores.h.
//
// Threads  UI thread; reports are shared and immutable.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/state/asked.h"
#include "core/heads/probe/chosen_probe.h"
#include "core/heads/scan/head_scan_settings.h"
#include "core/heads/scan/scored_metric.h"
#include "core/model/model_series.h"

namespace headscope {

struct ModelInfo;

// What the widest whole scan of a model ran over: its results are kept, and the next start shows them.
struct WholeScan {
  std::string model;  // its fingerprint
  HeadScanSettings settings;
  friend bool operator==(const WholeScan&, const WholeScan&) = default;
};
inline constexpr std::size_t kMostWholeScans = 64;

// The scan of the model that is open.
struct HeadScanState : Asking {
  HeadScanSettings settings;                   // asked for by a person, or the ones to begin with
  std::shared_ptr<const ModelInfo> wanted_of;  // asked for, once
  HeadScanSettings wanted;
  std::shared_ptr<const ModelInfo> of;
  // The newest that is whole, or of which none of the model was whole before.
  std::shared_ptr<const HeadScanReport> report;
  std::shared_ptr<const HeadScanReport> under_way;  // the newest of the request; null: none yet
  bool is_stopped = false;                          // by a person
  std::shared_ptr<const ModelInfo> asked_for;       // by a person, on another screen than Heads
  Asking reading;  // of what an earlier scan kept, before this one is asked for
  std::shared_ptr<const ModelInfo> read_of;  // asked for, once
  std::vector<WholeScan> whole;              // of models, the newest last
};

// The scan of texts that a person chose (app/state/heads/own_probe.h).
struct ProbeScanState : Asking {
  ChosenProbe probe;        // the bundled one: none
  std::uint64_t asked = 0;  // the number of that choice, by which the worker tells it from others
  std::uint64_t last = 0;   // of all choices
  std::shared_ptr<const ModelInfo> wanted_of;  // asked for, once
  std::uint64_t wanted = 0;
  std::shared_ptr<const HeadScanReport> under_way;  // the newest of the request; null: none yet
  std::shared_ptr<const ModelInfo> of;
  std::uint64_t found = 0;
  std::shared_ptr<const HeadScanReport> report;  // the newest with scores, whole or not
  bool is_stopped = false;                       // by a person
  bool gives_roles = false;                      // suggestions come from it
};

// What the scan measures besides, which decides no role; it comes with the scan's report.
struct MeasuresState : Asking {
  std::shared_ptr<const ModelInfo> wanted_of;  // asked for, once
  HeadScanSettings wanted;
  bool is_stopped = false;  // by a person
};

// Scores on the text of the picture.
using TextScoresState = Asked<RequestId, std::shared_ptr<const ScoreReport>>;  // the picture's

// Texts that show what the selected head does.
struct ExamplesQuestion {
  std::shared_ptr<const HeadScanReport> scan;  // of whose texts
  HeadIndex head;
  std::string metric;
  friend bool operator==(const ExamplesQuestion&, const ExamplesQuestion&) = default;
};
using ExamplesState = Asked<ExamplesQuestion, HeadExamples>;

// The heads that look as the selected one does on the text of the picture.
struct AlikeQuestion {
  RequestId picture = 0;  // of that request
  HeadIndex head;
  friend bool operator==(const AlikeQuestion&, const AlikeQuestion&) = default;
};
using AlikeState = Asked<AlikeQuestion, std::vector<AlikeHead>>;

// All heads of one part, placed by how alike they look on the text of the picture.
struct HeadPlacesQuestion {
  RequestId picture = 0;  // of that request
  ModelPart part = ModelPart::kWhole;
  friend bool operator==(const HeadPlacesQuestion&, const HeadPlacesQuestion&) = default;
};
using HeadPlacesState = Asked<HeadPlacesQuestion, std::shared_ptr<const HeadPlaces>>;

// Heads that the selected one reads by its weights, and those that read it.
struct PartnersQuestion {
  std::string fingerprint;  // of the model
  HeadIndex head;
  friend bool operator==(const PartnersQuestion&, const PartnersQuestion&) = default;
};
using PartnersState = Asked<PartnersQuestion, std::shared_ptr<const CompositionPartners>>;

// What models lose without single heads, as far as somebody asked.
struct AblationState : Asking {
  struct Question {
    std::string fingerprint;  // of the model
    HeadIndex head;
    bool on_repeats = false;
    HeadScanSettings texts;  // of the scan, without twins
    friend bool operator==(const Question&, const Question&) = default;
  };
  std::optional<Question> wanted;  // under way
  // The newest of each question, whole or not.
  std::vector<std::pair<Question, std::shared_ptr<const AblationReport>>> found;
  std::optional<Question> faulty;  // the question of the fault
  bool on_repeats = false;         // as a person chose, where a scan has both
};

enum class SeriesKind {
  kCheckpoints,
  kHeadCounts,
  kFamily  // the checkpoints of every number of heads
};

// Scans of the models that the open one belongs with, one after another.
struct SeriesState : Asking {
  struct Question {
    SeriesKind kind = SeriesKind::kCheckpoints;
    std::vector<SeriesModel> models;
    HeadScanSettings texts;  // of the scan, without twins
    bool with_measures = false;
    friend bool operator==(const Question&, const Question&) = default;
  };
  SeriesKind kind = SeriesKind::kCheckpoints;  // as a person chose, where it exists
  Asking finding;                              // which models there are
  std::shared_ptr<const ModelInfo> wanted_of;  // asked for, once
  std::shared_ptr<const ModelInfo> of;         // whose the series are; null: not known yet
  ModelSeries there;
  std::optional<Question> wanted;   // asked for, once
  HeadScanSettings texts;           // of what follows
  std::vector<ModelScanned> found;  // of models of all series, each once
  SeriesProgress scanning;
  bool is_stopped = false;  // by a person
};

// How a person's flag and the suggestions that they did not reject stand to each other.
enum class Agreement { kNothing, kAgree, kOnlyMine, kOnlySuggested, kConflict };

enum class HeadsView { kRoles, kMap, kScatter, kList, kSeries, kAcross, kRelations, kAlike };

// Whether a series of models is scanned for it.
[[nodiscard]] inline bool IsOfSeries(HeadsView view) {
  return view == HeadsView::kSeries || view == HeadsView::kAcross;
}

// What the Heads screen shows.
struct HeadsLook {
  HeadsView view = HeadsView::kMap;
  std::string metric = "previous_token";  // colours the map, lies along the scatter
  std::string second = "induction";       // stands upright in the scatter
  HeadsOrder order = HeadsOrder::kScore;  // of the list
  bool is_ascending = false;
  std::optional<Agreement> only = {};  // heads of which flag and suggestion stand so
  friend bool operator==(const HeadsLook&, const HeadsLook&) = default;
};

}  // namespace headscope
