#include "core/compute/rotary_angles.h"

#include <cmath>

namespace headscope {

void RotaryAngles::Prepare(const RotaryTable& table,
                           std::int64_t first_position,
                           std::int64_t rows) {
  if (table == table_ && first_position == first_position_ && rows <= rows_) {
    return;
  }
  table_ = table;
  first_position_ = first_position;
  rows_ = rows;
  pairs_ = static_cast<std::int64_t>(table.inverse_frequency.size());
  cosines_.clear();
  sines_.clear();
  cosines_.reserve(static_cast<std::size_t>(rows * pairs_));
  sines_.reserve(static_cast<std::size_t>(rows * pairs_));
  // Computed in double: at position 4,000 a float32 angle is off by 2e-4.
  for (std::int64_t row = 0; row < rows; ++row) {
    for (const double frequency : table.inverse_frequency) {
      const double angle = static_cast<double>(first_position + row) * frequency;
      cosines_.push_back(static_cast<float>(std::cos(angle) * table.attention_factor));
      sines_.push_back(static_cast<float>(std::sin(angle) * table.attention_factor));
    }
  }
}

}  // namespace headscope
