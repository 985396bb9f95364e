// How a tokenizer cuts the normalised text into the pieces that its model works on one by one.
//
// Errors   kInput: a pattern gives up; parsing: kFormat, kUnsupported.
// Threads  immutable; any thread cuts.
// Source   as the tokenizers library does it; equality is tested.
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

  // Whether pieces are in the alphabet of ByteCharacters().
  [[nodiscard]] virtual bool MakesByteCharacters() const { return false; }
  // The character that stands for a blank, if this step makes one ("▁").
  [[nodiscard]] virtual std::string BlankMarker() const { return {}; }

 protected:
  PreTokenizer() = default;
};

// Sequence, ByteLevel, Metaspace, BertPreTokenizer, Whitespace, WhitespaceSplit, Split,
// CharDelimiterSplit, Punctuation, Digits, UnicodeScripts, FixedLength.
[[nodiscard]] Result<std::unique_ptr<const PreTokenizer>> ParsePreTokenizer(
    const JsonObject& object, int nesting = 0);

[[nodiscard]] std::unique_ptr<const PreTokenizer> MakeSequence(
    std::vector<std::unique_ptr<const PreTokenizer>> steps);
[[nodiscard]] std::unique_ptr<const PreTokenizer> MakeCutting(Cutter cutter);

// As published with GPT-2: clitics; letters, numbers or others with at most one blank before;
// blanks, of which the last goes with the word after them.
inline constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

// Bytes as characters, cut by `split` (which may be null) before.
[[nodiscard]] std::unique_ptr<const PreTokenizer> MakeByteLevel(
    bool add_prefix_space, std::unique_ptr<const PreTokenizer> split);

}  // namespace headscope::text
