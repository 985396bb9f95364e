// A vertex and a fragment shader, compiled and linked.
//
// Errors   kGl: names the file and quotes the driver, with the line in that file.
// Threads  UI thread, with the context current.
#pragma once

#include <string_view>

#include "app/gl/objects.h"
#include "core/base/error.h"

namespace headscope::gl {

// The text of a shader file; the first line is its #version.
struct ShaderText {
  std::string_view file;
  std::string_view text;
};

class Program {
 public:
  Program() = default;
  // `defines`, such as "#define CURVE 1\n", is inserted after the #version line of both.
  [[nodiscard]] static Result<Program> Create(const ShaderText& vertex,
                                              const ShaderText& fragment,
                                              std::string_view defines);

  void Use() const;
  // Aborts if the program has no such uniform, which is a bug of ours.
  [[nodiscard]] int Uniform(const char* name) const;

 private:
  ProgramId id_;
};

}  // namespace headscope::gl
