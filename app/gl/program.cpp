#include "app/gl/program.h"

#include <string>

#include <epoxy/gl.h>
#include <fmt/format.h>

#include "core/base/check.h"

namespace headscope::gl {
namespace {

std::string WithDefines(std::string_view text, std::string_view defines) {
  const std::size_t line_end = text.find('\n');
  HEADSCOPE_CHECK(line_end != std::string_view::npos, "a shader starts with its #version line");
  // Afterwards the driver counts on from the file's second line.
  return fmt::format(
      "{}\n{}#line 2\n{}", text.substr(0, line_end), defines, text.substr(line_end + 1));
}

// Returns what the driver says of an object; `get` is OpenGL's function for its kind.
template <typename GetLog>
std::string LogOf(unsigned id, GetLog get) {
  std::string words(2048, '\0');
  GLsizei length = 0;
  get(id, static_cast<GLsizei>(words.size()), &length, words.data());
  words.resize(static_cast<std::size_t>(length));
  return words;
}

Result<Shader> Compile(GLenum kind, const ShaderText& source, std::string_view defines) {
  Shader shader(glCreateShader(kind));
  const std::string text = WithDefines(source.text, defines);
  const char* const start = text.c_str();
  glShaderSource(shader.id(), 1, &start, nullptr);
  glCompileShader(shader.id());
  GLint compiled = GL_FALSE;
  glGetShaderiv(shader.id(), GL_COMPILE_STATUS, &compiled);
  if (compiled == GL_FALSE) {
    return Fail(ErrorCode::kGl,
                fmt::format("{}: the graphics driver does not compile it: {}",
                            source.file,
                            LogOf(shader.id(), glGetShaderInfoLog)));
  }
  return shader;
}

}  // namespace

Result<Program> Program::Create(const ShaderText& vertex,
                                const ShaderText& fragment,
                                std::string_view defines) {
  HEADSCOPE_TRY(const auto vertex_shader, Compile(GL_VERTEX_SHADER, vertex, defines));
  HEADSCOPE_TRY(const auto fragment_shader, Compile(GL_FRAGMENT_SHADER, fragment, defines));
  Program program;
  program.id_ = ProgramId::Create();
  glAttachShader(program.id_.id(), vertex_shader.id());
  glAttachShader(program.id_.id(), fragment_shader.id());
  glLinkProgram(program.id_.id());
  glDetachShader(program.id_.id(), vertex_shader.id());
  glDetachShader(program.id_.id(), fragment_shader.id());
  GLint linked = GL_FALSE;
  glGetProgramiv(program.id_.id(), GL_LINK_STATUS, &linked);
  if (linked == GL_FALSE) {
    return Fail(ErrorCode::kGl,
                fmt::format("{} with {}: the graphics driver does not link them: {}",
                            vertex.file,
                            fragment.file,
                            LogOf(program.id_.id(), glGetProgramInfoLog)));
  }
  return program;
}

void Program::Use() const {
  glUseProgram(id_.id());
}

int Program::Uniform(const char* name) const {
  const int location = glGetUniformLocation(id_.id(), name);
  HEADSCOPE_CHECK(location >= 0, "a uniform that the shaders do not use");
  return location;
}

}  // namespace headscope::gl
