// Where a person has been in the window, to go back to it and forward again, as in a browser.
//
// Threads  plain values.
#pragma once

#include <optional>
#include <vector>

#include "app/state/compare/state.h"
#include "app/state/heads/state.h"
#include "app/state/inspect/grid_look.h"
#include "app/state/inspect/head_look.h"
#include "app/state/inspect/heads_off_state.h"
#include "app/state/map_settings.h"
#include "app/state/screen.h"
#include "core/attention/token_look.h"
#include "core/causes/heads_off.h"

namespace headscope {

// What the window showed, and how. Work, texts and flags are not part of it.
struct ViewPlace {
  const ScreenKind* screen = &kNoScreen;
  std::optional<HeadIndex> kept;  // the head that was kept
  HeadLook head;
  GridLook grid;
  TokenLook tokens;
  MapSettings map;
  HeadsLook heads;
  CompareLook compare;
  HeadsOff off;
  EdgesOf edges_of;
  friend bool operator==(const ViewPlace&, const ViewPlace&) = default;
};

struct ViewHistory {
  std::vector<ViewPlace> past;    // the newest last, at most kMostPlaces
  std::vector<ViewPlace> future;  // that was gone back from; the next last
};

struct AppState;
[[nodiscard]] ViewPlace PlaceOf(const AppState& state);

inline constexpr std::size_t kMostPlaces = 200;

}  // namespace headscope
