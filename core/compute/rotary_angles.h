// Cosines and sines of rotary positions, cached because every layer rotates by the same angles.
//
// Shapes   [rows, pairs], row r being position first_position + r.
// Threads  one writer; reading between Prepare calls from any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "core/compute/backend.h"

namespace headscope {

class RotaryAngles {
 public:
  void Prepare(const RotaryTable& table, std::int64_t first_position, std::int64_t rows);

  [[nodiscard]] const float* Cosine(std::int64_t row) const {
    return cosines_.data() + row * pairs_;
  }
  [[nodiscard]] const float* Sine(std::int64_t row) const { return sines_.data() + row * pairs_; }

 private:
  RotaryTable table_;
  std::int64_t first_position_ = 0;
  std::int64_t rows_ = 0;
  std::int64_t pairs_ = 0;
  std::vector<float> cosines_;
  std::vector<float> sines_;
};

}  // namespace headscope
