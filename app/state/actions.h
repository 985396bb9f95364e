// All that can happen: what a person does, what the worker and the disk answer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/state/action.h"
#include "app/state/compare/actions.h"
#include "app/state/counts/actions.h"
#include "app/state/figures/actions.h"
#include "app/state/flags/actions.h"
#include "app/state/heads/actions.h"
#include "app/state/train/actions.h"

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
  void Do(Reducer* reducer) const;
};
// What the lists say of these models beside their names.
struct ModelsLookedAt {
  std::vector<std::pair<std::filesystem::path, std::string>> about;
  void Do(Reducer* reducer) const;
};
struct Start {
  std::filesystem::path model;  // or a file; empty: the session's, else the first bundled one
  std::optional<InputText> input;
  std::filesystem::path session;
  const ScreenKind* screen = &kNoScreen;
  OpenModelRequest how = {};  // its folder is not used
  bool names_screen = false;  // a person did: a session does not show its own
  void Do(Reducer* reducer) const;
};

// --- model and text
struct OpenFolder {
  std::filesystem::path folder;  // or a file
  OpenOptions options = {};
  void Do(Reducer* reducer) const;
};
using EditEmbeddings = Set<&AppState::dialogs, &Dialogs::embeddings>;
void UseEmbeddings(Reducer* reducer);
struct EditText {
  std::string text;
  void Do(Reducer* reducer) const;
};
struct EditPair {  // the second sentence; empty: none any more
  std::string text;
  void Do(Reducer* reducer) const;
};
struct EditTarget {  // of an encoder-decoder; empty: generated
  std::string text;
  void Do(Reducer* reducer) const;
};
struct ChooseSample {
  std::size_t index = 0;
  void Do(Reducer* reducer) const;
};
// The text goes on with a token that the model says after its end: the likeliest is 0.
struct ContinueText {
  std::size_t place = 0;
  void Do(Reducer* reducer) const;
};
// The same with the likeliest, again and again; 0: no more.
struct WriteOn {
  std::int64_t tokens = 0;
  void Do(Reducer* reducer) const;
};
// Whose logit at the held row is split over its parts.
using SetSplitTokens = Set<&AppState::split_tokens>;
// A treebank is opened: a sentence of it is the text, its tree stands beside the head; where scores are
// looked at, heads are scored on it.
struct OpenTreebank {
  std::shared_ptr<const Treebank> treebank;
  const ScreenKind* inspect = &kNoScreen;
  const ScreenKind* heads = &kNoScreen;
  void Do(Reducer* reducer) const;
};
struct StepSentence {  // of the treebank, to another one with a tree
  int by = 1;
  void Do(Reducer* reducer) const;
};
void StopFilm(Reducer* reducer);
void GoOnWithFilm(Reducer* reducer);
struct SetInput {  // from a file, a drop, a paste
  InputText input;
  void Do(Reducer* reducer) const;
};
void UseFirstTokens(Reducer* reducer);  // as many as the model reads
struct SetPrecision {
  Precision precision = Precision::kF32;
  void Do(Reducer* reducer) const;
};
void CancelWork(Reducer* reducer);
struct StopWork {  // one of what is under way
  RequestId request = 0;
  void Do(Reducer* reducer) const;
};
struct DismissNotice {
  ErrorPlace place = ErrorPlace::kModel;
  void Do(Reducer* reducer) const;
};
struct ReportError {  // a drop that could not be read, and the like
  ErrorPlace place = ErrorPlace::kText;
  std::string sentence;
  void Do(Reducer* reducer) const;
};

// --- selection
struct HoverHead {
  HeadIndex head;
  void Do(Reducer* reducer) const;
};
struct ClickHead {  // locks; the locked one again: unlocks
  HeadIndex head;
  void Do(Reducer* reducer) const;
};
// Closes a popup, else unlocks the cell, else the head, else closes the sheet.
void Escape(Reducer* reducer);
struct StepHead {
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  void Do(Reducer* reducer) const;
};
struct ShowPart {
  ModelPart part = ModelPart::kWhole;
  void Do(Reducer* reducer) const;
};
struct PointCell {  // or a row; one that is not in the map is none
  MapPoint point;
  void Do(Reducer* reducer) const;
};
void PointNowhere(Reducer* reducer);  // the pointer left map, tokens and bars
struct ClickCell {
  MapPoint point;
  void Do(Reducer* reducer) const;
};
struct ZoomMap {
  double factor = 1.0;
  double x = 0.5;  // in the place of the whole map
  double y = 0.5;
  void Do(Reducer* reducer) const;
};
struct PanMap {  // in parts of that place
  double x = 0.0;
  double y = 0.0;
  void Do(Reducer* reducer) const;
};
void ResetZoom(Reducer* reducer);
using MapDrawn = Set<&AppState::maps, &MapsInFull::size>;  // at another size than before

// --- how it looks
using SetScreen = Set<&AppState::screen>;
using SetTheme = Set<&AppState::theme>;
struct ChooseTheme {  // none: as the desktop has it
  std::optional<Theme> theme;
  void Do(Reducer* reducer) const;
};
using FollowDesktop = Set<&AppState::follows_desktop>;
struct DesktopThemeIs {
  std::optional<Theme> theme;
  void Do(Reducer* reducer) const;
};
struct Present {  // maps and text alone, light, with a large cross at the pointer
  bool on = true;
  void Do(Reducer* reducer) const;
};
struct StepView {  // to what was shown before, or forward again
  bool back = true;
  void Do(Reducer* reducer) const;
};
using SetCurve = Set<&AppState::settings, &MapSettings::curve>;
struct SetRange {  // a fixed one is from 0 to `high`
  RangeMode range = RangeMode::kFixed;
  float high = 1.0F;
  void Do(Reducer* reducer) const;
};
using SetColormap = Set<&AppState::settings, &MapSettings::colormap>;
using SetPooling = Set<&AppState::settings, &MapSettings::pooling>;
struct SetDetailWidth {
  float width = 560.0F;
  void Do(Reducer* reducer) const;
};
using ShowSheet = Set<&AppState::sheet_open>;
using ShowDoors = Set<&AppState::shows_doors>;
using KnowScreens = Set<&AppState::find_screen>;
using SetTour = Set<&AppState::tour>;
using SetZoom = Set<&AppState::zoom>;
// All text and controls: larger or smaller by a step.
struct ZoomText {
  int steps = 0;
  void Do(Reducer* reducer) const;
};

struct ShowShares {  // each head's in the next word; the head is looked at, a row held
  HeadIndex head;
  void Do(Reducer* reducer) const;
};

// --- popups
struct OpenPopup {
  Popup popup = Popup::kNone;
  void Do(Reducer* reducer) const;
};
void ClosePopup(Reducer* reducer);
using EditModelPath = Set<&AppState::dialogs, &Dialogs::model_path>;
struct EditJump {
  std::string text;
  void Do(Reducer* reducer) const;
};
void Jump(Reducer* reducer);
using EditPalette = Set<&AppState::dialogs, &Dialogs::palette_text>;
struct EditFlag {
  FlagDraft draft;
  void Do(Reducer* reducer) const;
};
void SaveFlag(Reducer* reducer);
void DiscardFlagDraft(Reducer* reducer);  // closes the editor; what was typed is gone
struct ClearFlag {
  HeadIndex head;
  void Do(Reducer* reducer) const;
};
struct AcceptSuggestion {  // becomes a flag
  HeadIndex head;
  std::string role;
  void Do(Reducer* reducer) const;
};
struct AskReject {  // why is it not?
  HeadIndex head;
  std::string role;
  void Do(Reducer* reducer) const;
};
using EditReject = Set<&AppState::dialogs, &Dialogs::reject, &RejectDraft::reason>;
// The one that was asked about: not shown again by a new scan.
void RejectSuggestion(Reducer* reducer);
struct TakeBackReject {
  HeadIndex head;
  std::string role;
  void Do(Reducer* reducer) const;
};
// Files of flags, and labelling blind.
using DayIs = Set<&AppState::flag_files, &FlagFilesState::day>;  // by the clock of the machine
using SetAuthor = Set<&AppState::flag_files, &FlagFilesState::author>;
using LabelBlind = Set<&AppState::flag_files, &FlagFilesState::is_blind>;
struct EditFlagExport {
  std::string path;
  void Do(Reducer* reducer) const;
};
struct StartFlagExport {
  bool overwrite = false;
  void Do(Reducer* reducer) const;
};
struct FlagsExported {
  FlagFile file;
  std::filesystem::path path;
  Result<bool> written;  // false: the file is there, and a person is to be asked
  void Do(Reducer* reducer) const;
};
struct ImportFlags {
  std::filesystem::path path;
  void Do(Reducer* reducer) const;
};
struct FlagFileRead {
  std::filesystem::path path;
  FlagFileUse use = FlagFileUse::kImport;
  Result<FlagFile> file;
  void Do(Reducer* reducer) const;
};
struct DecideConflict {
  std::optional<HeadIndex> head;  // none: all of them
  bool takes_theirs = false;
  void Do(Reducer* reducer) const;
};
void TakeFlagImport(Reducer* reducer);
struct ForgetOtherModel {  // its flags are suggestions no more
  std::string id;
  void Do(Reducer* reducer) const;
};
struct EditAgreement {  // empty: the flags on screen
  FlagFileUse side = FlagFileUse::kFirst;
  std::string path;
  void Do(Reducer* reducer) const;
};
struct EditScanSave {
  std::string path;
  void Do(Reducer* reducer) const;
};
struct SaveScan {
  bool overwrite = false;
  void Do(Reducer* reducer) const;
};
struct ScanSaved {
  std::string done;  // what was written
  Result<bool> written;
  void Do(Reducer* reducer) const;
};
using SetGridLook = Set<&AppState::grid_look>;
struct SetTokenLook {
  TokenLook look;
  void Do(Reducer* reducer) const;
};
// A token of the text by hand: its place among those that are shown.
struct HideToken {
  std::int64_t shown = 0;
  void Do(Reducer* reducer) const;
};
using SetHeadLook = Set<&AppState::head_look>;
// Takes a head away, or puts it back.
struct SwitchHead {
  HeadIndex head;
  void Do(Reducer* reducer) const;
};
struct TakeHeadsOff {  // these, in place of those that are off
  std::vector<HeadIndex> heads;
  void Do(Reducer* reducer) const;
};
// Cuts an edge of attention of the text in view, or joins it again.
struct SwitchEdge {
  CutEdge edge;
  void Do(Reducer* reducer) const;
};
struct RenormaliseCuts {
  bool renormalises = false;
  void Do(Reducer* reducer) const;
};
void FindEvidence(Reducer* reducer);  // for roles, of all heads
void AskControl(Reducer* reducer);    // what other heads cost
void PutHeadsBack(Reducer* reducer);  // all of them, and all edges
struct ReplaceHeadsBy {
  Replacement replacement = Replacement::kZero;
  void Do(Reducer* reducer) const;
};
using ShowWhole = Set<&AppState::heads_off, &HeadsOffState::shows_whole>;
struct ShowHead {  // locks it
  HeadIndex head;
  void Do(Reducer* reducer) const;
};
void UndoFlag(Reducer* reducer);
void RedoFlag(Reducer* reducer);
struct EditExport {
  ExportDraft draft;
  void Do(Reducer* reducer) const;
};
struct StartExport {
  bool overwrite = false;
  void Do(Reducer* reducer) const;
};
void StopExport(Reducer* reducer);  // of several files; those that are written stay
struct PreviewAsked {
  PreviewJob job;
  void Do(Reducer* reducer) const;
};
struct PreviewRefused {  // there is nothing to draw, in a sentence
  std::string why;
  void Do(Reducer* reducer) const;
};
struct OverwriteNeeded {
  std::string taken = {};  // which of several files, in a sentence
  void Do(Reducer* reducer) const;
};
struct FigureAsked {  // its place is free, or may be overwritten
  FigureJob job;
  void Do(Reducer* reducer) const;
};
// A path, or the name of a model, as a person typed it.
struct OpenTyped {
  std::string text;
  void Do(Reducer* reducer) const;
};
// The desktop's own chooser opens, or our list where there is none.
struct ChooseFile {
  FileWanted wanted = FileWanted::kOpen;
  void Do(Reducer* reducer) const;
};
void DesktopHasNoChooser(Reducer* reducer);
struct FileChosen {  // by the desktop's chooser; nothing: it was closed
  std::optional<std::filesystem::path> path;
  void Do(Reducer* reducer) const;
};
struct ShowFolder {
  std::filesystem::path folder;
  void Do(Reducer* reducer) const;
};
struct FolderListed {
  FolderList list;
  void Do(Reducer* reducer) const;
};
struct PointFile {  // an entry of the list; past an end: the last on that side
  std::int64_t index = 0;
  void Do(Reducer* reducer) const;
};
struct EditFilePath {  // in the list of files
  std::string text;
  void Do(Reducer* reducer) const;
};
void TakeTypedFile(Reducer* reducer);  // what its field says: a folder is gone into, a file taken
struct TypedFileFound {                // what stands there
  std::string typed;
  FoundPath found;
  void Do(Reducer* reducer) const;
};
struct ShowHiddenFiles {
  bool shows = true;
  void Do(Reducer* reducer) const;
};
using SetFilesFolder = Set<&AppState::files_folder>;  // that the list of files shows first
void TakeFile(Reducer* reducer);  // the one that is pointed at: a folder is gone into
// The folder that is shown: runs are in it, or a picture goes there.
void TakeFolder(Reducer* reducer);
void CopyName(Reducer* reducer);    // of the selected head
void CopyValues(Reducer* reducer);  // of what the export dialog shows
void CopyPicture(Reducer* reducer);
struct CopyAsked {  // the figure goes to the clipboard by this file
  FigureJob job;
  void Do(Reducer* reducer) const;
};
struct PictureCopied {
  Status offered;
  void Do(Reducer* reducer) const;
};

// --- worker
struct Submitted {
  RequestId id = 0;
  double now_s = 0.0;
  void Do(Reducer* reducer) const;
};
struct ModelReady {
  RequestId request = 0;
  std::shared_ptr<const ModelInfo> model;
  void Do(Reducer* reducer) const;
};
struct WorkerEvent {
  Event event;  // any but ModelOpened, which becomes ModelReady
  void Do(Reducer* reducer) const;
};

[[nodiscard]] Action ToAction(const Event& event);

}  // namespace headscope
