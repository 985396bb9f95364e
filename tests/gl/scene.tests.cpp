#include <cstdint>
#include <vector>

#include "tests/gl/gl_fixture.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

constexpr Rgb kRed{200, 10, 20};
constexpr Rgb kGreen{10, 180, 30};

std::vector<float> Same(float weight, std::size_t count) {
  return std::vector<float>(count, weight);
}

// Left and right half of 800 x 600 pixels, one map in each.
Scene TwoHalves(Renderer& renderer, float left, float right) {
  Scene scene;
  for (int half = 0; half < 2; ++half) {
    SceneRegion region;
    region.rect = {400.0F * static_cast<float>(half), 0.0F, 400.0F, 600.0F};
    region.background = kRed;
    region.fills.push_back({{region.rect.x + 10.0F, 10.0F, 20.0F, 30.0F}, kGreen});
    MapPlacement placement;
    placement.map = renderer.Upload(4, 4, Same(half == 0 ? left : right, 16));
    placement.target = {region.rect.x + 100.0F, 100.0F, 80.0F, 80.0F};
    region.maps.push_back(placement);
    scene.regions.push_back(region);
  }
  return scene;
}

TEST_CASE("Only regions that changed are drawn again", "[render][scene]") {
  const auto renderer = MakeRenderer();
  Scene scene = TwoHalves(*renderer, 0.2F, 0.8F);
  CHECK(renderer->DrawScene(scene, 1600, 1000) == 2);
  CHECK(renderer->DrawScene(scene, 1600, 1000) == 0);
  const auto color = [&](float weight) { return ColorOf({}, scene.theme, weight); };

  SECTION("another map in one region") {
    scene.regions[1].maps[0].map = renderer->Upload(4, 4, Same(0.5F, 16));
    CHECK(renderer->DrawScene(scene, 1600, 1000) == 1);
    const Pixels pixels = renderer->ReadWindow(1600, 1000);
    CHECK(PixelAt(pixels, 120, 120) == color(0.2F));
    CHECK(PixelAt(pixels, 520, 120) == color(0.5F));
    CHECK(PixelAt(pixels, 415, 15) == kGreen);
  }
  SECTION("a map that moved leaves nothing behind") {
    scene.regions[0].maps[0].target.y = 300.0F;
    CHECK(renderer->DrawScene(scene, 1600, 1000) == 1);
    const Pixels pixels = renderer->ReadWindow(1600, 1000);
    CHECK(PixelAt(pixels, 120, 120) == kRed);
    CHECK(PixelAt(pixels, 120, 320) == color(0.2F));
  }
  SECTION("a fill that changed") {
    scene.regions[0].fills[0].color = {1, 2, 3};
    CHECK(renderer->DrawScene(scene, 1600, 1000) == 1);
    const Pixels pixels = renderer->ReadWindow(1600, 1000);
    CHECK(PixelAt(pixels, 15, 15) == Rgb{1, 2, 3});
    CHECK(PixelAt(pixels, 120, 120) == color(0.2F));
  }
  SECTION("another theme, a moved region or another window size draw everything") {
    scene.theme = Theme::kLight;
    CHECK(renderer->DrawScene(scene, 1600, 1000) == 2);
    scene.regions[1].rect.width = 300.0F;
    CHECK(renderer->DrawScene(scene, 1600, 1000) == 2);
    CHECK(renderer->DrawScene(scene, 1500, 900) == 2);
    CHECK(renderer->DrawScene(scene, 1500, 900) == 0);
  }
  SECTION("the picture is shown again after something was drawn over the window") {
    CHECK(renderer->DrawScene(scene, 1600, 1000) == 0);
    TestWindow().Swap();
    CHECK(renderer->DrawScene(scene, 1600, 1000) == 0);
    const Pixels pixels = renderer->ReadWindow(1600, 1000);
    CHECK(PixelAt(pixels, 15, 15) == kGreen);
    CHECK(PixelAt(pixels, 520, 120) == color(0.8F));
  }
}

TEST_CASE("What is drawn in preparation is in no picture", "[render][scene]") {
  const auto plain = MakeRenderer();
  const auto prepared = MakeRenderer();
  prepared->Prepare();
  const auto draw = [](Renderer& renderer) {
    const Scene scene = TwoHalves(renderer, 0.2F, 0.8F);
    CHECK(renderer.DrawScene(scene, 1600, 1000) == 2);
    return renderer.ReadWindow(1600, 1000).rgb;
  };
  CHECK(draw(*prepared) == draw(*plain));
}

TEST_CASE("Nothing is drawn outside a region", "[render][scene]") {
  const auto renderer = MakeRenderer();
  Scene scene = TwoHalves(*renderer, 0.3F, 0.6F);
  scene.regions[1].rect = {800.0F, 0.0F, 400.0F, 600.0F};
  scene.regions[1].background = {9, 9, 9};
  scene.regions[0].maps[0].target = {300.0F, 500.0F, 900.0F, 400.0F};
  scene.regions[0].fills.push_back({{350.0F, 0.0F, 900.0F, 50.0F}, kGreen});
  const Pixels pixels = Draw(*renderer, scene);
  CHECK(PixelAt(pixels, 399, 20) == kGreen);
  CHECK(PixelAt(pixels, 400, 20) == kRed);  // no region: the first background
  CHECK(PixelAt(pixels, 801, 20) == Rgb{9, 9, 9});
  CHECK(PixelAt(pixels, 399, 599) == ColorOf({}, scene.theme, 0.3F));
  CHECK(PixelAt(pixels, 399, 600) == kRed);
  CHECK(PixelAt(pixels, 401, 599) == kRed);
}

TEST_CASE("Maps are cut off where their region says, fills and ground are not", "[render][scene]") {
  const auto renderer = MakeRenderer();
  Scene scene = TwoHalves(*renderer, 0.3F, 0.6F);
  SceneRegion& region = scene.regions[0];
  region.maps_clip = {120.0F, 110.0F, 30.0F, 40.0F};
  // A small one, and one that is drawn in part.
  region.maps.push_back(region.maps[0]);
  region.maps[0].target = {100.0F, 100.0F, 30.0F, 30.0F};
  region.maps[1].target = {130.0F, 100.0F, 80.0F, 80.0F};
  region.maps[1].source = {1.0F, 1.0F, 2.0F, 2.0F};
  const Pixels pixels = Draw(*renderer, scene);
  for (int y = 90; y < 200; ++y) {
    for (int x = 90; x < 220; ++x) {
      const bool first = x >= 100 && x < 130 && y >= 100 && y < 130;
      const bool second = x >= 130 && x < 210 && y >= 100 && y < 180;
      const bool seen = x >= 120 && x < 150 && y >= 110 && y < 150 && (first || second);
      CAPTURE(x, y);
      REQUIRE(PixelAt(pixels, x, y) == (seen ? ColorOf({}, scene.theme, 0.3F) : kRed));
    }
  }
  CHECK(PixelAt(pixels, 15, 15) == kGreen);
  region.maps_clip = {};
  CHECK(PixelAt(Draw(*renderer, scene), 205, 175) == ColorOf({}, scene.theme, 0.3F));
}

TEST_CASE("A released map and no map draw nothing", "[render][scene]") {
  const auto renderer = MakeRenderer();
  Scene scene = TwoHalves(*renderer, 0.3F, 0.6F);
  renderer->Release(scene.regions[0].maps[0].map);
  renderer->Release(12345);
  scene.regions[1].maps[0].map = 0;
  const Pixels pixels = Draw(*renderer, scene);
  CHECK(PixelAt(pixels, 120, 120) == kRed);
  CHECK(PixelAt(pixels, 520, 120) == kRed);
  CHECK(renderer->Upload(0, 0, {}) == 0);
}

TEST_CASE("A grid that scrolls is the same picture, moved and clipped", "[render][scene]") {
  const auto renderer = MakeRenderer();
  Scene scene;
  scene.regions.push_back(RegionOf(1600, 1000));
  scene.regions[0].rect = {100.0F, 50.0F, 700.0F, 300.0F};
  // More than a sheet of copies holds.
  std::vector<float> weights;
  for (int index = 0; index < 60; ++index) {
    MapPlacement placement;
    weights.push_back(static_cast<float>(index) / 60.0F);
    placement.map = renderer->Upload(2, 2, std::vector<float>{weights.back(), 0.0F, 1.0F, -1.0F});
    placement.target = {static_cast<float>(100 + index % 4 * 200),
                        static_cast<float>(60 + index / 4 * 200),
                        180.0F,
                        180.0F};
    scene.regions[0].maps.push_back(placement);
  }
  for (int scroll = 0; scroll < 2900; scroll += 137) {
    Scene scrolled = scene;
    for (MapPlacement& placement : scrolled.regions[0].maps) {
      placement.target.y -= static_cast<float>(scroll);
    }
    const Pixels pixels = Draw(*renderer, scrolled);
    for (int y = 45; y < 355; y += 3) {
      for (int x = 95; x < 805; x += 7) {
        CAPTURE(scroll, x, y);
        const int col = (x - 100) / 200;
        const int row = (y + scroll - 60) / 200;
        const int dx = (x - 100) % 200;
        const int dy = (y + scroll - 60) % 200;
        Rgb expected{14, 17, 22};
        if (x >= 100 && x < 800 && y >= 50 && y < 350 && y + scroll >= 60 && row < 15 && dx < 180 &&
            dy < 180) {
          const std::size_t index = static_cast<std::size_t>(row * 4 + col);
          const std::vector<float> cells = {weights[index], 0.0F, 1.0F, -1.0F};
          expected =
              ColorOf({}, scene.theme, cells[static_cast<std::size_t>(dy / 90 * 2 + dx / 90)]);
        }
        REQUIRE(PixelAt(pixels, x, y) == expected);
      }
    }
  }
}

TEST_CASE("More scales than the palette holds are all drawn right", "[render][scene]") {
  const auto renderer = MakeRenderer();
  Scene scene;
  scene.regions.push_back(RegionOf(1600, 1000));
  const MapHandle map = renderer->Upload(1, 1, Same(0.25F, 1));
  for (int index = 0; index < 1200; ++index) {
    MapPlacement placement;
    placement.map = map;
    placement.scale.high = 0.3F + 0.0005F * static_cast<float>(index);
    placement.target = {static_cast<float>(index % 40) * 30.0F,
                        static_cast<float>(index / 40) * 30.0F,
                        25.0F,
                        25.0F};
    scene.regions[0].maps.push_back(placement);
  }
  const Pixels pixels = Draw(*renderer, scene);
  for (int index = 0; index < 1200; ++index) {
    CAPTURE(index);
    REQUIRE(
        PixelAt(pixels, index % 40 * 30 + 12, index / 40 * 30 + 12) ==
        ColorOf(scene.regions[0].maps[static_cast<std::size_t>(index)].scale, scene.theme, 0.25F));
  }
}

}  // namespace
}  // namespace headscope
