#include "app/files/user_folders.h"

#include <cstdlib>

namespace headscope {
namespace {

namespace fs = std::filesystem;

// Returns the variable's value, or the default below the home folder.
fs::path BaseFolder(const char* variable, const char* below_home) {
  const char* given = std::getenv(variable);
  if (given != nullptr && fs::path(given).is_absolute()) {
    return fs::path(given) / "headscope";
  }
  const char* home = std::getenv("HOME");
  return home != nullptr && *home != '\0' ? fs::path(home) / below_home / "headscope" : fs::path();
}

}  // namespace

fs::path ConfigFolder() {
  return BaseFolder("XDG_CONFIG_HOME", ".config");
}

fs::path StateFolder() {
  return BaseFolder("XDG_STATE_HOME", ".local/state");
}

fs::path OwnCacheFolder() {
  return BaseFolder("XDG_CACHE_HOME", ".cache");
}

fs::path DataFolder() {
  return BaseFolder("XDG_DATA_HOME", ".local/share");
}

}  // namespace headscope
