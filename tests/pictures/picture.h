// Reference pictures: what is drawn now is held against a PNG in tests/pictures/approved.
//
// The cells of maps, and whatever else has a colour of the colour map, must be the same pixel by
// pixel, but for one step of the map. Of a chart the dots and lines must be where they were: each
// pixel of an ink has one of the same ink near its place in the other picture, both ways. The rest,
// where texts are, must look alike from afar: fonts differ from one system to the next.
// HEADSCOPE_APPROVE=1 writes the references anew.
#pragma once

#include <filesystem>
#include <string>

#include "core/figure/color_scale.h"
#include "core/figure/pixels.h"

namespace headscope::test {

[[nodiscard]] Pixels ReadPng(const std::filesystem::path& path);

struct PictureColours {
  Colormap colormap = Colormap::kViridis;
  Theme theme = Theme::kDark;
  bool is_chart = false;  // of values, in the accent's colour and in grey: no map
};

// What tells `found` from `expected`, in a sentence; empty: nothing. `most_offset`: how many pixels
// texts of other fonts may have moved the maps by, all of them alike.
[[nodiscard]] std::string Difference(const Pixels& expected,
                                     const Pixels& found,
                                     const PictureColours& colours,
                                     int most_offset);

// Difference to approved/<name>.png; what was found is left at /tmp/headscope-pictures/<name>.png
// when there is one.
[[nodiscard]] std::string DifferenceToApproved(const std::string& name,
                                               const Pixels& found,
                                               const PictureColours& colours,
                                               int most_offset);

}  // namespace headscope::test
