#include "core/causes/token_names.h"

#include <cctype>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/parse_number.h"
#include "core/base/quote.h"
#include "core/model/masked_output.h"
#include "core/text/tokenizer.h"

namespace headscope {
namespace {

Token Described(const Tokenizer* tokenizer, std::int32_t id) {
  const Encoding one =
      tokenizer != nullptr ? tokenizer->Describe({&id, 1}) : DescribeAsNumbers({&id, 1});
  return one.tokens.front();
}

std::int64_t VocabularyOfWords(const Model& model) {
  const ModelDescription& shape = model.description();
  return shape.decoder ? shape.decoder->vocabulary : shape.vocabulary;
}

// nullopt: the text is not one token.
std::optional<Token> OneToken(const Tokenizer& tokenizer, std::string_view text) {
  const auto encoding = tokenizer.Encode(text, {.pair = {}, .add_special = false, .stop = {}});
  return encoding && encoding->tokens.size() == 1 ? std::optional(encoding->tokens.front())
                                                  : std::nullopt;
}

// Most vocabularies have a word twice: at the start of a text, and after a space. Returns what a
// message adds where the one after a space was probably meant; else nothing.
std::string OrAfterASpace(const Tokenizer& tokenizer, std::string_view text) {
  if (text.starts_with(' ')) {
    return {};
  }
  const std::string spaced = fmt::format(" {}", text);
  const std::optional<Token> one = OneToken(tokenizer, spaced);
  return one && !one->unknown
             ? fmt::format(
                   ", or {} with the space before it, which is one (#{})", Quoted(spaced), one->id)
             : std::string();
}

// What ReadToken reads as this token, " sail" for "Ġsail", or as the vocabulary writes it.
std::string ReadAs(const Tokenizer& tokenizer, const Token& token) {
  for (const std::string& text : {token.display, " " + token.display}) {
    if (const auto one = OneToken(tokenizer, text); one && one->id == token.id) {
      return text;
    }
  }
  return token.text;
}

}  // namespace

const Tokenizer* TokenizerOfWords(const Model& model) {
  return model.description().decoder ? model.target_tokenizer() : model.tokenizer();
}

std::string TokenText(const Tokenizer* tokenizer, std::int32_t id) {
  return Described(tokenizer, id).text;
}

std::string TokenDisplay(const Tokenizer* tokenizer, std::int32_t id) {
  return Described(tokenizer, id).display;
}

std::vector<std::string> PositionNames(const Model& model,
                                       std::span<const std::int32_t> one,
                                       std::span<const std::int32_t> other) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < one.size(); ++i) {
    names.push_back(TokenDisplay(model.tokenizer(), one[i]));
    if (other[i] != one[i]) {
      names.back() += " / " + TokenDisplay(model.tokenizer(), other[i]);
    }
  }
  return names;
}

Result<std::int32_t> ReadToken(const Model& model, std::string_view text) {
  const std::int64_t vocabulary = VocabularyOfWords(model);
  if (text.starts_with('#') && text.size() > 1) {
    const auto id = ParseAs<std::int64_t>(text.substr(1));
    if (!id || *id < 0 || *id >= vocabulary) {
      return Fail(
          ErrorCode::kInput,
          fmt::format("token {}: expected an id from #0 to #{}", Quoted(text), vocabulary - 1));
    }
    return static_cast<std::int32_t>(*id);
  }
  const Tokenizer* tokenizer = TokenizerOfWords(model);
  if (tokenizer == nullptr) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("token {}: the model has no tokenizer; give its number, as #5", Quoted(text)));
  }
  HEADSCOPE_TRY(const auto encoding,
                tokenizer->Encode(text, {.pair = {}, .add_special = false, .stop = {}}));
  if (encoding.tokens.size() == 1) {
    const Token& token = encoding.tokens.front();
    // Typed as it stands in the vocabulary, it is meant.
    if (token.unknown && token.text != text) {
      return Fail(
          ErrorCode::kInput,
          fmt::format("token {}: not in this vocabulary, which reads it as {} (#{}); expected a "
                      "token of it, or a number as #5",
                      Quoted(text),
                      Quoted(token.text),
                      token.id));
    }
    return token.id;
  }
  std::vector<std::string> pieces;
  for (const Token& token : encoding.tokens) {
    pieces.push_back(fmt::format("{} (#{})", Quoted(ReadAs(*tokenizer, token)), token.id));
  }
  return Fail(ErrorCode::kInput,
              pieces.empty()
                  ? fmt::format("token {}: no token of this vocabulary, expected one", Quoted(text))
                  : fmt::format("token {}: expected one token, found {}: {}; give one of them{}",
                                Quoted(text),
                                pieces.size(),
                                fmt::join(pieces, ", "),
                                OrAfterASpace(*tokenizer, text)));
}

Result<std::int32_t> ReadTypedToken(const Model& model, std::string_view text) {
  // Punctuation stands without a space.
  const auto first = text.empty() ? '\0' : static_cast<unsigned char>(text.front());
  const bool is_word = std::isalnum(first) != 0 || first >= 0x80;
  if (is_word && TokenizerOfWords(model) != nullptr) {
    if (const auto after_space = ReadToken(model, fmt::format(" {}", text))) {
      return *after_space;
    }
  }
  return ReadToken(model, text);
}

std::string TypedToken(const Model& model, std::int32_t id) {
  const Tokenizer* const tokenizer = TokenizerOfWords(model);
  if (tokenizer != nullptr) {
    const std::string name = TokenDisplay(tokenizer, id);
    for (const std::string& typed : {name, " " + name, TokenText(tokenizer, id)}) {
      if (const auto read = ReadTypedToken(model, typed); read && *read == id) {
        return typed;
      }
    }
  }
  return fmt::format("#{}", id);
}

Status CheckTokensDiffer(const Model& model,
                         std::int32_t one,
                         std::int32_t other,
                         std::string_view names) {
  return one != other ? Status()
                      : Status(Fail(ErrorCode::kInput,
                                    fmt::format("{} are both the token {} (#{}), whose lead over "
                                                "itself is 0: give two tokens",
                                                names,
                                                Quoted(TokenText(TokenizerOfWords(model), one)),
                                                one)));
}

std::optional<std::int32_t> MaskTokenOf(const Model& model) {
  if (!IsMasked(model.description()) || model.tokenizer() == nullptr) {
    return std::nullopt;
  }
  for (const char* name : {"[MASK]", "<mask>"}) {
    const auto encoding =
        model.tokenizer()->Encode(name, {.pair = {}, .add_special = false, .stop = {}});
    if (encoding && encoding->tokens.size() == 1 && encoding->tokens.front().special) {
      return encoding->tokens.front().id;
    }
  }
  return std::nullopt;
}

std::optional<std::int32_t> MaskRow(const Model& model, std::int64_t row, ForwardInput* input) {
  const std::optional<std::int32_t> mask = MaskTokenOf(model);
  const auto place = static_cast<std::size_t>(row);
  if (!mask || place >= input->ids.size() || input->ids[place] == *mask) {
    return std::nullopt;
  }
  return std::exchange(input->ids[place], *mask);
}

}  // namespace headscope
