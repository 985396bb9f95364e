#include "app/window/desktop.h"

#include <optional>

#include "app/files/file_list.h"
#include "app/state/queries.h"

namespace headscope {
namespace {

FileQuestion QuestionFor(const AskDesktop& question) {
  const FileKind& kind = KindOf(question.wanted);
  FileQuestion asked{.title = kind.title,
                     .folder = question.at,
                     .endings_name = kind.name,
                     .endings = {kind.endings.begin(), kind.endings.end()}};
  if (question.wanted == FileWanted::kOpenFolder) {
    asked.kind = FileQuestion::Kind::kFolder;
    asked.title = "Open a model's folder";
  } else if (IsForSaving(question.wanted)) {
    asked.kind = FileQuestion::Kind::kSave;
    asked.folder = question.at.parent_path();
    asked.name = question.at.filename().string();
  }
  return asked;
}

}  // namespace

void Desktop::Ask(const AskDesktop& question) {
  files_.Ask(QuestionFor(question));
}

std::vector<Action> Desktop::Drain() {
  std::vector<Action> actions;
  if (const std::optional<FileAnswer> answer = files_.Take()) {
    if (answer->kind == FileAnswer::Kind::kNoPortal) {
      actions.emplace_back(DesktopHasNoChooser);
    } else {
      const bool is_closed = answer->kind == FileAnswer::Kind::kClosed;
      actions.emplace_back(is_closed ? FileChosen{} : FileChosen{answer->path});
    }
  }
  if (const auto theme = theme_.Take()) {
    actions.emplace_back(DesktopThemeIs{*theme});
  }
  return actions;
}

}  // namespace headscope
