// Queries that grow with their position, so that attention stays sharp in long texts.
//
// Shapes   queries [texts tokens, H dk].
// Threads  the backend's thread.
// Source   Nakanishi 2025; as transformers computes it in Llama 4 and Mistral 4.
#pragma once

#include <cstdint>
#include <span>

#include "core/compute/backend.h"

namespace headscope {

// Times 1 + strength log(1 + floor((position + first) / interval)).
struct QueryGrowth {
  double strength = 0.0;
  double interval = 1.0;
  std::int64_t first = 0;

  [[nodiscard]] double At(std::int64_t position) const;
};

// Scales the rows of texts of `tokens` tokens each, whose first ones are at `position`.
void GrowQueries(const QueryGrowth& growth,
                 std::int64_t position,
                 std::int64_t tokens,
                 Backend* backend,
                 Activations* queries);

// Multiplies each row by its factor.
void ScaleRows(std::span<const double> factors, Backend* backend, Activations* inout);

}  // namespace headscope
