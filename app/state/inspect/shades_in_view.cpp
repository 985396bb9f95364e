// What a text is shaded by, and how that reads.
#include <algorithm>

#include <fmt/format.h>

#include "app/state/inspect/head_views.h"
#include "app/state/inspect/two_texts.h"
#include "core/base/counted.h"
#include "core/text/indexed_name.h"

namespace headscope {

std::shared_ptr<const Encoding> AskedText(const AppState& state) {
  const FullMap full = MapInFull(state);
  return state.head_look.by_key ? full.key_tokens : full.query_tokens;
}

std::shared_ptr<const Encoding> ShadedText(const AppState& state) {
  const FullMap full = MapInFull(state);
  return state.head_look.by_key ? full.query_tokens : full.key_tokens;
}

ShadeQuestion ShadesInView(const AppState& state) {
  const HeadLook& look = state.head_look;
  const auto text = AskedText(state);
  ShadeQuestion question{.maps = MapsShown(state), .words = {}, .by_key = look.by_key};
  if (text == nullptr || question.maps.empty()) {
    return {};
  }
  if (look.words.of == text && !look.words.tokens.empty()) {
    question.words = look.words.tokens;
    return question;
  }
  const Selection& selection = state.selection;
  std::int64_t word = selection.row.value_or(0);
  if (look.by_key && selection.point && selection.point->key) {
    word = *selection.point->key;
  }
  question.words = {std::clamp<std::int64_t>(word, 0, std::ssize(text->tokens) - 1)};
  return question;
}

std::string ShadesInWords(const AppState& state, const ShadeQuestion& question) {
  const auto text = AskedText(state);
  std::vector<std::string> words;
  for (const std::int64_t word : question.words) {
    words.push_back(TokenLabel(*text, word));
  }
  const HeadIndex selected = state.selection.head;
  const auto heads = std::ssize(question.maps);
  const std::string whose =
      heads == 1 ? HeadName({selected.layer, question.maps.front().head, selected.part})
                 : fmt::format("{}, mean of {}{} heads",
                               LayerWords({selected.part, selected.layer}),
                               heads == ShownHeads(state) ? "all " : "",
                               heads);
  const auto two = TwoTextsOf(*text);
  if (two && (question.words == two->a || question.words == two->b)) {
    const std::string all = fmt::format("the {} of text {}",
                                        Counted(std::ssize(question.words), "token"),
                                        question.words == two->a ? "A" : "B");
    return question.by_key ? fmt::format("{}. Who looks at {} (sum)", whose, all)
                           : fmt::format("{}. What {} look at (sum)", whose, all);
  }
  return fmt::format("{}. {}", whose, ShadeWords(words, std::ssize(text->tokens), question.by_key));
}

}  // namespace headscope
