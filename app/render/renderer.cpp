#include "app/render/renderer.h"

#include <algorithm>
#include <utility>

#include <epoxy/gl.h>

#include "app/render/label_atlas.h"
#include "app/render/map_store.h"
#include "app/render/picture_store.h"
#include "app/render/scene_cache.h"

namespace headscope {
namespace {

class GlRenderer final : public Renderer {
 public:
  explicit GlRenderer(SceneCache scene) : scene_(std::move(scene)) {}

  void Prepare() override { scene_.DrawEveryKindOnce(maps_); }

  [[nodiscard]] MapHandle Upload(std::int64_t rows,
                                 std::int64_t cols,
                                 std::span<const float> values) override {
    glActiveTexture(GL_TEXTURE0);
    return maps_.Add(rows, cols, values);
  }

  void Release(MapHandle map) override {
    scene_.Forget(map, maps_);
    maps_.Remove(map);
  }

  int DrawScene(const Scene& scene, int width, int height) override {
    labels_.BeginFrame();
    pictures_.BeginFrame();
    const int drawn = scene_.Update(scene, width, height, maps_);
    scene_.Blit();
    return drawn;
  }

  [[nodiscard]] LabelTexture Label(std::string_view utf8, const TextStyle& style) override {
    glActiveTexture(GL_TEXTURE0);
    return labels_.Find(utf8, style);
  }

  [[nodiscard]] std::vector<LabelTexture> Picture(std::uint64_t key,
                                                  std::uint64_t revision,
                                                  const TextPicture& picture) override {
    glActiveTexture(GL_TEXTURE0);
    return pictures_.Find(key, revision, picture);
  }

  [[nodiscard]] Pixels ReadWindow(int width, int height) override {
    Pixels pixels;
    pixels.width = std::max(width, 0);
    pixels.height = std::max(height, 0);
    const std::size_t stride = static_cast<std::size_t>(pixels.width) * 3;
    pixels.rgb.resize(stride * static_cast<std::size_t>(pixels.height));
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    glReadBuffer(GL_BACK);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, pixels.width, pixels.height, GL_RGB, GL_UNSIGNED_BYTE, pixels.rgb.data());
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    // OpenGL's first row is the bottom one.
    for (std::size_t row = 0; row < static_cast<std::size_t>(pixels.height) / 2; ++row) {
      std::uint8_t* const top = pixels.rgb.data() + row * stride;
      std::uint8_t* const bottom = pixels.rgb.data() + pixels.rgb.size() - (row + 1) * stride;
      std::swap_ranges(top, top + stride, bottom);
    }
    return pixels;
  }

 private:
  MapStore maps_;
  SceneCache scene_;
  LabelAtlas labels_;
  PictureStore pictures_;
};

}  // namespace

Result<std::unique_ptr<Renderer>> Renderer::Create() {
  HEADSCOPE_TRY(auto scene, SceneCache::Create());
  return std::make_unique<GlRenderer>(std::move(scene));
}

}  // namespace headscope
