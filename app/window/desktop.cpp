#include "app/window/desktop.h"

#include <optional>

#include "app/window/file_question.h"

namespace headscope {

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
