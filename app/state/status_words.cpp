#include "app/state/status_words.h"

#include <fmt/format.h>

#include "app/state/heads/own_probe.h"
#include "app/state/queries.h"
#include "app/state/walk/words.h"
#include "core/base/counted.h"

namespace headscope {
namespace {

std::string Milliseconds(double value) {
  return value < 10.0 ? fmt::format("{:.1f} ms", value)
                      : (value < 10000.0 ? fmt::format("{:.0f} ms", value)
                                         : fmt::format("{:.1f} s", value / 1000.0));
}

std::string DoneWords(const AppState& state, const ModelInfo& model) {
  if (IsWalking(state)) {
    return WalkPlaceWords(state);
  }
  if (state.screen->subject == ScreenSubject::kHeadCounts && state.counts.source != nullptr) {
    return fmt::format("{} under {}",
                       LayerName({state.counts.source->part(), state.counts.result->layer}),
                       Counted(state.counts.result->counts.size(), "head count"));
  }
  const std::shared_ptr<const HeadScanReport> report = ShownScan(state);
  if (state.screen->wants_scores && report != nullptr && report->is_whole()) {
    const std::string counted = Counted(CountScanned(*report), "head");
    const std::string on =
        report->probe.kind == ProbeKind::kBundled ? "" : " on " + NameOfProbe(report->probe);
    return report->is_kept
               ? fmt::format("{} scored{} by an earlier scan", counted, on)
               : fmt::format("{} scored{} in {}", counted, on, Milliseconds(report->seconds * 1e3));
  }
  const std::int64_t heads = TotalHeads(model);
  const std::string counted =
      (&model == state.model.get() ? "" : model.name + ": ") + Counted(heads, "head");
  return model.file != nullptr
             ? fmt::format("{}, as the file has {}", counted, heads == 1 ? "it" : "them")
             : fmt::format("{} in {}", counted, Milliseconds(state.shown.milliseconds));
}

}  // namespace

StatusWords StatusOf(const AppState& state, bool working) {
  StatusWords told;
  if (PictureInView(state) == &state.shown) {
    const ModelInfo* const model = state.shown.model.get();
    if (!working) {
      told.done = DoneWords(state, *model);
    }
    told.others.push_back(state.shown.backend);
    told.others.push_back(model->file != nullptr ? model->file->mask_note() : "");
  }
  if (const auto count = OnlyFlags(FlagsInView(state).flags).size(); count > 0) {
    const SessionPlace& session = SessionInView(state);
    const char* const kept = session.saved ? ", saved" : session.writable ? "" : ", not saved";
    told.others.push_back(fmt::format("{} flagged{}", count, kept));
  }
  if (state.settings.curve == Curve::kLog) {
    told.others.emplace_back("log floors at 0.000001");
  }
  told.convention = "rows are queries, columns are keys; heads count from 0";
  if (IsWalking(state)) {
    told.convention = WalkConvention(state.theme, state.settings.curve);
  }
  std::erase(told.others, std::string());
  return told;
}

std::string WindowTitle(const AppState& state) {
  const ModelInfo* const model = ShownModel(state);
  if (model == nullptr) {
    return "Headscope";
  }
  const bool is_kept = state.selection.head_locked && ShownLayers(state) > 0;
  return fmt::format(
      "{}{} – Headscope", model->name, is_kept ? " " + HeadName(state.selection.head) : "");
}

}  // namespace headscope
