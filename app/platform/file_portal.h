// The desktop's own file chooser, through its portal (org.freedesktop.portal.FileChooser on the
// session's D-Bus).
//
// Errors   none: if there is no portal, or it does not respond, the answer says so.
// Threads  UI thread; each question waits on its own thread, which calls `wake`.
// Cost     nothing until a question is asked.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

struct FileQuestion {
  enum class Kind { kFile, kFolder, kSave };
  Kind kind = Kind::kFile;
  std::string title = {};
  std::filesystem::path folder = {};      // shown first; empty: the desktop decides
  std::string name = {};                  // the suggested name for a file to save
  std::string endings_name = {};          // "Models, attention, texts"
  std::vector<std::string> endings = {};  // ".gguf"; empty: all files
};

struct FileAnswer {
  enum class Kind { kChosen, kClosed, kNoPortal };
  Kind kind = Kind::kNoPortal;
  std::filesystem::path path;  // chosen
};

class FilePortal {
 public:
  explicit FilePortal(std::function<void()> wake);
  ~FilePortal();  // closes an open chooser
  FilePortal(const FilePortal&) = delete;
  FilePortal& operator=(const FilePortal&) = delete;

  // Only one question at a time: an earlier one is closed without an answer.
  void Ask(FileQuestion question);
  [[nodiscard]] std::optional<FileAnswer> Take();

 private:
  class Conversation;
  std::function<void()> wake_;
  std::unique_ptr<Conversation> conversation_;
};

}  // namespace headscope
