// What a person does with the scores of all heads. Part of app/state/actions.h.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/state/scores_state.h"

namespace headscope {

struct SetHeadsView {
  HeadsView view = HeadsView::kMap;
};
struct ShowMetric {
  std::string metric;
  bool second = false;  // upright in the scatter
};
struct SortHeads {  // the list; the order that it has: the other way round
  HeadsOrder order = HeadsOrder::kScore;
};
struct ShowOnly {  // heads of which flag and suggestion stand so; none: all heads
  std::optional<Agreement> agreement;
};
struct ScanHeads {  // with other settings, or on from where it was stopped
  HeadScanSettings settings;
};

struct AblateHead {};  // the selected one: what the model loses without it
struct AblateOn {      // which texts of the scan
  bool repeats = false;
};

// --- models in a row
struct ShowSeries {
  SeriesKind kind = SeriesKind::kCheckpoints;
};
struct ScanSeries {  // on from where it was stopped, or what failed once more; else it stops
  bool go = true;
};
struct OpenSeriesHead {  // the model, and in it that head
  std::filesystem::path folder;
  HeadIndex head;
};

}  // namespace headscope
