#include "core/figure/preview.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <cairo.h>

#include "core/base/stop.h"
#include "core/figure/cairo_handles.h"
#include "core/figure/srgb.h"
#include "core/figure/surface.h"
#include "core/figure/text_layout.h"

namespace headscope {
namespace {

constexpr std::size_t kLinearSteps = 4096;
constexpr double kMostDrawn = 3000.0;  // pixels of the longer side

std::array<float, 256> MakeLinear() {
  std::array<float, 256> linear = {};
  for (std::size_t i = 0; i < linear.size(); ++i) {
    linear.at(i) = static_cast<float>(LightOfSrgb(static_cast<double>(i) / 255.0));
  }
  return linear;
}

std::array<std::uint8_t, kLinearSteps + 1> MakeCoded() {
  std::array<std::uint8_t, kLinearSteps + 1> coded = {};
  for (std::size_t i = 0; i < coded.size(); ++i) {
    const double light = static_cast<double>(i) / static_cast<double>(kLinearSteps);
    coded.at(i) = static_cast<std::uint8_t>(std::lround(255.0 * SrgbOfLight(light)));
  }
  return coded;
}

// A picture in memory, 4 bytes a pixel: blue, green, red and nothing.
struct Image {
  const unsigned char* bytes = nullptr;
  int stride = 0;
  FigureSize size;
};

// Each pixel is the mean of those that it lies on, by how much of them.
Status ScaleDown(const Image& image, const std::stop_token& stop, FigurePreview* preview) {
  static const std::array<float, 256> kLinear = MakeLinear();
  static const std::array<std::uint8_t, kLinearSteps + 1> kCoded = MakeCoded();
  const auto width = static_cast<std::size_t>(preview->picture.width);
  const double step_x = static_cast<double>(image.size.width) / preview->picture.width;
  const double step_y = static_cast<double>(image.size.height) / preview->picture.height;
  std::vector<float> sums(width * 3);
  preview->picture.rgba.resize(width * static_cast<std::size_t>(preview->picture.height) * 4);
  std::uint8_t* out = preview->picture.rgba.data();
  for (int row = 0; row < preview->picture.height; ++row) {
    HEADSCOPE_TRY(CheckStop(stop));
    std::fill(sums.begin(), sums.end(), 0.0F);
    const double top = step_y * row;
    const double bottom = std::min(top + step_y, static_cast<double>(image.size.height));
    for (int y = static_cast<int>(top); y < bottom; ++y) {
      const auto tall =
          static_cast<float>(std::min(bottom, y + 1.0) - std::max(top, static_cast<double>(y)));
      const unsigned char* const line = image.bytes + static_cast<std::ptrdiff_t>(y) * image.stride;
      for (std::size_t column = 0; column < width; ++column) {
        const double left = step_x * static_cast<double>(column);
        const double right = std::min(left + step_x, static_cast<double>(image.size.width));
        float* const sum = sums.data() + column * 3;
        for (int x = static_cast<int>(left); x < right; ++x) {
          const float part = tall * static_cast<float>(std::min(right, x + 1.0) -
                                                       std::max(left, static_cast<double>(x)));
          const unsigned char* const pixel = line + static_cast<std::ptrdiff_t>(x) * 4;
          sum[0] += part * kLinear[pixel[2]];
          sum[1] += part * kLinear[pixel[1]];
          sum[2] += part * kLinear[pixel[0]];
        }
      }
    }
    const auto area = static_cast<float>(step_x * step_y);
    for (std::size_t column = 0; column < width; ++column, out += 4) {
      for (std::size_t channel = 0; channel < 3; ++channel) {
        const float mean = std::clamp(sums[column * 3 + channel] / area, 0.0F, 1.0F);
        out[channel] = kCoded.at(
            static_cast<std::size_t>(std::lround(mean * static_cast<float>(kLinearSteps))));
      }
      out[3] = 255;
    }
  }
  return {};
}

}  // namespace

Result<FigurePreview> MakePreview(const FigureKind& kind,
                                  const FigureSubject& subject,
                                  FigureSize most,
                                  const std::stop_token& stop) {
  HEADSCOPE_TRY(const auto figure, kind.make(subject));
  figure->SetLook(subject.context.look);
  TextSetter setter;
  HEADSCOPE_TRY(const FigureSize size, MeasureFigure(figure.get(), &setter));
  const double part = std::min(1.0, kMostDrawn / std::max(size.width, size.height));
  const FigureSize drawn{static_cast<int>(std::ceil(size.width * part)),
                         static_cast<int>(std::ceil(size.height * part))};
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, drawn.width, drawn.height));
  HEADSCOPE_TRY(DrawOn(surface.get(), part, figure.get(), size, &setter, stop));
  cairo_surface_flush(surface.get());
  FigurePreview preview;
  preview.picture.shrinks = true;
  preview.whole = size;
  preview.scale = std::min({1.0,
                            static_cast<double>(std::max(1, most.width)) / size.width,
                            static_cast<double>(std::max(1, most.height)) / size.height});
  preview.picture.width = std::max(1, static_cast<int>(std::floor(size.width * preview.scale)));
  preview.picture.height = std::max(1, static_cast<int>(std::floor(size.height * preview.scale)));
  HEADSCOPE_TRY(ScaleDown({.bytes = cairo_image_surface_get_data(surface.get()),
                           .stride = cairo_image_surface_get_stride(surface.get()),
                           .size = drawn},
                          stop,
                          &preview));
  return preview;
}

}  // namespace headscope
