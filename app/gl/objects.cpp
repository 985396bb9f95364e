#include "app/gl/objects.h"

#include <epoxy/gl.h>

namespace headscope::gl {

unsigned TextureTraits::Create() {
  unsigned id = 0;
  glGenTextures(1, &id);
  return id;
}
void TextureTraits::Delete(unsigned id) noexcept {
  glDeleteTextures(1, &id);
}

unsigned FramebufferTraits::Create() {
  unsigned id = 0;
  glGenFramebuffers(1, &id);
  return id;
}
void FramebufferTraits::Delete(unsigned id) noexcept {
  glDeleteFramebuffers(1, &id);
}

unsigned BufferTraits::Create() {
  unsigned id = 0;
  glGenBuffers(1, &id);
  return id;
}
void BufferTraits::Delete(unsigned id) noexcept {
  glDeleteBuffers(1, &id);
}

unsigned VertexArrayTraits::Create() {
  unsigned id = 0;
  glGenVertexArrays(1, &id);
  return id;
}
void VertexArrayTraits::Delete(unsigned id) noexcept {
  glDeleteVertexArrays(1, &id);
}

void ShaderTraits::Delete(unsigned id) noexcept {
  glDeleteShader(id);
}

unsigned ProgramTraits::Create() {
  return glCreateProgram();
}
void ProgramTraits::Delete(unsigned id) noexcept {
  glDeleteProgram(id);
}

}  // namespace headscope::gl
