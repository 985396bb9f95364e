#include "app/state/export_draft.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>

#include "core/figure/figure.h"

namespace headscope {

int SizeOf(const ExportDraft& draft) {
  int size = 0;
  const char* const end = draft.size.data() + draft.size.size();
  const auto [stop, error] = std::from_chars(draft.size.data(), end, size);
  const bool is_size =
      error == std::errc() && stop == end && size >= kLeastFigureSize && size <= kMostFigureSize;
  return is_size ? size : 0;
}

std::string SizeProblem(const ExportDraft& draft) {
  return SizeOf(draft) != 0
             ? ""
             : fmt::format(
                   "a whole number from {} to {} pixels", kLeastFigureSize, kMostFigureSize);
}

std::string PathProblem(const ExportDraft& draft) {
  const std::filesystem::path path = draft.path;
  if (draft.path.empty()) {
    return "the name of a file that ends in .png";
  }
  if (!path.has_filename() || path.filename() == "." || path.filename() == "..") {
    return "this is a folder: add a name that ends in .png";
  }
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return ending == ".png" ? "" : "the picture is a PNG: end the name in .png";
}

std::string SizeHint(const ExportDraft& draft) {
  const std::int64_t size = SizeOf(draft);
  return size * size > kMostFigurePixels
             ? fmt::format(
                   "a square picture of this side is over {} million pixels, which is the "
                   "most",
                   kMostFigurePixels / 1'000'000)
             : "";
}

bool CanExport(const ExportDraft& draft) {
  return draft.request == 0 && SizeOf(draft) != 0 && PathProblem(draft).empty();
}

}  // namespace headscope
