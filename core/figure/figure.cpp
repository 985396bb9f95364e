#include "core/figure/figure.h"

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/figure/figure_format.h"
#include "core/figure/text_layout.h"

namespace headscope {
namespace {

Result<std::vector<std::byte>> Draw(const FigureFormat& format,
                                    Figure* figure,
                                    const std::stop_token& stop) {
  TextSetter setter;
  HEADSCOPE_TRY(const auto size, MeasureFigure(figure, &setter));
  return format.draw(figure, size, &setter, stop);
}

}  // namespace

void Figure::SetLook(const FigureLook& look) {
  page_.look = look;
  if (!look.has_caption) {
    page_.caption.clear();
    page_.notes.clear();
  }
}

Result<FigureSize> MeasureFigure(Figure* figure, TextSetter* setter) {
  const int asked = figure->page().size_px;
  if (asked < kLeastFigureSize || asked > kMostFigureSize) {
    return Fail(ErrorCode::kInput,
                fmt::format("a figure of {} pixels cannot be made; the longer side can be {} to {} "
                            "pixels",
                            asked,
                            kLeastFigureSize,
                            kMostFigureSize));
  }
  Result<FigureSize> size = figure->Measure(setter);
  if (size && std::int64_t{size->width} * size->height > kMostFigurePixels) {
    return Fail(ErrorCode::kInput,
                fmt::format("a figure of {} x {} pixels is over the limit of 100 million pixels; "
                            "ask for a smaller size",
                            size->width,
                            size->height));
  }
  return size;
}

tl::unexpected<Error> TooSmall(const FigurePage& page) {
  return Fail(ErrorCode::kInput,
              fmt::format("a figure of {} pixels is too small for its maps and texts; ask for a "
                          "larger size or fewer heads",
                          page.size_px));
}

Status WriteFigure(const std::filesystem::path& path, Figure* figure, const std::stop_token& stop) {
  const FigureFormat* format = FormatOf(path);
  if (format == nullptr) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: a figure's name ends in {}, found \"{}\"; rename it",
                            path.string(),
                            FigureEndings(),
                            path.extension().string()));
  }
  const auto bytes = Draw(*format, figure, stop);
  if (!bytes) {
    return Fail(bytes.error().code, path.string() + ": " + bytes.error().message);
  }
  return WriteFileAtomically(path, std::span<const std::byte>(*bytes));
}

}  // namespace headscope
