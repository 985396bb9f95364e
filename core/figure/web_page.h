// One HTML file of what is on screen: no server, no request to anywhere, no library. It holds the numbers
// that it shows, and draws them itself.
//
// Units    weights have 16 bits: 0 to 1 in steps of 1/65535.
// Errors   kIo, kInput (more cells than a page may hold, nothing to show).
// Threads  any that may compute.
// Cost     every row of every map in it; the page takes three bytes for each visible cell.
// Source   assets/page/page.html.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/figure/figure_kind.h"

namespace headscope {

inline constexpr std::string_view kPageStart = "<!DOCTYPE html>\n<!-- Headscope -->";
// Of all heads in a page together.
inline constexpr std::int64_t kMostPageCells = 6'000'000;

// The grid of all heads of the subject's layers, of one of them, or of one head, and a head in full.
[[nodiscard]] Status WriteAllHeadsPage(const std::filesystem::path& path,
                                       const FigureSubject& subject);
[[nodiscard]] Status WriteLayerPage(const std::filesystem::path& path,
                                    const FigureSubject& subject);
[[nodiscard]] Status WriteHeadPage(const std::filesystem::path& path, const FigureSubject& subject);
// How far each head of A lies from its match.
[[nodiscard]] Status WriteComparisonPage(const std::filesystem::path& path,
                                         const FigureSubject& subject);
// The chosen score of each head, what else is known of it, and its roles.
[[nodiscard]] Status WriteRolesPage(const std::filesystem::path& path,
                                    const FigureSubject& subject);

template <auto Write>
constexpr NumbersFormat PageFormat() {
  return {
      .ending = ".html", .name = "web page", .start = kPageStart, .write = Write, .is_page = true};
}

}  // namespace headscope
