// Splits the normalised text into the pieces that the tokenizer's model works on one by one.
//
// Errors   kInput: a pattern exceeds its limits; parsing: kFormat, kUnsupported.
// Threads  immutable; any thread cuts.
// Source   the tokenizers library; equality is tested.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/io/json.h"
#include "core/text/aligned_text.h"
#include "core/text/cutters.h"

namespace headscope::text {

class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  PreTokenizer(const PreTokenizer&) = delete;
  PreTokenizer& operator=(const PreTokenizer&) = delete;

  // Replaces the pieces by smaller ones, in order.
  [[nodiscard]] virtual Status Cut(std::vector<AlignedText>& pieces) const = 0;

  // Whether the resulting pieces use the alphabet of ByteCharacters().
  [[nodiscard]] virtual bool MakesByteCharacters() const { return false; }
  // The character that represents a space, if this step writes one ("▁").
  [[nodiscard]] virtual std::string BlankMarker() const { return {}; }

 protected:
  PreTokenizer() = default;
};

// Reads Sequence, ByteLevel, Metaspace, BertPreTokenizer, Whitespace, WhitespaceSplit, Split,
// CharDelimiterSplit, Punctuation, Digits, UnicodeScripts, FixedLength.
[[nodiscard]] Result<std::unique_ptr<const PreTokenizer>> ParsePreTokenizer(
    const JsonObject& object, int nesting = 0);

[[nodiscard]] std::unique_ptr<const PreTokenizer> MakeSequence(
    std::vector<std::unique_ptr<const PreTokenizer>> steps);
[[nodiscard]] std::unique_ptr<const PreTokenizer> MakeCutting(Cutter cutter);

// As published with GPT-2: clitics; letters, numbers or other characters with at most one space
// before; whitespace, the last of which belongs to the next word.
inline constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

// Writes bytes as characters, after splitting by `split` (which may be null).
[[nodiscard]] std::unique_ptr<const PreTokenizer> MakeByteLevel(
    bool add_prefix_space, std::unique_ptr<const PreTokenizer> split);

}  // namespace headscope::text
