// Compares two runs of one text, head by head: how far apart any two heads of a layer are, and
// which head of A matches which head of B.
//
// Shapes   divergences [heads of A, heads of B] of each layer that both have.
// Units    divergence: Jensen-Shannon in nats, 0 to ln 2, between the two heads' weights of a
//          query, averaged over rows. Masked weights are exactly 0. Rows that see a single key in
//          either run are left out: all their weight is on that key, whatever the head does. What
//          rows lack (hidden tokens, a sink) counts as one key more.
// Errors   kInput (no layer in common, different parts), kCancelled.
// Threads  the caller's, which must not be the one that draws; heads go to OpenMP's threads. The
//          result does not depend on their number.
// Cost     the full softmax of every row of both, and two logarithms for each visible cell of each
//          pair of heads of a layer. Holds some rows of all heads of a layer: 16 MiB, or one row.
// Source   Lin 1991; docs/reference.md, "compare".
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/base/error.h"
#include "core/compare/shared_axis.h"

namespace headscope {

// A head of A and its match among the heads of B.
struct HeadPair {
  std::int64_t a = 0;
  std::int64_t b = 0;
  std::optional<double> divergence;  // null: no row counts
};

struct LayerComparison {
  std::int64_t layer = 0;
  std::int64_t heads_a = 0;
  std::int64_t heads_b = 0;
  std::int64_t num_rows = 0;        // rows that count
  std::vector<double> divergences;  // [heads_a, heads_b]; all 0 where no row counts
  std::vector<HeadPair> pairs;      // with the least total divergence; in the order of A's heads

  [[nodiscard]] double Divergence(std::int64_t a, std::int64_t b) const {
    return divergences[static_cast<std::size_t>(a * heads_b + b)];
  }
  // Returns the pair of one of A's heads; null: it has no partner.
  [[nodiscard]] const HeadPair* PairOf(std::int64_t a) const;
  [[nodiscard]] std::optional<double> Mean() const;  // over the pairs
};

struct Comparison {
  std::string a;  // names
  std::string b;
  ModelPart part_a = ModelPart::kWhole;
  ModelPart part_b = ModelPart::kWhole;
  SharedAxis queries;
  SharedAxis keys;
  std::vector<LayerComparison> layers;  // ascending
  std::vector<std::string> notes = {};  // what is left out, and why: a sentence each
};

// The pair that lies furthest apart, with its layer; the first if several do. Null: nothing was
// compared.
struct LargestDivergence {
  std::int64_t layer = 0;
  HeadPair pair;
};
[[nodiscard]] std::optional<LargestDivergence> LargestOf(const Comparison& comparison);
// Returns every pair, the furthest apart first; ties are in the order of layers and heads.
[[nodiscard]] std::vector<LargestDivergence> FurthestFirst(const Comparison& comparison);

using LayerSequence = std::span<const std::shared_ptr<const LayerAttention>>;
// Returns the layer of that number; null: there is none.
[[nodiscard]] const std::shared_ptr<const LayerAttention>& FindLayer(LayerSequence layers,
                                                                     std::int64_t number);

using CompareProgress = std::function<void(std::int64_t done, std::int64_t layers)>;

// Compares layers of one part each, matched by their numbers. The names stay empty.
[[nodiscard]] Result<Comparison> CompareAttention(LayerSequence a,
                                                  LayerSequence b,
                                                  SharedAxis queries,
                                                  SharedAxis keys,
                                                  const CompareProgress& progress,
                                                  const std::stop_token& stop);

// Computes the divergences of one layer, without the matching.
[[nodiscard]] Result<LayerComparison> CompareLayer(const LayerAttention& a,
                                                   const LayerAttention& b,
                                                   const SharedAxis& queries,
                                                   const SharedAxis& keys,
                                                   const std::stop_token& stop);

}  // namespace headscope
