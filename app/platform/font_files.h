// Finds the system's font files by name and by the characters that they can draw.
//
// Errors   none: fontconfig's nearest match if a family is not installed; an empty path if there is
//          no font at all.
// Threads  UI thread.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace headscope {

struct FontFile {
  std::filesystem::path path;
  int face = 0;  // index in a collection
};

enum class FontWeight { kRegular, kSemiBold };

[[nodiscard]] FontFile FindFont(const std::string& family, FontWeight weight);

// Returns the characters that the font cannot draw.
[[nodiscard]] std::vector<char32_t> MissingCharacters(const FontFile& font,
                                                      std::span<const char32_t> characters);
// Returns ascent plus descent, in em: how much higher a line is than the nominal size. 1 if the
// file cannot be read.
[[nodiscard]] double LineHeight(const FontFile& font);

// Returns a font, other than a colour font, that draws at least the first of `characters`.
[[nodiscard]] FontFile FindFontFor(std::span<const char32_t> characters);

}  // namespace headscope
