// How well a model said each token of a text, as a chart and as a table.
//
// Units    nats.
// Errors   kInput: there is no loss to draw.
// Threads  immutable once shared.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/model_part.h"
#include "core/causes/text_losses.h"
#include "core/figure/chart.h"
#include "core/io/table.h"

namespace headscope {

struct ShownLosses {
  std::vector<std::string> tokens;             // of the text that is said
  std::shared_ptr<const NamedLosses> whole;    // of the whole model
  std::shared_ptr<const NamedLosses> without;  // with heads off; null: none are
  std::string off = {};                        // "L0H3 (zero)"
  ModelPart part = ModelPart::kWhole;          // whose text it is
};

// Of what is said of heads that are off, here and in the window.
inline constexpr Rgb kOffInk{0xD5, 0x5E, 0x00};

// The whole model's as bars; without the heads that are off, a line at the other height.
[[nodiscard]] Result<Chart> LossChart(const ShownLosses& losses, const ThemeColors& colors);
[[nodiscard]] Result<Table> LossTable(const ShownLosses& losses);

}  // namespace headscope
