#include "core/text/regex.h"

#include <array>
#include <ctime>
#include <mutex>

#include <fmt/format.h>
#include <oniguruma.h>

#include "core/base/quote.h"
#include "core/text/oniguruma_versions.h"
#include "core/text/unicode.h"

namespace headscope::text {
namespace {

// Published patterns have at most 2,000 bytes. Even a pattern that compiles in quadratic time ends
// soon.
constexpr std::size_t kMaxPatternBytes = 16'384;
constexpr unsigned kMaxNesting = 250;  // nested groups; Oniguruma recurses into each
constexpr int kMaxGroups = 10'000;
// Backtracking steps from one place: the library's own limit. A step may look at the whole text, so
// a search begins with few steps and is repeated with four times as many while there is time left.
constexpr unsigned long kMaxMatchSteps = 10'000'000;
constexpr unsigned long kFirstSteps = 1'000;
// Entries of 32 bytes, one per byte of the longest text, which a run of blanks may need.
constexpr unsigned kMaxStackEntries = 4'194'304;
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

void FreeRegion(OnigRegion* region) {
  constexpr int kItselfToo = 1;
  onig_region_free(region, kItselfToo);
}

const OnigUChar* Begin(std::string_view text) {
  return reinterpret_cast<const OnigUChar*>(text.data());
}

const OnigUChar* End(std::string_view text) {
  return Begin(text) + text.size();
}

// Some messages contain a part of the pattern unquoted: it is cut out and quoted at the end.
std::string OnigMessage(int code, OnigErrorInfo info) {
  const OnigUChar* const part = info.par;
  const OnigUChar* const part_end = info.par_end;
  info = {};
  info.enc = ONIG_ENCODING_UTF8;
  std::array<OnigUChar, ONIG_MAX_ERROR_MESSAGE_LEN> buffer{};
  const int size = onig_error_code_to_str(buffer.data(), code, &info);
  std::string message(reinterpret_cast<const char*>(buffer.data()), static_cast<std::size_t>(size));
  for (const std::string_view gap : {" <>", " {}"}) {
    if (const std::size_t at = message.find(gap); at != std::string::npos) {
      message.erase(at, gap.size());
    }
  }
  if (part != nullptr && part_end > part) {
    const std::string_view text(reinterpret_cast<const char*>(part),
                                static_cast<std::size_t>(part_end - part));
    message += ": " + Quoted(text);
  }
  return message;
}

// \g<name> runs a group again. No tokenizer needs it, and where each group calls the next one
// twice, compile time doubles with every group.
bool CallsGroups(std::string_view pattern) {
  for (std::size_t at = 0; at + 1 < pattern.size(); at += pattern[at] == '\\' ? 2U : 1U) {
    if (pattern.substr(at).starts_with("\\g")) {
      return true;
    }
  }
  return false;
}

// The first thread fills Oniguruma's own tables and sets its limits, which are per process.
void Initialize() {
  static std::once_flag once;
  std::call_once(once, [] {
    OnigEncoding encoding = ONIG_ENCODING_UTF8;
    onig_initialize(&encoding, 1);
    onig_set_parse_depth_limit(kMaxNesting);
    onig_set_capture_num_limit(kMaxGroups);
  });
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

using Code = std::unique_ptr<regex_t, Deleter<onig_free>>;

struct Regex::State {
  std::string name;
  Code code;
};

Result<Regex> Regex::Compile(std::string_view pattern, const std::string& name) {
  if (pattern.size() > kMaxPatternBytes) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: the pattern {} has {} bytes, expected at most {}",
                            name,
                            Quoted(pattern),
                            pattern.size(),
                            kMaxPatternBytes));
  }
  if (CallsGroups(pattern)) {
    return Fail(
        ErrorCode::kUnsupported,
        fmt::format("{}: the pattern {} cannot be used: it calls groups by \\g, which Headscope "
                    "does not do",
                    name,
                    Quoted(pattern)));
  }
  Initialize();
  const std::string own = ForThisOniguruma(pattern);
  regex_t* code = nullptr;
  OnigErrorInfo info{};
  const int error = onig_new(&code,
                             Begin(own),
                             End(own),
                             ONIG_OPTION_NONE,
                             ONIG_ENCODING_UTF8,
                             ONIG_SYNTAX_ONIGURUMA,
                             &info);
  if (error != ONIG_NORMAL) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: the pattern {} cannot be used: {}",
                            name,
                            Quoted(pattern),
                            OnigMessage(error, info)));
  }
  Regex regex;
  regex.state_ = std::make_shared<const State>(State{name, Code(code)});
  return regex;
}

Result<std::vector<ByteRange>> Regex::FindAll(std::string_view text) const {
  std::vector<ByteRange> ranges;
  if (text.empty()) {
    return ranges;
  }
  const std::unique_ptr<OnigRegion, Deleter<FreeRegion>> region(onig_region_new());
  const std::unique_ptr<OnigMatchParam, Deleter<onig_free_match_param>> limits(
      onig_new_match_param());
  if (!region || !limits) {
    return Fail(ErrorCode::kOutOfMemory, fmt::format("{}: no memory to match", state_->name));
  }
  onig_initialize_match_param(limits.get());
  onig_set_match_stack_limit_size_of_match_param(limits.get(), kMaxStackEntries);
  onig_set_retry_limit_in_match_of_match_param(limits.get(), kMaxMatchSteps);
  const MatchAllowance allowance(text.size());
  std::size_t start = 0;
  for (std::size_t num_matches = 1; start <= text.size(); ++num_matches) {
    if (num_matches % kMatchesBetweenChecks == 0) {
      HEADSCOPE_TRY(allowance.Check(state_->name));
    }
    int found = ONIGERR_RETRY_LIMIT_IN_SEARCH_OVER;
    for (unsigned long steps = kFirstSteps; found == ONIGERR_RETRY_LIMIT_IN_SEARCH_OVER;
         steps *= 4) {
      if (steps > kFirstSteps) {
        HEADSCOPE_TRY(allowance.Check(state_->name));
      }
      onig_set_retry_limit_in_search_of_match_param(limits.get(), steps);
      found = onig_search_with_param(state_->code.get(),
                                     Begin(text),
                                     End(text),
                                     Begin(text) + start,
                                     End(text),
                                     region.get(),
                                     ONIG_OPTION_NONE,
                                     limits.get());
    }
    if (found == ONIG_MISMATCH) {
      break;
    }
    if (found < 0) {
      return Fail(ErrorCode::kInput,
                  fmt::format("{}: the tokenizer's pattern gives up on this text ({}); give a "
                              "shorter or simpler text",
                              state_->name,
                              OnigMessage(found, {})));
    }
    const ByteRange range{static_cast<std::size_t>(region->beg[0]),
                          static_cast<std::size_t>(region->end[0])};
    if (range.begin < start || range.end < range.begin) {
      // \K can place a match before its start, which no tokenizer needs.
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
