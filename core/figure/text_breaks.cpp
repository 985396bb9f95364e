#include "core/figure/text_breaks.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <glib.h>
#include <pango/pango.h>

#include "core/base/utf8.h"

namespace headscope {
namespace {

constexpr std::size_t kBlock = 256;  // bytes
constexpr std::size_t kContext =
    64;  // bytes after a cut whose breaks may depend on what was cut off
constexpr std::size_t kLongestRun = 65536;  // of flag letters, which pair up from the first one

bool Continues(std::string_view text, std::size_t at) {
  return at < text.size() && !StartsCharacter(text[at]);
}

std::size_t CodePointAt(std::string_view text, std::size_t at) {
  at = std::min(at, text.size());
  while (at > 0 && Continues(text, at)) {
    --at;
  }
  return at;
}

// One half of a flag: "\U0001F1E6" to "\U0001F1FF".
bool IsFlagLetter(std::string_view text, std::size_t at) {
  return at + 4 <= text.size() && text.substr(at, 3) == "\xF0\x9F\x87" &&
         static_cast<unsigned char>(text[at + 3]) >= 0xA6U;
}

// Inside a word an apostrophe counts as a letter: "don't".
bool IsApostrophe(std::string_view text) {
  return text.starts_with('\'') || text.starts_with("\u2019");
}

// Part of a text, starting at a place that is the same for all positions near it.
class Breaks {
 public:
  Breaks(std::string_view text, std::size_t at)
      : begin_(at < 2 * kBlock ? 0 : CodePointAt(text, (at / kBlock - 1) * kBlock)) {
    const std::size_t first = begin_ - std::min(begin_, kLongestRun);
    while (begin_ >= first + 4 && IsFlagLetter(text, begin_) && IsFlagLetter(text, begin_ - 4)) {
      begin_ -= 4;
    }
    const std::size_t end = CodePointAt(text, std::min(text.size(), at + 2 * kBlock));
    const std::string_view part = text.substr(begin_, end - begin_);
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (!Continues(part, i)) {
        offsets_.push_back(begin_ + i);
      }
    }
    offsets_.push_back(end);
    attributes_.resize(offsets_.size());
    pango_get_log_attrs(part.data(),
                        static_cast<int>(part.size()),
                        -1,
                        pango_language_from_string("en"),
                        attributes_.data(),
                        static_cast<int>(attributes_.size()));
    // The ends of a text are places; near a cut nothing is known.
    if (begin_ == 0) {
      attributes_.front().is_cursor_position = 1;
    } else {
      begin_ = CodePointAt(text, begin_ + kContext);
      std::fill_n(attributes_.begin(), Index(begin_), PangoLogAttr{});
    }
    if (end == text.size()) {
      attributes_.back().is_cursor_position = 1;
    } else {
      attributes_.back() = {};
    }
    for (std::size_t i = 0; i + 1 < attributes_.size(); ++i) {
      if (IsApostrophe(text.substr(offsets_[i])) && attributes_[i].is_word_end != 0 &&
          attributes_[i + 1].is_word_start != 0) {
        attributes_[i].is_word_end = 0;
        attributes_[i + 1].is_word_start = 0;
      }
    }
  }

  [[nodiscard]] std::size_t begin() const { return begin_; }
  [[nodiscard]] std::size_t end() const { return offsets_.back(); }

  // Returns the nearest offset in this part before or after `at` for which `holds` is true.
  template <typename Holds>
  [[nodiscard]] std::optional<std::size_t> Before(std::size_t at, const Holds& holds) const {
    for (auto i = Index(at); i > 0; --i) {
      if (holds(attributes_[i - 1])) {
        return offsets_[i - 1];
      }
    }
    return std::nullopt;
  }
  template <typename Holds>
  [[nodiscard]] std::optional<std::size_t> After(std::size_t at, const Holds& holds) const {
    auto i = Index(at);
    while (i < offsets_.size() && offsets_[i] <= at) {
      ++i;
    }
    for (; i < offsets_.size(); ++i) {
      if (holds(attributes_[i])) {
        return offsets_[i];
      }
    }
    return std::nullopt;
  }
  [[nodiscard]] const PangoLogAttr& At(std::size_t at) const {
    return attributes_[std::min(Index(at), attributes_.size() - 1)];
  }

 private:
  // Returns the index of the first offset that is not before `at`.
  [[nodiscard]] std::size_t Index(std::size_t at) const {
    const auto found = std::ranges::lower_bound(offsets_, at);
    return static_cast<std::size_t>(found - offsets_.begin());
  }

  std::size_t begin_;                 // of the known range
  std::vector<std::size_t> offsets_;  // of code points, and of the end
  std::vector<PangoLogAttr> attributes_;
};

bool StartsPlace(const PangoLogAttr& attribute) {
  return attribute.is_cursor_position != 0;
}
bool StartsWord(const PangoLogAttr& attribute) {
  return attribute.is_word_start != 0;
}
bool EndsWord(const PangoLogAttr& attribute) {
  return attribute.is_word_end != 0;
}

// Searches part by part until one has a match.
template <typename Holds>
std::size_t LookBefore(std::string_view text, std::size_t at, const Holds& holds) {
  at = std::min(at, text.size());
  while (at > 0) {
    const Breaks breaks(text, at);
    if (const auto found = breaks.Before(at, holds)) {
      return *found;
    }
    at = breaks.begin();
  }
  return 0;
}

template <typename Holds>
std::size_t LookAfter(std::string_view text, std::size_t at, const Holds& holds) {
  while (at < text.size()) {
    const Breaks breaks(text, at);
    if (const auto found = breaks.After(at, holds)) {
      return *found;
    }
    at = breaks.end() == text.size() ? text.size() : breaks.end() - 1;
  }
  return text.size();
}

}  // namespace

std::size_t PlaceBefore(std::string_view text, std::size_t at) {
  return LookBefore(text, at, StartsPlace);
}

std::size_t PlaceAfter(std::string_view text, std::size_t at) {
  return LookAfter(text, at, StartsPlace);
}

bool IsPlace(std::string_view text, std::size_t at) {
  if (at == 0 || at >= text.size()) {
    return at <= text.size();
  }
  return !Continues(text, at) && StartsPlace(Breaks(text, at).At(at));
}

std::size_t PlaceFrom(std::string_view text, std::size_t at) {
  return IsPlace(text, at) ? at : PlaceAfter(text, at);
}

std::size_t WordStartBefore(std::string_view text, std::size_t at) {
  return LookBefore(text, at, StartsWord);
}

std::size_t WordEndAfter(std::string_view text, std::size_t at) {
  return LookAfter(text, at, EndsWord);
}

TextSpan WordAt(std::string_view text, std::size_t at) {
  if (text.empty()) {
    return {};
  }
  at = std::min(at, text.size());
  at = IsPlace(text, at) ? at : PlaceBefore(text, at);
  const std::size_t begin = WordStartBefore(text, std::min(at + 1, text.size()));
  const std::size_t end = WordEndAfter(text, begin);
  if (begin <= at && at <= end && StartsWord(Breaks(text, begin).At(begin))) {
    return {begin, end};
  }
  return at == text.size() ? TextSpan{PlaceBefore(text, at), at}
                           : TextSpan{at, PlaceAfter(text, at)};
}

ValidText ValidUtf8(std::string_view bytes) {
  ValidText valid;
  valid.text.reserve(bytes.size());
  while (!bytes.empty()) {
    const gchar* stop = nullptr;
    // GLib treats a zero byte as invalid and stops there.
    static_cast<void>(g_utf8_validate_len(bytes.data(), bytes.size(), &stop));
    const auto good = static_cast<std::size_t>(stop - bytes.data());
    valid.text.append(bytes.substr(0, good));
    bytes.remove_prefix(good);
    if (!bytes.empty()) {
      valid.text += "\uFFFD";
      ++valid.replaced;
      bytes.remove_prefix(1);
    }
  }
  return valid;
}

}  // namespace headscope
