// A renderer without OpenGL, which remembers what it was asked for and draws nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/render/renderer.h"
#include "core/base/check.h"

namespace headscope::test {

class RecordingRenderer : public Renderer {
 public:
  MapHandle Upload(std::int64_t rows, std::int64_t cols, std::span<const float> values) override {
    HEADSCOPE_CHECK(static_cast<std::int64_t>(values.size()) == rows * cols, "a whole map");
    maps[++last_] = {rows, cols};
    uploaded[last_].assign(values.begin(), values.end());
    return last_;
  }
  void Release(MapHandle map) override {
    maps.erase(map);
    uploaded.erase(map);
  }
  int DrawScene(const Scene& /*scene*/, int /*width*/, int /*height*/) override { return 0; }
  LabelTexture Label(std::string_view utf8, const TextStyle& style) override {
    labels.emplace_back(utf8);
    float width = static_cast<float>(static_cast<double>(utf8.size()) * style.size_px * 0.55);
    constexpr float kWidest = 1022.0F;  // that a texture of the real one holds
    width = std::min(width, kWidest);
    if (style.max_width_px > 0.0) {
      width = std::min(width, static_cast<float>(style.max_width_px));
    }
    return {.texture = nullptr,
            .width = width,
            .height = static_cast<float>(style.size_px * 1.3),
            .u0 = 0.0F,
            .v0 = 0.0F,
            .u1 = 1.0F,
            .v1 = 1.0F};
  }
  std::vector<LabelTexture> Picture(std::uint64_t key,
                                    std::uint64_t revision,
                                    const TextPicture& picture) override {
    pictures[key] = {revision, picture.width, picture.height};
    return {};
  }
  Pixels ReadWindow(int /*width*/, int /*height*/) override { return {}; }

  std::map<MapHandle, std::pair<std::int64_t, std::int64_t>> maps;  // rows, columns
  std::map<MapHandle, std::vector<float>> uploaded;
  struct Drawn {
    std::uint64_t revision = 0;
    int width = 0;
    int height = 0;
  };
  std::map<std::uint64_t, Drawn> pictures;  // the last of each owner
  std::vector<std::string> labels;          // of this frame

 private:
  MapHandle last_ = 0;
};

}  // namespace headscope::test
