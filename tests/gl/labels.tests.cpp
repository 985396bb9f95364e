#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <epoxy/gl.h>

#include "tests/gl/gl_fixture.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

// The label's pixels, as its texture holds them.
std::vector<std::uint8_t> CoverageOf(const LabelTexture& label) {
  const auto id = static_cast<GLuint>(reinterpret_cast<std::uintptr_t>(label.texture));
  GLint width = 0;
  GLint height = 0;
  glBindTexture(GL_TEXTURE_2D, id);
  glGetTexLevelParameteriv(GL_TEXTURE_2D, 0, GL_TEXTURE_WIDTH, &width);
  glGetTexLevelParameteriv(GL_TEXTURE_2D, 0, GL_TEXTURE_HEIGHT, &height);
  std::vector<std::uint8_t> all(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  glGetTexImage(GL_TEXTURE_2D, 0, GL_RED, GL_UNSIGNED_BYTE, all.data());
  const auto pixel = [](float share, int size) {
    return static_cast<int>(share * static_cast<float>(size) + 0.5F);
  };
  std::vector<std::uint8_t> coverage;
  for (int y = pixel(label.v0, height); y < pixel(label.v1, height); ++y) {
    for (int x = pixel(label.u0, width); x < pixel(label.u1, width); ++x) {
      coverage.push_back(all[static_cast<std::size_t>(y * width + x)]);
    }
  }
  return coverage;
}

TEST_CASE("A label holds its text in any script", "[render][labels]") {
  const auto renderer = MakeRenderer();
  const std::string text = GENERATE("Latin", "السلام عليكم", "Ωμέγα Жук", "日本語", "🙂", "x");
  CAPTURE(text);
  TextStyle style;
  style.family = GENERATE(FontFamily::kSans, FontFamily::kMono);
  const LabelTexture label = renderer->Label(text, style);
  REQUIRE(label.texture != nullptr);
  CHECK(label.width > 3.0F);
  CHECK(label.height > 8.0F);
  const std::vector<std::uint8_t> coverage = CoverageOf(label);
  REQUIRE(coverage.size() == static_cast<std::size_t>(label.width * label.height));
  int covered = 0;
  for (const std::uint8_t value : coverage) {
    covered += value > 100 ? 1 : 0;
  }
  CHECK(covered > 5);
}

TEST_CASE("The same label is set once, another style is another label", "[render][labels]") {
  const auto renderer = MakeRenderer();
  const TextStyle style;
  const LabelTexture first = renderer->Label("token", style);
  const LabelTexture again = renderer->Label("token", style);
  CHECK(first.u0 == again.u0);
  CHECK(first.v0 == again.v0);
  TextStyle large = style;
  large.size_px = 28.0;
  const LabelTexture larger = renderer->Label("token", large);
  CHECK(larger.height > 1.5F * first.height);
  CHECK((larger.u0 != first.u0 || larger.v0 != first.v0));
}

TEST_CASE("A text that fits is one label, whatever room it has", "[render][labels]") {
  const auto renderer = MakeRenderer();
  const std::string text = GENERATE("a token", "السلام عليكم");
  const auto place = [](const LabelTexture& label) {
    return std::vector<float>{label.u0, label.v0, label.u1, label.v1};
  };
  TextStyle roomy;
  roomy.max_width_px = 500.0;
  const LabelTexture limited = renderer->Label(text, roomy);
  const LabelTexture whole = renderer->Label(text, {});
  CHECK(place(limited) == place(whole));
  TextStyle just;
  just.max_width_px = static_cast<double>(whole.width);
  CHECK(place(renderer->Label(text, just)) == place(whole));

  TextStyle narrow;
  narrow.max_width_px = static_cast<double>(whole.width) / 2.0;
  const LabelTexture cut = renderer->Label(text, narrow);
  CHECK(static_cast<double>(cut.width) <= std::ceil(narrow.max_width_px));
  CHECK(place(cut) != place(whole));
  CHECK(place(renderer->Label(text, narrow)) == place(cut));
  CHECK(place(renderer->Label(text, {})) == place(whole));
}

TEST_CASE("A label between its width and the next pixel is set once", "[render][labels]") {
  const auto renderer = MakeRenderer();
  const LabelTexture whole = renderer->Label("a token", {});
  for (double less = 0.1; less < 1.0; less += 0.2) {
    TextStyle style;
    style.max_width_px = static_cast<double>(whole.width) - less;
    const LabelTexture first = renderer->Label("a token", style);
    const LabelTexture again = renderer->Label("a token", style);
    CHECK(first.u0 == again.u0);
    CHECK(first.v0 == again.v0);
  }
}

TEST_CASE("An empty text has no texture", "[render][labels]") {
  const auto renderer = MakeRenderer();
  for (int time = 0; time < 2; ++time) {  // the second is one that is known
    const LabelTexture label = renderer->Label("", {});
    CHECK(label.texture == nullptr);
    CHECK(label.width == 0.0F);
  }
}

TEST_CASE("Labels of the running frame stay as they are, however many", "[render][labels]") {
  const auto renderer = MakeRenderer();
  TextStyle style;
  style.size_px = 60.0;
  Scene scene;
  std::vector<std::uint8_t> first_coverage;
  for (int frame = 0; frame < 4; ++frame) {
    static_cast<void>(renderer->DrawScene(scene, 100, 100));
    const LabelTexture first = renderer->Label("first", style);
    first_coverage = CoverageOf(first);
    for (int index = 0; index < 500; ++index) {
      const auto label = renderer->Label("label " + std::to_string(frame * 1000 + index), style);
      REQUIRE(label.texture != nullptr);
    }
    const LabelTexture again = renderer->Label("first", style);
    CHECK(again.texture == first.texture);
    CHECK(CoverageOf(again) == first_coverage);
  }
}

}  // namespace
}  // namespace headscope
