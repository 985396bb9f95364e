// A regular expression of tokenizer.json, run by Oniguruma as the tokenizers library runs it:
// Oniguruma's syntax, Unicode classes, ^ and $ at every line.
//
// Units    byte ranges of the text.
// Errors   kUnsupported: a pattern that Oniguruma refuses; kInput: matching takes too many steps,
//          too much memory or too long.
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

// Processor time that cutting a text at matches may take: far more than an honest pattern needs, so
// that a dishonest one ends in a sentence, and soon.
class MatchAllowance {
 public:
  explicit MatchAllowance(std::size_t num_bytes);
  [[nodiscard]] Status Check(const std::string& name) const;

 private:
  double end_ = 0.0;  // on the clock of this thread, in seconds
};

class Regex {
 public:
  Regex();
  ~Regex();
  Regex(const Regex&) = delete;
  Regex& operator=(const Regex&) = delete;
  Regex(Regex&& other) noexcept;
  Regex& operator=(Regex&& other) noexcept;

  // `name` stands in messages.
  [[nodiscard]] static Result<Regex> Compile(std::string_view pattern, const std::string& name);

  // All matches from left to right in valid UTF-8; an empty one does not follow another at once,
  // and an empty text has none.
  [[nodiscard]] Result<std::vector<ByteRange>> FindAll(std::string_view text) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope::text
