#include "app/views/export_place.h"

#include <fstream>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "core/figure/figure_format.h"

namespace headscope {
namespace {

bool StartsAs(const std::filesystem::path& path, const FigureFormat& format) {
  std::string start(format.start.size(), ' ');
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), std::ssize(start));
  return file.gcount() == std::ssize(start) && start == format.start;
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
  const FigureFormat* format = FormatOf(path);
  if (!is_empty && (format == nullptr || !StartsAs(path, *format))) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: is there and is no {}, so it is not overwritten; choose another "
                            "name",
                            path.string(),
                            format != nullptr ? format->name : "picture"));
  }
  return ExportPlace::kTakenByPicture;
}

Action LookBeforeFigure(const FigureJob& job, bool overwrite) {
  const Result<ExportPlace> place = LookAtExportPlace(job.path);
  if (!place) {
    return ReportError{ErrorPlace::kExport, place.error().message};
  }
  if (!overwrite && *place == ExportPlace::kTakenByPicture) {
    return OverwriteNeeded{};
  }
  return FigureAsked{job};
}

}  // namespace headscope
