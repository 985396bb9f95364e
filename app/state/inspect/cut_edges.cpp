#include "app/state/inspect/cut_edges.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "app/state/inspect/heads_off.h"
#include "app/state/queries.h"
#include "app/state/reducer_class.h"
#include "core/base/counted.h"

namespace headscope {
namespace {

EdgesOf TextInView(const AppState& state) {
  return {state.shown.encoding, state.shown.target};
}

}  // namespace

std::optional<CutEdge> EdgeInView(const AppState& state, CutRows rows) {
  const std::optional<MapPoint>& point = state.selection.point;
  const FullMap full = MapInFull(state);
  // Merged and hidden tokens are no rows and keys of the model.
  const bool is_of_head = state.screen->looks_at_tokens && full.map.layer != nullptr &&
                          !full.is_joined && !LooksAtTokens(state) && !full.stale &&
                          !full.outdated && WhyNoHeadsOff(state).empty();
  if (!is_of_head || !point || !point->key) {
    return std::nullopt;
  }
  const LayerAttention& layer = *full.map.layer;
  const AttentionShape& shape = layer.shape();
  if (point->query >= shape.queries || *point->key >= shape.keys ||
      !layer.Visible(point->query, *point->key)) {
    return std::nullopt;
  }
  return CutEdge{{layer.layer(), full.map.head, layer.part()},
                 *point->key,
                 rows == CutRows::kOne ? std::optional(point->query) : std::nullopt};
}

bool IsCut(const AppState& state, const CutEdge& edge) {
  const auto& edges = state.heads_off.chosen.edges;
  return std::ranges::find(edges, edge) != edges.end();
}

std::vector<CutEdge> CutsInView(const AppState& state, HeadIndex head) {
  std::vector<CutEdge> cuts;
  if (const HeadsOff* const off = HeadsOffInView(state)) {
    std::ranges::copy_if(off->edges, std::back_inserter(cuts), [head](const CutEdge& edge) {
      return edge.head == head;
    });
  }
  return cuts;
}

std::string EdgeWords(const AppState& state, const CutEdge& edge) {
  const auto name = [](const std::shared_ptr<const Encoding>& text, std::int64_t at) {
    return text != nullptr && at < std::ssize(text->tokens)
               ? fmt::format("{} ({})", TokenWord(*text, at), at)
               : fmt::format("{}", at);
  };
  const bool is_target = HasTargetQueries(edge.head.part);
  const auto& rows = is_target ? state.shown.target : state.shown.encoding;
  const auto& keys =
      is_target && edge.head.part != ModelPart::kCross ? state.shown.target : state.shown.encoding;
  return fmt::format(
      "{} → {}", edge.row ? name(rows, *edge.row) : "all rows", name(keys, edge.key));
}

std::string OffCounted(const HeadsOff& off) {
  const std::string heads = off.heads.empty() ? "" : Counted(std::ssize(off.heads), "head");
  const std::string edges = off.edges.empty() ? "" : Counted(std::ssize(off.edges), "edge");
  return heads + (heads.empty() || edges.empty() ? "" : " and ") + edges;
}

std::string RestOfRow(const HeadsOff& off) {
  return off.renormalises ? "the rest of the row adds up to 1 again" : "the rest of the row stays";
}

void DropOldEdges(AppState* state) {
  HeadsOffState& off = state->heads_off;
  if (!off.chosen.edges.empty() && !(off.edges_of == TextInView(*state))) {
    off.chosen.edges.clear();
  }
}

// --- actions

void SwitchEdge::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  if (const std::string why_not = WhyNoHeadsOff(state); !why_not.empty()) {
    reducer->Notify(ErrorPlace::kMap, why_not);
    return;
  }
  DropOldEdges(&state);
  HeadsOffState& off = state.heads_off;
  off.shows_whole = false;
  off.edges_of = TextInView(state);
  auto& edges = off.chosen.edges;
  const auto place = std::ranges::lower_bound(edges, edge);
  if (place != edges.end() && *place == edge) {
    edges.erase(place);
  } else if (HasHead(*ShownModel(state), edge.head)) {
    edges.insert(place, edge);
  }
  off.picture = off.fault.empty() ? off.picture : 0;  // what failed is tried again
}

void RenormaliseCuts::Do(Reducer* reducer) const {
  HeadsOffState& off = reducer->state().heads_off;
  off.chosen.renormalises = renormalises;
  off.shows_whole = false;
}

}  // namespace headscope
