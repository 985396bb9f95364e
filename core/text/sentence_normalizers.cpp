#include "core/text/sentence_normalizers.h"

#include <algorithm>
#include <utility>

#include <unicode/brkiter.h>
#include <unicode/locid.h>
#include <unicode/utext.h>

#include "core/text/piece_trie.h"
#include "core/text/unicode.h"

namespace headscope::text {
namespace {

constexpr std::string_view kMarker = "▁";

class SentenceNormalizer {
 public:
  explicit SentenceNormalizer(SentenceNormalization options)
      : options_(std::move(options)), blank_(options_.escape_whitespaces ? kMarker : " ") {
    std::vector<PieceTrie::Entry> kept;
    for (const std::string& text : options_.kept) {
      kept.emplace_back(text, 0);
    }
    kept_ = *PieceTrie::Make(std::move(kept), {});
  }

  Status operator()(AlignedText& text) const {
    const std::string_view bytes = text.text();
    std::vector<Edit> edits;
    std::size_t begin = 0;
    bool drops_blanks = options_.remove_extra_whitespaces;
    while (drops_blanks && begin < bytes.size()) {
      const Charsmap::Match first = Next(bytes, begin);
      if (first.replacement != " ") {
        break;
      }
      edits.push_back({begin, begin + first.length, {}});
      begin += first.length;
    }
    if (begin == bytes.size()) {
      text = text.Slice(0, 0);
      return {};
    }
    const std::size_t dummy_at = edits.size();
    while (begin < bytes.size()) {
      const Charsmap::Match next = Next(bytes, begin);
      std::string_view piece = next.replacement;
      while (drops_blanks && piece.starts_with(' ')) {
        piece.remove_prefix(1);
      }
      if (!piece.empty()) {
        drops_blanks = piece.ends_with(' ');
      }
      AddEdit(bytes, begin, next.length, piece, edits);
      begin += next.length;
      drops_blanks = drops_blanks && options_.remove_extra_whitespaces;
    }
    if (options_.add_dummy_prefix && !options_.is_suffix) {
      const std::size_t at = dummy_at == 0 ? 0 : edits[dummy_at - 1].end;
      edits.insert(edits.begin() + static_cast<std::ptrdiff_t>(dummy_at),
                   {at, at, std::string(blank_)});
    }
    HEADSCOPE_TRY(text.Apply(edits));
    return CloseEnd(text);
  }

 private:
  [[nodiscard]] Charsmap::Match Next(std::string_view bytes, std::size_t begin) const {
    if (const auto [end, value] = kept_.Longest(bytes, begin); value >= 0) {
      return {end - begin, bytes.substr(begin, end - begin)};
    }
    if (const auto match = options_.charsmap.Longest(bytes.substr(begin))) {
      return *match;
    }
    std::size_t end = begin;
    NextCharacter(bytes, end);
    return {end - begin, bytes.substr(begin, end - begin)};
  }

  void AddEdit(std::string_view bytes,
               std::size_t begin,
               std::size_t length,
               std::string_view piece,
               std::vector<Edit>& edits) const {
    const bool has_blank = options_.escape_whitespaces && piece.find(' ') != std::string_view::npos;
    if (!has_blank && piece == bytes.substr(begin, length)) {
      return;
    }
    Edit edit{begin, begin + length, {}};
    for (const char c : piece) {
      if (c == ' ') {
        edit.replacement += blank_;
      } else {
        edit.replacement += c;
      }
    }
    edits.push_back(std::move(edit));
  }

  Status CloseEnd(AlignedText& text) const {
    std::string_view rest = text.text();
    while (options_.remove_extra_whitespaces && rest.ends_with(blank_)) {
      rest.remove_suffix(blank_.size());
    }
    const std::size_t end = rest.size();
    if (end < text.text().size()) {
      text = text.Slice(0, end);
    }
    return options_.add_dummy_prefix && options_.is_suffix ? text.Insert(end, blank_) : Status{};
  }

  SentenceNormalization options_;
  std::string_view blank_;
  PieceTrie kept_;
};

// Calls `visit(begin, end)` for every grapheme. Adjacent ASCII characters need no table.
template <typename Visit>
Status ForEachGrapheme(std::string_view text, const Visit& visit) {
  std::unique_ptr<icu::BreakIterator> breaks;
  UText* source = nullptr;
  UErrorCode error = U_ZERO_ERROR;
  const auto is_plain = [&](std::size_t at) {
    return static_cast<unsigned char>(text[at]) < 0x80 && text[at] != '\r';
  };
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin + 1;
    if (!is_plain(begin) || (end < text.size() && !is_plain(end) && text[end] != '\r')) {
      if (breaks == nullptr) {
        source =
            utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &error);
        breaks.reset(icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), error));
        if (U_SUCCESS(error)) {
          breaks->setText(source, error);
        }
        if (U_FAILURE(error) != 0) {
          break;
        }
      }
      const std::int32_t next = breaks->following(static_cast<std::int32_t>(begin));
      end = next > static_cast<std::int32_t>(begin) ? static_cast<std::size_t>(next) : text.size();
    }
    visit(begin, end);
    begin = end;
  }
  breaks.reset();
  utext_close(source);
  return U_FAILURE(error) != 0
             ? Fail(ErrorCode::kIo, "ICU cannot load its data of graphemes; install it again")
             : Status{};
}

Status ReplaceGraphemes(const Charsmap& charsmap, AlignedText& text) {
  constexpr std::size_t kMaxGraphemeBytes = 5;  // a longer one is handled character by character
  const std::string_view bytes = text.text();
  std::vector<Edit> edits;
  // Text removed at the very beginning is counted to the first remaining character, so that the
  // rest still begins where the text does.
  std::size_t lost = 0;
  const auto replace = [&](std::size_t begin, std::size_t end) {
    // A match at its beginning replaces the whole part.
    const auto match = charsmap.Shortest(bytes.substr(begin, end - begin));
    if (match && match->replacement.empty() && begin == lost) {
      lost = end;
    } else if (match) {
      edits.push_back({begin, end, std::string(match->replacement)});
    }
    return match.has_value();
  };
  HEADSCOPE_TRY(ForEachGrapheme(bytes, [&](std::size_t begin, std::size_t end) {
    if (end - begin <= kMaxGraphemeBytes && replace(begin, end)) {
      return;
    }
    for (std::size_t next = begin; next < end;) {
      const std::size_t at = next;
      NextCharacter(bytes, next);
      replace(at, next);
    }
  }));
  if (lost > 0 && !edits.empty() && edits.front().begin == lost) {
    edits.front().begin = 0;
  } else if (lost > 0) {
    std::size_t end = lost;
    if (lost < bytes.size()) {
      NextCharacter(bytes, end);
    }
    edits.insert(edits.begin(), {0, end, std::string(bytes.substr(lost, end - lost))});
  }
  return text.Apply(edits);
}

}  // namespace

Normalizer MakeSentenceNormalizer(SentenceNormalization options) {
  const std::string_view marker = options.escape_whitespaces ? kMarker : "";
  return {SentenceNormalizer(std::move(options)), std::string(marker)};
}

Result<Normalizer> ParsePrecompiled(const JsonObject& object) {
  HEADSCOPE_TRY(const auto text, object.String("precompiled_charsmap", ""));
  HEADSCOPE_TRY(auto charsmap, Charsmap::ParseBase64(text, object.name()));
  return Normalizer{[charsmap = std::move(charsmap)](AlignedText& aligned) {
    return ReplaceGraphemes(charsmap, aligned);
  }};
}

}  // namespace headscope::text
