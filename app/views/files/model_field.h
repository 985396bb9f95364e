// The field at the head of a menu of models: its words filter the lists, and it takes a path, a name
// or an address; what it finds stands below it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "app/views/kit/ui.h"

namespace headscope {

// What a click or Enter chooses; both empty: nothing.
struct ChosenModel {
  std::filesystem::path folder = {};  // of a model in the lists
  std::string typed = {};
};

// `verb` is on the button. Where a sentence is taken, too, it says so of several words that find no model.
[[nodiscard]] ChosenModel DrawModelField(Ui* ui,
                                         const std::string& name,
                                         const char* verb,
                                         bool takes_sentences = false);

// Draws the models under a heading, at most `most` of them, and says how many are left out.
[[nodiscard]] ChosenModel DrawModelList(Ui* ui,
                                        const char* heading,
                                        const std::vector<ModelChoice>& models,
                                        std::size_t most);

// The recent models that stand in no other list, without the one that is open.
[[nodiscard]] std::vector<ModelChoice> OtherRecentModels(const AppState& state);

}  // namespace headscope
