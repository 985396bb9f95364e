// The folders of the XDG base directory specification, each with "headscope" appended.
//
// Errors   empty: there is no home folder.
#pragma once

#include <filesystem>

namespace headscope {

[[nodiscard]] std::filesystem::path ConfigFolder();  // ~/.config/headscope: preferences
[[nodiscard]] std::filesystem::path
StateFolder();  // ~/.local/state/headscope: recent models, trainings
[[nodiscard]] std::filesystem::path OwnCacheFolder();  // ~/.cache/headscope: scans
[[nodiscard]] std::filesystem::path DataFolder();      // ~/.local/share/headscope: sessions

}  // namespace headscope
