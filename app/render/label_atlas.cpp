#include "app/render/label_atlas.h"

#include <algorithm>

#include <epoxy/gl.h>
#include <fmt/format.h>

namespace headscope {
namespace {

constexpr int kGap = 1;  // so that turned labels do not pick up their neighbours

}  // namespace

// Rows of labels, each as high as its highest.
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

  // The place of a label, if there is one.
  [[nodiscard]] bool Reserve(int width, int height, int* x, int* y) {
    if (next_x + width + kGap > kSide) {
      next_y += row_height;
      next_x = kGap;
      row_height = 0;
    }
    if (next_x + width + kGap > kSide || next_y + height + kGap > kSide) {
      return false;
    }
    *x = next_x;
    *y = next_y;
    next_x += width + kGap;
    row_height = std::max(row_height, height + kGap);
    return true;
  }

  gl::Texture texture;
  int next_x = kGap;
  int next_y = kGap;
  int row_height = 0;
  std::int64_t used = 0;  // frame of the last use
};

LabelAtlas::LabelAtlas() = default;
LabelAtlas::~LabelAtlas() = default;

LabelAtlas::Entry LabelAtlas::Put(const TextBitmap& bitmap) {
  // What no texture holds is cut off; who draws long texts gives TextStyle a greatest width.
  const int width = std::min(bitmap.width, kSide - 2 * kGap);
  const int height = std::min(bitmap.height, kSide - 2 * kGap);
  int x = 0;
  int y = 0;
  if (sheets_.empty() || !sheets_.back()->Reserve(width, height, &x, &y)) {
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
    static_cast<void>(sheets_.back()->Reserve(width, height, &x, &y));
  }
  Sheet& sheet = *sheets_.back();
  glBindTexture(GL_TEXTURE_2D, sheet.texture.id());
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, bitmap.width);
  glTexSubImage2D(
      GL_TEXTURE_2D, 0, x, y, width, height, GL_RED, GL_UNSIGNED_BYTE, bitmap.coverage.data());
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  const auto share = [](int pixel) {
    return static_cast<float>(pixel) / static_cast<float>(kSide);
  };
  LabelTexture label;
  label.texture = reinterpret_cast<void*>(static_cast<std::uintptr_t>(sheet.texture.id()));
  label.width = static_cast<float>(width);
  label.height = static_cast<float>(height);
  label.u0 = share(x);
  label.v0 = share(y);
  label.u1 = share(x + width);
  label.v1 = share(y + height);
  return {&sheet, label};
}

LabelTexture LabelAtlas::Find(std::string_view utf8, const TextStyle& style) {
  std::string key = fmt::format("{}|{}|{}|{}|",
                                static_cast<int>(style.family),
                                style.size_px,
                                style.bold,
                                style.max_width_px);
  key += utf8;
  auto found = entries_.find(key);
  if (found == entries_.end()) {
    if (!setter_) {
      setter_ = std::make_unique<TextSetter>();
    }
    const TextBitmap bitmap = setter_->Render(utf8, style);
    if (bitmap.width <= 0 || bitmap.height <= 0) {
      return {};
    }
    found = entries_.emplace(std::move(key), Put(bitmap)).first;
  }
  found->second.sheet->used = frame_;
  return found->second.label;
}

}  // namespace headscope
