// The reducer in parts: one handler per action, grouped by file.
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

  // reducer_model.cpp
  void On(const LibraryFound& action);
  void On(const Start& action);
  void On(const OpenFolder& action);
  void On(const EditEmbeddings& action);
  void On(const UseEmbeddings& action);
  void On(const EditText& action);
  void On(const EditPair& action);
  void On(const EditTarget& action);
  void On(const ChooseSample& action);
  void On(const SetInput& action);
  void On(const UseFirstTokens& action);
  void On(const SetPrecision& action);
  void On(const CancelWork& action);
  void On(const DismissNotice& action);
  void On(const ReportError& action);
  void On(const ModelReady& action);
  // reducer_worker.cpp
  void On(const Submitted& action);
  void On(const WorkerEvent& action);
  // reducer_selection.cpp
  void On(const HoverHead& action);
  void On(const ClickHead& action);
  void On(const Escape& action);
  void On(const StepHead& action);
  void On(const ShowHead& action);
  void On(const ShowPart& action);
  void On(const PointCell& action);
  void On(const PointNowhere& action);
  void On(const ClickCell& action);
  void On(const ZoomMap& action);
  void On(const PanMap& action);
  void On(const ResetZoom& action);
  void On(const MapDrawn& action);
  void On(const SelectLayer& action);
  void On(const SelectCount& action);
  void On(const Jump& action);
  // reducer.cpp
  void On(const SetScreen& action);
  void On(const SetGridLook& action);
  void On(const SetTheme& action);
  void On(const SetCurve& action);
  void On(const SetRange& action);
  void On(const SetColormap& action);
  void On(const SetPooling& action);
  void On(const SetDetailWidth& action);
  void On(const ShowSheet& action);
  // reducer_tree.cpp
  void On(const CutAs& action);
  void On(const EditCut& action);
  void On(const PinCount& action);
  void On(const SetTreeLook& action);
  // reducer_walk.cpp
  void On(const ShowWalk& action);
  void On(const ShowStage& action);
  // reducer_scores.cpp
  void On(const SetHeadsView& action);
  void On(const ShowMetric& action);
  void On(const SortHeads& action);
  void On(const ShowOnly& action);
  void On(const ScanHeads& action);
  void On(const WholeScansAre& action);
  void UseWholeScan();
  // reducer_probe.cpp
  void On(const EditProbePath& action);
  void On(const ChooseProbe& action);
  void On(const DropProbe& action);
  void On(const OfferProbe& action);
  void On(const StopProbe& action);
  void On(const GoOnWithProbe& action);
  void On(const TakeRolesFrom& action);
  // reducer_ablation.cpp
  void On(const AblateHead& action);
  void On(const AblateOn& action);
  // reducer_series.cpp
  void On(const ShowSeries& action);
  void On(const ScanSeries& action);
  void On(const OpenSeriesHead& action);
  // reducer_compare.cpp
  void On(const CompareWith& action);
  void On(const CompareNothing& action);
  void On(const EditOther& action);
  void On(const SwapSides& action);
  void On(const SetCompareLook& action);
  void On(const PairByHand& action);
  void On(const ResetPairs& action);
  void On(const PointPlace& action);
  void On(const ClickPlace& action);
  // reducer_flags.cpp
  void On(const EditFlag& action);
  void On(const SaveFlag& action);
  void On(const DiscardFlagDraft& action);
  void On(const ClearFlag& action);
  void On(const AcceptSuggestion& action);
  void On(const AskReject& action);
  void On(const EditReject& action);
  void On(const RejectSuggestion& action);
  void On(const TakeBackReject& action);
  void On(const UndoFlag& action);
  void On(const RedoFlag& action);
  // reducer_flag_files.cpp
  void On(const DayIs& action);
  void On(const SetAuthor& action);
  void On(const LabelBlind& action);
  void On(const EditFlagExport& action);
  void On(const StartFlagExport& action);
  void On(const FlagsExported& action);
  void On(const ImportFlags& action);
  void On(const FlagFileRead& action);
  void On(const DecideConflict& action);
  void On(const TakeFlagImport& action);
  void On(const ForgetOtherModel& action);
  void On(const EditAgreement& action);
  void On(const EditScanSave& action);
  void On(const SaveScan& action);
  void On(const ScanSaved& action);
  // reducer_dialogs.cpp
  void On(const OpenPopup& action);
  void On(const ClosePopup& action);
  void On(const EditModelPath& action);
  void On(const EditJump& action);
  void On(const EditExport& action);
  void On(const StartExport& action);
  void On(const OverwriteNeeded& action);
  void On(const FigureAsked& action);
  void On(const CopyName& action);
  // reducer_files.cpp
  void On(const OpenTyped& action);
  void On(const ChooseFile& action);
  void On(const DesktopHasNoChooser& action);
  void On(const FileChosen& action);
  void On(const ShowFolder& action);
  void On(const FolderListed& action);
  void On(const PointFile& action);
  void On(const EditFilePath& action);
  void On(const TakeTypedFile& action);
  void On(const TypedFileFound& action);
  void On(const ShowHiddenFiles& action);
  void On(const SetFilesFolder& action);
  void On(const TakeFile& action);
  void On(const TakeFolder& action);
  // reducer_session.cpp
  void On(const OpenSession& action);
  void On(const SessionLoaded& action);
  void On(const SessionStored& action);
  void On(const CloseWindow& action);

  // Lets go of models that are neither open nor on screen.
  void ForgetWorks();
  // Keeps every index within what is shown now.
  void KeepWithin();
  // Asks for what the screen needs and does not have.
  void EnsureShown();
  [[nodiscard]] std::vector<Effect> TakeEffects() { return std::move(effects_); }

  // For works (app/state/work.h).
  [[nodiscard]] AppState& state() { return state_; }
  // To the worker; whoever asks keeps the number, by which it knows the answers.
  [[nodiscard]] RequestId Send(Request request);
  // 0: there is none.
  void Stop(RequestId request);
  void Notify(ErrorPlace place, std::string sentence);
  void ClearNotice(ErrorPlace place);
  [[nodiscard]] ModelWork* WorkOf(const ModelInfo* model);
  // Opens a model that was open, without a word.
  void OpenAgain(const ModelWork* work);
  void AskForHeadCount(const HeadCountNeeded& needed);
  void BeginAttending();
  void ClampSelection();
  void SelectHead(HeadIndex head);
  void ForgetMaps();
  void ForgetCompared();
  void RememberWholeScan();

 private:
  [[nodiscard]] const ModelChoice* BundledModel(std::string_view name) const;
  void OpenModel(const std::filesystem::path& folder, std::optional<InputText> input);
  void OpenModel(OpenModelRequest request, std::optional<InputText> input);
  [[nodiscard]] std::optional<std::vector<std::int32_t>> TakeIds(const std::string& text);
  [[nodiscard]] bool NeedsIds() const;  // the model reads no text
  void TakeInput(const InputText& input);
  void UseOwnSample();
  void ClampRows(const LayerView& view);
  void SelectLayerOfFile();
  void PointAt(const std::optional<MapPoint>& point);
  void StepCount(std::int64_t rows, std::int64_t columns);
  [[nodiscard]] ModelWork* WorkInView();
  [[nodiscard]] ModelWork& WorkFor(const std::shared_ptr<const ModelInfo>& model);
  bool TakeOver(const std::shared_ptr<const ModelInfo>& model);
  void LoadOwnSession(ModelWork* work);
  void TakeSession(ModelWork* work, const SessionFile& session);
  void OwnSessionLoaded(const SessionLoaded& action);
  void StoreFlags(ModelWork* work);
  void AskAboutOtherWindow(const SessionFile& theirs,
                           const std::vector<HeadIndex>& heads,
                           ModelWork* work);
  void TakeOtherWindow(const std::vector<FlagChange>& changes, ModelWork* work);
  void QuitOnceStored();
  void UseFile(const std::filesystem::path& path);
  void GiveFlag(ModelWork* work,
                HeadIndex head,
                const std::string& role,
                const std::string& colour,
                const std::string& note);
  void OpenFlagExport();
  void OpenScanSave();
  void OpenFlagEditor(const ModelWork& work, HeadIndex head);
  void ForgetFlagDraft(const ModelInfo& model, HeadIndex head);

  AppState& state_;
  std::vector<Effect> effects_;
};

// Attention from a file is only ever itself: of two arrays of one file the maps differ.
[[nodiscard]] bool IsSameModel(const ModelInfo& a, const ModelInfo& b);

// "probe-L5H1.png", in the folder that exports go to.
[[nodiscard]] std::string DefaultExportPath(const AppState& state,
                                            const FigureKind& kind,
                                            std::string_view ending);

}  // namespace headscope
