// How much a scan for the window runs over (core/heads/scan/head_scan.h).
#pragma once

#include <cstdint>

namespace headscope {

struct HeadScanSettings {
  std::int64_t repeats = 20;    // sequences of each period
  std::int64_t sentences = 40;  // 0: all there are
  std::int64_t twins = 0;       // scanned after the model (core/model/twin.h)
  friend bool operator==(const HeadScanSettings&, const HeadScanSettings&) = default;
};

}  // namespace headscope
