// All that can happen: what a person does, what the worker and the disk answer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/state/app_state.h"
#include "app/state/counts/actions.h"
#include "app/state/heads/actions.h"
#include "core/base/one_of.h"

namespace headscope {

// --- start
struct LibraryFound {
  std::vector<ModelChoice> bundled;
  std::vector<ModelChoice> recent;
  std::vector<Sample> samples;
  std::filesystem::path sessions_folder;
  std::filesystem::path exports_folder;
  std::vector<ModelChoice> cached = {};  // of the Hugging Face cache
  std::filesystem::path home = {};
  std::filesystem::path probes = {};
  std::filesystem::path scans = {};
};
struct Start {
  std::filesystem::path model;  // or a file; empty: the session's, else the first bundled one
  std::optional<InputText> input;
  std::filesystem::path session;
  const ScreenKind* screen = &kNoScreen;
  OpenModelRequest how = {};  // its folder is not used
};

// --- model and text
struct OpenFolder {
  std::filesystem::path folder;  // or a file
  OpenOptions options = {};
};
struct EditEmbeddings {
  EmbeddingsDraft draft;
};
struct UseEmbeddings {};
struct EditText {
  std::string text;
};
struct EditPair {  // the second sentence; empty: none any more
  std::string text;
};
struct EditTarget {  // of an encoder-decoder; empty: generated
  std::string text;
};
struct ChooseSample {
  std::size_t index = 0;
};
struct SetInput {  // from a file, a drop, a paste
  InputText input;
};
struct UseFirstTokens {};  // as many as the model reads
struct SetPrecision {
  Precision precision = Precision::kF32;
};
struct CancelWork {};
struct DismissNotice {
  ErrorPlace place = ErrorPlace::kModel;
};
struct ReportError {  // a drop that could not be read, and the like
  ErrorPlace place = ErrorPlace::kText;
  std::string sentence;
};

// --- selection
struct HoverHead {
  HeadIndex head;
};
struct ClickHead {  // locks; the locked one again: unlocks
  HeadIndex head;
};
struct Escape {};  // closes a popup, else unlocks the cell, else the head, else closes the sheet
struct StepHead {
  std::int64_t layers = 0;
  std::int64_t heads = 0;
};
struct ShowPart {
  ModelPart part = ModelPart::kWhole;
};
struct PointCell {  // or a row; one that is not in the map is none
  MapPoint point;
};
struct PointNowhere {};  // the pointer left map, tokens and bars
struct ClickCell {
  MapPoint point;
};
struct ZoomMap {
  double factor = 1.0;
  double x = 0.5;  // in the place of the whole map
  double y = 0.5;
};
struct PanMap {  // in parts of that place
  double x = 0.0;
  double y = 0.0;
};
struct ResetZoom {};
struct MapDrawn {  // at another size than before
  MapSize size;
};

// --- how it looks
struct SetScreen {
  const ScreenKind* screen = &kNoScreen;
};
struct SetTheme {
  Theme theme = Theme::kDark;
};
struct SetCurve {
  Curve curve = Curve::kSqrt;
};
struct SetRange {
  RangeMode range = RangeMode::kFixed;
};
struct SetColormap {
  Colormap colormap = Colormap::kViridis;
};
struct SetPooling {
  Pooling pooling = Pooling::kMean;
};
struct SetDetailWidth {
  float width = 560.0F;
};
struct ShowSheet {
  bool open = false;
};

// --- two side by side
struct CompareWith {  // as side B; what was chosen before makes way
  ComparedSide other;
};
struct CompareNothing {};
struct EditOther {  // the text of side B
  std::string text;
};
struct SwapSides {};
struct SetCompareLook {
  CompareLook look;
};
struct PairByHand {  // a head of A with another than the one that was matched
  HeadIndex head;
  std::int64_t other = 0;
};
struct ResetPairs {};
struct PointPlace {  // of the axes that both share; none: the pointer left the maps
  std::optional<MapPoint> point;
};
struct ClickPlace {
  MapPoint point;
};

// --- popups
struct OpenPopup {
  Popup popup = Popup::kNone;
};
struct ClosePopup {};
struct EditModelPath {
  std::string path;
};
struct EditJump {
  std::string text;
};
struct Jump {};
struct EditFlag {
  FlagDraft draft;
};
struct SaveFlag {};
struct DiscardFlagDraft {};  // closes the editor; what was typed is gone
struct ClearFlag {
  HeadIndex head;
};
struct AcceptSuggestion {  // becomes a flag
  HeadIndex head;
  std::string role;
};
struct AskReject {  // why is it not?
  HeadIndex head;
  std::string role;
};
struct EditReject {
  std::string reason;
};
struct RejectSuggestion {};  // the one that was asked about: not shown again by a new scan
struct TakeBackReject {
  HeadIndex head;
  std::string role;
};
// Files of flags, and labelling blind.
struct DayIs {  // by the clock of the machine
  std::string day;
};
struct SetAuthor {
  std::string author;
};
struct LabelBlind {
  bool is_blind = false;
};
struct EditFlagExport {
  std::string path;
};
struct StartFlagExport {
  bool overwrite = false;
};
struct FlagsExported {
  FlagFile file;
  std::filesystem::path path;
  Result<bool> written;  // false: the file is there, and a person is to be asked
};
struct ImportFlags {
  std::filesystem::path path;
};
struct FlagFileRead {
  std::filesystem::path path;
  FlagFileUse use = FlagFileUse::kImport;
  Result<FlagFile> file;
};
struct DecideConflict {
  std::optional<HeadIndex> head;  // none: all of them
  bool takes_theirs = false;
};
struct TakeFlagImport {};
struct ForgetOtherModel {  // its flags are suggestions no more
  std::string id;
};
struct EditAgreement {  // empty: the flags on screen
  FlagFileUse side = FlagFileUse::kFirst;
  std::string path;
};
struct EditScanSave {
  std::string path;
};
struct SaveScan {
  bool overwrite = false;
};
struct ScanSaved {
  std::string done;  // what was written
  Result<bool> written;
};
struct SetGridLook {
  GridLook look;
};
struct ShowHead {  // locks it
  HeadIndex head;
};
struct UndoFlag {};
struct RedoFlag {};
struct EditExport {
  ExportDraft draft;
};
struct StartExport {
  bool overwrite = false;
};
struct OverwriteNeeded {};
struct FigureAsked {  // its place is free, or may be overwritten
  FigureJob job;
};
// A path, or the name of a model, as a person typed it.
struct OpenTyped {
  std::string text;
};
// The desktop's own chooser opens, or our list where there is none.
struct ChooseFile {
  FileWanted wanted = FileWanted::kOpen;
};
struct DesktopHasNoChooser {};
struct FileChosen {  // by the desktop's chooser; nothing: it was closed
  std::optional<std::filesystem::path> path;
};
struct ShowFolder {
  std::filesystem::path folder;
};
struct FolderListed {
  FolderList list;
};
struct PointFile {  // an entry of the list; past an end: the last on that side
  std::int64_t index = 0;
};
struct EditFilePath {  // in the list of files
  std::string text;
};
struct TakeTypedFile {};  // what its field says: a folder is gone into, a file taken
struct TypedFileFound {   // what stands there
  std::string typed;
  FoundPath found;
};
struct ShowHiddenFiles {
  bool shows = true;
};
struct SetFilesFolder {  // that the list of files shows first
  std::filesystem::path folder;
};
struct TakeFile {};    // the one that is pointed at: a folder is gone into
struct TakeFolder {};  // the one that is shown: a model's, or where a picture goes
struct CopyName {};    // of the selected head

// --- sessions
struct OpenSession {
  std::filesystem::path path;
};
struct SessionLoaded {
  std::filesystem::path path;
  Result<std::optional<SessionFile>> session;  // nullopt: no such file yet
};
struct SessionStored {
  std::filesystem::path path;
  SessionFile sent;
  Result<SessionFile> written;            // with what other windows changed
  std::vector<HeadIndex> conflicts = {};  // another window says something else of them than `sent`
};
struct CloseWindow {};

// --- worker
struct Submitted {
  RequestId id = 0;
  double now_s = 0.0;
};
struct ModelReady {
  RequestId request = 0;
  std::shared_ptr<const ModelInfo> model;
};
struct WorkerEvent {
  Event event;  // any but ModelOpened, which becomes ModelReady
};

struct Action : OneOf<LibraryFound,
                      Start,
                      OpenFolder,
                      EditEmbeddings,
                      UseEmbeddings,
                      EditText,
                      EditPair,
                      EditTarget,
                      ChooseSample,
                      SetInput,
                      UseFirstTokens,
                      CancelWork,
                      DismissNotice,
                      ReportError,
                      HoverHead,
                      ClickHead,
                      Escape,
                      StepHead,
                      ShowPart,
                      PointCell,
                      PointNowhere,
                      ClickCell,
                      ZoomMap,
                      PanMap,
                      ResetZoom,
                      MapDrawn,
                      SetScreen,
                      SetTheme,
                      SetCurve,
                      SetRange,
                      SetColormap,
                      SetPooling,
                      SetPrecision,
                      SetDetailWidth,
                      ShowSheet,
                      SelectLayer,
                      SelectCount,
                      CutAs,
                      EditCut,
                      PinCount,
                      SetTreeLook,
                      ShowWalk,
                      ShowStage,
                      SetHeadsView,
                      ShowMetric,
                      SortHeads,
                      ShowOnly,
                      ScanHeads,
                      WholeScansAre,
                      EditProbePath,
                      ChooseProbe,
                      DropProbe,
                      OfferProbe,
                      StopProbe,
                      GoOnWithProbe,
                      TakeRolesFrom,
                      AblateHead,
                      AblateOn,
                      ShowSeries,
                      ScanSeries,
                      OpenSeriesHead,
                      CompareWith,
                      CompareNothing,
                      EditOther,
                      SwapSides,
                      SetCompareLook,
                      PairByHand,
                      ResetPairs,
                      PointPlace,
                      ClickPlace,
                      OpenPopup,
                      ClosePopup,
                      EditModelPath,
                      EditJump,
                      Jump,
                      EditFlag,
                      SaveFlag,
                      DiscardFlagDraft,
                      ClearFlag,
                      AcceptSuggestion,
                      AskReject,
                      EditReject,
                      RejectSuggestion,
                      TakeBackReject,
                      DayIs,
                      SetAuthor,
                      LabelBlind,
                      EditFlagExport,
                      StartFlagExport,
                      FlagsExported,
                      ImportFlags,
                      FlagFileRead,
                      DecideConflict,
                      TakeFlagImport,
                      ForgetOtherModel,
                      EditAgreement,
                      EditScanSave,
                      SaveScan,
                      ScanSaved,
                      SetGridLook,
                      ShowHead,
                      UndoFlag,
                      RedoFlag,
                      EditExport,
                      StartExport,
                      OverwriteNeeded,
                      FigureAsked,
                      OpenTyped,
                      ChooseFile,
                      DesktopHasNoChooser,
                      FileChosen,
                      ShowFolder,
                      FolderListed,
                      PointFile,
                      EditFilePath,
                      TakeTypedFile,
                      TypedFileFound,
                      ShowHiddenFiles,
                      SetFilesFolder,
                      TakeFile,
                      TakeFolder,
                      CopyName,
                      OpenSession,
                      SessionLoaded,
                      SessionStored,
                      CloseWindow,
                      Submitted,
                      ModelReady,
                      WorkerEvent> {
  using OneOf::OneOf;
};

[[nodiscard]] Action ToAction(const Event& event);

}  // namespace headscope
