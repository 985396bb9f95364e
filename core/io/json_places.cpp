#include "core/io/json_places.h"

#include <algorithm>
#include <utility>

namespace headscope {
namespace {

constexpr int kDeepest = 64;
constexpr std::string_view kBlanks = " \t\r\n";

}  // namespace

JsonPlaces::JsonPlaces(std::string_view json) : json_(json) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  at_ = json.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  is_whole_ = Value("", 0);
  if (is_whole_) {
    SkipBlanks();
    is_whole_ = at_ == json_.size();
  }
}

std::optional<TextPlace> JsonPlaces::fault() const {
  return is_whole_ ? std::nullopt : std::optional(PlaceAt(json_, at_));
}

TextPlace JsonPlaces::At(std::string_view path) const {
  while (true) {
    if (const auto found = starts_.find(path); found != starts_.end()) {
      return PlaceAt(json_, found->second);
    }
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) {
      return {};
    }
    path = path.substr(0, slash);
  }
}

void JsonPlaces::SkipBlanks() {
  at_ = std::min(json_.find_first_not_of(kBlanks, at_), json_.size());
}

bool JsonPlaces::Take(char c) {
  SkipBlanks();
  if (at_ >= json_.size() || json_[at_] != c) {
    return false;
  }
  ++at_;
  return true;
}

bool JsonPlaces::Value(const std::string& path, int depth) {
  SkipBlanks();
  if (at_ >= json_.size() || depth > kDeepest) {
    return false;
  }
  starts_.emplace(path, at_);
  switch (json_[at_]) {
    case '{':
      return List('}', [&](std::size_t /*i*/) {
        SkipBlanks();
        const std::optional<std::string_view> key = Text();
        return key && Take(':') && Value(path + "/" + std::string(*key), depth + 1);
      });
    case '[':
      return List(']',
                  [&](std::size_t i) { return Value(path + "/" + std::to_string(i), depth + 1); });
    case '"':
      return Text().has_value();
    default:
      return Word();
  }
}

// Walks through an object or array; `take(i)` takes the i-th entry.
template <typename TakeEntry>
bool JsonPlaces::List(char close, const TakeEntry& take) {
  ++at_;
  if (Take(close)) {
    return true;
  }
  for (std::size_t i = 0; take(i); ++i) {
    if (Take(close)) {
      return true;
    }
    if (!Take(',')) {
      return false;
    }
  }
  return false;
}

// Returns the string as written, with its escapes.
std::optional<std::string_view> JsonPlaces::Text() {
  if (at_ >= json_.size() || json_[at_] != '"') {
    return std::nullopt;
  }
  for (std::size_t end = at_ + 1; end < json_.size() && json_[end] != '\n'; ++end) {
    if (json_[end] == '\\') {
      ++end;
    } else if (json_[end] == '"') {
      const std::size_t begin = std::exchange(at_, end + 1) + 1;
      return json_.substr(begin, end - begin);
    }
  }
  return std::nullopt;  // at the unclosed quote
}

// Skips a number, true, false or null; the parser checks whether it is valid.
bool JsonPlaces::Word() {
  const std::size_t end = json_.find_first_not_of("+-.0123456789abcdefghijklmnopqrstuvwxyzE", at_);
  const std::string_view word = json_.substr(at_, std::min(end, json_.size()) - at_);
  const bool is_number =
      !word.empty() && word.find_first_not_of("+-.0123456789eE") == std::string_view::npos;
  if (!is_number && word != "true" && word != "false" && word != "null") {
    return false;
  }
  at_ += word.size();
  return true;
}

}  // namespace headscope
