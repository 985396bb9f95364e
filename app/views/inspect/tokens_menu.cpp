// Which tokens are shown: pieces merged to words, some out of the way.
#include <array>
#include <string>

#include <fmt/format.h>

#include "app/state/queries.h"
#include "app/views/inspect/panels.h"
#include "app/views/kit/popups.h"
#include "app/views/kit/text_field.h"
#include "app/views/panels.h"
#include "core/base/counted.h"
#include "core/text/stop_words.h"

namespace headscope {
namespace {

struct LookSwitch {
  const char* name;
  const char* about;
  bool TokenLook::*is_on;
};
constexpr std::array<LookSwitch, 6> kSwitches = {{
    {"Words",
     "Pieces of a word are one row and one column: columns are summed, rows averaged",
     &TokenLook::merges_words},
    {"Without special tokens", "[CLS], <|begin|>, padding", &TokenLook::hides_special},
    {"Without the first token", "Where most heads rest", &TokenLook::hides_first},
    {"Without punctuation", "Tokens of nothing else", &TokenLook::hides_punctuation},
    {"Without stop words",
     "Words that stand in every text, by a list that you can change",
     &TokenLook::hides_stop_words},
    {"Renormalise",
     "Each row is divided by what is left of it, so that it adds up to 1 again; else it lacks what "
     "it gave to hidden tokens",
     &TokenLook::renormalises},
}};

// The list, to be typed or pasted: words with blanks or line ends between.
void DrawStopWords(Ui* ui) {
  const TokenLook& look = ui->state.token_look;
  std::string list(look.stop_words.empty() ? EnglishStopWords() : look.stop_words);
  if (DialogField(ui,
                  "stop words",
                  &list,
                  {.hint = "the, of, and: words with blanks between", .lines = 4})) {
    TokenLook changed = look;
    // A blank: no word, where an empty text would be the built-in list.
    changed.stop_words = list == EnglishStopWords() ? "" : list.empty() ? " " : list;
    ui->Do(SetTokenLook{changed});
  }
  const StopWords words(look.stop_words);
  SmallParagraph(ui,
                 look.stop_words.empty()
                     ? fmt::format("{} in English, built in; change the list, or paste another.",
                                   Counted(words.size(), "word"))
                     : fmt::format("{} of your own; capitals count as small letters.",
                                   Counted(words.size(), "word")),
                 ui->colors().muted);
  if (!look.stop_words.empty() && DialogButton(ui, "The built-in list", false)) {
    TokenLook changed = look;
    changed.stop_words.clear();
    ui->Do(SetTokenLook{changed});
  }
}

}  // namespace

ToolbarChoice TokensChoice(const AppState& state) {
  const TokenLook& look = state.token_look;
  const std::string value = look.IsPlain()                      ? "all"
                            : look.merges_words && look.Hides() ? "words, some hidden"
                            : look.merges_words                 ? "words"
                                                                : "some hidden";
  return {
      "Tokens",
      value,
      look.IsPlain() ? "all tokens"
      : look.Hides() ? "some hidden"
                     : value,
      "Merge pieces to words; hide special tokens, the first, punctuation, stop words, or any (H)",
      Popup::kTokens};
}

void DrawTokensMenu(Ui* ui) {
  const TokenLook& look = ui->state.token_look;
  Heading(ui, "Tokens that are shown, in Inspect, Compare and their figures");
  for (const LookSwitch& each : kSwitches) {
    if (MenuRow(ui, each.name, each.name, each.about, look.*each.is_on)) {
      TokenLook changed = look;
      changed.*each.is_on = !(look.*each.is_on);
      ui->Do(SetTokenLook{changed});
    }
    if (each.is_on == &TokenLook::hides_stop_words && look.hides_stop_words) {
      DrawStopWords(ui);
    }
  }
  if (!look.hidden.empty() &&
      MenuRow(ui,
              "by hand",
              fmt::format("Show the {} hidden by hand", Counted(std::ssize(look.hidden), "token")),
              "")) {
    TokenLook changed = look;
    changed.hidden.clear();
    ui->Do(SetTokenLook{changed});
  }
  SmallParagraph(ui, "H hides the token under the pointer.", ui->colors().muted);
  if (DialogButton(ui, "All tokens", false, !look.IsPlain())) {
    ui->Do(SetTokenLook{});
    ui->Do(ClosePopup);
  }
}

void DrawHiddenWords(Pen* pen, const FullMap& full) {
  const AppState& state = pen->ui->state;
  if (!LooksAtTokens(state)) {
    return;
  }
  if (!state.seen.fault.empty() && SeenInView(state) == nullptr) {
    pen->Small(state.seen.fault, pen->ui->colors().text);
    return;
  }
  const MapView& map = full.map;
  if (!state.token_look.Hides() || !map.layer->is_seen_apart()) {
    return;
  }
  double hidden = 0.0;
  for (std::int64_t query = 0; query < map.queries(); ++query) {
    hidden += static_cast<double>(map.layer->HiddenWeight(map.head, query));
  }
  pen->Small(
      fmt::format("{:.0f} % of this head's attention goes to hidden tokens (mean over {}){}.",
                  100.0 * hidden / static_cast<double>(map.queries()),
                  Counted(map.queries(), "row"),
                  state.token_look.renormalises ? "; rows are renormalised" : ""),
      pen->ui->colors().muted);
}

}  // namespace headscope
