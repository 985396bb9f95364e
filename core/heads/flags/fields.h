// Lists the fields of a flag in sessions and in files of flags (core/io/fields.h).
//
// Errors   kFormat: a member of another type, no layer or head, a colour or a part that is none.
// Source   our own format: one key for each member of HeadFlag; unknown keys are kept. Only heads of
//          encoder-decoders have "part"; author, date, evidence and rejected roles are left out where
//          they are empty.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "core/heads/flags/flags.h"
#include "core/io/fields.h"

namespace headscope {

inline constexpr FieldNames<ModelPart, 3> kPartNames = {
    {{{ModelPart::kEncoder, PartName(ModelPart::kEncoder)},
      {ModelPart::kDecoder, PartName(ModelPart::kDecoder)},
      {ModelPart::kCross, PartName(ModelPart::kCross)}}},
    "expected \"{key}\" to be encoder, decoder or cross, found {found}"};

[[nodiscard]] inline bool IsColour(std::string_view text) {
  return text.size() == 7 && text[0] == '#' &&
         text.substr(1).find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

void EachField(FieldsOf<RejectedRole> auto& rejected, auto& visit) {
  visit("role", rejected.role);
  visit("reason", rejected.reason);
}

void EachField(FieldsOf<HeadFlag> auto& flag, auto& visit) {
  visit.Needs({"layer", "head"});
  visit("layer", flag.layer);
  visit("head", flag.head);
  visit("role", flag.role);
  visit("colour",
        flag.colour,
        {.is_right = IsColour,
         .wrong = "expected a \"colour\" such as \"#56B4E9\", found another text"});
  visit("note", flag.note);
  visit("part", flag.part, kPartNames, kSkipsEmpty);
  visit("evidence", flag.evidence, kSkipsEmpty);
  visit("author", flag.author, kSkipsEmpty);
  visit("date", flag.date, kSkipsEmpty);
  visit("rejected",
        flag.rejected,
        {.skips_empty = true, .wrong = "expected \"rejected\" to hold objects"});
  visit.Others(flag.unknown_json);
}

}  // namespace headscope
