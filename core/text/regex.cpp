#include "core/text/regex.h"

#include <array>
#include <ctime>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include "core/base/quote.h"
#include "core/text/regex_translation.h"
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
  if (pattern.size() > kMaxPatternBytes) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: the pattern {} has {} bytes, expected at most {}",
                            name,
                            Quoted(pattern),
                            pattern.size(),
                            kMaxPatternBytes));
  }
  const Result<std::string> translated = ToPcre(pattern);
  if (!translated) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: the pattern {} cannot be used: {}",
                            name,
                            Quoted(pattern),
                            translated.error().message));
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
