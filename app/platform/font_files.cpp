#include "app/platform/font_files.h"

#include <ft2build.h>
#include <memory>

#include <fontconfig/fontconfig.h>
#include FT_FREETYPE_H

namespace headscope {
namespace {

struct DestroyPattern {
  void operator()(FcPattern* pattern) const { FcPatternDestroy(pattern); }
};
using Pattern = std::unique_ptr<FcPattern, DestroyPattern>;

struct DestroyCharacters {
  void operator()(FcCharSet* set) const { FcCharSetDestroy(set); }
};
using Characters = std::unique_ptr<FcCharSet, DestroyCharacters>;

const FcChar8* Text(const char* text) {
  return reinterpret_cast<const FcChar8*>(text);
}

FontFile Match(FcPattern* pattern) {
  // Variable fonts would load only at their default weight; static files have the requested one.
  FcPatternAddBool(pattern, FC_VARIABLE, FcFalse);
  FcPatternAddBool(pattern, FC_COLOR, FcFalse);
  FcPatternAddBool(pattern, FC_SCALABLE, FcTrue);
  FcConfigSubstitute(nullptr, pattern, FcMatchPattern);
  FcDefaultSubstitute(pattern);
  FcResult result = FcResultNoMatch;
  const Pattern match(FcFontMatch(nullptr, pattern, &result));
  FcChar8* path = nullptr;
  if (!match || FcPatternGetString(match.get(), FC_FILE, 0, &path) != FcResultMatch) {
    return {};
  }
  int face = 0;
  FcPatternGetInteger(match.get(), FC_INDEX, 0, &face);
  return {reinterpret_cast<const char*>(path), face};
}

}  // namespace

FontFile FindFont(const std::string& family, FontWeight weight) {
  const Pattern pattern(FcPatternCreate());
  FcPatternAddString(pattern.get(), FC_FAMILY, Text(family.c_str()));
  FcPatternAddInteger(pattern.get(),
                      FC_WEIGHT,
                      weight == FontWeight::kSemiBold ? FC_WEIGHT_DEMIBOLD : FC_WEIGHT_REGULAR);
  FcPatternAddInteger(pattern.get(), FC_SLANT, FC_SLANT_ROMAN);
  return Match(pattern.get());
}

std::vector<char32_t> MissingCharacters(const FontFile& font,
                                        std::span<const char32_t> characters) {
  std::vector<char32_t> missing;
  int faces = 0;
  const Pattern pattern(
      font.path.empty()
          ? nullptr
          : FcFreeTypeQuery(
                Text(font.path.c_str()), static_cast<FcChar32>(font.face), nullptr, &faces));
  FcCharSet* has = nullptr;
  if (!pattern || FcPatternGetCharSet(pattern.get(), FC_CHARSET, 0, &has) != FcResultMatch) {
    return {characters.begin(), characters.end()};
  }
  for (const char32_t character : characters) {
    if (FcCharSetHasChar(has, character) == FcFalse) {
      missing.push_back(character);
    }
  }
  return missing;
}

double LineHeight(const FontFile& font) {
  FT_Library library = nullptr;
  if (FT_Init_FreeType(&library) != 0) {
    return 1.0;
  }
  double height = 1.0;
  FT_Face face = nullptr;
  if (FT_New_Face(library, font.path.c_str(), font.face, &face) == 0) {
    if (face->units_per_EM > 0 && face->ascender > face->descender) {
      height = static_cast<double>(face->ascender - face->descender) /
               static_cast<double>(face->units_per_EM);
    }
    FT_Done_Face(face);
  }
  FT_Done_FreeType(library);
  return height;
}

FontFile FindFontFor(std::span<const char32_t> characters) {
  const Characters set(FcCharSetCreate());
  for (const char32_t character : characters) {
    FcCharSetAddChar(set.get(), character);
  }
  const Pattern pattern(FcPatternCreate());
  FcPatternAddCharSet(pattern.get(), FC_CHARSET, set.get());
  const FontFile font = Match(pattern.get());
  const std::span<const char32_t> first = characters.first(characters.empty() ? 0 : 1);
  return MissingCharacters(font, first).empty() ? font : FontFile{};
}

}  // namespace headscope
