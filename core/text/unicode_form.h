// The four normalisation forms of Unicode, keeping the source of every byte.
//
// Errors   kInput: an absurdly long run of combining characters, or a result over the cap.
// Source   ICU; each indivisible run has the whole run that it replaces as its source.
#pragma once

#include <optional>
#include <string_view>

#include "core/base/error.h"
#include "core/text/aligned_text.h"

namespace headscope::text {

enum class UnicodeForm { kNfc, kNfd, kNfkc, kNfkd };

[[nodiscard]] std::optional<UnicodeForm> ParseUnicodeForm(std::string_view name);

[[nodiscard]] Status ToUnicodeForm(AlignedText& text, UnicodeForm form);

}  // namespace headscope::text
