// What lies on the disk for the menus: bundled models, samples, recent models; and the folders that
// sessions and exports go to.
//
// Errors   none: what cannot be read is left out of the menu.
// Threads  UI thread; small files only.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "app/state/actions.h"

namespace headscope {

[[nodiscard]] LibraryFound FindLibrary();

// Puts a folder at the head of the list of recent models.
void RememberRecentModel(const std::filesystem::path& folder);

// What a dropped path asks for: a model folder, a text, a session; or why it cannot be read.
[[nodiscard]] Action ActionForDrop(const std::filesystem::path& path);
// What several paths dropped at once ask for, in their order; a model whose files are dropped
// together opens once.
[[nodiscard]] std::vector<Action> ActionsForDrops(std::span<const std::filesystem::path> paths);

// A path as typed, "~" and all, or that of a model that is bundled or cached, by its name.
[[nodiscard]] std::filesystem::path PathOfTyped(const std::string& typed);

}  // namespace headscope
