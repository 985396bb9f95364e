// How a person likes the window, kept from one start to the next.
//
// Units    sizes and places of the window in its own pixels; detail_width as in AppState.
// Errors   Read: kIo, kFormat (no JSON; what is in it is absurd), each a sentence. A file that is
//          not there is the defaults. Write: kIo.
// Threads  any; small files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/platform/window_place.h"
#include "app/state/actions.h"
#include "app/state/app_state.h"
#include "core/base/error.h"

namespace headscope {

struct Preferences {
  Theme theme = Theme::kDark;
  bool follows_desktop = true;  // in dark or light
  Curve curve = Curve::kSqrt;
  RangeMode range = RangeMode::kFixed;
  Colormap colormap = Colormap::kViridis;
  HeadView head_view = HeadView::kMap;
  double lines_mass = 0.9;  // of a row, that lines show
  bool lines_in_grid = false;
  float detail_width = 560.0F;
  double zoom = 1.0;             // of all text and controls
  std::string author;            // of flags; empty: the name of the account
  std::string files_folder;      // that the list of files shows first; empty: the home folder
  bool shows_doors = true;       // of a first start, until one is taken or they are put away
  bool is_blind = false;         // scores and suggestions are hidden until flags are saved
  std::vector<WholeScan> scans;  // of models
  WindowPlacement window;
  friend bool operator==(const Preferences&, const Preferences&) = default;
};

// $XDG_CONFIG_HOME/headscope/preferences.json, else below ~/.config. Empty: there is no home.
[[nodiscard]] std::filesystem::path PreferencesFile();

[[nodiscard]] Result<Preferences> ReadPreferences(const std::filesystem::path& path);
// Writes the file whole or not at all, and makes its folder.
[[nodiscard]] Status WritePreferences(const std::filesystem::path& path,
                                      const Preferences& preferences);

// What brings the state to them, but for the author and the folder, which may be empty.
[[nodiscard]] std::vector<Action> ActionsFor(const Preferences& preferences);
// Takes over what the state says of them; the window's place is left as it is.
void TakeFromState(const AppState& state, Preferences* preferences);

}  // namespace headscope
