// Composition: how much of what earlier heads write the keys, queries or values of a later head read;
// by the weights alone.
//
//   ||M W_OV||_F / (||M||_F ||W_OV||_F)
// W_OV = W_O W_V of the earlier head; M = W_Q^T W_K of the later one for its keys, W_K^T W_Q for its
// queries, W_O W_V for its values, all [d, d]. Norms on the way belong to them with the scale that they happen to have, which cancels: before a half to what
// it reads, inside of one to what it writes, after one to all that was written before.
//
// Units    0 to 1. Random matrices of these shapes give about 1 / sqrt(d).
// Errors   what the backend returns; kCancelled.
// Threads  the backend's.
// Cost     through factors: with Gram matrices of each side ||W_Q^T W_K W_OV||^2 is
//          tr(W_Q W_Q^T N W_V W_V^T N^T), N = W_K W_O, the others alike; d k^2 a pair of heads.
// Source   Elhage 2021, "A Mathematical Framework for Transformer Circuits".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/heads/measure/head_name.h"
#include "core/model/forward.h"

namespace headscope {

struct KeyComposition {
  // [layers heads]: the largest over the writers of earlier layers; none: there is none.
  std::vector<std::optional<double>> largest;
  std::vector<std::int64_t> writer;  // [layers heads]: whose it is, by its place; -1: nobody's
  double random_mean = 0.0;          // over pairs of random heads of the same shapes
  double random_spread = 0.0;
};

// `writers`: [layers heads], those that may have written what keys read.
[[nodiscard]] Result<KeyComposition> ComposeKeys(Forward* forward,
                                                 const std::vector<bool>& writers,
                                                 const std::stop_token& stop);

// By what the later of two heads reads what the earlier one writes.
enum class CompositionWay { kKeys, kQueries, kValues };
inline constexpr std::array<CompositionWay, 3> kCompositionWays = {
    CompositionWay::kKeys, CompositionWay::kQueries, CompositionWay::kValues};

struct CompositionPartner {
  HeadIndex head;
  CompositionWay way = CompositionWay::kKeys;
  double share = 0.0;
  double random_mean = 0.0;  // of pairs of random heads of these shapes
  double random_spread = 0.0;

  // How far above random, in its standard deviations.
  [[nodiscard]] double sigmas() const {
    return random_spread > 0.0 ? (share - random_mean) / random_spread : 0.0;
  }
};
// Of one head, each in the order of sigmas, the most first.
struct CompositionPartners {
  std::vector<CompositionPartner> reads;    // heads of earlier layers
  std::vector<CompositionPartner> read_by;  // heads of later layers
};
// Of a model of two parts the encoder's.
[[nodiscard]] Result<CompositionPartners> FindCompositionPartners(Forward* forward,
                                                                  HeadIndex head,
                                                                  const std::stop_token& stop);

}  // namespace headscope
