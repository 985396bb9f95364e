// Choosing files: the desktop's chooser, or a list of our own.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "app/state/flags/files.h"
#include "app/state/reducer_class.h"

namespace headscope {

void Reducer::On(const OpenTyped& action) {
  state_.dialogs.popup = Popup::kNone;
  if (const std::filesystem::path path = action.text; path.is_absolute()) {
    state_.files_folder = path.parent_path();
  }
  effects_.push_back(OpenPath{action.text});
}

void Reducer::On(const ChooseFile& action) {
  FileChooser& files = state_.dialogs.files;
  files.wanted = action.wanted;
  files.before = state_.dialogs.popup;
  if (files.asks_desktop) {  // and does not answer
    On(DesktopHasNoChooser{});
    return;
  }
  files.asks_desktop = true;
  effects_.push_back(AskDesktop{action.wanted,
                                IsForSaving(action.wanted)
                                    ? std::filesystem::path(SavePathOf(state_, action.wanted))
                                    : state_.files_folder});
}

void Reducer::On(const DesktopHasNoChooser& /*action*/) {
  FileChooser& files = state_.dialogs.files;
  files.asks_desktop = false;
  state_.dialogs.popup = Popup::kFiles;
  const std::filesystem::path place = SavePathOf(state_, files.wanted);
  const bool is_export = IsForSaving(files.wanted) && place.has_parent_path();
  On(ShowFolder{is_export ? place.parent_path() : state_.files_folder});
}

void Reducer::On(const FileChosen& action) {
  state_.dialogs.files.asks_desktop = false;
  if (action.path) {
    UseFile(*action.path);
  }
}

void Reducer::UseFile(const std::filesystem::path& path) {
  Dialogs& dialogs = state_.dialogs;
  const FileChooser& files = dialogs.files;
  dialogs.popup = files.before;
  if (!IsForSaving(files.wanted) && path.has_parent_path()) {
    state_.files_folder = path.parent_path();
  }
  switch (files.wanted) {
    case FileWanted::kOpen:
    case FileWanted::kOpenFolder:
      On(OpenTyped{path.string()});
      break;
    case FileWanted::kOther:
      On(CompareWith{{.model = path}});
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
      On(ChooseProbe{{ProbeKind::kFile, path}});
      break;
    case FileWanted::kFlags:
      On(ImportFlags{path});
      break;
    case FileWanted::kFirstFlags:
    case FileWanted::kSecondFlags:
      On(EditAgreement{
          files.wanted == FileWanted::kFirstFlags ? FlagFileUse::kFirst : FlagFileUse::kSecond,
          path.string()});
      break;
    case FileWanted::kFlagsPlace:
      On(EditFlagExport{path.string()});
      break;
    case FileWanted::kScanPlace:
      On(EditScanSave{path.string()});
      break;
    case FileWanted::kExportPlace: {
      ExportDraft draft = dialogs.exporting;
      draft.path = path.string();
      On(EditExport{std::move(draft)});
      break;
    }
  }
}

void Reducer::On(const ShowFolder& action) {
  FileChooser& files = state_.dialogs.files;
  files.folder = action.folder;
  files.typed = action.folder.string();
  files.fault.clear();
  effects_.push_back(ReadFolder{action.folder, files.wanted, files.shows_hidden});
}

void Reducer::On(const SetFilesFolder& action) {
  state_.files_folder = action.folder;
}

void Reducer::On(const ShowHiddenFiles& action) {
  FileChooser& files = state_.dialogs.files;
  files.shows_hidden = action.shows;
  effects_.push_back(ReadFolder{files.folder, files.wanted, files.shows_hidden});
}

void Reducer::On(const EditFilePath& action) {
  state_.dialogs.files.typed = action.text;
  state_.dialogs.files.fault.clear();
}

void Reducer::On(const TakeTypedFile& /*action*/) {
  const FileChooser& files = state_.dialogs.files;
  if (!files.typed.empty()) {
    effects_.push_back(FindTypedFile{files.typed, files.folder});
  }
}

void Reducer::On(const TypedFileFound& action) {
  FileChooser& files = state_.dialogs.files;
  if (state_.dialogs.popup != Popup::kFiles || action.typed != files.typed) {
    return;  // closed, or typed on since
  }
  const std::filesystem::path& path = action.found.path;
  const bool is_new = action.found.kind == PathKind::kNew && IsForSaving(files.wanted);
  if (action.found.kind == PathKind::kFolder ||
      (action.found.kind == PathKind::kModelFolder && !OpensModels(files.wanted))) {
    On(ShowFolder{path});
  } else if (action.found.kind == PathKind::kFile || is_new ||
             action.found.kind == PathKind::kModelFolder) {
    UseFile(path);
  } else {
    files.fault = fmt::format("{}: there is no such file or folder", path.string());
  }
}

void Reducer::On(const FolderListed& action) {
  FileChooser& files = state_.dialogs.files;
  if (action.list.folder != files.folder) {
    return;  // another one was asked for since
  }
  // Coming back from a folder points at it.
  const std::filesystem::path& from = files.list.folder;
  const std::string left = from.parent_path() == files.folder ? from.filename().string() : "";
  files.list = action.list;
  const auto& entries = files.list.entries;
  const auto found = std::ranges::find(entries, left, &FileEntry::name);
  files.pointed = left.empty() || found == entries.end() ? -1 : found - entries.begin();
}

void Reducer::On(const PointFile& action) {
  FileChooser& files = state_.dialogs.files;
  const std::int64_t last = std::ssize(files.list.entries) - 1;
  files.pointed = std::min(std::max<std::int64_t>(0, action.index), last);
}

void Reducer::On(const TakeFile& /*action*/) {
  const FileChooser& files = state_.dialogs.files;
  if (files.pointed < 0 || files.pointed >= std::ssize(files.list.entries)) {
    return;
  }
  const FileEntry& entry = files.list.entries[static_cast<std::size_t>(files.pointed)];
  const std::filesystem::path path = files.list.folder / entry.name;
  if (entry.is_folder && !entry.is_model) {
    On(ShowFolder{path});
  } else {
    UseFile(path);
  }
}

void Reducer::On(const TakeFolder& /*action*/) {
  const FileChooser& files = state_.dialogs.files;
  const std::filesystem::path place = SavePathOf(state_, files.wanted);
  UseFile(IsForSaving(files.wanted) ? files.list.folder / place.filename() : files.list.folder);
}

}  // namespace headscope
