// One head's map, of whatever layer: captured, cut anew or given. It is what screens, figures and
// exports read; it knows what is masked, and makes no weight before it is asked for.
//
// Shapes   queries() rows, keys() columns.
// Errors   none; indices are the caller's to check.
// Threads  any; the layer is immutable.
// Cost     two words; rows as in layer_attention.h.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/attention/layer_attention.h"

namespace headscope {

struct MapView {
  std::shared_ptr<const LayerAttention> layer;  // null: no map
  std::int64_t head = 0;

  [[nodiscard]] std::int64_t queries() const { return layer->shape().queries; }
  [[nodiscard]] std::int64_t keys() const { return layer->shape().keys; }
  // The visible keys of a query: [first, last). What lies outside is masked.
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

  // Rows [query_begin, query_end) for drawing; out [rows, keys]: masked cells hold kMasked, weights
  // that cannot be drawn (below 0, not finite, as only given ones can be) hold 0. It runs on
  // OpenMP's threads, and is not for the thread that draws.
  void DrawableRows(std::int64_t query_begin, std::int64_t query_end, std::span<float> out) const;

  friend bool operator==(const MapView&, const MapView&) = default;
};

}  // namespace headscope
