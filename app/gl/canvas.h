// A texture with 8 bits per channel to draw into.
//
// Units    row 0 of the drawing is row 0 of the texture.
// Threads  UI thread, with the context current.
#pragma once

#include "app/gl/objects.h"

namespace headscope::gl {

class Canvas {
 public:
  Canvas() = default;
  Canvas(int width, int height);

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] unsigned framebuffer() const { return framebuffer_.id(); }

  [[nodiscard]] bool IsComplete() const;
  void Bind() const;  // makes all of it the drawing target

 private:
  int width_ = 0;
  int height_ = 0;
  Texture texture_;
  Framebuffer framebuffer_;
};

}  // namespace headscope::gl
