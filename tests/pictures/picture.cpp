#include "tests/pictures/picture.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <cairo.h>
#include <fmt/format.h>

#include "core/figure/theme.h"
#include "tests/support/folders.h"

namespace headscope::test {
namespace {

constexpr double kMostCellsOff = 0.002;  // of the pixels that have a colour of the map
constexpr double kMostBlocksOff = 0.04;  // of the blocks of the whole picture
constexpr int kBlock = 16;               // pixels
constexpr double kBlockOff = 24.0;       // of 255, mean of a block
constexpr double kMostInkAway = 0.05;    // of a chart's pixels of one ink
constexpr int kNearInk = 2;              // pixels

std::uint32_t Packed(Rgb colour) {
  return (static_cast<std::uint32_t>(colour.r) << 16U) |
         (static_cast<std::uint32_t>(colour.g) << 8U) | static_cast<std::uint32_t>(colour.b);
}

Rgb At(const Pixels& pixels, int x, int y) {
  const auto start = (static_cast<std::size_t>(y) * static_cast<std::size_t>(pixels.width) +
                      static_cast<std::size_t>(x)) *
                     3U;
  return {pixels.rgb[start], pixels.rgb[start + 1], pixels.rgb[start + 2]};
}

int Apart(Rgb a, Rgb b) {
  return std::max({std::abs(a.r - b.r), std::abs(a.g - b.g), std::abs(a.b - b.b)});
}

// A weight that float32 rounds otherwise may be one step of the map further.
int OneStep(const PictureColours& colours) {
  const auto table = ColormapTable(colours.colormap, colours.theme);
  int most = 0;
  for (std::size_t i = 1; i < table.size(); ++i) {
    most = std::max(most, Apart(table[i - 1], table[i]));
  }
  return most;
}

struct Spot {
  int x = 0;
  int y = 0;
};

std::vector<Spot> SpotsOfMaps(const Pixels& pixels, const PictureColours& colours) {
  std::unordered_set<std::uint32_t> known = {Packed(MaskedColor(colours.theme))};
  for (const Rgb colour : ColormapTable(colours.colormap, colours.theme)) {
    known.insert(Packed(colour));
  }
  std::vector<Spot> spots;
  for (int y = 0; y < pixels.height; ++y) {
    for (int x = 0; x < pixels.width; ++x) {
      if (known.contains(Packed(At(pixels, x, y)))) {
        spots.push_back({x, y});
      }
    }
  }
  return spots;
}

double ShareOff(const Pixels& expected,
                const Pixels& found,
                const std::vector<Spot>& spots,
                int step,
                int dx,
                int dy) {
  std::size_t off = 0;
  for (const Spot& spot : spots) {
    const int x = spot.x + dx;
    const int y = spot.y + dy;
    const bool inside = x >= 0 && y >= 0 && x < found.width && y < found.height;
    if (!inside || Apart(At(expected, spot.x, spot.y), At(found, x, y)) > step) {
      ++off;
    }
  }
  return spots.empty() ? 1.0 : static_cast<double>(off) / static_cast<double>(spots.size());
}

double ShareOfMapsOff(const Pixels& expected,
                      const Pixels& found,
                      const PictureColours& colours,
                      int most_offset) {
  const std::vector<Spot> spots = SpotsOfMaps(expected, colours);
  const int step = OneStep(colours);
  double least = 1.0;
  for (int dy = -most_offset; dy <= most_offset; ++dy) {
    for (int dx = -most_offset; dx <= most_offset; ++dx) {
      least = std::min(least, ShareOff(expected, found, spots, step, dx, dy));
    }
  }
  return least;
}

// The colour that most pixels have: what a chart is drawn on.
Rgb GroundOf(const Pixels& pixels) {
  std::unordered_map<std::uint32_t, std::size_t> counts;
  for (int y = 0; y < pixels.height; ++y) {
    for (int x = 0; x < pixels.width; ++x) {
      ++counts[Packed(At(pixels, x, y))];
    }
  }
  const std::uint32_t most =
      std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; })->first;
  return {static_cast<std::uint8_t>(most >> 16U),
          static_cast<std::uint8_t>((most >> 8U) & 0xFFU),
          static_cast<std::uint8_t>(most & 0xFFU)};
}

// What a chart's marks look like on its ground (core/figure/rank_chart.cpp).
std::vector<Rgb> InksOf(const PictureColours& colours, Rgb ground) {
  const ThemeColors& theme = ColorsOf(colours.theme);
  std::vector<Rgb> inks;
  for (const auto& [ink, alpha] :
       {std::pair{theme.accent, 1.0}, std::pair{theme.accent, 0.7}, std::pair{theme.muted, 0.6}}) {
    const auto mix = [share = alpha](std::uint8_t below, std::uint8_t above) {
      return static_cast<std::uint8_t>(std::lround(below + share * (above - below)));
    };
    inks.push_back({mix(ground.r, ink.r), mix(ground.g, ink.g), mix(ground.b, ink.b)});
  }
  return inks;
}

// Where an ink is, and where it is near.
struct InkPlaces {
  std::vector<Spot> spots;
  std::vector<bool> near;
};
InkPlaces PlacesOf(const Pixels& pixels, Rgb ink) {
  InkPlaces places{.spots = {},
                   .near = std::vector<bool>(static_cast<std::size_t>(pixels.width) *
                                             static_cast<std::size_t>(pixels.height))};
  for (int y = 0; y < pixels.height; ++y) {
    for (int x = 0; x < pixels.width; ++x) {
      if (Apart(At(pixels, x, y), ink) > 1) {
        continue;
      }
      places.spots.push_back({x, y});
      for (int v = std::max(0, y - kNearInk); v <= std::min(pixels.height - 1, y + kNearInk); ++v) {
        for (int u = std::max(0, x - kNearInk); u <= std::min(pixels.width - 1, x + kNearInk);
             ++u) {
          places.near[static_cast<std::size_t>(v) * static_cast<std::size_t>(pixels.width) +
                      static_cast<std::size_t>(u)] = true;
        }
      }
    }
  }
  return places;
}

// The share of spots that are near none of the other picture, which is moved by that much.
double ShareAway(
    const std::vector<Spot>& spots, const InkPlaces& other, const Pixels& in, int dx, int dy) {
  std::size_t away = 0;
  for (const Spot& spot : spots) {
    const int x = spot.x + dx;
    const int y = spot.y + dy;
    const bool inside = x >= 0 && y >= 0 && x < in.width && y < in.height;
    if (!inside || !other.near[static_cast<std::size_t>(y) * static_cast<std::size_t>(in.width) +
                               static_cast<std::size_t>(x)]) {
      ++away;
    }
  }
  return spots.empty() ? 0.0 : static_cast<double>(away) / static_cast<double>(spots.size());
}

// Of the inks of a chart: the largest share of one that is elsewhere, all moved by one offset.
double ShareOfInkAway(const Pixels& expected,
                      const Pixels& found,
                      const PictureColours& colours,
                      int most_offset) {
  std::vector<std::pair<InkPlaces, InkPlaces>> inks;
  std::size_t spots = 0;
  for (const Rgb ink : InksOf(colours, GroundOf(expected))) {
    inks.emplace_back(PlacesOf(expected, ink), PlacesOf(found, ink));
    spots += inks.back().first.spots.size();
  }
  double least = 1.0;
  for (int dy = -most_offset; spots > 0 && dy <= most_offset; ++dy) {
    for (int dx = -most_offset; dx <= most_offset; ++dx) {
      double most = 0.0;
      for (const auto& [here, there] : inks) {
        most = std::max({most,
                         ShareAway(here.spots, there, found, dx, dy),
                         ShareAway(there.spots, here, expected, -dx, -dy)});
      }
      least = std::min(least, most);
    }
  }
  return least;
}

// [rows of blocks, columns of blocks], three channels a block.
std::vector<double> Blocks(const Pixels& pixels, int columns, int rows) {
  std::vector<double> sums(static_cast<std::size_t>(columns * rows) * 3U, 0.0);
  std::vector<double> counts(static_cast<std::size_t>(columns * rows), 0.0);
  for (int y = 0; y < rows * kBlock && y < pixels.height; ++y) {
    for (int x = 0; x < columns * kBlock && x < pixels.width; ++x) {
      const auto block = static_cast<std::size_t>((y / kBlock) * columns + x / kBlock);
      const Rgb colour = At(pixels, x, y);
      sums[block * 3] += colour.r;
      sums[block * 3 + 1] += colour.g;
      sums[block * 3 + 2] += colour.b;
      counts[block] += 1.0;
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i] /= std::max(1.0, counts[i / 3]);
  }
  return sums;
}

double ShareOfBlocksOff(const Pixels& expected, const Pixels& found) {
  const int columns = (expected.width + kBlock - 1) / kBlock;
  const int rows = (expected.height + kBlock - 1) / kBlock;
  const std::vector<double> a = Blocks(expected, columns, rows);
  const std::vector<double> b = Blocks(found, columns, rows);
  std::size_t off = 0;
  for (std::size_t block = 0; block < a.size() / 3; ++block) {
    bool is_off = false;
    for (std::size_t channel = 0; channel < 3; ++channel) {
      is_off = is_off || std::abs(a[block * 3 + channel] - b[block * 3 + channel]) > kBlockOff;
    }
    off += is_off ? 1 : 0;
  }
  return static_cast<double>(off) / static_cast<double>(a.size() / 3);
}

}  // namespace

Pixels ReadPng(const std::filesystem::path& path) {
  cairo_surface_t* surface = cairo_image_surface_create_from_png(path.c_str());
  if (cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS) {
    cairo_surface_destroy(surface);
    throw std::runtime_error(path.string() + ": no picture");
  }
  Pixels pixels{.width = cairo_image_surface_get_width(surface),
                .height = cairo_image_surface_get_height(surface),
                .rgb = {}};
  const int stride = cairo_image_surface_get_stride(surface);
  const unsigned char* rows = cairo_image_surface_get_data(surface);
  for (int y = 0; y < pixels.height; ++y) {
    for (int x = 0; x < pixels.width; ++x) {
      std::uint32_t pixel = 0;
      std::memcpy(&pixel, rows + static_cast<std::ptrdiff_t>(y) * stride + x * 4, 4);
      for (const unsigned shift : {16U, 8U, 0U}) {
        pixels.rgb.push_back(static_cast<std::uint8_t>((pixel >> shift) & 0xFFU));
      }
    }
  }
  cairo_surface_destroy(surface);
  return pixels;
}

std::string Difference(const Pixels& expected,
                       const Pixels& found,
                       const PictureColours& colours,
                       int most_offset) {
  if (std::abs(expected.width - found.width) > 2 * most_offset ||
      std::abs(expected.height - found.height) > 2 * most_offset) {
    return fmt::format("it is {} x {} pixels, not {} x {}",
                       found.width,
                       found.height,
                       expected.width,
                       expected.height);
  }
  if (colours.is_chart) {
    const double away = ShareOfInkAway(expected, found, colours, most_offset);
    if (!(away <= kMostInkAway)) {
      return fmt::format("{:.1f} % of the chart's marks are elsewhere", 100.0 * away);
    }
  } else {
    const double off = ShareOfMapsOff(expected, found, colours, most_offset);
    if (!(off <= kMostCellsOff)) {
      return fmt::format("{:.1f} % of the maps' pixels have another colour", 100.0 * off);
    }
  }
  const double blocks = ShareOfBlocksOff(expected, found);
  if (!(blocks <= kMostBlocksOff)) {
    return fmt::format("{:.1f} % of it looks otherwise, not counting the maps", 100.0 * blocks);
  }
  return {};
}

std::string DifferenceToApproved(const std::string& name,
                                 const Pixels& found,
                                 const PictureColours& colours,
                                 int most_offset) {
  namespace fs = std::filesystem;
  const fs::path approved = SourceFolder() / "tests" / "pictures" / "approved" / (name + ".png");
  if (std::getenv("HEADSCOPE_APPROVE") != nullptr) {
    fs::create_directories(approved.parent_path());
    const Status written = WritePng(approved, found);
    return written ? "" : written.error().message;
  }
  std::string difference = fs::exists(approved)
                               ? Difference(ReadPng(approved), found, colours, most_offset)
                               : "there is no approved picture";
  if (!difference.empty()) {
    const fs::path folder = fs::temp_directory_path() / "headscope-pictures";
    fs::create_directories(folder);
    const Status written = WritePng(folder / (name + ".png"), found);
    difference = fmt::format("{}: {}; see {}, and {}; `./check approve` takes what is drawn now",
                             name,
                             difference,
                             approved.string(),
                             written ? (folder / (name + ".png")).string() : "no file");
  }
  return difference;
}

}  // namespace headscope::test
