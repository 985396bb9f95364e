#include "app/render/picture_store.h"

#include <algorithm>

#include <epoxy/gl.h>

namespace headscope {
namespace {

constexpr int kSide = 1024;

}  // namespace

void PictureStore::BeginFrame() {
  ++frame_;
  std::erase_if(entries_, [this](const auto& entry) { return entry.second.used + 2 < frame_; });
}

std::vector<LabelTexture> PictureStore::Find(std::uint64_t key,
                                             std::uint64_t revision,
                                             const TextPicture& picture) {
  Entry& entry = entries_[key];
  entry.used = frame_;
  if (entry.revision == revision && !entry.parts.empty()) {
    return entry.parts;
  }
  entry.revision = revision;
  entry.parts.clear();
  const int height = std::min(picture.height, kSide);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, picture.width);
  for (int left = 0; left < picture.width && height > 0; left += kSide) {
    const int width = std::min(kSide, picture.width - left);
    const std::size_t index = entry.parts.size();
    if (index == entry.textures.size()) {
      entry.textures.push_back(gl::Texture::Create());
    }
    const unsigned id = entry.textures[index].id();
    glBindTexture(GL_TEXTURE_2D, id);
    glTexImage2D(GL_TEXTURE_2D,
                 0,
                 GL_RGBA8,
                 width,
                 height,
                 0,
                 GL_RGBA,
                 GL_UNSIGNED_BYTE,
                 picture.rgba.data() + static_cast<std::ptrdiff_t>(left) * 4);
    // Drawn smaller each pixel is a mean; at its own size, as text is, it is itself.
    if (picture.shrinks) {
      glGenerateMipmap(GL_TEXTURE_2D);
    }
    glTexParameteri(GL_TEXTURE_2D,
                    GL_TEXTURE_MIN_FILTER,
                    picture.shrinks ? GL_LINEAR_MIPMAP_LINEAR : GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, picture.shrinks ? 1000 : 0);
    entry.parts.push_back(
        {// NOLINTNEXTLINE(performance-no-int-to-ptr): the OpenGL backend's ImTextureID
         .texture = reinterpret_cast<void*>(static_cast<std::uintptr_t>(id)),
         .width = static_cast<float>(width),
         .height = static_cast<float>(height)});
  }
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  return entry.parts;
}

}  // namespace headscope
