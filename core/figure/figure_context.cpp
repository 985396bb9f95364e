#include "core/figure/figure_context.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/utf8.h"
#include "core/figure/pango_text.h"
#include "core/text/words.h"

namespace headscope {
namespace {

// Collapses white space to single blanks and cuts the text to at most 160 characters.
std::string Shortened(const std::string& text) {
  constexpr int kMost = 160;
  std::string words;
  int characters = 0;
  bool blank = false;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte == ' ' || (byte >= '\t' && byte <= '\r')) {
      blank = !words.empty();
      continue;
    }
    if (StartsCharacter(letter)) {
      characters += blank ? 2 : 1;
      if (characters > kMost) {
        return words + "\u2026";
      }
    }
    if (blank) {
      words += ' ';
      blank = false;
    }
    words += letter;
  }
  return words;
}

// True if the text has letters of Hebrew, Arabic or related scripts.
bool RunsRightToLeft(const std::string& utf8) {
  const std::string text = CleanText(utf8);
  for (const char* at = text.c_str(); *at != '\0'; at = g_utf8_next_char(at)) {
    const gunichar code = g_utf8_get_char(at);
    if ((code >= 0x0590U && code <= 0x08FFU) || (code >= 0xFB1DU && code <= 0xFDFFU) ||
        (code >= 0xFE70U && code <= 0xFEFCU)) {
      return true;
    }
  }
  return false;
}

std::string QuotedText(const std::string& text, const std::vector<std::string>& tokens) {
  const std::string shown =
      Shortened(text.empty() ? fmt::format("{}", fmt::join(tokens, " ")) : text);
  // A zero-width mark keeps what follows in the caption's own direction.
  return fmt::format("\u201c{}\u201d{}, {}",
                     shown,
                     RunsRightToLeft(shown) ? "\u200E" : "",
                     Counted(tokens.size(), "token"));
}

std::string Caption(const FigureContext& context, ModelPart part, std::string_view convention) {
  std::string texts = fmt::format("Text: {}. ", QuotedText(context.text, context.tokens));
  if (HasTargetQueries(part)) {
    texts += fmt::format("Target{}: {}. ",
                         context.target_is_generated ? ", generated" : "",
                         QuotedText(context.target, context.target_tokens));
  }
  return fmt::format("{}. {}{}", context.model, texts, convention);
}

}  // namespace

std::string ModelLine(const std::string& name,
                      const std::string& family,
                      std::int64_t layers,
                      std::int64_t heads,
                      std::int64_t model_dim,
                      const std::string& head_dim) {
  return fmt::format("{}, {}, {} \u00d7 {}, d {}, d_k {}",
                     name,
                     family,
                     Counted(layers, "layer"),
                     Counted(heads, "head"),
                     model_dim,
                     head_dim);
}

std::vector<std::string> AxisTokens(const Encoding& encoding) {
  std::vector<std::string> tokens;
  tokens.reserve(encoding.tokens.size());
  for (std::size_t i = 0; i < encoding.tokens.size(); ++i) {
    tokens.push_back(TokenName(encoding, i));
  }
  return tokens;
}

FigurePage PageOf(const FigureContext& context,
                  ModelPart part,
                  std::string title,
                  std::string_view convention) {
  FigurePage page;
  page.title = std::move(title);
  page.caption = Caption(context, part, convention);
  page.notes = context.notes;
  page.theme = context.theme;
  page.size_px = context.size_px;
  return page;
}

}  // namespace headscope
