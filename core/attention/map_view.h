// One head's map, of any layer: captured, cut or given. Screens, figures and exports read it; it
// knows what is masked, and makes no weight before it is needed.
//
// Shapes   queries() rows, keys() columns.
// Errors   none; the caller must pass valid indices.
// Threads  the layer is immutable.
// Cost     two words; rows as in layer_attention.h.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/attention/layer_attention.h"

namespace headscope {

struct MapView {
  std::shared_ptr<const LayerAttention> layer;  // null: no map
  std::int64_t head = 0;

  [[nodiscard]] std::int64_t queries() const { return layer->shape().queries; }
  [[nodiscard]] std::int64_t keys() const { return layer->shape().keys; }
  // The visible keys of a query: [first, last). All others are masked.
  [[nodiscard]] std::int64_t FirstVisible(std::int64_t query) const {
    return layer->rule().FirstVisible(query);
  }
  [[nodiscard]] std::int64_t LastVisible(std::int64_t query) const {
    return layer->rule().LastVisible(query, keys());
  }
  // Whether there is a masked cell.
  [[nodiscard]] bool has_masked() const;
  [[nodiscard]] float largest() const { return layer->largest(head); }
  [[nodiscard]] const Thumbnail& thumbnail() const { return layer->thumbnail(head); }

  // Makes rows [query_begin, query_end) for drawing; out [rows, keys]. Masked cells hold kMasked;
  // weights that cannot be drawn (negative or not finite, only possible if given) hold 0. Runs on
  // OpenMP's threads; not for the drawing thread.
  void DrawableRows(std::int64_t query_begin, std::int64_t query_end, std::span<float> out) const;

  friend bool operator==(const MapView&, const MapView&) = default;
};

// A whole map, for drawing.
struct HeadMap {
  MapView of;
  std::vector<float> weights;  // [queries, keys]; kMasked where masked
};

}  // namespace headscope
