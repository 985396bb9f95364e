// The kinds of OpenGL objects that the renderer owns.
//
// Threads  UI thread, with the context current.
#pragma once

#include <epoxy/gl.h>

#include "app/gl/handle.h"

namespace headscope::gl {

// Objects that OpenGL makes and deletes by the number, given the addresses of its two functions.
template <auto* kGenerate, auto* kDelete>
struct GeneratedTraits {
  static unsigned Create() {
    unsigned id = 0;
    (*kGenerate)(1, &id);
    return id;
  }
  static void Delete(unsigned id) noexcept { (*kDelete)(1, &id); }
};
struct ShaderTraits {
  static void Delete(unsigned id) noexcept { glDeleteShader(id); }
};
struct ProgramTraits {
  static unsigned Create() { return glCreateProgram(); }
  static void Delete(unsigned id) noexcept { glDeleteProgram(id); }
};

using Texture = Handle<GeneratedTraits<&glGenTextures, &glDeleteTextures>>;
using Framebuffer = Handle<GeneratedTraits<&glGenFramebuffers, &glDeleteFramebuffers>>;
using Buffer = Handle<GeneratedTraits<&glGenBuffers, &glDeleteBuffers>>;
using VertexArray = Handle<GeneratedTraits<&glGenVertexArrays, &glDeleteVertexArrays>>;
using Shader = Handle<ShaderTraits>;
using ProgramId = Handle<ProgramTraits>;

}  // namespace headscope::gl
