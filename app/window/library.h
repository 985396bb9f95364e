// What the menus offer from the disk: bundled models, samples, recent models; and the folders for
// sessions and exports.
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

// Puts a folder at the top of the list of recent models.
void RememberRecentModel(const std::filesystem::path& folder);

// Returns the action for a dropped path: a model folder, a text, a session; or why it cannot be
// read.
[[nodiscard]] Action ActionForDrop(const std::filesystem::path& path);
// Returns the actions for several paths dropped at once, in order; a model whose files are dropped
// together is opened once.
[[nodiscard]] std::vector<Action> ActionsForDrops(std::span<const std::filesystem::path> paths);

// Resolves a typed path, including "~", or the name of a bundled or cached model.
[[nodiscard]] std::filesystem::path PathOfTyped(const std::string& typed);

}  // namespace headscope
