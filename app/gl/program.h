// A vertex and a fragment shader, compiled and linked.
//
// Errors   kGl: the file, and the driver's own words with the line in that file.
// Threads  UI thread, with the context current.
#pragma once

#include <string_view>

#include "app/gl/objects.h"
#include "core/base/error.h"

namespace headscope::gl {

// A shader as it stands in its file; the first line is its #version.
struct ShaderText {
  std::string_view file;
  std::string_view text;
};

class Program {
 public:
  Program() = default;
  // `defines`, such as "#define CURVE 1\n", goes after the #version line of both.
  [[nodiscard]] static Result<Program> Create(const ShaderText& vertex,
                                              const ShaderText& fragment,
                                              std::string_view defines);

  void Use() const;
  // Aborts when the program has no such uniform: our own mistake.
  [[nodiscard]] int Uniform(const char* name) const;

 private:
  ProgramId id_;
};

}  // namespace headscope::gl
