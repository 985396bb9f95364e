#include "app/cli/token_look.h"

#include <algorithm>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/commands.h"
#include "core/base/utf8.h"
#include "core/io/text_file.h"
#include "core/text/stop_words.h"

namespace headscope {
namespace {

constexpr std::uint64_t kMostStopWordBytes = std::uint64_t{1} << 20U;

}  // namespace

void AddTokenLook(CLI::App* app, Options* options) {
  app->add_flag("--words", options->words, "pieces of a word as one row and one column");
  app->add_option("--hide", options->hide, "tokens that are left out: one or several of these")
      ->type_name("special,first,punctuation,stop-words");
  app->add_option("--stop-words",
                  options->stop_words,
                  "a UTF-8 file with the words that are left out, in place of the built-in English "
                  "list; hides them")
      ->type_name("FILE");
  app->add_flag("--renormalise", options->renormalise, "rows add up to 1 without hidden tokens");
}

CommandResult<TokenLook> ReadTokenLook(const Options& options) {
  TokenLook look;
  look.merges_words = options.words;
  look.renormalises = options.renormalise;
  std::string_view rest = options.hide;
  while (!rest.empty()) {
    const std::string_view each = rest.substr(0, rest.find(','));
    bool* const hides = each == "special"       ? &look.hides_special
                        : each == "first"       ? &look.hides_first
                        : each == "punctuation" ? &look.hides_punctuation
                        : each == "stop-words"  ? &look.hides_stop_words
                                                : nullptr;
    if (hides == nullptr) {
      return Usage(fmt::format(
          "--hide: expected some of special, first, punctuation and stop-words with commas between, "
          "found {}",
          ValidUtf8(each)));
    }
    *hides = true;
    rest.remove_prefix(std::min(each.size() + 1, rest.size()));
  }
  if (options.stop_words) {
    HEADSCOPE_TRY(look.stop_words, ReadTextFile(*options.stop_words, kMostStopWordBytes));
    HEADSCOPE_TRY(CheckUtf8(*options.stop_words, look.stop_words));
    if (StopWords(look.stop_words).size() == 0 || look.stop_words.empty()) {
      return Usage(fmt::format("--stop-words {}: expected words with line ends between, found none",
                               *options.stop_words));
    }
    look.hides_stop_words = true;
  }
  if (look.renormalises && !look.Hides()) {
    return Usage("--renormalise needs --hide or --stop-words: without them rows add up to 1");
  }
  return look;
}

Status SeeTokens(const TokenLook& look, PreparedInput* input, Layers* layers) {
  HEADSCOPE_TRY(auto seen,
                SeePicture({.layers = *layers,
                            .source = input->encoding,
                            .target = input->target,
                            .keys = input->keys},
                           look,
                           {}));
  *layers = seen.layers;
  input->encoding = seen.source;
  input->target = seen.target;
  input->keys = seen.keys;
  return {};
}

}  // namespace headscope
