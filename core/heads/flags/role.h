// The roles a person can give a head, with the colour each has on every screen and in every export.
//
// Source   docs/screens.md, "Colours"; the first eight after Okabe and Ito 2008, safe for
//          colour-blind eyes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace headscope {

struct Role {
  std::string_view id;       // on screen and in files: "positional"
  std::uint32_t rgb = 0;     // 0x56B4E9
  std::string_view meaning;  // one sentence
  bool is_rest = false;      // what heads do that have nothing to do
};

inline constexpr std::array<Role, 11> kRoles = {{
    {"positional", 0x56B4E9, "looks at a fixed distance: the previous token, the next, itself"},
    {"syntactic", 0x009E73, "follows a grammatical relation, such as a verb to its object"},
    {"coreference", 0xCC79A7, "links a mention to an earlier mention of the same thing"},
    {"induction",
     0xE69F00,
     "after [A][B] ... [A] looks at [B]; in cross-attention the source has [A][B]"},
    {"duplicate",
     0xD55E00,
     "looks at an earlier copy of the same token; in cross-attention at the source's"},
    {"separator", 0x8B949E, "rests on the first token or on a separator", true},
    {"rare", 0xF0E442, "looks at the rarest words of the text"},
    {"broad", 0x5B6BD6, "spreads evenly over many tokens"},
    {"subword", 0xA6D854, "looks from a word's later pieces at its earlier ones"},
    {"copies", 0x2EC4B6, "raises the logit of the token that it looks at"},
    {"suppresses", 0xC49A6C, "lowers the logit of the token that it looks at"},
}};

// Null: it is somebody's own word, or none.
[[nodiscard]] constexpr const Role* FindRole(std::string_view id) {
  for (const Role& role : kRoles) {
    if (role.id == id) {
      return &role;
    }
  }
  return nullptr;
}

// Own words are all grey.
[[nodiscard]] constexpr std::uint32_t ColourOfRole(std::string_view id) {
  const Role* const role = FindRole(id);
  return role != nullptr ? role->rgb : 0x8B949E;
}

}  // namespace headscope
