// All numbers of heads by their ids: metrics (core/heads/measure/metric.h), measures (core/heads/measure/measure.h), and
// those that are neither, since they are counted in a way of their own: effects on logits and pairs of words.
//
// The description of such a one is a file in core/heads/decide/numbers: NAME.cpp defines
// `std::vector<HeadNumber> NameNumbers()`.
//
// Threads  immutable; any thread reads.
#pragma once

#include <span>
#include <string_view>

#include "core/heads/measure/head_number.h"

namespace headscope {

// Metrics, measures and the others, each in the order of their places.
[[nodiscard]] std::span<const HeadNumber* const> AllNumbers();
// Finds the number of a score's id: "previous_token", "copy_effect", "dep:obj:dependent-to-head"; null if
// there is none.
[[nodiscard]] const HeadNumber* FindNumber(std::string_view id);

}  // namespace headscope
