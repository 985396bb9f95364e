#include "app/state/files/model_list.h"

#include <algorithm>
#include <string>

#include "app/files/file_list.h"

namespace headscope {
namespace {

std::vector<std::string> WordsOf(std::string_view typed) {
  std::vector<std::string> words;
  const std::string text = Lowered(std::string(typed));
  for (std::size_t at = text.find_first_not_of(' '); at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(' ', end);
  }
  return words;
}

}  // namespace

bool LooksLikePath(std::string_view typed) {
  const std::size_t first = typed.find_first_not_of(' ');
  return first != typed.npos &&
         (typed.find_first_of("/~.", first) == first || typed.find("://") != typed.npos);
}

bool LooksLikeSentence(std::string_view typed) {
  return !LooksLikePath(typed) && WordsOf(typed).size() > 1;
}

bool IsFiltered(const AppState& state) {
  return !WordsOf(state.dialogs.model_path).empty() && !LooksLikePath(state.dialogs.model_path);
}

std::vector<ModelChoice> FindModels(const AppState& state, std::string_view typed) {
  std::vector<ModelChoice> found;
  const std::vector<std::string> words = WordsOf(typed);
  if (words.empty() || LooksLikePath(typed)) {
    return found;
  }
  for (const auto* list : {&state.bundled_models, &state.recent_models, &state.cached_models}) {
    for (const ModelChoice& model : *list) {
      const std::string text = Lowered(model.name + " " + model.about);
      const bool fits = std::ranges::all_of(
          words, [&text](const std::string& word) { return text.find(word) != text.npos; });
      if (fits && std::ranges::find(found, model.folder, &ModelChoice::folder) == found.end()) {
        found.push_back(model);
      }
    }
  }
  const std::string name = Lowered(std::string(typed));
  std::stable_partition(found.begin(), found.end(), [&name](const ModelChoice& model) {
    return Lowered(model.name) == name;
  });
  return found;
}

}  // namespace headscope
