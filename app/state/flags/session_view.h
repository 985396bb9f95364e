// How the window showed a model and a text, kept in a session so that it opens as it was: the screen,
// how heads and tokens are shown, what is taken away, what side B is, what is patched, the cell that was
// held, how kept figures were made, and training runs by their folders.
//
// Errors   kFormat: a member of another type, or a name that is none.
// Threads  UI thread.
// Source   our own format, the session's "view": a key for each member of ViewPlace, names as the
//          command line has them. How text and window are sized, and the theme, are preferences.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/state/compare/patching_state.h"
#include "app/state/figures/recipe.h"
#include "app/state/train/remembered.h"
#include "app/state/view_history.h"
#include "core/base/error.h"
#include "core/worker/compared_side.h"

namespace headscope {

struct AppState;

struct SessionView {
  ViewPlace place;          // without its screen; edges and tokens are of the session's text
  std::string screen;       // its id
  bool keeps_head = false;  // the session's selected one
  std::optional<MapPoint> point;
  std::optional<ComparedSide> other;
  PatchLook patching;  // its file of pairs by path alone
  SplitTokens split = {};
  std::vector<RememberedFigure> figures = {};  // that were kept
  std::optional<RememberedTraining> training = {};
  friend bool operator==(const SessionView&, const SessionView&) = default;
};

[[nodiscard]] SessionView SessionViewOf(const AppState& state);
[[nodiscard]] SessionView PlainViewOf(const AppState& state);        // without figures and training
[[nodiscard]] std::string SessionViewText(const SessionView& view);  // a JSON object
// `name` begins an error.
[[nodiscard]] Result<SessionView> ReadSessionView(const std::string& json, const std::string& name);

}  // namespace headscope
