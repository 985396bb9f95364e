// The one place that writes AppState: an action in, the new state and what the outside world must
// do out.
//
// Threads  UI thread; pure: no disk, no GL, no ImGui, no clock.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "app/state/actions.h"
#include "app/state/app_state.h"

namespace headscope {

struct Submit {  // answered by Submitted at once
  RequestId id = 0;
  Request request;
};
struct Cancel {
  RequestId id = 0;
};
struct LoadSessionFile {  // answered by SessionLoaded
  std::filesystem::path path;
};
struct StoreSession {  // answered by SessionStored
  std::filesystem::path path;
  SessionFile known;  // as last read or written
  SessionFile session;
};
struct SaveSessionFile {  // answered by SessionSaved
  std::filesystem::path path;
  SessionFile session;
  bool overwrite = false;
};
struct ListSessions {  // answered by SessionsListed
  std::filesystem::path folder;
};
struct ReadFlags {  // answered by FlagFileRead
  std::filesystem::path path;
  FlagFileUse use = FlagFileUse::kImport;
};
struct WriteFlags {  // answered by FlagsExported
  std::filesystem::path path;
  FlagFile file;
  bool overwrite = false;
};
// The tables of a scan, and how they were made; answered by ScanSaved.
struct WriteScan {
  std::filesystem::path path;  // of the text; each table is beside it
  std::shared_ptr<const HeadScanReport> report;
  std::string model;  // as a command names it
  bool overwrite = false;
};
struct MakeFigure {  // answered by OverwriteNeeded, ReportError or FigureAsked
  bool overwrite = false;
  bool copies = false;  // answered by CopyAsked in place of FigureAsked
};
struct DrawPreviewNow {};  // answered by PreviewAsked or PreviewRefused
struct KeepFigureNow {};   // what the export dialog says; answered by FigureKept or FigureNotKept
struct OpenPath {  // answered by what the path asks for: OpenFolder, SetInput, ReportError ...
  std::string typed;
};
struct AskDesktop {  // answered by FileChosen or DesktopHasNoChooser
  FileWanted wanted = FileWanted::kOpen;
  std::filesystem::path at;  // a folder, or where a picture would go
};
struct ReadFolder {  // answered by FolderListed
  std::filesystem::path folder;
  FileWanted wanted = FileWanted::kOpen;
  bool shows_hidden = false;
};
struct FindTypedFile {  // answered by TypedFileFound
  std::string typed;
  std::filesystem::path folder;  // that it is read from where it names none
};
struct PutOnClipboard {
  std::string text;
};
struct PutPictureOnClipboard {  // and the file away; answered by PictureCopied
  std::filesystem::path file;
};
struct CopyTable {};   // of what the export dialog shows; PutOnClipboard, or ReportError
struct LookAtModels {  // answered by ModelsLookedAt, maybe in several parts
  std::vector<std::filesystem::path> folders;
};
struct RememberModel {
  std::filesystem::path folder;
};
// What a training run is to do; answered by TrainingSeen, again and again.
struct TrainOrder {
  enum class Kind {
    kBegin,
    kResume,   // a run of the shelf; answered by TrainingSeen, too
    kDiscard,  // one of the shelf; answered by KeptRunsFound
    kPause,
    kGoOn,
    kStepOnce,
    kGoBack,
    kLook,
    kEnd,
    kWriteStep,
    kWriteAll
  };
  Kind kind = Kind::kPause;
  TrainRunId run = 0;
  TrainSettings settings = {};  // of kBegin
  std::int64_t step = 0;        // of kGoBack, kLook and kWriteStep
  // Written into it, by this name; empty: a place of its own. Of kResume and kDiscard: the run.
  std::filesystem::path folder = {};
  std::string name = {};
  bool trains = true;  // of kResume; else it is paused
};
struct Quit {};

using Effect = std::variant<Submit,
                            Cancel,
                            LoadSessionFile,
                            StoreSession,
                            SaveSessionFile,
                            ListSessions,
                            ReadFlags,
                            WriteFlags,
                            WriteScan,
                            MakeFigure,
                            DrawPreviewNow,
                            KeepFigureNow,
                            OpenPath,
                            AskDesktop,
                            ReadFolder,
                            FindTypedFile,
                            PutOnClipboard,
                            PutPictureOnClipboard,
                            CopyTable,
                            LookAtModels,
                            RememberModel,
                            TrainOrder,
                            Quit>;

[[nodiscard]] std::vector<Effect> Reduce(AppState* state, const Action& action);

}  // namespace headscope
