// Figures that a person has kept, as they were on screen: the Figures screen shows them in one look and
// writes them together.
//
// A kept figure holds what it was computed from, whatever is opened later. A session holds how it was
// made (app/state/figures/recipe.h): a window that opens it makes the figure again.
//
// Threads  UI thread; what figures are made of is shared and immutable.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/state/asked.h"
#include "app/state/figures/recipe.h"
#include "app/state/screen.h"
#include "core/figure/figure_kind.h"

namespace headscope {

inline constexpr std::size_t kMostKeptFigures = 40;

struct KeptFigure {
  std::int64_t number = 0;                                   // its own, as long as the window lives
  const FigureKind* kind = FindFigureKind(FigureOf::kHead);  // never null
  FigureSubject subject;               // theme and size are put in when it is drawn
  std::string title;                   // "head L1H3, lines"
  std::string about;                   // "english: The old captain ..."
  std::string file;                    // "english-L1H3-lines": without its place and ending
  bool needs_caption = false;          // heads were off, which nothing else says
  std::optional<FigureRecipe> recipe;  // none: a session cannot hold it
  bool waits = false;                  // of a session, and not made again: it has no subject

  std::string drawn_as;                          // the look of what follows; empty: not drawn yet
  std::shared_ptr<const FigurePreview> preview;  // null: it could not be drawn
  std::string fault;                             // why not, in a sentence
  std::uint64_t revision = 0;
};

// Figures are made again: the window goes from one to the next.
struct FiguresBeingMade {
  std::vector<std::int64_t> numbers;  // those left, the first is under way; never empty
  std::optional<FigureRecipe> back;   // where the person was
  const ScreenKind* screen = &kNoScreen;
};

// What is asked is the preview of one after another.
struct FiguresState : Asking {
  std::vector<KeptFigure> kept;
  std::size_t chosen = 0;  // of them
  std::int64_t last_number = 0;
  std::int64_t drawing = 0;  // number of the one whose preview is asked for
  std::string drawing_as;
  std::optional<FiguresBeingMade> making;
};

}  // namespace headscope
