// What scores are that neither a metric nor a measure describes (effects on logits, relations,
// coreference), and how roles are decided, in sentences made from the constants that decide.
//
// Threads  immutable; any thread reads.
// Source   docs/reference.md, "score" and "Roles".
#pragma once

#include <string>
#include <string_view>

#include "core/heads/measure/metric.h"

namespace headscope {

// By the id of a score: "copy_effect", "coreference", "dep:obj:dependent-to-head". Null: it is none
// of these.
[[nodiscard]] const MetricWords* FindRoleWords(std::string_view id);

[[nodiscard]] std::string HowSharesAreDecided();
[[nodiscard]] std::string HowCopiesAreDecided();
// Of relations, and of coreference as one more.
[[nodiscard]] std::string HowRelationsAreDecided();

}  // namespace headscope
