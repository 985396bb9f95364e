// The heads that a scan measures, of one part of a model, and their places in its lists.
//
// Shapes   a head's place is layer x heads + head.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/heads/measure/head_name.h"

namespace headscope {

struct HeadsOfScan {
  ModelPart part = ModelPart::kWhole;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  [[nodiscard]] HeadIndex At(std::size_t place) const {
    const auto flat = static_cast<std::int64_t>(place);
    return {flat / heads, flat % heads, part};
  }
  [[nodiscard]] std::size_t PlaceOf(HeadIndex head) const {
    return static_cast<std::size_t>(head.layer * heads + head.head);
  }
  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(layers * heads); }
  friend bool operator==(const HeadsOfScan&, const HeadsOfScan&) = default;
};

}  // namespace headscope
