// One row of weights in words: the sentence shaded by it (in cross-attention the text, below the
// target that the row is of), and its largest weights as bars.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "app/views/ui.h"

namespace headscope {

struct RowWeights {
  std::shared_ptr<const Encoding> query_tokens;
  std::shared_ptr<const Encoding> key_tokens;
  std::int64_t query = -1;
  std::int64_t first_visible = 0;
  std::int64_t last_visible = 0;
  std::span<const float> weights;  // [keys]; masked exactly 0
};

// Both return the height they took; `max_height` is of one text.
float DrawShadedSentence(
    Ui* ui, float x, float y, float width, float max_height, const RowWeights& row);
float DrawRowBars(Ui* ui, float x, float y, float width, float max_height, const RowWeights& row);

}  // namespace headscope
