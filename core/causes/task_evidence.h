// Evidence for two more roles, over tables of words that go with others: a word and its plural, a number
// and the next. Prompts are tokens alone, one after another.
//
//   says the successor  of "two three four": what the head adds to the lead of "five" over another word
//                       of the table through the last word's key, weights and norms held
//                         control: the same through any other key
//   carries a task      of "arms arm bags bed beds boy ...", in which no word goes with the one before it:
//                       by how much the lead of the last word's partner rises if the head's output at
//                       the last row is its mean over prompts in which all do
//                         control: the same with its mean over such as these
//
// Units    logits. Chance is 0: a head that writes nothing.
// Errors   those of core/causes/patching.h and core/causes/logit_shares.h. What the tables have too
//          few words for is said in RoleEvidence::why_not.
// Threads  the backend's.
// Cost     at most kSuccessorPrompts forwards with their heads split by key; at most kTaskPrompts prompts
//          a table, each twice whole, and twice for each head from its layer on.
// Source   Gould 2023, "Successor Heads"; Todd 2024, "Function Vectors in Large Language Models".
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/causes/role_evidence.h"
#include "core/heads/effect/token_maps.h"

namespace headscope {

inline constexpr std::int64_t kSuccessorPrompts = 24;
inline constexpr std::int64_t kTaskPrompts = 16;  // of each table
inline constexpr std::int64_t kDemonstrations = 5;

struct TaskTable {
  std::string name;
  std::vector<MappedToken> pairs;
  bool is_order = false;  // the partner is the next one
};
// The tables of token_maps.txt as far as the model reads their words as one token each.
[[nodiscard]] std::vector<TaskTable> TablesFor(const Model& model,
                                               const std::vector<WordPairs>& maps);

// Prompts begin with these tokens (VocabularyFacts::begin). Adds both kinds, or why they are not there.
[[nodiscard]] Status AddTaskEvidence(Forward* forward,
                                     const std::vector<TaskTable>& tables,
                                     const std::vector<std::int32_t>& begin,
                                     const std::stop_token& stop,
                                     const OnEvidence& on_part,
                                     RoleEvidence* evidence);

// A prompt in which words go with their partners, and one in which they go with another's; `right` is
// the last word's partner, `wrong` a partner of none.
[[nodiscard]] std::vector<PatchPair> TaskPrompts(const TaskTable& table,
                                                 const std::vector<std::int32_t>& begin);
// Three words in order; `right` is the next one, `wrong` another of the table; both texts are the same.
[[nodiscard]] std::vector<PatchPair> SuccessorPrompts(const TaskTable& table,
                                                      const std::vector<std::int32_t>& begin);

}  // namespace headscope
