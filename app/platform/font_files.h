// Font files of the system, by name and by what they can draw.
//
// Errors   none: fontconfig's nearest match where a family is not installed; an empty path where
//          there is no font at all.
// Threads  UI thread.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace headscope {

struct FontFile {
  std::filesystem::path path;
  int face = 0;  // in a collection
};

enum class FontWeight { kRegular, kSemiBold };

[[nodiscard]] FontFile FindFont(const std::string& family, FontWeight weight);

// Those of `characters` that the font cannot draw.
[[nodiscard]] std::vector<char32_t> MissingCharacters(const FontFile& font,
                                                      std::span<const char32_t> characters);
// Ascent and descent together, in em: how much higher a line is than the size that designers name.
// 1 where the file cannot be read.
[[nodiscard]] double LineHeight(const FontFile& font);

// A font, other than colour fonts, that draws at least the first of `characters`.
[[nodiscard]] FontFile FindFontFor(std::span<const char32_t> characters);

}  // namespace headscope
