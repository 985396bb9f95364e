#include "app/render/label_atlas.h"

#include <algorithm>

#include <epoxy/gl.h>

#include "app/render/shelf_packer.h"

namespace headscope {
namespace {

constexpr int kGap = 1;  // keeps rotated labels from showing their neighbours

}  // namespace

struct LabelAtlas::Sheet {
  Sheet() : texture(gl::Texture::Create()) {
    glBindTexture(GL_TEXTURE_2D, texture.id());
    const std::vector<std::uint8_t> empty(static_cast<std::size_t>(kSide) * kSide);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, kSide, kSide, 0, GL_RED, GL_UNSIGNED_BYTE, empty.data());
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    const GLint white[] = {GL_ONE, GL_ONE, GL_ONE, GL_RED};
    glTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, white);
  }

  gl::Texture texture;
  ShelfPacker packer{kSide, kGap};
  std::int64_t used = 0;  // frame of the last use
};

LabelAtlas::LabelAtlas() = default;
LabelAtlas::~LabelAtlas() = default;

LabelAtlas::Entry LabelAtlas::Put(const TextBitmap& bitmap) {
  if (bitmap.width <= 0 || bitmap.height <= 0) {
    return {};
  }
  // A label is cut off if no texture can hold it; callers limit long texts by TextStyle's maximum
  // width.
  const int width = std::min(bitmap.width, kSide - 2 * kGap);
  const int height = std::min(bitmap.height, kSide - 2 * kGap);
  ShelfPacker::Place place;
  if (sheets_.empty() || !sheets_.back()->packer.Reserve(width, height, &place)) {
    const auto oldest =
        std::min_element(sheets_.begin(), sheets_.end(), [](const auto& a, const auto& b) {
          return a->used < b->used;
        });
    if (sheets_.size() >= kMostSheets && (*oldest)->used + 1 < frame_) {
      std::erase_if(entries_,
                    [&](const auto& entry) { return entry.second.sheet == oldest->get(); });
      sheets_.erase(oldest);
    }
    sheets_.push_back(std::make_unique<Sheet>());
    // A new sheet has room: the label is smaller than a sheet.
    static_cast<void>(sheets_.back()->packer.Reserve(width, height, &place));
  }
  Sheet& sheet = *sheets_.back();
  glBindTexture(GL_TEXTURE_2D, sheet.texture.id());
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, bitmap.width);
  glTexSubImage2D(GL_TEXTURE_2D,
                  0,
                  place.x,
                  place.y,
                  width,
                  height,
                  GL_RED,
                  GL_UNSIGNED_BYTE,
                  bitmap.coverage.data());
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  const auto share = [](int pixel) {
    return static_cast<float>(pixel) / static_cast<float>(kSide);
  };
  LabelTexture label;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the OpenGL backend's ImTextureID
  label.texture = reinterpret_cast<void*>(static_cast<std::uintptr_t>(sheet.texture.id()));
  label.width = static_cast<float>(width);
  label.height = static_cast<float>(height);
  label.u0 = share(place.x);
  label.v0 = share(place.y);
  label.u1 = share(place.x + width);
  label.v1 = share(place.y + height);
  return {&sheet, label};
}

std::string LabelAtlas::KeyOf(std::string_view utf8, const TextStyle& style) {
  std::string key(utf8);
  const auto append = [&key](const auto& value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  append(style.family);
  append(style.size_px);
  append(style.bold);
  append(style.max_width_px);
  return key;
}

LabelTexture LabelAtlas::Find(std::string_view utf8, const TextStyle& style) {
  // A text that fits is one label, whatever room it has.
  TextStyle whole = style;
  whole.max_width_px = 0.0;
  std::string key = KeyOf(utf8, whole);
  auto found = entries_.find(key);
  const bool is_known = found != entries_.end();
  const bool fits =
      style.max_width_px <= 0.0 ||
      (is_known && static_cast<double>(found->second.label.width) <= style.max_width_px);
  if (!is_known || !fits) {
    std::string limited_key = KeyOf(utf8, style);
    found = entries_.find(limited_key);
    if (found == entries_.end()) {
      if (!setter_) {
        setter_ = std::make_unique<TextSetter>();
      }
      const TextBitmap bitmap = setter_->Render(utf8, style);
      std::string& name = is_known || bitmap.is_cut ? limited_key : key;
      found = entries_.emplace(std::move(name), Put(bitmap)).first;
    }
  }
  if (found->second.sheet != nullptr) {
    found->second.sheet->used = frame_;
  }
  return found->second.label;
}

}  // namespace headscope
