#include "core/text/unicode.h"

#include <cstdint>

#include <unicode/uchar.h>

namespace headscope::text {
namespace {

UChar32 Code(char32_t character) {
  return character == kBadCharacter ? 0xFFFD : static_cast<UChar32>(character);
}

std::uint32_t CategoryMask(char32_t character) {
  return U_MASK(static_cast<std::uint32_t>(u_charType(Code(character))));
}

constexpr char32_t kAsciiEnd = 0x80;

// Whether it is in a category, and in Unicode since that version.
bool HasCategorySince(char32_t character, std::uint32_t mask, std::uint8_t version) {
  if ((CategoryMask(character) & mask) == 0) {
    return false;
  }
  UVersionInfo age{};
  u_charAge(Code(character), age);
  return age[0] <= version;
}

constexpr std::uint8_t kTableVersion = 8;

}  // namespace

bool IsPunctuation(char32_t character) {
  if (character < kAsciiEnd) {
    return u_isgraph(Code(character)) != 0 && u_isalnum(Code(character)) == 0;
  }
  // Later versions moved these two to other categories.
  return character == 0x166D || character == 0x111C9 ||
         HasCategorySince(character, U_GC_P_MASK, kTableVersion);
}

bool IsControl(char32_t character) {
  return HasCategorySince(character, U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK, kTableVersion);
}

bool IsNonspacingMark(char32_t character) {
  return character >= kAsciiEnd && HasCategorySince(character, U_GC_MN_MASK, kTableVersion);
}

bool IsNumber(char32_t character) {
  return (CategoryMask(character) & U_GC_N_MASK) != 0;
}

bool IsWordCharacter(char32_t character) {
  return (CategoryMask(character) & (U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK)) != 0 ||
         u_hasBinaryProperty(Code(character), UCHAR_ALPHABETIC) != 0 ||
         u_hasBinaryProperty(Code(character), UCHAR_JOIN_CONTROL) != 0;
}

bool IsMark(char32_t character) {
  return (CategoryMask(character) & U_GC_M_MASK) != 0;
}

bool IsInvisible(char32_t character) {
  return character != U' ' &&
         ((CategoryMask(character) & (U_GC_CC_MASK | U_GC_CF_MASK | U_GC_Z_MASK)) != 0 ||
          u_hasBinaryProperty(Code(character), UCHAR_DEFAULT_IGNORABLE_CODE_POINT) != 0);
}

bool IsJoiner(char32_t character) {
  return (CategoryMask(character) & (U_GC_M_MASK | U_GC_CF_MASK)) != 0 ||
         u_hasBinaryProperty(Code(character), UCHAR_EMOJI_MODIFIER) != 0;
}

// Lines may break between such characters, or only where a dictionary says so.
bool IsOfBlanklessScript(char32_t character) {
  if (character == kBadCharacter) {
    return false;
  }
  switch (u_getIntPropertyValue(Code(character), UCHAR_LINE_BREAK)) {
    case U_LB_IDEOGRAPHIC:
    case U_LB_CONDITIONAL_JAPANESE_STARTER:
    case U_LB_NONSTARTER:
    case U_LB_COMPLEX_CONTEXT:
    case U_LB_E_BASE:
      return true;
    default:
      return false;
  }
}

}  // namespace headscope::text
