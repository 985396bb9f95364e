#include "app/window/file_question.h"

namespace headscope {

FileQuestion QuestionFor(const AskDesktop& question) {
  const FileKind& kind = KindOf(question.wanted);
  FileQuestion asked{.title = kind.title,
                     .folder = question.at,
                     .endings_name = kind.name,
                     .endings = {kind.endings.begin(), kind.endings.end()}};
  if (question.wanted == FileWanted::kOpenFolder) {
    asked.kind = FileQuestion::Kind::kFolder;
    asked.title = "Open a model's folder";
  } else if (TakesFolder(question.wanted)) {
    asked.kind = FileQuestion::Kind::kFolder;
  } else if (IsForSaving(question.wanted)) {
    asked.kind = FileQuestion::Kind::kSave;
    asked.folder = question.at.parent_path();
    asked.name = question.at.filename().string();
  }
  return asked;
}

}  // namespace headscope
