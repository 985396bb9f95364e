#include "core/text/regex.h"

#include <array>
#include <ctime>
#include <optional>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include "core/base/quote.h"
#include "core/text/unicode.h"

namespace headscope::text {
namespace {

constexpr std::size_t kMaxPatternBytes = 65'536;
constexpr std::uint32_t kMaxSteps = 10'000'000;
constexpr std::uint32_t kMaxDepth = 250'000;
constexpr std::uint32_t kMaxHeapKib = 65'536;
constexpr double kMatchSeconds = 0.5;
constexpr double kMatchSecondsPerByte = 2e-6;
constexpr std::size_t kMatchesBetweenChecks = 16;

double ThreadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

template <auto Free>
struct Deleter {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};

std::string PcreMessage(int code) {
  std::array<PCRE2_UCHAR, 256> buffer{};
  pcre2_get_error_message(code, buffer.data(), buffer.size());
  return reinterpret_cast<const char*>(buffer.data());
}

// What Oniguruma means by an escape, where PCRE2 means something else: its \s has U+180E, which
// Unicode took out of White_Space; its \w lacks marks and joining punctuation. Empty: the same, or
// in no way to say.
std::optional<std::string> Meaning(char escape, bool in_class) {
  constexpr std::string_view kSpace = "\\p{Z}\\x09-\\x0d\\x85";
  constexpr std::string_view kWord =
      "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\xb2\\xb3\\xb9\\xbc-\\xbe";
  switch (escape) {
    case 's':
      return in_class ? std::string(kSpace) : fmt::format("[{}]", kSpace);
    case 'w':
      return in_class ? std::string(kWord) : fmt::format("[{}]", kWord);
    case 'S':
      return in_class ? std::nullopt : std::optional(fmt::format("[^{}]", kSpace));
    case 'W':
      return in_class ? std::nullopt : std::optional(fmt::format("[^{}]", kWord));
    case 'b':
      return in_class
                 ? std::nullopt
                 : std::optional(fmt::format("(?:(?<=[{0}])(?![{0}])|(?<![{0}])(?=[{0}]))", kWord));
    case 'B':
      return fmt::format("(?:(?<=[{0}])(?=[{0}])|(?<![{0}])(?![{0}]))", kWord);
    default:
      return std::nullopt;
  }
}

// Empty: the pattern holds what the two read differently and only Oniguruma can say.
std::optional<std::string> Translate(std::string_view pattern) {
  std::string result;
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\' && i + 1 < pattern.size()) {
      const char next = pattern[++i];
      const bool is_lost = in_class && next == 'W';
      if (is_lost || next == 'h' || next == 'H' || next == 'u') {
        return std::nullopt;
      }
      result += Meaning(next, in_class).value_or(std::string{c, next});
      continue;
    }
    if (in_class && pattern.substr(i, 2) == "&&") {
      return std::nullopt;
    }
    if (in_class && c == '[' && pattern.substr(i, 2) != "[:") {
      return std::nullopt;  // a class in a class; a plain bracket for PCRE2
    }
    if (in_class && pattern.substr(i, 2) == "[:") {
      const std::size_t end = pattern.find(":]", i);
      if (end == std::string_view::npos) {
        return std::nullopt;
      }
      result += pattern.substr(i, end + 2 - i);
      i = end + 1;
      continue;
    }
    if (c == '[' && !in_class) {
      in_class = true;
      result += c;
      if (pattern.substr(i + 1, 1) == "^") {
        result += pattern[++i];
      }
      if (pattern.substr(i + 1, 1) == "]") {
        result += pattern[++i];  // a bracket that comes first is a plain one
      }
      continue;
    }
    if (c == ']') {
      in_class = false;
    }
    result += c;
  }
  return result;
}

}  // namespace

MatchAllowance::MatchAllowance(std::size_t num_bytes)
    : end_(ThreadSeconds() + kMatchSeconds +
           kMatchSecondsPerByte * static_cast<double>(num_bytes)) {}

Status MatchAllowance::Check(const std::string& name) const {
  return ThreadSeconds() <= end_
             ? Status{}
             : Fail(ErrorCode::kInput,
                    fmt::format("{}: the tokenizer's pattern takes too long on this text; give a "
                                "shorter or simpler text",
                                name));
}

struct Regex::State {
  std::unique_ptr<pcre2_code, Deleter<pcre2_code_free>> code;
  std::unique_ptr<pcre2_match_context, Deleter<pcre2_match_context_free>> context;
  std::string name;
};

Regex::Regex() = default;
Regex::~Regex() = default;
Regex::Regex(Regex&& other) noexcept = default;
Regex& Regex::operator=(Regex&& other) noexcept = default;

Result<Regex> Regex::Compile(std::string_view pattern, const std::string& name) {
  const std::optional<std::string> translated =
      pattern.size() <= kMaxPatternBytes ? Translate(pattern) : std::nullopt;
  if (!translated) {
    return Fail(
        ErrorCode::kUnsupported,
        fmt::format("{}: the pattern {} is not yet supported (a class within a class, [\\W], "
                    "\\h, \\u, or over {} bytes)",
                    name,
                    Quoted(pattern),
                    kMaxPatternBytes));
  }
  const std::unique_ptr<pcre2_compile_context, Deleter<pcre2_compile_context_free>> compile(
      pcre2_compile_context_create(nullptr));
  Regex regex;
  regex.state_ = std::make_unique<State>();
  regex.state_->context.reset(pcre2_match_context_create(nullptr));
  if (!compile || !regex.state_->context) {
    return Fail(ErrorCode::kOutOfMemory, fmt::format("{}: no memory for a pattern", name));
  }
  pcre2_set_newline(compile.get(), PCRE2_NEWLINE_LF);
  pcre2_set_match_limit(regex.state_->context.get(), kMaxSteps);
  pcre2_set_depth_limit(regex.state_->context.get(), kMaxDepth);
  pcre2_set_heap_limit(regex.state_->context.get(), kMaxHeapKib);
  int error = 0;
  PCRE2_SIZE offset = 0;
  regex.state_->code.reset(
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated->data()),
                    translated->size(),
                    PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C,
                    &error,
                    &offset,
                    compile.get()));
  if (!regex.state_->code) {
    return Fail(
        ErrorCode::kUnsupported,
        fmt::format(
            "{}: the pattern {} cannot be used: {}", name, Quoted(pattern), PcreMessage(error)));
  }
  regex.state_->name = name;
  return regex;
}

Result<std::vector<ByteRange>> Regex::FindAll(std::string_view text) const {
  const std::unique_ptr<pcre2_match_data, Deleter<pcre2_match_data_free>> match(
      pcre2_match_data_create_from_pattern(state_->code.get(), nullptr));
  if (!match) {
    return Fail(ErrorCode::kOutOfMemory, fmt::format("{}: no memory to match", state_->name));
  }
  const MatchAllowance allowance(text.size());
  std::vector<ByteRange> ranges;
  std::size_t start = 0;
  for (std::size_t num_matches = 1; start <= text.size(); ++num_matches) {
    if (num_matches % kMatchesBetweenChecks == 0) {
      HEADSCOPE_TRY(allowance.Check(state_->name));
    }
    const int count = pcre2_match(state_->code.get(),
                                  reinterpret_cast<PCRE2_SPTR>(text.data()),
                                  text.size(),
                                  start,
                                  PCRE2_NO_UTF_CHECK,
                                  match.get(),
                                  state_->context.get());
    if (count == PCRE2_ERROR_NOMATCH) {
      break;
    }
    if (count < 0) {
      return Fail(ErrorCode::kInput,
                  fmt::format("{}: the tokenizer's pattern gives up on this text ({}); give a "
                              "shorter or simpler text",
                              state_->name,
                              PcreMessage(count)));
    }
    const PCRE2_SIZE* found = pcre2_get_ovector_pointer(match.get());
    const ByteRange range{found[0], found[1]};
    if (range.begin < start || range.end < range.begin) {
      // \K can place a match before its start: nothing that a tokenizer means.
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("{}: the tokenizer's pattern matches backwards", state_->name));
    }
    start = range.end;
    const bool is_empty = range.begin == range.end;
    if (!is_empty || ranges.empty() || ranges.back().end != range.end) {
      ranges.push_back(range);
    }
    if (is_empty) {
      if (start == text.size()) {
        break;
      }
      NextCharacter(text, start);
    }
  }
  return ranges;
}

}  // namespace headscope::text
