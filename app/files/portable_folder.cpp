#include "app/files/portable_folder.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace headscope {

void UsePortableFolder() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path fonts =
      program.parent_path().parent_path() / "share" / "headscope" / "fonts";
  const std::filesystem::path settings = fonts / "fonts.conf";
  if (!error && std::filesystem::is_regular_file(settings, error)) {
    setenv("FONTCONFIG_FILE", settings.c_str(), 0);
    setenv("GIO_MODULE_DIR", fonts.c_str(), 0);  // a folder without modules
  }
}

}  // namespace headscope
