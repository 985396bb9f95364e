// The kinds of OpenGL objects that the renderer owns.
//
// Threads  UI thread, with the context current.
#pragma once

#include "app/gl/handle.h"

namespace headscope::gl {

struct TextureTraits {
  static unsigned Create();
  static void Delete(unsigned id) noexcept;
};
struct FramebufferTraits {
  static unsigned Create();
  static void Delete(unsigned id) noexcept;
};
struct BufferTraits {
  static unsigned Create();
  static void Delete(unsigned id) noexcept;
};
struct VertexArrayTraits {
  static unsigned Create();
  static void Delete(unsigned id) noexcept;
};
struct ShaderTraits {
  static void Delete(unsigned id) noexcept;
};
struct ProgramTraits {
  static unsigned Create();
  static void Delete(unsigned id) noexcept;
};

using Texture = Handle<TextureTraits>;
using Framebuffer = Handle<FramebufferTraits>;
using Buffer = Handle<BufferTraits>;
using VertexArray = Handle<VertexArrayTraits>;
using Shader = Handle<ShaderTraits>;
using ProgramId = Handle<ProgramTraits>;

}  // namespace headscope::gl
