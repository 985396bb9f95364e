// The four normalisation forms of Unicode, keeping the source of every byte.
//
// Errors   kInput: an absurdly long run of combining characters, or a result over the cap.
// Source   ICU; each indivisible run has the whole run that it replaces as its source.
#pragma once

#include "core/base/error.h"
#include "core/text/aligned_text.h"

namespace headscope::text {

[[nodiscard]] Status ToNfc(AlignedText& text);
[[nodiscard]] Status ToNfd(AlignedText& text);
[[nodiscard]] Status ToNfkc(AlignedText& text);
[[nodiscard]] Status ToNfkd(AlignedText& text);

}  // namespace headscope::text
