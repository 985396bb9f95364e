#include "app/window/preferences.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "app/files/user_folders.h"
#include "app/state/view_names.h"
#include "core/base/atomic_file.h"
#include "core/io/fields.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 10U;
constexpr int kMostSide = 16384;

constexpr FieldNames<Theme, 2> kThemes = {{{{Theme::kDark, "dark"}, {Theme::kLight, "light"}}},
                                          kWrongName};

}  // namespace

void EachField(FieldsOf<WholeScan> auto& scan, auto& visit) {
  constexpr FieldRule kCount = {.most = 1'000'000'000};
  visit("model", scan.model, {.is_needed = true});
  visit("repeats", scan.settings.repeats, kCount);
  visit("sentences", scan.settings.sentences, kCount);
  visit("twins", scan.settings.twins, kCount);
}

void EachField(FieldsOf<Preferences> auto& preferences, auto& visit) {
  constexpr FieldRule kSide = {.least = 320, .most = kMostSide};
  constexpr FieldRule kPlace = {.least = -kMostSide, .most = kMostSide, .skips_empty = true};
  visit("theme", preferences.theme, kThemes);
  visit("follows_desktop", preferences.follows_desktop);
  visit("curve", preferences.curve, kCurves);
  visit("range", preferences.range, kRanges);
  visit("colormap", preferences.colormap, kColormaps);
  visit("head_view", preferences.head_view, kHeadViews);
  visit("lines_in_grid", preferences.lines_in_grid, kSkipsEmpty);
  visit("lines_mass", preferences.lines_mass, {.least = 0, .most = 1});
  visit("detail_width", preferences.detail_width, {.least = 100, .most = 4000});
  visit("zoom", preferences.zoom, {.least = 0.5, .most = 3.0});
  visit("author", preferences.author, kSkipsEmpty);
  visit("files_folder", preferences.files_folder, kSkipsEmpty);
  visit("doors", preferences.shows_doors);
  visit("label_blind", preferences.is_blind, kSkipsEmpty);
  visit("scans", preferences.scans, {.skips_empty = true, .wrong = "an entry is no object"});
  visit("width", preferences.window.width, kSide);
  visit("height", preferences.window.height, kSide);
  visit("x", preferences.window.x, kPlace);
  visit("y", preferences.window.y, kPlace);
  visit("maximized", preferences.window.maximized);
}

namespace {

Result<Preferences> Read(const fs::path& path) {
  HEADSCOPE_TRY(const auto document, JsonDocument::Read(path, kMostBytes));
  HEADSCOPE_TRY(JsonObject::Root(document));
  FieldReader reader(document.root(), [&](std::string_view key) {
    return path.string() + (key.starts_with("/scans/") ? ": scans" : "");
  });
  Preferences preferences;
  preferences.follows_desktop = false;  // a file that does not say has the theme of a person
  EachField(preferences, reader);
  HEADSCOPE_TRY(reader.status());
  preferences.scans.resize(std::min(preferences.scans.size(), kMostWholeScans));
  WindowPlacement& window = preferences.window;
  if (!window.x || !window.y) {
    window.x = window.y = std::nullopt;
  }
  return preferences;
}

}  // namespace

fs::path PreferencesFile() {
  const fs::path folder = ConfigFolder();
  return folder.empty() ? folder : folder / "preferences.json";
}

Result<Preferences> ReadPreferences(const fs::path& path) {
  std::error_code error;
  if (path.empty() || !fs::exists(path, error)) {
    return Preferences{};
  }
  Result<Preferences> preferences = Read(path);
  if (!preferences) {
    return Fail(
        preferences.error().code,
        fmt::format("{}. The window starts as it does the first time; what you change in it "
                    "is written to {}",
                    preferences.error().message,
                    path.string()));
  }
  return preferences;
}

Status WritePreferences(const fs::path& path, const Preferences& preferences) {
  nlohmann::ordered_json json = FieldsToJson(preferences);
  json["detail_width"] = std::lround(preferences.detail_width);  // in whole pixels
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  return WriteFileAtomically(path, JsonText(json, 1) + "\n");
}

std::vector<Action> ActionsFor(const Preferences& preferences) {
  HeadLook look;
  look.view = preferences.head_view;
  look.keep.mass = preferences.lines_mass;
  look.lines_in_grid = preferences.lines_in_grid;
  return {SetTheme{preferences.theme},
          FollowDesktop{preferences.follows_desktop},
          SetCurve{preferences.curve},
          SetRange{preferences.range},
          SetColormap{preferences.colormap},
          SetHeadLook{look},
          SetDetailWidth{preferences.detail_width},
          SetZoom{preferences.zoom},
          LabelBlind{preferences.is_blind},
          WholeScansAre{preferences.scans}};
}

void TakeFromState(const AppState& state, Preferences* preferences) {
  preferences->theme = state.presenting.value_or(state.theme);
  preferences->follows_desktop = state.follows_desktop;
  preferences->curve = state.settings.curve;
  preferences->range = state.settings.range;
  preferences->colormap = state.settings.colormap;
  preferences->head_view = state.head_look.view;
  preferences->lines_mass = state.head_look.keep.mass;
  preferences->lines_in_grid = state.head_look.lines_in_grid;
  preferences->detail_width = state.detail_width;
  preferences->zoom = state.zoom;
  preferences->author = state.flag_files.author;
  preferences->files_folder = state.files_folder.string();
  preferences->scans = state.scan.whole;
  preferences->shows_doors = state.shows_doors;
  preferences->is_blind = state.flag_files.is_blind;
}

}  // namespace headscope
