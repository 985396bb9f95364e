#include "app/window/export_place.h"

#include <atomic>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "core/figure/figure_format.h"

namespace headscope {
namespace {

// A file format of ours: its name, and its contents from some offset on.
struct Known {
  std::string_view name;
  std::string_view start;
  std::size_t start_at = 0;
};

Known KnownAs(const std::filesystem::path& path, const FigureKind* kind) {
  if (const FigureFormat* const format = FormatOf(path)) {
    return {.name = format->name, .start = format->start};
  }
  const NumbersFormat* const numbers = kind != nullptr ? NumbersFormatOf(*kind, path) : nullptr;
  return numbers != nullptr ? Known{numbers->name, numbers->start, numbers->start_at}
                            : Known{.name = "picture", .start = {}};
}

bool StartsAs(const std::filesystem::path& path, const Known& known) {
  std::string start(known.start.size(), ' ');
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(known.start_at));
  file.read(start.data(), std::ssize(start));
  return file.gcount() == std::ssize(start) && start == known.start;
}

}  // namespace

Result<ExportPlace> LookAtExportPlace(const std::filesystem::path& path, const FigureKind* kind) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    return ExportPlace::kFree;  // a missing folder is reported when the file is written
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
  const Known known = KnownAs(path, kind);
  if (!is_empty && (known.start.empty() || !StartsAs(path, known))) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: is there and is no {}, so it is not overwritten; choose another "
                            "name",
                            path.string(),
                            known.name));
  }
  return ExportPlace::kTakenByPicture;
}

Action LookBeforeFigure(const FigureJob& job, bool overwrite) {
  std::int64_t taken = 0;
  std::string first;
  for (const FigureFile& file : job.files) {
    const Result<ExportPlace> place = LookAtExportPlace(file.path, file.kind);
    if (!place) {
      return ReportError{ErrorPlace::kExport, place.error().message};
    }
    if (*place == ExportPlace::kTakenByPicture) {
      first = taken++ == 0 ? file.path.filename().string() : first;
    }
  }
  if (overwrite || taken == 0) {
    return FigureAsked{job};
  }
  const std::size_t files = job.files.size();
  return OverwriteNeeded{
      files == 1   ? ""
      : taken == 1 ? fmt::format("{} is there already.", first)
                   : fmt::format("{} of the {} files are there already, {} the first of them.",
                                 taken,
                                 files,
                                 first)};
}

Action CopyByFile(FigureJob job) {
  static std::atomic<int> copies = 0;
  std::error_code error;
  std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  job.files.front().path = (error ? std::filesystem::path("/tmp") : std::move(folder)) /
                           fmt::format("headscope-{}-{}.png", getpid(), ++copies);
  return CopyAsked{std::move(job)};
}

Action CopyPictureFile(const std::filesystem::path& file, PictureClipboard* clipboard) {
  std::ifstream stream(file, std::ios::binary);
  std::string png{std::istreambuf_iterator<char>(stream), {}};
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  if (png.empty()) {
    return PictureCopied{
        Fail(ErrorCode::kIo,
             fmt::format("{}: cannot be read; save the picture as a file", file.string()))};
  }
  return PictureCopied{clipboard->Offer(std::move(png))};
}

}  // namespace headscope
