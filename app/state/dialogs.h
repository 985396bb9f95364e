// Popups and what is typed in them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/files/file_list.h"
#include "app/state/asked.h"
#include "core/figure/color_scale.h"
#include "core/figure/figure_kind.h"
#include "core/heads/measure/head_name.h"
#include "core/worker/events.h"

namespace headscope {

enum class Popup {
  kNone,
  kModels,
  kSamples,
  kJump,
  kFlag,
  kExport,
  kQuestions,
  kTokens,
  kColour,
  kRange,
  kPooling,
  kLayer,
  kColumns,
  kWeights,
  kInput,
  kTryCounts,
  kHeadCount,
  kEmbeddings,
  kFiles,
  kReject,
  kCompare,
  kPatchRows,
  kFlagFiles,
  kFlagExport,
  kFlagImport,
  kAgreement,
  kScanSave,
  kGridLook,
  kProbe,
  kTrainMore,
  kPalette,
  kSessions,
  kWork,
};

// The list of files, where the desktop has no chooser of its own.
struct FileChooser {
  FileWanted wanted = FileWanted::kOpen;
  Popup before = Popup::kNone;   // where the choice goes, and what a closed list goes back to
  std::filesystem::path folder;  // asked for
  FolderList list;               // of that folder, once it is there
  std::int64_t pointed = -1;     // the entry that Enter takes; -1: none
  std::string typed;             // in the field of its path
  std::string fault;             // of what was typed, in a sentence
  bool shows_hidden = false;     // names that begin with a dot
  bool asks_desktop = false;     // its chooser is open, or may open
};

struct ModelInfo;

struct FlagDraft {
  std::shared_ptr<const ModelInfo> model;  // that the head is of
  HeadIndex head;
  std::string role;    // empty: not chosen yet
  std::string colour;  // "#56B4E9"; empty: the role will bring one
  std::string note;
  bool edited = false;  // not saved yet
};

// Files of embeddings (.npy), as typed; those of keys and values may be left empty.
struct EmbeddingsDraft {
  std::string queries;
  std::string keys;
  std::string values;
};

// Whether a figure of a head is one file, or one for each of several heads.
enum class EachHead { kThis, kLayer, kFlagged, kAll };

// What is exported: what is on screen, or figures that were kept (app/state/figures/kept.h).
enum class ExportOf { kShown, kChosenKept, kAllKept };

// The figure as it will be written; the question is a key of all that it depends on.
using ExportPreview = Asked<std::string, std::shared_ptr<const FigurePreview>>;

struct ExportDraft : Asking {
  ExportOf of = ExportOf::kShown;
  const FigureKind* kind = FindFigureKind(FigureOf::kHead);  // never null
  std::string path;
  std::string size =
      "1600";          // of the longer side in pixels, or a width: "8.9 cm", "1920 px"; as typed
  std::string points;  // of captions and labels, as typed; empty: by the size
  bool has_labels = true;
  bool has_bar = true;
  bool has_caption = true;
  Theme theme = Theme::kLight;
  EachHead each = EachHead::kThis;
  bool ask_overwrite = false;  // the file is there
  std::string taken;           // which of several are there, in a sentence; empty: the one
  std::string done;            // the path last written
  std::int64_t written = 0;    // files of several heads
  ExportPreview preview = {};
  std::uint64_t preview_revision = 0;
  std::filesystem::path clipboard;  // the file of a picture that is being copied; empty: none
  bool copied = false;              // the last one is on the clipboard
  bool is_kept = false;             // what is shown stands in Figures
};

// A suggested role that a person does not see in a head, and why.
struct RejectDraft {
  HeadIndex head;
  std::string role;
  std::string reason;
};

struct Dialogs {
  Popup popup = Popup::kNone;
  std::string model_path;
  std::string probe_path;  // of the file to score heads on
  std::string jump_text;
  std::string palette_text;  // of the command palette
  std::string jump_error;
  HeadCountNeeded head_count;  // asked for
  EmbeddingsDraft embeddings;
  FlagDraft flag;
  std::string flag_error;                // what keeps it from being saved
  std::vector<FlagDraft> unsaved_flags;  // of other heads, and of this one when it opens again
  RejectDraft reject;
  ExportDraft exporting;
  FileChooser files;
};

}  // namespace headscope
