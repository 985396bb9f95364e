// The tree of the open text beside a head: where it comes from, whether it can be shown, and what the
// head says of it.
//
// Threads  UI thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "app/state/app_state.h"

namespace headscope {

// Whether arcs show a tree now, or would if there were one.
[[nodiscard]] bool WantsTree(const AppState& state);
// The tree of the text that is drawn; null: there is none, or not yet.
[[nodiscard]] std::shared_ptr<const TextTree> TreeInView(const AppState& state);
// Why there is none, in a sentence; empty: there is one.
[[nodiscard]] std::string WhyNoTree(const AppState& state);
// Whether arcs show it.
[[nodiscard]] bool ShowsTree(const AppState& state);
// What the head in view says of it; null: not yet.
[[nodiscard]] const TreeAnswers* TreeAnswersInView(const AppState& state);

// The sentence of the treebank that is the text; none: no treebank, or another text.
[[nodiscard]] std::optional<std::size_t> SentenceInView(const AppState& state);

}  // namespace headscope
