#include "core/figure/surface.h"

#include <new>

#include <fmt/format.h>

#include "core/figure/cairo_canvas.h"
#include "core/figure/theme.h"

namespace headscope {

cairo_status_t ByteSink::Write(void* sink, const unsigned char* data, unsigned int length) {
  auto* self = static_cast<ByteSink*>(sink);
  if (self->stop_.stop_requested()) {
    return CAIRO_STATUS_WRITE_ERROR;
  }
  try {
    const auto* first = static_cast<const std::byte*>(static_cast<const void*>(data));
    self->bytes_.insert(self->bytes_.end(), first, first + length);
  } catch (const std::bad_alloc&) {
    return CAIRO_STATUS_NO_MEMORY;
  }
  return CAIRO_STATUS_SUCCESS;
}

Status DrawOn(cairo_surface_t* surface,
              double scale,
              Figure* figure,
              FigureSize size,
              TextSetter* setter,
              const std::stop_token& stop) {
  HEADSCOPE_TRY(CheckCairo(cairo_surface_status(surface), size, stop));
  CairoCanvas canvas(surface, size, scale, setter);
  HEADSCOPE_TRY(DrawOn(&canvas, figure, size, stop));
  return CheckCairo(canvas.status(), size, stop);
}

Status DrawOn(Canvas* canvas, Figure* figure, FigureSize size, const std::stop_token& stop) {
  const Theme theme = figure->page().theme;
  const ThemeColors& colors = ColorsOf(theme);
  const Rgb ground = theme == Theme::kDark ? colors.background : colors.panel;
  canvas->Fill(0.0, 0.0, size.width, size.height, ground);
  return figure->Draw(canvas, stop);
}

Status CheckCairo(cairo_status_t status, FigureSize size, const std::stop_token& stop) {
  if (stop.stop_requested()) {
    return Fail(ErrorCode::kCancelled, "stopped");
  }
  if (status != CAIRO_STATUS_SUCCESS) {
    return Fail(ErrorCode::kOutOfMemory,
                fmt::format("a figure of {} x {} pixels cannot be made ({}); ask for fewer pixels",
                            size.width,
                            size.height,
                            cairo_status_to_string(status)));
  }
  return {};
}

Result<std::vector<std::byte>> EncodePng(cairo_surface_t* image,
                                         FigureSize size,
                                         const std::stop_token& stop) {
  ByteSink sink(stop);
  const cairo_status_t status = cairo_surface_write_to_png_stream(image, &ByteSink::Write, &sink);
  HEADSCOPE_TRY(CheckCairo(status, size, stop));
  return sink.Take();
}

}  // namespace headscope
