#include "tests/unit/text/tiny_tokenizers.h"

#include "core/text/byte_level.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

// For strings that need no escape but of quote and backslash.
std::string JsonString(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
    }
    result += c;
  }
  return result + "\"";
}

}  // namespace

std::string TinyJson::Text() const {
  return "{\"added_tokens\":" + added_tokens + ",\"normalizer\":" + normalizer +
         ",\"pre_tokenizer\":" + pre_tokenizer + ",\"post_processor\":" + post_processor +
         ",\"decoder\":null,\"model\":" + model + "}";
}

std::string VocabJson(const std::vector<std::string>& pieces) {
  std::string json = "{";
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    json += (i == 0 ? "" : ",") + JsonString(pieces[i]) + ":" + std::to_string(i);
  }
  return json + "}";
}

std::string WordLevelJson(const std::vector<std::string>& pieces, const std::string& unknown) {
  return "{\"type\":\"WordLevel\",\"unk_token\":" + JsonString(unknown) +
         ",\"vocab\":" + VocabJson(pieces) + "}";
}

std::string BpeJson(const std::vector<std::string>& pieces,
                    const std::vector<std::string>& merges,
                    const std::string& more) {
  std::string json = "{\"type\":\"BPE\",\"vocab\":" + VocabJson(pieces) + ",\"merges\":[";
  for (std::size_t i = 0; i < merges.size(); ++i) {
    json += (i == 0 ? "" : ",") + merges[i];
  }
  return json + "]" + more + "}";
}

std::vector<std::string> BytePieces(const std::vector<std::string>& more) {
  const auto& characters = text::ByteCharacters();
  std::vector<std::string> pieces(characters.begin(), characters.end());
  pieces.insert(pieces.end(), more.begin(), more.end());
  return pieces;
}

std::shared_ptr<const Tokenizer> Parse(const TinyJson& json) {
  auto tokenizer = ParseTokenizerJson(json.Text(), "tiny");
  if (!tokenizer) {
    FAIL(tokenizer.error().message);
  }
  return *tokenizer;
}

Encoding EncodeOrFail(const Tokenizer& tokenizer,
                      std::string_view text,
                      const EncodeOptions& options) {
  auto encoding = tokenizer.Encode(text, options);
  if (!encoding) {
    FAIL(encoding.error().message);
  }
  return std::move(*encoding);
}

std::vector<std::string> Texts(const Encoding& encoding) {
  std::vector<std::string> texts;
  for (const Token& token : encoding.tokens) {
    texts.push_back(token.text);
  }
  return texts;
}

std::vector<std::string> Displays(const Encoding& encoding) {
  std::vector<std::string> displays;
  for (const Token& token : encoding.tokens) {
    displays.push_back(token.display);
  }
  return displays;
}

std::vector<std::int32_t> Words(const Encoding& encoding) {
  std::vector<std::int32_t> words;
  for (const Token& token : encoding.tokens) {
    words.push_back(token.word);
  }
  return words;
}

std::vector<std::string> Ranges(const Encoding& encoding) {
  std::vector<std::string> ranges;
  for (const Token& token : encoding.tokens) {
    ranges.push_back(std::to_string(token.begin) + "-" + std::to_string(token.end));
  }
  return ranges;
}

}  // namespace headscope
