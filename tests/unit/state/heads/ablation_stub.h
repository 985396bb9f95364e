// What a model loses without a head, as the worker would have told it, of made-up numbers.
#pragma once

#include <memory>

#include "core/heads/scan/ablated_heads.h"

namespace headscope::test {

inline AblatedHead StubAblated(HeadIndex head, double change) {
  AblatedHead one{.head = head, .loss = 4.25, .tokens = 1812, .texts = 40, .changes = {}};
  one.changes[0] = {change, 0.02, ""};
  one.changes[1] = {change / 2.0, 0.01, ""};
  one.changes[2] = {std::nullopt, std::nullopt, "the maps of the longest text are too large"};
  return one;
}

// Of a layer of four heads: the head loses `change`, the others .1, .2 and .3 as far as `done`.
inline std::shared_ptr<const AblationReport> StubAblation(HeadIndex head,
                                                          double change,
                                                          std::int64_t done = 4) {
  AblationReport report;
  report.own = StubAblated(head, change);
  report.total = 4;
  report.probe = "probes.conllu";
  for (std::int64_t other = 0; other < 4 && report.done < done - 1; ++other) {
    if (other != head.head) {
      ++report.done;
      report.controls.push_back(
          StubAblated({head.layer, other}, 0.1 * static_cast<double>(report.done)));
    }
  }
  ++report.done;
  report.seconds_left = report.is_whole() ? 0.0 : 7.5;
  return std::make_shared<const AblationReport>(std::move(report));
}

}  // namespace headscope::test
