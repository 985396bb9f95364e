// Colour pictures that change now and then, as textures: the contents of text fields.
//
// Units    pixels; a texture has at most 1,024 pixels per side, as guaranteed by OpenGL 3.3.
// Threads  UI thread, with the context current.
// Cost     a picture is copied once per revision; one that no frame uses is released.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "app/gl/objects.h"
#include "app/render/renderer.h"

namespace headscope {

class PictureStore {
 public:
  void BeginFrame();
  // Returns the parts from left to right.
  [[nodiscard]] std::vector<LabelTexture> Find(std::uint64_t key,
                                               std::uint64_t revision,
                                               const TextPicture& picture);

 private:
  struct Entry {
    std::uint64_t revision = 0;
    std::int64_t used = 0;  // frame of the last use
    std::vector<gl::Texture> textures;
    std::vector<LabelTexture> parts;
  };
  std::unordered_map<std::uint64_t, Entry> entries_;
  std::int64_t frame_ = 0;
};

}  // namespace headscope
