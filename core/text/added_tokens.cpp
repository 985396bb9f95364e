#include "core/text/added_tokens.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/text/unicode.h"

namespace headscope::text {
namespace {

Result<AddedToken> ParseToken(const JsonObject& object) {
  const Result<std::int64_t> id = object.Integer("id", 0, kMaxId);
  Result<std::string> content = object.String("content");
  const Result<bool> special = object.Boolean("special", false);
  HEADSCOPE_TRY(id);
  HEADSCOPE_TRY(content);
  HEADSCOPE_TRY(special);
  const Result<bool> normalized = object.Boolean("normalized", !*special);
  const Result<bool> single_word = object.Boolean("single_word", false);
  const Result<bool> lstrip = object.Boolean("lstrip", false);
  const Result<bool> rstrip = object.Boolean("rstrip", false);
  HEADSCOPE_TRY(normalized);
  HEADSCOPE_TRY(single_word);
  HEADSCOPE_TRY(lstrip);
  HEADSCOPE_TRY(rstrip);
  return AddedToken{.id = static_cast<std::int32_t>(*id),
                    .content = std::move(*content),
                    .special = *special,
                    .normalized = *normalized,
                    .single_word = *single_word,
                    .lstrip = *lstrip,
                    .rstrip = *rstrip};
}

bool IsWithinWord(std::string_view text, std::size_t begin, std::size_t end) {
  std::size_t before = begin;
  std::size_t after = end;
  return (begin > 0 && IsWordCharacter(PreviousCharacter(text, before))) ||
         (end < text.size() && IsWordCharacter(NextCharacter(text, after)));
}

}  // namespace

void AddedTokens::Trie::Add(std::string_view text, std::size_t token) {
  std::uint32_t node = 0;
  for (const char byte : text) {
    const std::uint64_t key = (std::uint64_t{node} << 8U) | static_cast<unsigned char>(byte);
    const auto [child, is_new] =
        children.try_emplace(key, static_cast<std::uint32_t>(token_at.size()));
    if (is_new) {
      token_at.push_back(-1);
    }
    node = child->second;
  }
  token_at[node] = static_cast<std::int64_t>(token);
}

std::pair<std::size_t, std::int64_t> AddedTokens::Trie::Longest(std::string_view text,
                                                                std::size_t begin) const {
  std::pair<std::size_t, std::int64_t> longest{begin, -1};
  std::uint32_t node = 0;
  for (std::size_t at = begin; at < text.size(); ++at) {
    const std::uint64_t key = (std::uint64_t{node} << 8U) | static_cast<unsigned char>(text[at]);
    const auto child = children.find(key);
    if (child == children.end()) {
      break;
    }
    node = child->second;
    if (token_at[node] >= 0) {
      longest = {at + 1, token_at[node]};
    }
  }
  return longest;
}

Result<AddedTokens> AddedTokens::Parse(const simdjson::dom::array& list,
                                       const Vocabulary& vocabulary,
                                       const std::string& name) {
  AddedTokens tokens;
  for (const simdjson::dom::element element : list) {
    simdjson::dom::object object;
    if (element.get(object) != simdjson::SUCCESS) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: \"added_tokens\" holds what is no object", name));
    }
    Result<AddedToken> token = ParseToken(JsonObject(object, name + ": added_tokens"));
    HEADSCOPE_TRY(token);
    HEADSCOPE_TRY(tokens.Add(std::move(*token), vocabulary, name));
  }
  return tokens;
}

Status AddedTokens::Add(AddedToken token, const Vocabulary& vocabulary, const std::string& name) {
  if (token.content.empty()) {
    return {};
  }
  if (token.content.size() > kMaxContentBytes || tokens_.size() >= Vocabulary::kMaxPieces) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: the added token {} has {} bytes, expected at most {}",
                            name,
                            Quoted(token.content),
                            token.content.size(),
                            kMaxContentBytes));
  }
  token.id = vocabulary.Id(token.content).value_or(token.id);
  const std::string* taken = vocabulary.Piece(token.id);
  const auto [entry, is_new] = by_id_.try_emplace(token.id, tokens_.size());
  if (!is_new) {
    taken = &tokens_[entry->second].content;
  }
  if ((taken != nullptr && *taken != token.content)) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: the added token {} has id {}, which is that of {}",
                            name,
                            Quoted(token.content),
                            token.id,
                            Quoted(*taken)));
  }
  if (is_new) {
    end_id_ = std::max(end_id_, std::int64_t{token.id} + 1);
    tokens_.push_back(std::move(token));
  }
  return {};
}

Status AddedTokens::Finish(const Normalizer* normalizer) {
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const AddedToken& token = tokens_[i];
    if (!token.normalized) {
      as_given_.Add(token.content, i);
      continue;
    }
    AlignedText content(token.content);
    if (normalizer != nullptr) {
      HEADSCOPE_TRY(normalizer->Apply(content));
    }
    if (content.text().size() > kMaxContentBytes) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("the added token {} has {} bytes after normalisation, expected at "
                              "most {}",
                              Quoted(token.content),
                              content.text().size(),
                              kMaxContentBytes));
    }
    if (!content.empty()) {
      normalized_.Add(content.text(), i);
    }
  }
  return {};
}

std::vector<AddedSection> AddedTokens::Find(std::string_view text, bool normalized) const {
  const Trie& trie = normalized ? normalized_ : as_given_;
  std::vector<AddedSection> sections;
  std::size_t done = 0;
  std::size_t at = 0;
  while (at < text.size() && !trie.children.empty()) {
    const auto [match_end, index] = trie.Longest(text, at);
    if (index < 0) {
      ++at;
      continue;
    }
    const AddedToken& token = tokens_[static_cast<std::size_t>(index)];
    std::size_t begin = at;
    std::size_t end = match_end;
    at = match_end;
    if (begin < done || (token.single_word && IsWithinWord(text, begin, end))) {
      continue;
    }
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
    if (done < begin) {
      sections.push_back({done, begin, nullptr});
    }
    sections.push_back({begin, end, &token});
    done = end;
  }
  if (done < text.size()) {
    sections.push_back({done, text.size(), nullptr});
  }
  return sections;
}

const AddedToken* AddedTokens::OfId(std::int32_t id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &tokens_[found->second];
}

}  // namespace headscope::text
