// Splits the normalised text into the pieces that the tokenizer's model works on one by one.
//
// Errors   kInput: a pattern exceeds its limits; parsing: kFormat, kUnsupported.
// Source   the tokenizers library; equality is tested.
#pragma once

#include <string_view>
#include <vector>

#include "core/text/aligned_text.h"
#include "core/text/cutters.h"
#include "core/text/text_step.h"

namespace headscope::text {

// Replaces the pieces by smaller ones, in order.
using PreTokenizer = TextStep<std::vector<AlignedText>>;

// Reads Sequence, ByteLevel, Metaspace, BertPreTokenizer, Whitespace, WhitespaceSplit, Split,
// CharDelimiterSplit, Punctuation, Digits, UnicodeScripts, FixedLength.
[[nodiscard]] Result<PreTokenizer> ParsePreTokenizer(const JsonObject& object);

[[nodiscard]] PreTokenizer MakeCutting(Cutter cutter);

// As published with GPT-2: clitics; letters, numbers or other characters with at most one space
// before; whitespace, the last of which belongs to the next word.
inline constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

// Writes bytes as characters, after splitting by `split`.
[[nodiscard]] PreTokenizer MakeByteLevel(bool add_prefix_space, PreTokenizer split);

}  // namespace headscope::text
