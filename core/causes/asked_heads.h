// Reads the heads that a user names: "L0H3,L5H1", and "L9H9:q" where a head's queries, keys or values
// are meant.
//
// Errors   kInput: not a head of the model.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/causes/heads_off.h"
#include "core/heads/measure/head_name.h"
#include "core/model/block_description.h"

namespace headscope {

enum class HeadInput { kQueries, kKeys, kValues };

struct HeadReading {
  HeadIndex head;
  HeadInput input = HeadInput::kQueries;
  friend bool operator==(const HeadReading&, const HeadReading&) = default;
};

// Heads of any part of the model.
[[nodiscard]] Result<std::vector<HeadIndex>> ReadHeads(std::string_view list,
                                                       const ModelDescription& model);
[[nodiscard]] Result<std::vector<HeadReading>> ReadHeadInputs(std::string_view list,
                                                              const ModelDescription& model);

// Edges as EdgeName says them: "L1H0:3" (the key 3 in every row), "L1H0:5:3" (in row 5).
[[nodiscard]] Result<std::vector<CutEdge>> ReadEdges(std::string_view list,
                                                     const ModelDescription& model);

[[nodiscard]] bool HasHead(const ModelDescription& model, HeadIndex head);
// Every head of the model, in the order of its layers.
[[nodiscard]] std::vector<HeadIndex> AllHeadsOf(const ModelDescription& model);

}  // namespace headscope
