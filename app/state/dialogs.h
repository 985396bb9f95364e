// Popups and what is typed in them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "core/figure/color_scale.h"
#include "core/heads/head_name.h"
#include "core/session/requests.h"

namespace headscope {

enum class Popup {
  kNone,
  kModels,
  kSamples,
  kJump,
  kFlag,
  kExport,
  kColormap,
  kHeadCount,
  kEmbeddings
};

struct ModelInfo;

struct FlagDraft {
  std::shared_ptr<const ModelInfo> model;  // that the head is of
  HeadIndex head;
  std::string role;
  std::string colour;  // "#56B4E9"
  std::string note;
};

// Files of embeddings (.npy), as typed; those of keys and values may be left empty.
struct EmbeddingsDraft {
  std::string queries;
  std::string keys;
  std::string values;
};

enum class ExportWhat { kHead, kGrid, kCounts };

struct ExportDraft {
  ExportWhat what = ExportWhat::kHead;
  std::string path;
  int size_px = 1600;
  Theme theme = Theme::kLight;
  bool ask_overwrite = false;  // the file is there
  RequestId request = 0;       // being written
  std::string done;            // the path last written
};

struct Dialogs {
  Popup popup = Popup::kNone;
  std::string model_path;
  std::string jump_text;
  std::string jump_error;
  HeadCountNeeded head_count;  // asked for
  EmbeddingsDraft embeddings;
  FlagDraft flag;
  ExportDraft exporting;
};

}  // namespace headscope
