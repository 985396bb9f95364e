// Tokens that a command merges or leaves out: --words, --hide and --renormalise.
//
// Threads  the main thread.
#pragma once

#include "app/cli/commands.h"
#include "core/attention/token_look.h"

namespace CLI {
class App;
}

namespace headscope {

void AddTokenLook(CLI::App* app, Options* options);
// Errors   usage: a name that --hide does not have, --renormalise without --hide.
[[nodiscard]] CommandResult<TokenLook> ReadTokenLook(const Options& options);
// Merges and hides tokens of what was run.
[[nodiscard]] Status SeeTokens(const TokenLook& look, PreparedInput* input, Layers* layers);

}  // namespace headscope
