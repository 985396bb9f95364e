#include "app/window/preferences.h"

#include <cmath>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/files/user_folders.h"
#include "core/base/atomic_file.h"
#include "core/base/quote.h"
#include "core/io/json.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 10U;
constexpr int kLeastSide = 320;
constexpr int kMostSide = 16384;

std::optional<Theme> ParseThemeName(const std::string& name) {
  return name == "dark" ? std::optional(Theme::kDark)
                        : (name == "light" ? std::optional(Theme::kLight) : std::nullopt);
}

std::optional<Colormap> ParseMapName(const std::string& name) {
  const std::optional<Colormap> map = ParseColormap(name);
  return map == Colormap::kDiverging ? std::nullopt : map;  // that of differences
}

std::optional<RangeMode> ParseRangeName(const std::string& name) {
  for (const RangeMode mode : {RangeMode::kFixed,
                               RangeMode::kRow,
                               RangeMode::kHead,
                               RangeMode::kLayer,
                               RangeMode::kGlobal}) {
    if (Name(mode) == name) {
      return mode;
    }
  }
  return std::nullopt;
}

// A value by its name; the first thing that is wrong is what is returned in the end.
template <typename Value, typename Parse>
Status ReadName(const JsonObject& object, const char* key, const Parse& parse, Value* value) {
  HEADSCOPE_TRY(const auto name, object.String(key, std::string()));
  if (name.empty()) {
    return {};
  }
  const std::optional<Value> parsed = parse(name);
  if (!parsed) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: {}: {} is none that there is", object.name(), key, Quoted(name)));
  }
  *value = *parsed;
  return {};
}

Status ReadInteger(const JsonObject& object, const char* key, int least, int most, int* value) {
  HEADSCOPE_TRY(const auto read, object.Integer(key, least, most, *value));
  *value = static_cast<int>(read);
  return {};
}

Status ReadWindow(const JsonObject& object, WindowPlace* window) {
  HEADSCOPE_TRY(ReadInteger(object, "width", kLeastSide, kMostSide, &window->width));
  HEADSCOPE_TRY(ReadInteger(object, "height", kLeastSide, kMostSide, &window->height));
  if (object.Has("x") && object.Has("y")) {
    HEADSCOPE_TRY(ReadInteger(object, "x", -kMostSide, kMostSide, &window->x.emplace()));
    HEADSCOPE_TRY(ReadInteger(object, "y", -kMostSide, kMostSide, &window->y.emplace()));
  }
  HEADSCOPE_TRY(const auto maximized, object.Boolean("maximized", false));
  window->maximized = maximized;
  return {};
}

Result<std::vector<WholeScan>> ReadScans(const JsonObject& object) {
  constexpr std::int64_t kMost = 1'000'000'000;
  HEADSCOPE_TRY(const auto array, object.Array("scans"));
  std::vector<WholeScan> scans;
  for (const JsonValue& value : array.value_or(JsonArray{})) {
    const std::optional<JsonObject> each = JsonObject::Of(value, object.name() + ": scans");
    if (!each) {
      return Fail(ErrorCode::kFormat, object.name() + ": scans: an entry is no object");
    }
    HEADSCOPE_TRY(const auto model, each->String("model"));
    HeadScanSettings settings;
    for (const auto& [key, number] : {std::pair("repeats", &settings.repeats),
                                      std::pair("sentences", &settings.sentences),
                                      std::pair("twins", &settings.twins)}) {
      HEADSCOPE_TRY(const auto read, each->Integer(key, 0, kMost, *number));
      *number = read;
    }
    if (scans.size() < kMostWholeScans) {
      scans.push_back({model, settings});
    }
  }
  return scans;
}

Result<Preferences> Read(const fs::path& path) {
  HEADSCOPE_TRY(const auto document, JsonDocument::Read(path, kMostBytes));
  HEADSCOPE_TRY(const auto object, JsonObject::Root(document));
  Preferences preferences;
  HEADSCOPE_TRY(ReadName(object, "theme", ParseThemeName, &preferences.theme));
  HEADSCOPE_TRY(ReadName(object, "curve", ParseCurve, &preferences.curve));
  HEADSCOPE_TRY(ReadName(object, "range", ParseRangeName, &preferences.range));
  HEADSCOPE_TRY(ReadName(object, "colormap", ParseMapName, &preferences.colormap));
  HEADSCOPE_TRY(
      const auto width,
      object.Number("detail_width", 100.0, 4000.0, static_cast<double>(preferences.detail_width)));
  preferences.detail_width = static_cast<float>(width);
  HEADSCOPE_TRY(const auto author, object.String("author", ""));
  preferences.author = author;
  HEADSCOPE_TRY(const auto files_folder, object.String("files_folder", ""));
  preferences.files_folder = files_folder;
  HEADSCOPE_TRY(const auto is_blind, object.Boolean("label_blind", false));
  preferences.is_blind = is_blind;
  HEADSCOPE_TRY(auto scans, ReadScans(object));
  preferences.scans = std::move(scans);
  HEADSCOPE_TRY(ReadWindow(object, &preferences.window));
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
  nlohmann::ordered_json json;
  json["theme"] = preferences.theme == Theme::kDark ? "dark" : "light";
  json["curve"] = std::string(Name(preferences.curve));
  json["range"] = std::string(Name(preferences.range));
  json["colormap"] = std::string(Name(preferences.colormap));
  json["detail_width"] = std::lround(preferences.detail_width);
  if (!preferences.author.empty()) {
    json["author"] = preferences.author;
  }
  if (!preferences.files_folder.empty()) {
    json["files_folder"] = preferences.files_folder;
  }
  if (preferences.is_blind) {
    json["label_blind"] = true;
  }
  for (const WholeScan& scan : preferences.scans) {
    json["scans"].push_back({{"model", scan.model},
                             {"repeats", scan.settings.repeats},
                             {"sentences", scan.settings.sentences},
                             {"twins", scan.settings.twins}});
  }
  const WindowPlace& window = preferences.window;
  json["width"] = window.width;
  json["height"] = window.height;
  if (window.x && window.y) {
    json["x"] = *window.x;
    json["y"] = *window.y;
  }
  json["maximized"] = window.maximized;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  // A folder's name may be in any bytes.
  const std::string text = json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
  return WriteFileAtomically(path, text + "\n");
}

void TakeFromState(const AppState& state, Preferences* preferences) {
  preferences->theme = state.theme;
  preferences->curve = state.settings.curve;
  preferences->range = state.settings.range;
  preferences->colormap = state.settings.colormap;
  preferences->detail_width = state.detail_width;
  preferences->author = state.flag_files.author;
  preferences->files_folder = state.files_folder.string();
  preferences->scans = state.scan.whole;
  preferences->is_blind = state.flag_files.is_blind;
}

}  // namespace headscope
