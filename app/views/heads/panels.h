// The parts of the Heads screen: each draws one and says what was pointed at.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "app/state/heads/own_probe.h"
#include "app/views/heads/layout.h"
#include "app/views/kit/pen.h"
#include "app/views/kit/ui.h"
#include "core/figure/family_curves.h"
#include "core/figure/score_charts.h"

namespace headscope {

// What they all draw from, for one frame.
struct HeadsFrame {
  const HeadScanReport& report;
  HeadsOfScan heads;
  std::vector<ScoredMetric> metrics;
  const ScoredMetric* metric = nullptr;  // the chosen one; null: the list has none
  const ScoredMetric* second = nullptr;
  HeadSuggestions suggestions;
};

void DrawMetricList(Ui* ui, const Rect& area, const HeadsFrame& frame);
void DrawHeadsMap(Ui* ui, const Rect& area, const HeadsFrame& frame);
void DrawHeadsScatter(Ui* ui, const Rect& area, const HeadsFrame& frame);
void DrawHeadsList(Ui* ui, const Rect& area, const HeadsFrame& frame);
void DrawHeadsRoles(Ui* ui, const Rect& area, const HeadsFrame& frame);
void DrawHeadsSeries(Ui* ui, const Rect& area, const HeadsFrame& frame);
void DrawHeadsAcross(Ui* ui, const Rect& area);
// A line for each number of heads over the steps of training, below the words of the series.
void DrawHeadsFamily(Ui* ui, const Rect& area, const FamilyCurves& curves);
void DrawHeadsAlike(Ui* ui, const Rect& area, const HeadsFrame& frame);
// In place of a series that is not there or not known yet: why. Whether that was drawn.
bool DrawWhyNoSeries(Ui* ui, const Rect& area);
// How far the scan of a series is, with a button that stops it or goes on; its height.
float DrawSeriesProgress(Ui* ui, const Rect& area);
void DrawHeadsRelations(Ui* ui, const Rect& area, const HeadsFrame& frame);

// What the button says that opens the choice of texts.
[[nodiscard]] std::string ProbeButtonWords(const AppState& state);
// A line at the top of `area` that says which chosen texts the scores are of, how far the scan is, and
// where roles come from; its height: none while the bundled probe is shown.
float DrawProbeBand(Ui* ui, const Rect& area);

// Parts of the panel at the right, each below the one before it: texts on which the selected head does
// most and least of a metric; what the model loses without it; heads that look as it does on the open
// text; heads that it reads by its weights, or that read it; its attention on the open text by distance,
// and how evenly each row is spread.
void DrawExamples(Pen* pen, const ScoredMetric& metric);
void DrawAblation(Pen* pen);
// What pairs of texts tell of its roles, on request.
void DrawEvidence(Pen* pen);
void DrawAlike(Pen* pen);
void DrawPartners(Pen* pen, const HeadsFrame& frame);
void DrawRelative(Pen* pen, HeadIndex head);

// A head under the pointer is previewed, a click locks it; a tooltip tells its scores. As in Inspect.
void PointAtHead(Ui* ui, const HeadsFrame& frame, HeadIndex head, bool clicked);

// Whether the filter lets a head through.
[[nodiscard]] bool IsShown(const Ui& ui, HeadIndex head, const HeadSuggestions& suggestions);

// The heads that a chart draws.
[[nodiscard]] HeadsDrawn DrawnHeads(const Ui& ui, const HeadsFrame& frame);

// The colour that a role has on every screen; grey for one without.
[[nodiscard]] Rgb ColorOfRole(std::string_view role);
// A flag as a filled dot, a suggestion as a ring; nothing where there is neither.
void DrawRoleDot(
    const Ui& ui, float x, float y, HeadIndex head, const HeadSuggestions& suggestions);
// What a dot or a bar stands for, in a line each.
[[nodiscard]] std::string RoleLines(const Ui& ui, HeadIndex head, const HeadSuggestions& found);

}  // namespace headscope
