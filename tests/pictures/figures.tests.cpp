// Figures against reference pictures, as the command line writes them.
#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <vector>

#include "app/cli/command_line.h"
#include "tests/pictures/picture.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/support/temp_folder.h"

namespace headscope::test {
namespace {

constexpr const char* kText = "the old sailor told the old sailor a story";
constexpr int kMostOffset = 4;  // pixels, of one system's fonts to the next one's

// Runs the program with these words.
int RunProgram(std::vector<std::string> words) {
  words.insert(words.begin(), "headscope");
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  return RunCommandLine(
      static_cast<int>(words.size()),
      arguments.data(),
      {.open = [](const WindowArguments& /*command*/) { return 1; }, .views = {}});
}

struct FigureCase {
  const char* name;
  const char* words;  // of the command line; PROBE, BART, COPY, TEXT and IDS stand for those
  PictureColours colours;
};

constexpr std::array<FigureCase, 8> kCases = {{
    {"figure-head",
     "render --model PROBE --text TEXT --head L0H1 --size 480",
     {Colormap::kViridis, Theme::kLight}},
    {"figure-head-row-range",
     "render --model PROBE --text TEXT --head L1H2 --size 480 --theme dark --range row --curve "
     "linear "
     "--colormap cividis",
     {Colormap::kCividis, Theme::kDark}},
    {"figure-layer",
     "render --model PROBE --text TEXT --layer 1 --size 640 --curve log",
     {Colormap::kViridis, Theme::kLight}},
    {"figure-all",
     "render --model PROBE --text TEXT --all --size 640",
     {Colormap::kViridis, Theme::kLight}},
    {"figure-cross",
     "render --model BART --ids 5,6,7,8,9,10 --target-ids 2,9,3,11 --head X1H2 --size 480 --range "
     "head",
     {Colormap::kViridis, Theme::kLight}},
    {"figure-counts",
     "split --model PROBE --text TEXT --layer 1 --heads 1,2,4,8",
     {Colormap::kViridis, Theme::kLight}},
    {"figure-head-rank",
     "render --model COPY --ids IDS --head L1H1 --view rank --size 640",
     {.theme = Theme::kLight, .is_chart = true}},
    {"figure-counts-rank",
     "split --model COPY --ids IDS --layer 0 --heads 1,2,8 --view rank",
     {.theme = Theme::kLight, .is_chart = true}},
}};
// Begin, and a block of symbols twice: a copy's scores have as many directions as its heads have columns.
constexpr const char* kIds = "0,7,12,33,4,51,26,18,60,9,45,22,38,7,12,33,4,51,26,18,60,9,45,22,38";

std::vector<std::string> WordsOf(const FigureCase& figure) {
  std::istringstream in(figure.words);
  std::vector<std::string> words;
  for (std::string word; in >> word;) {
    words.push_back(word == "PROBE"  ? (SourceFolder() / "assets/models/probe").string()
                    : word == "BART" ? (SourceFolder() / "tests/golden/data/bart_plain").string()
                    : word == "COPY" ? (SourceFolder() / "assets/models/copy-h4").string()
                    : word == "TEXT" ? std::string(kText)
                    : word == "IDS"  ? std::string(kIds)
                                     : word);
  }
  return words;
}

TEST_CASE("figures look as they were approved", "[pictures]") {
  for (const FigureCase& figure : kCases) {
    const TempFolder folder;
    const std::string path = (folder / "figure.png").string();
    std::vector<std::string> words = WordsOf(figure);
    words.emplace_back("--out");
    words.push_back(path);
    REQUIRE(RunProgram(words) == 0);
    CHECK(DifferenceToApproved(figure.name, ReadPng(path), figure.colours, kMostOffset) == "");
  }
}

// A map of 24 cells of 8 pixels in a picture with room around it.
Pixels Drawn(const std::vector<float>& weights, int cells, float high = 1.0F, int shift = 0) {
  constexpr int kCell = 8;
  Pixels pixels{.width = cells * kCell + 40, .height = cells * kCell + 40, .rgb = {}};
  pixels.rgb.assign(static_cast<std::size_t>(pixels.width * pixels.height) * 3U, 20);
  const ColorScale scale{.high = high};
  for (int y = 0; y < cells * kCell; ++y) {
    for (int x = 0; x < cells * kCell; ++x) {
      const int row = y / kCell;
      const int column = (x / kCell + shift) % cells;
      const Rgb colour =
          ColorOf(scale, Theme::kDark, weights[static_cast<std::size_t>(row * cells + column)]);
      const auto at = static_cast<std::size_t>((y + 20) * pixels.width + x + 20) * 3U;
      pixels.rgb[at] = colour.r;
      pixels.rgb[at + 1] = colour.g;
      pixels.rgb[at + 2] = colour.b;
    }
  }
  return pixels;
}

TEST_CASE("a map that is transposed, shifted or scaled wrongly is found", "[pictures]") {
  constexpr int kCells = 24;
  std::vector<float> weights;
  std::vector<float> transposed(kCells * kCells);
  for (int row = 0; row < kCells; ++row) {
    for (int column = 0; column < kCells; ++column) {
      weights.push_back(column > row ? kMasked : 1.0F / static_cast<float>(row - column + 1));
      transposed[static_cast<std::size_t>(column * kCells + row)] = weights.back();
    }
  }
  const Pixels right = Drawn(weights, kCells);
  CHECK(Difference(right, right, {}, 4).empty());
  CHECK_THAT(Difference(right, Drawn(transposed, kCells), {}, 4), Says("another colour"));
  CHECK_THAT(Difference(right, Drawn(weights, kCells, 1.0F, 1), {}, 4), Says("another colour"));
  CHECK_THAT(Difference(right, Drawn(weights, kCells, 0.9F), {}, 4), Says("another colour"));
  // Moved as a whole by a wider font is another matter.
  Pixels moved = right;
  std::rotate(moved.rgb.begin(), moved.rgb.end() - 9, moved.rgb.end());
  CHECK(Difference(right, moved, {}, 4).empty());
  CHECK_THAT(Difference(right, moved, {}, 2), Says("another colour"));
}

// Values as dots, the sixth of them at a height of its own.
Pixels DrawnChart(int height_of_one, int shift = 0) {
  Pixels pixels{.width = 300, .height = 160, .rgb = {}};
  pixels.rgb.assign(static_cast<std::size_t>(pixels.width * pixels.height) * 3U, 20);
  const Rgb ink = ColorsOf(Theme::kDark).accent;
  for (int value = 0; value < 12; ++value) {
    const int top = value == 5 ? height_of_one : 20 + 8 * value;
    for (int y = 0; y < 5; ++y) {
      for (int x = 0; x < 5; ++x) {
        const int column = 20 + 20 * value + x + shift;
        const auto at = static_cast<std::size_t>((top + y) * pixels.width + column) * 3U;
        pixels.rgb[at] = ink.r;
        pixels.rgb[at + 1] = ink.g;
        pixels.rgb[at + 2] = ink.b;
      }
    }
  }
  return pixels;
}

TEST_CASE("a value of a chart that is elsewhere, missing or new is found", "[pictures]") {
  const PictureColours chart{.theme = Theme::kDark, .is_chart = true};
  const Pixels right = DrawnChart(60);
  CHECK(Difference(right, right, chart, 4).empty());
  CHECK(Difference(right, DrawnChart(61), chart, 4).empty());     // rounded otherwise
  CHECK(Difference(right, DrawnChart(60, 4), chart, 4).empty());  // moved by a font, all of it
  CHECK_THAT(Difference(right, DrawnChart(70), chart, 4), Says("elsewhere"));
  CHECK_THAT(Difference(right, DrawnChart(60, 8), chart, 4), Says("elsewhere"));
  // At the height of its neighbour; seen from the other picture, too.
  const Pixels fewer = DrawnChart(20 + 8 * 4);
  CHECK_THAT(Difference(right, fewer, chart, 4), Says("elsewhere"));
  CHECK_THAT(Difference(fewer, right, chart, 4), Says("elsewhere"));
  // A chart without any mark is no chart.
  Pixels empty = right;
  std::ranges::fill(empty.rgb, std::uint8_t{20});
  CHECK_THAT(Difference(empty, empty, chart, 4), Says("elsewhere"));
}

}  // namespace
}  // namespace headscope::test
