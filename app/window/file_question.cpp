#include "app/window/file_question.h"

#include <string_view>

#include "app/files/file_list.h"

namespace headscope {

FileQuestion QuestionFor(const AskDesktop& question) {
  FileQuestion asked;
  asked.folder = question.at;
  switch (question.wanted) {
    case FileWanted::kOpen:
      asked.title = "Open a model, attention, a text or a session";
      break;
    case FileWanted::kOpenFolder:
      asked.kind = FileQuestion::Kind::kFolder;
      asked.title = "Open a model's folder";
      break;
    case FileWanted::kOther:
      asked.title = "Compare with a model or attention";
      break;
    case FileWanted::kQueryRows:
    case FileWanted::kKeyRows:
    case FileWanted::kValueRows:
      asked.title = "Choose rows of embeddings";
      break;
    case FileWanted::kFlags:
    case FileWanted::kFirstFlags:
    case FileWanted::kSecondFlags:
      asked.title = "Choose a file of flags";
      break;
    case FileWanted::kProbe:
      asked.title = "Choose texts to score heads on";
      break;
    case FileWanted::kExportPlace:
    case FileWanted::kFlagsPlace:
    case FileWanted::kScanPlace:
      asked.kind = FileQuestion::Kind::kSave;
      asked.title = question.wanted == FileWanted::kExportPlace  ? "Save the picture as"
                    : question.wanted == FileWanted::kFlagsPlace ? "Save the flags as"
                                                                 : "Save the scan as";
      asked.folder = question.at.parent_path();
      asked.name = question.at.filename().string();
      break;
  }
  asked.endings_name = NameOfWanted(question.wanted);
  for (const std::string_view ending : EndingsOf(question.wanted)) {
    asked.endings.emplace_back(ending);
  }
  return asked;
}

}  // namespace headscope
