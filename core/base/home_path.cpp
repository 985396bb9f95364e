#include "core/base/home_path.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <pwd.h>
#include <string>
#include <unistd.h>

namespace headscope {
namespace {

// Returns a user's home folder, or nothing for an unknown user. "" is the user who runs the
// program.
std::string HomeOf(const std::string& name) {
  if (const char* home = std::getenv("HOME"); name.empty() && home != nullptr && *home != '\0') {
    return home;
  }
  std::array<char, 16384> text = {};
  passwd entry = {};
  passwd* found = nullptr;
  if (name.empty()) {
    getpwuid_r(getuid(), &entry, text.data(), text.size(), &found);
  } else {
    getpwnam_r(name.c_str(), &entry, text.data(), text.size(), &found);
  }
  return found != nullptr && found->pw_dir != nullptr ? found->pw_dir : "";
}

}  // namespace

std::filesystem::path ExpandHome(const std::filesystem::path& path) {
  const std::string& text = path.native();
  if (!text.starts_with('~')) {
    return path;
  }
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string home = HomeOf(text.substr(1, slash - 1));
  return home.empty() ? path : std::filesystem::path(home + text.substr(slash));
}

}  // namespace headscope
