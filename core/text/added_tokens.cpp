#include "core/text/added_tokens.h"

#include <algorithm>
#include <deque>
#include <utility>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/base/stop.h"
#include "core/text/unicode.h"

namespace headscope::text {
namespace {

bool IsWithinWord(std::string_view text, std::size_t begin, std::size_t end) {
  std::size_t before = begin;
  std::size_t after = end;
  return (begin > 0 && IsWordCharacter(PreviousCharacter(text, before))) ||
         (end < text.size() && IsWordCharacter(NextCharacter(text, after)));
}

}  // namespace

Result<AddedToken> ParseAddedToken(const JsonObject& object, std::optional<std::int32_t> own_id) {
  AddedToken token;
  HEADSCOPE_TRY(const auto id, object.Integer("id", 0, kMaxId, own_id));
  token.id = static_cast<std::int32_t>(id);
  HEADSCOPE_TRY(token.content, object.String("content"));
  HEADSCOPE_TRY(token.special, object.Boolean("special", false));
  HEADSCOPE_TRY(token.normalized, object.Boolean("normalized", !token.special));
  HEADSCOPE_TRY(token.single_word, object.Boolean("single_word", false));
  HEADSCOPE_TRY(token.lstrip, object.Boolean("lstrip", false));
  HEADSCOPE_TRY(token.rstrip, object.Boolean("rstrip", false));
  return token;
}

Result<AddedTokens> AddedTokens::Parse(const JsonArray& list,
                                       const Vocabulary& vocabulary,
                                       std::int64_t pieces,
                                       const std::string& name,
                                       const std::stop_token& stop) {
  AddedTokens tokens;
  std::unordered_map<std::string, std::int32_t> ids;  // of tokens that are not pieces
  StopPoll poll(stop);
  for (const JsonValue element : list) {
    HEADSCOPE_TRY(poll.Check());
    const std::optional<JsonObject> object = JsonObject::Of(element, name + ": added_tokens");
    if (!object) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: \"added_tokens\" holds what is no object", name));
    }
    HEADSCOPE_TRY(auto token, ParseAddedToken(*object));
    if (token.content.empty()) {
      continue;
    }
    HEADSCOPE_TRY(Check(token, tokens.tokens_.size(), name));
    const std::optional<std::int32_t> known = vocabulary.Id(token.content);
    const auto next = static_cast<std::int32_t>(std::min(std::max(pieces, tokens.end_id_), kMaxId));
    token.id = known ? *known : ids.try_emplace(token.content, next).first->second;
    tokens.Put(std::move(token));
  }
  return tokens;
}

Status AddedTokens::Check(const AddedToken& token, std::size_t count, const std::string& name) {
  if (token.content.size() <= kMaxContentBytes && count < Vocabulary::kMaxPieces) {
    return {};
  }
  return Fail(ErrorCode::kFormat,
              fmt::format("{}: the added token {} has {} bytes, expected at most {}",
                          name,
                          Quoted(token.content),
                          token.content.size(),
                          kMaxContentBytes));
}

void AddedTokens::Put(AddedToken token) {
  end_id_ = std::max(end_id_, std::int64_t{token.id} + 1);
  const auto [entry, is_new] = by_id_.try_emplace(token.id, tokens_.size());
  if (is_new) {
    tokens_.push_back(std::move(token));
  } else {
    tokens_[entry->second] = std::move(token);
  }
}

Status AddedTokens::Add(AddedToken token, const Vocabulary& vocabulary, const std::string& name) {
  if (token.content.empty()) {
    return {};
  }
  HEADSCOPE_TRY(Check(token, tokens_.size(), name));
  token.id = vocabulary.Id(token.content).value_or(token.id);
  const AddedToken* const before = OfId(token.id);
  const std::string* const taken =
      before != nullptr ? &before->content : vocabulary.Piece(token.id);
  if (taken != nullptr && *taken != token.content) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: the added token {} has id {}, which is that of {}",
                            name,
                            Quoted(token.content),
                            token.id,
                            Quoted(*taken)));
  }
  if (before == nullptr) {
    Put(std::move(token));
  }
  return {};
}

void AddedTokens::LookAsGiven() {
  for (AddedToken& token : tokens_) {
    token.normalized = false;
  }
}

Status AddedTokens::Finish(const Normalizer& normalizer, const std::stop_token& stop) {
  StopPoll poll(stop);
  std::vector<PieceTrie::Entry> as_given;
  std::vector<PieceTrie::Entry> normalized;
  std::deque<AlignedText> contents;  // after normalisation
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    HEADSCOPE_TRY(poll.Check());
    const AddedToken& token = tokens_[i];
    if (token.is_mark) {
      marks_.emplace(token.content, i);
      continue;
    }
    if (!token.normalized) {
      as_given.emplace_back(token.content, static_cast<std::int32_t>(i));
      continue;
    }
    AlignedText& content = contents.emplace_back(token.content);
    HEADSCOPE_TRY(normalizer.apply(content));
    if (content.text().size() > kMaxContentBytes) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("the added token {} has {} bytes after normalisation, expected at "
                              "most {}",
                              Quoted(token.content),
                              content.text().size(),
                              kMaxContentBytes));
    }
    normalized.emplace_back(content.text(), static_cast<std::int32_t>(i));
  }
  HEADSCOPE_TRY(as_given_, PieceTrie::Make(std::move(as_given), stop));
  HEADSCOPE_TRY(normalized_, PieceTrie::Make(std::move(normalized), stop));
  return {};
}

std::vector<AddedSection> AddedTokens::Find(std::string_view text, bool normalized) const {
  const PieceTrie& trie = normalized ? normalized_ : as_given_;
  std::vector<AddedSection> sections;
  std::size_t done = 0;
  std::size_t at = 0;
  while (at < text.size() && !trie.empty()) {
    const auto [match_end, index] = trie.Longest(text, at);
    if (index < 0) {
      ++at;
      continue;
    }
    const AddedToken& token = tokens_[static_cast<std::size_t>(index)];
    std::size_t begin = at;
    std::size_t end = match_end;
    at = match_end;
    if (token.single_word && IsWithinWord(text, begin, end)) {
      continue;
    }
    begin = token.lstrip ? std::max(begin, done) : begin;
    for (std::size_t next = begin; token.lstrip && begin > done; begin = next) {
      if (!IsWhitespace(PreviousCharacter(text, next))) {
        break;
      }
    }
    for (std::size_t next = end; token.rstrip && end < text.size(); end = next) {
      if (!IsWhitespace(NextCharacter(text, next))) {
        break;
      }
    }
    if (begin >= end) {
      continue;  // the previous token took all of it
    }
    if (done < begin) {
      sections.push_back({done, begin, nullptr});
    }
    // It may lie among the blanks that the previous token took; the blanks after it become free
    // again.
    sections.push_back({begin, end, &token});
    done = end;
  }
  if (done < text.size()) {
    sections.push_back({done, text.size(), nullptr});
  }
  return section_marks_ && !normalized ? WithMarks(text, sections) : sections;
}

std::vector<AddedSection> AddedTokens::WithMarks(std::string_view text,
                                                 std::span<const AddedSection> sections) const {
  std::vector<AddedSection> marked;
  for (AddedSection section : sections) {
    const std::string_view own = text.substr(section.begin, section.end - section.begin);
    const std::size_t close = section.token == nullptr && own.starts_with(section_marks_->open)
                                  ? own.find(section_marks_->close)
                                  : std::string_view::npos;
    if (close != std::string_view::npos) {
      const std::size_t size = close + section_marks_->close.size();
      const auto known = marks_.find(std::string(own.substr(0, size)));
      marked.push_back(
          {section.begin,
           section.begin + size,
           known == marks_.end() ? OfId(section_marks_->unknown_id) : &tokens_[known->second]});
      section.begin += size;
    }
    if (section.begin < section.end) {
      marked.push_back(section);
    }
  }
  return marked;
}

std::optional<std::int32_t> AddedTokens::IdOf(std::string_view content) const {
  const auto found = std::ranges::find(tokens_, content, &AddedToken::content);
  return found == tokens_.end() ? std::nullopt : std::optional(found->id);
}

const AddedToken* AddedTokens::OfId(std::int32_t id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &tokens_[found->second];
}

}  // namespace headscope::text
