#include "app/gl/program.h"

#include <string>

#include <epoxy/gl.h>

#include "shader_sources.h"
#include "tests/gl/gl_fixture.h"
#include "tests/support/catch.h"

namespace headscope::gl {
namespace {

TEST_CASE("The tests run on OpenGL 3.3 and nothing newer", "[gl][program]") {
  static_cast<void>(TestWindow());
  CHECK(epoxy_gl_version() == 33);
}

TEST_CASE("Every variant of the heatmap shaders compiles", "[gl][program]") {
  static_cast<void>(TestWindow());
  const std::string curve = GENERATE("0", "1", "2");
  const std::string pooled = GENERATE("", "#define POOLED\n");
  const auto program = Program::Create({k_heatmap_vert.file, k_heatmap_vert.text},
                                       {k_heatmap_frag.file, k_heatmap_frag.text},
                                       "#define CURVE " + curve + "\n" + pooled);
  INFO((program ? std::string() : program.error().message));
  CHECK(program.has_value());
}

TEST_CASE("A shader that does not compile is named with its line", "[gl][program]") {
  static_cast<void>(TestWindow());
  const ShaderText vertex{"shaders/good.vert", "#version 330 core\nvoid main() {}\n"};
  const ShaderText fragment{
      "shaders/bad.frag", "#version 330 core\nout vec4 color;\nvoid main() { color = nothing; }\n"};
  const auto program = Program::Create(vertex, fragment, "#define UNUSED 1\n");
  REQUIRE_FALSE(program.has_value());
  CHECK(program.error().code == ErrorCode::kGl);
  CHECK_THAT(program.error().message, test::Says("shaders/bad.frag"));
  CHECK_THAT(program.error().message, test::Says(":3("));
}

}  // namespace
}  // namespace headscope::gl
