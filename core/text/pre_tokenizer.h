// How a tokenizer cuts the normalised text into the pieces that its model works on one by one.
//
// Errors   kInput: a pattern gives up; parsing: kFormat, kUnsupported.
// Threads  immutable; any thread cuts.
// Source   as the tokenizers library does it; equality is tested.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/io/json.h"
#include "core/text/aligned_text.h"

namespace headscope::text {

class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  PreTokenizer(const PreTokenizer&) = delete;
  PreTokenizer& operator=(const PreTokenizer&) = delete;

  // Replaces the pieces by smaller ones, in order.
  [[nodiscard]] virtual Status Cut(std::vector<AlignedText>& pieces) const = 0;

  // Are pieces in the alphabet of ByteCharacters()?
  [[nodiscard]] virtual bool MakesByteCharacters() const { return false; }
  // The character that stands for a blank, if this step makes one ("▁").
  [[nodiscard]] virtual std::string BlankMarker() const { return {}; }

 protected:
  PreTokenizer() = default;
};

// Sequence, ByteLevel, Metaspace, Whitespace, WhitespaceSplit, Split, Punctuation, Digits.
[[nodiscard]] Result<std::unique_ptr<const PreTokenizer>> ParsePreTokenizer(
    const JsonObject& object, int nesting = 0);

// GPT-2's own, for folders that have no tokenizer.json.
[[nodiscard]] Result<std::unique_ptr<const PreTokenizer>> MakeByteLevel(bool add_prefix_space,
                                                                        bool use_regex,
                                                                        const std::string& name);

}  // namespace headscope::text
