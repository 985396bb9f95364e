// The four normalisation forms of Unicode, with the source of every byte kept.
//
// Errors   kInput: a run of combining characters past any use, or a result past the cap.
// Threads  any.
// Source   ICU; each run that cannot be divided comes from the whole run it replaces.
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
