// Scores as tables: a list of heads by one score, the best head of each grammatical relation, and of each
// role, of one model or of several.
//
// Threads  plain values; what is given is read during the call.
// Cost     a look at every score of every head.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/heads/flags/head_suggestions.h"
#include "core/heads/scan/scored_metric.h"
#include "core/io/table.h"

namespace headscope {

struct ScannedModel {
  std::string name;                        // "gpt-h8"
  const HeadScanReport* report = nullptr;  // never null in tables
};

// "flagged positional · induction (borderline)"
[[nodiscard]] std::string RolesOfHead(const FlagSheet& flags,
                                      const HeadSuggestions& suggestions,
                                      HeadIndex head);

// A cell of a list of heads: "0.80", ".01", "1241"; "–" where there is none.
[[nodiscard]] std::string ListWords(const ScoredMetric& metric,
                                    const HeadScore& score,
                                    HeadsOrder column);

// Head, score, error, chance, control, cases and roles, in the order of `places`.
[[nodiscard]] Table ListTable(const ScoredMetric& metric,
                              std::span<const std::size_t> places,
                              const FlagSheet& flags,
                              const HeadSuggestions& suggestions);

// Relation, who looks at whom, best head, score, error, control and n: of each relation the head and
// the direction that lie furthest above their control, among those with ten pairs or more, relations
// with most pairs first; coreference last. With several models, a line for each after the relation.
[[nodiscard]] Table RelationTable(std::span<const ScannedModel> models);

// Role, what it rests on, best head, score, error, control, n and how many heads have it, strong and
// borderline; in the order of kRoles. With several models, a line for each after the role.
[[nodiscard]] Table RoleTable(std::span<const ScannedModel> models);

}  // namespace headscope
