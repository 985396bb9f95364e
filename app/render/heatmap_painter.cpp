#include "app/render/heatmap_painter.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include <epoxy/gl.h>
#include <fmt/format.h>

#include "shader_sources.h"

namespace headscope {
namespace {

gl::ShaderText TextOf(const ShaderSource& source) {
  return {source.file, source.text};
}

// One axis of a placement: the positions of cell edges, and how many cells a pixel covers.
struct Axis {
  double target = 0.0;
  double pixels = 0.0;
  double source = 0.0;
  double cells = 0.0;

  [[nodiscard]] double CellsPerPixel() const { return cells / pixels; }
  [[nodiscard]] double PixelOf(double cell) const {
    return target + (cell - source) / cells * pixels;
  }
  // Returns the pixels within the target that a page draws.
  [[nodiscard]] std::pair<double, double> Clip(const MapStore::Stretch& page) const {
    return {std::max(target, PixelOf(static_cast<double>(page.first))),
            std::min(target + pixels, PixelOf(static_cast<double>(page.last)))};
  }
};

bool IsDrawable(const Axis& axis) {
  return axis.pixels > 0.0 && axis.cells > 0.0 && std::isfinite(axis.target) &&
         std::isfinite(axis.pixels) && std::isfinite(axis.source) && std::isfinite(axis.cells);
}

// Returns the level at which a pixel covers at most two cells.
int LevelFor(double cells_per_pixel) {
  int level = 0;
  while (level + 1 < MapStore::kLevels && cells_per_pixel > 2.0 * static_cast<double>(1 << level)) {
    ++level;
  }
  return level;
}

}  // namespace

Result<HeatmapPainter::Shading> HeatmapPainter::MakeShading(std::size_t variant) {
  const std::string defines = fmt::format(
      "#define CURVE {}\n{}", variant % kCurves, variant >= kCurves ? "#define POOLED\n" : "");
  HEADSCOPE_TRY(auto program,
                gl::Program::Create(TextOf(k_heatmap_vert), TextOf(k_heatmap_frag), defines));
  program.Use();
  glUniform1i(program.Uniform("u_maps"), 0);
  glUniform1i(program.Uniform("u_thresholds"), 1);
  glUniform1i(program.Uniform("u_colors"), 2);
  Shading shading;
  shading.pixels_to_clip = program.Uniform("u_pixels_to_clip");
  shading.program = std::move(program);
  return shading;
}

Result<HeatmapPainter> HeatmapPainter::Create() {
  HeatmapPainter painter;
  for (std::size_t variant = 0; variant < painter.shadings_.size(); ++variant) {
    HEADSCOPE_TRY(auto shading, MakeShading(variant));
    painter.shadings_[variant] = std::move(shading);
  }
  painter.vertices_ = gl::VertexArray::Create();
  painter.instances_ = gl::Buffer::Create();
  glBindVertexArray(painter.vertices_.id());
  glBindBuffer(GL_ARRAY_BUFFER, painter.instances_.id());
  constexpr GLuint kAttributes = sizeof(Instance) / sizeof(Instance::rect);
  for (GLuint attribute = 0; attribute < kAttributes; ++attribute) {
    glEnableVertexAttribArray(attribute);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): OpenGL takes an offset as a pointer
    const auto* const offset = reinterpret_cast<const void*>(attribute * sizeof(Instance::rect));
    glVertexAttribPointer(attribute, 4, GL_FLOAT, GL_FALSE, sizeof(Instance), offset);
    glVertexAttribDivisor(attribute, 1);
  }
  glBindVertexArray(0);
  return painter;
}

PaletteKey HeatmapPainter::Surface::ColorsOf(const MapPlacement& placement) const {
  return {placement.scale, theme, placement.dimmed, placement.dimmed ? background : Rgb{}};
}

void HeatmapPainter::Begin(const Surface& surface) {
  surface_ = surface;
}

void HeatmapPainter::Add(const MapStore::Map& map, const MapPlacement& placement) {
  const bool is_whole = placement.source == Rect{};
  const Rect source =
      is_whole ? Rect{0.0F, 0.0F, static_cast<float>(map.cols), static_cast<float>(map.rows)}
               : placement.source;
  const auto axis = [](float target, float pixels, float from, float cells) {
    return Axis{static_cast<double>(target),
                static_cast<double>(pixels),
                static_cast<double>(from),
                static_cast<double>(cells)};
  };
  const Axis across = axis(placement.target.x, placement.target.width, source.x, source.width);
  const Axis down = axis(placement.target.y, placement.target.height, source.y, source.height);
  if (!IsDrawable(across) || !IsDrawable(down)) {
    return;
  }
  const PaletteKey key = surface_.ColorsOf(placement);
  std::optional<Palette::Row> row = palette_.Find(key);
  if (!row) {
    Flush();
    palette_.Clear();
    row = palette_.Find(key);
  }
  const double most = std::max(across.CellsPerPixel(), down.CellsPerPixel());
  const bool is_pooled = most > 1.0 + 1e-6;
  // Levels shrink both axes equally: the axis with more pixels per cell decides.
  const int level = LevelFor(std::min(across.CellsPerPixel(), down.CellsPerPixel()));
  const double shrink = 1.0 / static_cast<double>(1 << level);
  const std::size_t shading = static_cast<std::size_t>(row->shading) + (is_pooled ? kCurves : 0);
  for (const MapStore::Page& page : map.pages) {
    const auto [left, right] = across.Clip(page.across);
    const auto [top, bottom] = down.Clip(page.down);
    if (!(left < right) || !(top < bottom)) {
      continue;
    }
    if (page.texture != batch_texture_ || shading != batch_shading_) {
      Flush();
      batch_texture_ = page.texture;
      batch_shading_ = shading;
    }
    const auto offset = [&](const Axis& along, std::int64_t origin) {
      return (along.source - along.target * along.CellsPerPixel() - static_cast<double>(origin)) *
             shrink;
    };
    const auto last_cell = [level](int cells) {
      return static_cast<float>(((cells + (1 << level) - 1) >> level) - 1);
    };
    batch_.push_back({{static_cast<float>(left),
                       static_cast<float>(top),
                       static_cast<float>(right),
                       static_cast<float>(bottom)},
                      {static_cast<float>(across.CellsPerPixel() * shrink),
                       static_cast<float>(down.CellsPerPixel() * shrink),
                       static_cast<float>(offset(across, page.across.origin)),
                       static_cast<float>(offset(down, page.down.origin))},
                      {0.0F, 0.0F, last_cell(page.across.cells), last_cell(page.down.cells)},
                      {static_cast<float>(page.slice),
                       static_cast<float>(row->index),
                       static_cast<float>(level),
                       0.0F},
                      row->curve});
  }
}

void HeatmapPainter::Flush() {
  if (batch_.empty()) {
    return;
  }
  const Shading& shading = shadings_[batch_shading_];
  shading.program.Use();
  glUniform2f(shading.pixels_to_clip,
              2.0F / static_cast<float>(surface_.width),
              2.0F / static_cast<float>(surface_.height));
  glActiveTexture(GL_TEXTURE2);
  glBindTexture(GL_TEXTURE_2D, palette_.colors());
  glActiveTexture(GL_TEXTURE1);
  glBindTexture(GL_TEXTURE_2D, palette_.thresholds());
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D_ARRAY, batch_texture_);
  glBindVertexArray(vertices_.id());
  glBindBuffer(GL_ARRAY_BUFFER, instances_.id());
  glBufferData(GL_ARRAY_BUFFER,
               static_cast<GLsizeiptr>(batch_.size() * sizeof(Instance)),
               batch_.data(),
               GL_STREAM_DRAW);
  glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(batch_.size()));
  glBindVertexArray(0);
  batch_.clear();
}

}  // namespace headscope
