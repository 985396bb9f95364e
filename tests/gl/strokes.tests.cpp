// Lines and arcs of a scene, as pixels.
#include <cmath>
#include <memory>
#include <vector>

#include "tests/gl/gl_fixture.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

constexpr Rgb kGround{20, 20, 20};
constexpr Rgb kInk{220, 20, 120};

Scene SceneOf(std::vector<Stroke> strokes, const Rect& clip = {0.0F, 0.0F, 400.0F, 300.0F}) {
  Scene scene;
  scene.regions = {RegionOf(400, 300)};
  scene.regions[0].background = kGround;
  scene.regions[0].strokes = std::make_shared<const std::vector<Stroke>>(std::move(strokes));
  scene.regions[0].strokes_clip = clip;
  return scene;
}

Stroke Line(float x0, float y0, float x1, float y1) {
  return {.x0 = x0, .y0 = y0, .x1 = x1, .y1 = y1, .thickness = 2.0F, .color = kInk};
}

TEST_CASE("A line leads from its beginning to its end, top left to bottom right",
          "[render][strokes]") {
  const auto renderer = MakeRenderer();
  const Pixels pixels = Draw(*renderer, SceneOf({Line(50.0F, 40.0F, 250.0F, 140.0F)}));
  for (const int x : {60, 100, 150, 200, 240}) {
    const int y = 40 + (x - 50) / 2;
    CHECK(PixelAt(pixels, x, y) == kInk);
    CHECK(PixelAt(pixels, x, y - 4) == kGround);
    CHECK(PixelAt(pixels, x, y + 4) == kGround);
  }
  CHECK(PixelAt(pixels, 46, 38) == kGround);
  CHECK(PixelAt(pixels, 254, 142) == kGround);
  CHECK(PixelAt(pixels, 60, 300 - 45) == kGround);  // not upside down
}

TEST_CASE("An arc rises over its ends, as high as it says", "[render][strokes]") {
  const auto renderer = MakeRenderer();
  const float rise = GENERATE(80.0F, -80.0F);
  Stroke arc = Line(50.0F, 150.0F, 250.0F, 150.0F);
  arc.rise = rise;
  arc.thickness = 4.0F;
  const Pixels pixels = Draw(*renderer, SceneOf({arc}));
  CHECK(PixelAt(pixels, 150, 150 - static_cast<int>(rise)) == kInk);
  CHECK(PixelAt(pixels, 150, 150) == kGround);
  CHECK(PixelAt(pixels, 150, 150 + static_cast<int>(rise)) == kGround);
  for (const float at : {0.1F, 0.25F, 0.75F, 0.9F}) {
    const StrokePoint point = PointOf(arc, at);
    CHECK(PixelAt(pixels, static_cast<int>(point.x), static_cast<int>(point.y)) == kInk);
  }
}

TEST_CASE("Lines are as opaque as they say, the last on top, within their clip",
          "[render][strokes]") {
  const auto renderer = MakeRenderer();
  Stroke half = Line(50.0F, 100.0F, 350.0F, 100.0F);
  half.thickness = 6.0F;
  half.alpha = 0.5F;
  Stroke whole = Line(200.0F, 50.0F, 200.0F, 250.0F);
  whole.thickness = 6.0F;
  whole.color = {10, 200, 30};
  const Pixels pixels = Draw(*renderer, SceneOf({half, whole}, {100.0F, 60.0F, 200.0F, 100.0F}));
  const Rgb mixed = PixelAt(pixels, 150, 100);
  CHECK(std::abs(mixed.r - 120) <= 1);
  CHECK(std::abs(mixed.b - 70) <= 1);
  CHECK(PixelAt(pixels, 200, 100) == whole.color);
  CHECK(PixelAt(pixels, 200, 70) == whole.color);
  CHECK(PixelAt(pixels, 90, 100) == kGround);
  CHECK(PixelAt(pixels, 310, 100) == kGround);
  CHECK(PixelAt(pixels, 200, 55) == kGround);
  CHECK(PixelAt(pixels, 200, 170) == kGround);
}

TEST_CASE("What its clip leaves of a stroke looks as it does in the whole", "[render][strokes]") {
  const auto renderer = MakeRenderer();
  const float dash = GENERATE(0.0F, 7.0F);
  std::vector<Stroke> strokes;
  for (const float x : {20.0F, 60.0F, 148.0F, 202.0F}) {
    Stroke arc = Line(x, 220.0F, x + 180.0F, 220.0F);
    arc.rise = x;
    arc.thickness = 9.0F;
    arc.dash = dash;
    strokes.push_back(arc);
    strokes.push_back(Line(x + 3.0F, 20.0F, 398.0F - x, 290.0F));
  }
  const Rect clip = {150.0F, 0.0F, 51.0F, 300.0F};
  const Pixels whole = Draw(*renderer, SceneOf(strokes));
  const Pixels part = Draw(*renderer, SceneOf(strokes, clip));
  int inked = 0;
  for (int y = 0; y < 300; ++y) {
    for (int x = 150; x < 201; ++x) {
      const Rgb seen = PixelAt(part, x, y);
      inked += seen == kGround ? 0 : 1;
      REQUIRE(seen == PixelAt(whole, x, y));
    }
  }
  CHECK(inked > 1000);
}

TEST_CASE("Lines that stay are not drawn again, and others leave nothing behind",
          "[render][strokes]") {
  const auto renderer = MakeRenderer();
  Scene scene = SceneOf({Line(50.0F, 40.0F, 250.0F, 40.0F)});
  CHECK(renderer->DrawScene(scene, 1600, 1000) == 1);
  CHECK(renderer->DrawScene(scene, 1600, 1000) == 0);
  scene.regions[0].strokes = std::make_shared<const std::vector<Stroke>>(
      std::vector<Stroke>{Line(50.0F, 80.0F, 250.0F, 80.0F)});
  CHECK(renderer->DrawScene(scene, 1600, 1000) == 1);
  const Pixels pixels = renderer->ReadWindow(1600, 1000);
  CHECK(PixelAt(pixels, 150, 40) == kGround);
  CHECK(PixelAt(pixels, 150, 80) == kInk);
}

}  // namespace
}  // namespace headscope
