// What a screen is, to everything that does not draw: its name, its keys, and what it speaks about.
// How it is drawn, and which screens there are: app/views/screens.h.
//
// Threads  constants.
#pragma once

#include <string_view>

namespace headscope {

// What the arrows walk, the export and the status line tell of, and the panel at the right shows in
// full; and so what is computed.
enum class ScreenSubject {
  kHeads,       // the heads of the model and text
  kHeadCounts,  // the selected layer, cut into other numbers of heads
  kNothing      // the screen has no maps of its own
};

struct ScreenKind {
  std::string_view id = {};     // --view
  std::string_view name = {};   // in the rail
  std::string_view about = {};  // a line
  std::string_view keys = {};   // each opens it
  int place = 0;                // in the rail, from the top
  ScreenSubject subject = ScreenSubject::kHeads;
  bool wants_scores = false;     // of all heads, on probes and on the text
  bool shows_roles = false;      // of heads: a scan that takes seconds starts by itself
  bool looks_at_tokens = false;  // its maps may have tokens merged or hidden
  bool compares = false;         // with what is chosen as side B
  bool tells_answers = false;  // about the open model, in words, with the numbers of its kept steps
  bool trains = false;         // shows runs of Train, and exports their curves
  bool shows_figures = false;  // that were kept, and exports them
};

// Returns the screen of that id, or null.
using FindScreen = const ScreenKind* (*)(std::string_view id);

// Before one is chosen.
inline constexpr ScreenKind kNoScreen = {};

}  // namespace headscope
