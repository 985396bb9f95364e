#include "app/views/export_place.h"

#include <array>
#include <fstream>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

namespace headscope {
namespace {

bool StartsAsPng(const std::filesystem::path& path) {
  constexpr std::string_view kPng("\x89PNG\r\n\x1a\n", 8);
  std::array<char, 8> start = {};
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), start.size());
  return std::string_view(start.data(), static_cast<std::size_t>(file.gcount())) == kPng;
}

}  // namespace

Result<ExportPlace> LookAtExportPlace(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    return ExportPlace::kFree;  // a folder that is missing is said when the file is written
  }
  if (std::filesystem::is_directory(status)) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: is a folder; give the picture a name in it", path.string()));
  }
  if (!std::filesystem::is_regular_file(status)) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: is there and is no file; choose another name", path.string()));
  }
  const bool is_empty = std::filesystem::file_size(path, error) == 0 && !error;
  if (!is_empty && !StartsAsPng(path)) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: is there and is no PNG picture, so it is not overwritten; choose "
                            "another name",
                            path.string()));
  }
  return ExportPlace::kTakenByPicture;
}

}  // namespace headscope
