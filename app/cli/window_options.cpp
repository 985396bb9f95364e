#include "app/cli/window_options.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "app/files/assets.h"
#include "core/model/model_cache.h"

namespace headscope {

namespace {

// Returns, for example, "inspect, counts or help".
std::string InWords(ViewChoices views) {
  if (views.empty()) {
    return "of this build, which has no window";
  }
  const std::string_view last = views.back();
  views.pop_back();
  return views.empty() ? std::string(last) : fmt::format("{} or {}", fmt::join(views, ", "), last);
}

// Returns what to open: --model, --attention or the plain file, only one of them; "" if none.
CommandResult<std::string> NamedOnce(const Options& options) {
  const int given = static_cast<int>(!options.model.empty()) +
                    static_cast<int>(options.attention.has_value()) +
                    static_cast<int>(!options.file.empty());
  if (given > 1) {
    return Usage("more than one thing to open: give a file alone, --model or --attention");
  }
  std::error_code error;
  // A repository in the cache that does not open explains itself.
  if (!options.file.empty() && !std::filesystem::exists(ResolveModel(options.file), error) &&
      !std::filesystem::exists(RepositoryFolder(CacheFolder(), options.file), error)) {
    return Usage(
        fmt::format("{}: no such file, model or command; see headscope --help", options.file));
  }
  return !options.file.empty() ? options.file : options.attention.value_or(options.model);
}

// True for a session file, whole or not: its first key says so.
bool IsSession(const std::filesystem::path& path) {
  std::string beginning(64, ' ');
  std::ifstream(path).read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  return path.extension() == ".json" &&
         beginning.find("\"headscope_session\"") != std::string::npos;
}

// Returns a screen's id.
CommandResult<std::string> ReadView(const std::string& named, const ViewChoices& views) {
  if (!named.empty() && std::ranges::find(views, named) == views.end()) {
    return Usage(fmt::format("--view: \"{}\" is not {}", named, InWords(views)));
  }
  return named;
}

}  // namespace

std::string ViewValue(const ViewChoices& views) {
  return fmt::format("{}", fmt::join(views, "|"));
}

CommandResult<WindowArguments> ReadWindowArguments(const Options& options,
                                                   const ViewChoices& views) {
  WindowArguments arguments;
  HEADSCOPE_TRY(const auto named, NamedOnce(options));
  arguments.session = options.session;
  if (options.session.empty() && named == options.file && IsSession(named)) {
    arguments.session = named;
  } else if (!named.empty()) {
    arguments.model = options.attention ? std::filesystem::path(named) : ResolveModel(named);
  }
  arguments.how = {.folder = {},
                   .options = {.heads = options.head_count},
                   .is_attention = options.attention.has_value(),
                   .tensor = options.tensor};
  if (HasInput(options.input)) {
    HEADSCOPE_TRY(arguments.input, ReadInput(options.input));
  }
  HEADSCOPE_TRY(arguments.view, ReadView(options.view, views));
  constexpr double kLeastScale = 0.5;
  constexpr double kMostScale = 4.0;
  if (options.scale != 0.0 && !(options.scale >= kLeastScale && options.scale <= kMostScale)) {
    return Usage(fmt::format(
        "--scale: {} is not between {} and {}", options.scale, kLeastScale, kMostScale));
  }
  arguments.scale = options.scale;
  arguments.screenshot = options.screenshot;
  arguments.frame_log = options.frame_log;
  arguments.preferences = options.preferences;
  return arguments;
}

}  // namespace headscope
