// Choosing files: the desktop's chooser, or a list of our own.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "app/state/flags/files.h"
#include "app/state/reducer_class.h"

namespace headscope {
namespace {

void UseFile(const std::filesystem::path& path, Reducer* reducer) {
  Dialogs& dialogs = reducer->state().dialogs;
  const FileChooser& files = dialogs.files;
  dialogs.popup = files.before;
  if (!IsForSaving(files.wanted) && path.has_parent_path()) {
    reducer->state().files_folder = path.parent_path();
  }
  switch (files.wanted) {
    case FileWanted::kOpen:
    case FileWanted::kOpenFolder:
      OpenTyped{path.string()}.Do(reducer);
      break;
    case FileWanted::kOther:
      CompareWith{{.model = path}}.Do(reducer);
      break;
    case FileWanted::kQueryRows:
      dialogs.embeddings.queries = path.string();
      break;
    case FileWanted::kKeyRows:
      dialogs.embeddings.keys = path.string();
      break;
    case FileWanted::kValueRows:
      dialogs.embeddings.values = path.string();
      break;
    case FileWanted::kProbe:
      ChooseProbe{{ProbeKind::kFile, path}}.Do(reducer);
      break;
    case FileWanted::kPairs:
      PatchPairsOf{path}.Do(reducer);
      break;
    case FileWanted::kTrainRuns:
      // Our own list lets one of its files be chosen, too.
      ReadTrainFolder{path.filename() == kTrainRecordFile ? path.parent_path() : path}.Do(reducer);
      break;
    case FileWanted::kFlags:
      ImportFlags{path}.Do(reducer);
      break;
    case FileWanted::kFirstFlags:
    case FileWanted::kSecondFlags:
      EditAgreement{
          files.wanted == FileWanted::kFirstFlags ? FlagFileUse::kFirst : FlagFileUse::kSecond,
          path.string()}
          .Do(reducer);
      break;
    case FileWanted::kFlagsPlace:
      EditFlagExport{path.string()}.Do(reducer);
      break;
    case FileWanted::kSessionPlace:
      EditSessionSave{path.string()}.Do(reducer);
      break;
    case FileWanted::kScanPlace:
      EditScanSave{path.string()}.Do(reducer);
      break;
    case FileWanted::kExportPlace: {
      ExportDraft draft = dialogs.exporting;
      draft.path = path.string();
      EditExport{std::move(draft)}.Do(reducer);
      break;
    }
  }
}

}  // namespace

void OpenTyped::Do(Reducer* reducer) const {
  reducer->state().dialogs.popup = Popup::kNone;
  if (const std::filesystem::path path = text; path.is_absolute()) {
    reducer->state().files_folder = path.parent_path();
  }
  reducer->Emit(OpenPath{text});
}

void ChooseFile::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  FileChooser& files = state.dialogs.files;
  files.wanted = wanted;
  files.before = state.dialogs.popup;
  if (files.asks_desktop) {  // and does not answer
    DesktopHasNoChooser(reducer);
    return;
  }
  files.asks_desktop = true;
  reducer->Emit(AskDesktop{
      wanted,
      IsForSaving(wanted) ? std::filesystem::path(SavePathOf(state, wanted)) : state.files_folder});
}

void DesktopHasNoChooser(Reducer* reducer) {
  AppState& state = reducer->state();
  FileChooser& files = state.dialogs.files;
  files.asks_desktop = false;
  state.dialogs.popup = Popup::kFiles;
  const std::filesystem::path place = SavePathOf(state, files.wanted);
  const bool is_export = IsForSaving(files.wanted) && place.has_parent_path();
  ShowFolder{is_export ? place.parent_path() : state.files_folder}.Do(reducer);
}

void FileChosen::Do(Reducer* reducer) const {
  reducer->state().dialogs.files.asks_desktop = false;
  if (path) {
    UseFile(*path, reducer);
  }
}

void ShowFolder::Do(Reducer* reducer) const {
  FileChooser& files = reducer->state().dialogs.files;
  files.folder = folder;
  files.typed = folder.string();
  files.fault.clear();
  reducer->Emit(ReadFolder{folder, files.wanted, files.shows_hidden});
}

void ShowHiddenFiles::Do(Reducer* reducer) const {
  FileChooser& files = reducer->state().dialogs.files;
  files.shows_hidden = shows;
  reducer->Emit(ReadFolder{files.folder, files.wanted, files.shows_hidden});
}

void EditFilePath::Do(Reducer* reducer) const {
  reducer->state().dialogs.files.typed = text;
  reducer->state().dialogs.files.fault.clear();
}

void TakeTypedFile(Reducer* reducer) {
  const FileChooser& files = reducer->state().dialogs.files;
  if (!files.typed.empty()) {
    reducer->Emit(FindTypedFile{files.typed, files.folder});
  }
}

void TypedFileFound::Do(Reducer* reducer) const {
  FileChooser& files = reducer->state().dialogs.files;
  if (reducer->state().dialogs.popup != Popup::kFiles || typed != files.typed) {
    return;  // closed, or typed on since
  }
  const std::filesystem::path& path = found.path;
  const bool is_new = found.kind == PathKind::kNew && IsForSaving(files.wanted);
  if (found.kind == PathKind::kFolder ||
      (found.kind == PathKind::kModelFolder && !OpensModels(files.wanted))) {
    ShowFolder{path}.Do(reducer);
  } else if (found.kind == PathKind::kFile || is_new || found.kind == PathKind::kModelFolder) {
    UseFile(path, reducer);
  } else {
    files.fault = fmt::format("{}: there is no such file or folder", path.string());
  }
}

void FolderListed::Do(Reducer* reducer) const {
  FileChooser& files = reducer->state().dialogs.files;
  if (list.folder != files.folder) {
    return;  // another one was asked for since
  }
  // Coming back from a folder points at it.
  const std::filesystem::path& from = files.list.folder;
  const std::string left = from.parent_path() == files.folder ? from.filename().string() : "";
  files.list = list;
  const auto& entries = files.list.entries;
  const auto found = std::ranges::find(entries, left, &FileEntry::name);
  files.pointed = left.empty() || found == entries.end() ? -1 : found - entries.begin();
}

void PointFile::Do(Reducer* reducer) const {
  FileChooser& files = reducer->state().dialogs.files;
  const std::int64_t last = std::ssize(files.list.entries) - 1;
  files.pointed = std::min(std::max<std::int64_t>(0, index), last);
}

void TakeFile(Reducer* reducer) {
  const FileChooser& files = reducer->state().dialogs.files;
  if (files.pointed < 0 || files.pointed >= std::ssize(files.list.entries)) {
    return;
  }
  const FileEntry& entry = files.list.entries[static_cast<std::size_t>(files.pointed)];
  const std::filesystem::path path = files.list.folder / entry.name;
  if (entry.is_folder && !entry.is_model) {
    ShowFolder{path}.Do(reducer);
  } else {
    UseFile(path, reducer);
  }
}

void TakeFolder(Reducer* reducer) {
  const FileChooser& files = reducer->state().dialogs.files;
  const std::filesystem::path place = SavePathOf(reducer->state(), files.wanted);
  UseFile(IsForSaving(files.wanted) ? files.list.folder / place.filename() : files.list.folder,
          reducer);
}

}  // namespace headscope
