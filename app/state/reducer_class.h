// What actions and works share: the state, effects, and what more than one of them does. What an
// action does is its own Do (app/state/action.h).
#pragma once

#include <utility>
#include <vector>

#include "app/state/queries.h"
#include "app/state/reducer.h"
#include "core/figure/figure_format.h"

namespace headscope {

class Reducer {
 public:
  explicit Reducer(AppState* state) : state_(*state) {}

  // Lets go of models that are neither open nor on screen.
  void ForgetWorks();
  // Keeps every index within what is shown now.
  void KeepWithin();
  // Asks for what the screen needs and does not have.
  void EnsureShown();
  [[nodiscard]] std::vector<Effect> TakeEffects() { return std::move(effects_); }

  [[nodiscard]] AppState& state() { return state_; }
  void Emit(Effect effect) { effects_.push_back(std::move(effect)); }
  // To the worker; whoever asks keeps the number, by which it knows the answers.
  [[nodiscard]] RequestId Send(Request request);
  // 0: there is none.
  void Stop(RequestId request);
  void Notify(ErrorPlace place, std::string sentence);
  void ClearNotice(ErrorPlace place);
  [[nodiscard]] ModelWork* WorkOf(const ModelInfo* model);
  void ClampSelection();
  void SelectHead(HeadIndex head);
  void ForgetMaps();
  void UseWholeScan();
  void OpenModel(const std::filesystem::path& folder, std::optional<InputText> input);
  void OpenModel(OpenModelRequest request, std::optional<InputText> input);
  void PointAt(const std::optional<MapPoint>& point);
  [[nodiscard]] ModelWork* WorkInView();
  void LoadOwnSession(ModelWork* work);
  void TakeSession(ModelWork* work, const SessionFile& session);
  void TakeView(const SessionView& view);
  void GoToPlace(const ViewPlace& place);
  void StoreFlags(ModelWork* work);
  void OpenSessions();
  void TakeOtherWindow(const std::vector<FlagChange>& changes, ModelWork* work);
  void OpenFlagExport();
  void OpenScanSave();
  void OpenFlagEditor(const ModelWork& work, HeadIndex head);

 private:
  AppState& state_;
  std::vector<Effect> effects_;
};

// What an action changes of the place that a person is in, so that one can go back.
class ViewWatch {
 public:
  explicit ViewWatch(const AppState& state);
  void Remember(const Action& action, AppState* state) const;

 private:
  ViewPlace before_;
  bool makes_figures_;  // the window goes from place to place by itself
};

// Attention from a file is only ever itself: of two arrays of one file the maps differ.
[[nodiscard]] bool IsSameModel(const ModelInfo& a, const ModelInfo& b);

}  // namespace headscope
