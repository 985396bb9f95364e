// What a person does with the scores of all heads. Part of app/state/actions.h.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/state/heads/state.h"

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

struct WholeScansAre {  // as the preferences have kept them
  std::vector<WholeScan> whole;
};

// --- texts of one's own
struct EditProbePath {
  std::string path;
};
struct ChooseProbe {  // what the screen's scores are of; the same again: what the file holds now
  ChosenProbe probe;
};
struct DropProbe {  // or typed: opens the screen of scores, and is chosen there
  std::filesystem::path path;
  const ScreenKind* screen = &kNoScreen;
};
struct OfferProbe {  // a dropped text that heads can be scored on as well
  std::filesystem::path path;
  std::int64_t lines = 0;
  bool has_mentions = false;  // in [brackets], as WinoBias' lines
};
struct StopProbe {};
struct GoOnWithProbe {};  // from where it was stopped
struct TakeRolesFrom {
  bool own = false;  // the chosen texts; else the bundled probe
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
