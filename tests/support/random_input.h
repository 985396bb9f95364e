// Token numbers drawn for a model.
#pragma once

#include <cstdint>

#include "core/base/random.h"
#include "core/model/forward_input.h"

namespace headscope::test {

inline ForwardInput RandomIds(const StackDescription& model,
                              std::int64_t count,
                              std::uint64_t seed) {
  RandomStream random(seed);
  ForwardInput input;
  for (std::int64_t i = 0; i < count; ++i) {
    input.ids.push_back(
        static_cast<std::int32_t>(random.Below(static_cast<std::uint64_t>(model.vocabulary))));
  }
  return input;
}

}  // namespace headscope::test
