// A regular expression from tokenizer.json, run by Oniguruma as in the tokenizers library:
// Oniguruma's syntax, Unicode classes, ^ and $ at every line.
//
// Units    byte ranges of the text.
// Errors   kUnsupported: a pattern that Oniguruma rejects; kInput: matching takes too many steps,
//          too much memory or too much time.
// Threads  immutable after Compile; any thread compiles and finds.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/text/aligned_text.h"

namespace headscope::text {

// The processor time allowed for splitting one text: far more than an honest pattern needs, so that
// a malicious one soon ends in an error.
class MatchAllowance {
 public:
  explicit MatchAllowance(std::size_t num_bytes);
  [[nodiscard]] Status Check(const std::string& name) const;

 private:
  double end_ = 0.0;  // on this thread's CPU clock, in seconds
};

class Regex {
 public:
  // Messages call the pattern's file `name`.
  [[nodiscard]] static Result<Regex> Compile(std::string_view pattern, const std::string& name);

  // Returns all matches from left to right in valid UTF-8. An empty match directly after another is
  // left out, and an empty text has none.
  [[nodiscard]] Result<std::vector<ByteRange>> FindAll(std::string_view text) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace headscope::text
