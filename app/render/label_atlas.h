// Texts set by Pango, packed into a few textures; the least recently used sheet is dropped first.
//
// Threads  UI thread, with the context current.
// Cost     a new text is set and copied once; a known one is a lookup.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "app/gl/objects.h"
#include "app/render/renderer.h"
#include "core/figure/text_layout.h"

namespace headscope {

class LabelAtlas {
 public:
  static constexpr int kSide = 1024;             // the size that OpenGL 3.3 guarantees
  static constexpr std::size_t kMostSheets = 8;  // unless one frame needs more

  LabelAtlas();
  ~LabelAtlas();
  LabelAtlas(const LabelAtlas&) = delete;
  LabelAtlas& operator=(const LabelAtlas&) = delete;

  // Labels of this frame and the previous one keep their places.
  void BeginFrame() { ++frame_; }
  [[nodiscard]] LabelTexture Find(std::string_view utf8, const TextStyle& style);

 private:
  struct Sheet;
  struct Entry {
    Sheet* sheet = nullptr;
    LabelTexture label;
  };
  [[nodiscard]] static std::string KeyOf(std::string_view utf8, const TextStyle& style);
  Entry Put(const TextBitmap& bitmap);  // an empty one has no place

  std::unique_ptr<TextSetter> setter_;  // made for the first label: opening fonts takes time
  std::vector<std::unique_ptr<Sheet>> sheets_;
  std::unordered_map<std::string, Entry> entries_;
  std::int64_t frame_ = 0;
};

}  // namespace headscope
