// How kept figures were made, so that a session can have them made again: each of its own model, text,
// head and view.
//
// Errors   kFormat, as app/state/flags/session_view.h.
// Threads  UI thread; no disk.
// Source   our own format, in a session's "view": "figures", a list.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/figure/figure_kind.h"

namespace headscope {

struct AppState;

struct FigureRecipe {
  std::string model;      // as opened
  std::string text = {};  // as typed, as what follows
  std::string pair = {};
  std::string target = {};
  HeadIndex head = {};
  std::string view_json;  // a SessionView without figures
  friend bool operator==(const FigureRecipe&, const FigureRecipe&) = default;
};

// A kept figure in a session.
struct RememberedFigure {
  FigureOf of = FigureOf::kHead;
  std::string view;
  std::string title;
  std::string about;
  std::string file;
  bool needs_caption = false;
  FigureRecipe recipe;
  friend bool operator==(const RememberedFigure&, const RememberedFigure&) = default;
};

// Of what is on screen; nullopt: nothing is, or rows of embeddings, which a session does not name.
[[nodiscard]] std::optional<FigureRecipe> RecipeOf(const AppState& state);

[[nodiscard]] std::vector<RememberedFigure> FiguresToRemember(const AppState& state);
// After those that are kept already, each once and at most kMostKeptFigures; they wait to be made. Returns
// how many found no room.
std::size_t TakeRemembered(const std::vector<RememberedFigure>& figures, AppState* state);

// How many wait.
[[nodiscard]] std::size_t WaitingFigures(const AppState& state);

}  // namespace headscope
