#include "core/io/python_json.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>

namespace headscope {
namespace {

constexpr std::string_view kDigits = "0123456789";

// Takes digits from the front and returns their number.
std::size_t TakeDigits(std::string_view* text) {
  const std::size_t count = std::min(text->find_first_not_of(kDigits), text->size());
  text->remove_prefix(count);
  return count;
}

bool TakeOne(std::string_view of, std::string_view* text) {
  const bool is_there = !text->empty() && of.find(text->front()) != std::string_view::npos;
  text->remove_prefix(is_there ? 1 : 0);
  return is_there;
}

template <typename T>
bool Fits(std::string_view word) {
  T value = {};
  return std::from_chars(word.data(), word.data() + word.size(), value).ec == std::errc();
}

// Whether it is valid JSON, but a number too large for simdjson.
bool IsTooLarge(std::string_view word) {
  std::string_view rest = word;
  TakeOne("-", &rest);
  const bool has_zero = rest.starts_with('0');
  const std::size_t whole = TakeDigits(&rest);
  if (whole == 0 || (has_zero && whole > 1)) {
    return false;
  }
  if (rest.empty()) {
    return !Fits<std::int64_t>(word) && !Fits<std::uint64_t>(word);
  }
  if (TakeOne(".", &rest) && TakeDigits(&rest) == 0) {
    return false;
  }
  if (TakeOne("eE", &rest)) {
    TakeOne("+-", &rest);
    if (TakeDigits(&rest) == 0) {
      return false;
    }
  }
  return rest.empty() && !Fits<double>(word);
}

bool IsOdd(std::string_view word) {
  return word == "NaN" || word == "Infinity" || word == "-Infinity" || IsTooLarge(word);
}

// Returns the code of an escape such as "\ud83d" at the front, or -1 if there is none.
int CodeOfEscape(std::string_view text) {
  constexpr std::size_t kLength = 6;
  int code = -1;
  if (text.size() < kLength || !text.starts_with("\\u")) {
    return code;
  }
  const char* const end = text.data() + kLength;
  return std::from_chars(text.data() + 2, end, code, 16).ptr == end ? code : -1;
}

bool IsHigh(int code) {
  return code >= 0xD800 && code < 0xDC00;
}
bool IsLow(int code) {
  return code >= 0xDC00 && code < 0xE000;
}

class Marker {
 public:
  explicit Marker(std::string_view json) : json_(json) { marked_.reserve(json.size()); }

  std::optional<std::string> Mark() {
    while (at_ < json_.size()) {
      if (json_[at_] == '"') {
        CopyString();
      } else {
        CopyWord();
      }
    }
    return is_changed_ ? std::optional(std::move(marked_)) : std::nullopt;
  }

 private:
  void Copy(std::size_t count) {
    marked_ += json_.substr(at_, count);
    at_ = std::min(at_ + count, json_.size());
  }

  void CopyString() {
    Copy(1);
    while (at_ < json_.size() && json_[at_] != '"') {
      const int code = CodeOfEscape(json_.substr(at_));
      const bool is_pair = IsHigh(code) && IsLow(CodeOfEscape(json_.substr(at_ + 6)));
      if ((IsHigh(code) && !is_pair) || IsLow(code)) {
        marked_ += "\\ufffd";
        at_ += 6;
        is_changed_ = true;
      } else if (is_pair) {
        Copy(12);
      } else {
        Copy(json_[at_] == '\\' ? 2 : 1);
      }
    }
    Copy(1);
  }

  // Copies the text up to the next JSON punctuation mark, or one such mark.
  void CopyWord() {
    const std::size_t end = json_.find_first_of(" \t\r\n,:[]{}\"", at_);
    const std::size_t count = std::max<std::size_t>(std::min(end, json_.size()) - at_, 1);
    const std::string_view word = json_.substr(at_, count);
    if (!IsOdd(word)) {
      Copy(count);
      return;
    }
    marked_ += "\"\\u0000";
    marked_ += kNumberMark.substr(1);
    marked_ += word;
    marked_ += '"';
    at_ += count;
    is_changed_ = true;
  }

  std::string_view json_;
  std::size_t at_ = 0;
  std::string marked_;
  bool is_changed_ = false;
};

}  // namespace

std::optional<std::string> MarkOddNumbers(std::string_view json) {
  return Marker(json).Mark();
}

}  // namespace headscope
