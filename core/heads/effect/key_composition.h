// Composition: how much of what earlier heads write is read by the keys, queries or values of a
// later head, judged by the weights alone.
//
//   ||M W_OV||_F / (||M||_F ||W_OV||_F)
//
// W_OV = W_O W_V of the earlier head; M = W_Q^T W_K of the later one for its keys, W_K^T W_Q for
// its queries, W_O W_V for its values, all [d, d]. Norms on the path are included without their
// scale, which cancels: a norm before a sublayer belongs to what it reads, one inside to what it
// writes, one after it to everything written before.
//
// Units    0 to 1. Random matrices of these shapes give about 1 / sqrt(d).
// Errors   the backend's; kCancelled.
// Threads  the backend's.
// Cost     computed from factors: with Gram matrices of each side ||W_Q^T W_K W_OV||^2 is tr(W_Q
//          W_Q^T N W_V W_V^T N^T), N = W_K W_O, and similarly for the others; d k^2 per pair of
//          heads.
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
  // [layers heads]: the largest value over the writers in earlier layers; none: there are no
  // writers.
  std::vector<std::optional<double>> largest;
  std::vector<std::int64_t> writer;  // [layers heads]: index of that writer; -1: none
  double random_mean = 0.0;          // over pairs of random heads of the same shapes
  double random_spread = 0.0;
};

// `writers`: [layers heads], the heads that may have written what the keys read.
[[nodiscard]] Result<KeyComposition> ComposeKeys(Forward* forward,
                                                 const std::vector<bool>& writers,
                                                 const std::stop_token& stop);

// The input through which the later of two heads reads what the earlier one writes.
enum class CompositionWay { kKeys, kQueries, kValues };
inline constexpr std::array<CompositionWay, 3> kCompositionWays = {
    CompositionWay::kKeys, CompositionWay::kQueries, CompositionWay::kValues};

struct CompositionPartner {
  HeadIndex head;
  CompositionWay way = CompositionWay::kKeys;
  double share = 0.0;
  double random_mean = 0.0;  // over pairs of random heads of these shapes
  double random_spread = 0.0;

  // How many standard deviations it is above random.
  [[nodiscard]] double sigmas() const {
    return random_spread > 0.0 ? (share - random_mean) / random_spread : 0.0;
  }
};
// The partners of one head, each list in descending order of sigmas.
struct CompositionPartners {
  std::vector<CompositionPartner> reads;    // heads of earlier layers
  std::vector<CompositionPartner> read_by;  // heads of later layers
};
// For a model of two parts, the encoder's heads.
[[nodiscard]] Result<CompositionPartners> FindCompositionPartners(Forward* forward,
                                                                  HeadIndex head,
                                                                  const std::stop_token& stop);

}  // namespace headscope
