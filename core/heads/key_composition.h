// K-composition: how much of what earlier heads write, among those that a caller names, the keys of
// a later head read; by the weights alone.
//
//   ||W_QK W_OV||_F / (||W_QK||_F ||W_OV||_F)
// W_QK = W_Q^T W_K of the later head, W_OV = W_O W_V of an earlier one, all [d, d]. Norms on the way
// belong to them with the scale that they happen to have, which cancels: before a half to what
// it reads, inside of one to what it writes, after one to all that was written before.
//
// Units    0 to 1. Random matrices of these shapes give about 1 / sqrt(d).
// Errors   what the backend returns; kCancelled.
// Threads  the backend's.
// Cost     through factors: with Gram matrices of each side ||W_QK W_OV||^2 is
//          tr(W_Q W_Q^T M W_V W_V^T M^T), M = W_K W_O; d k^2 a pair of heads.
// Source   Elhage 2021, "A Mathematical Framework for Transformer Circuits".
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/model/forward.h"

namespace headscope {

inline constexpr const char* kKeyComposition = "k_composition";

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

}  // namespace headscope
