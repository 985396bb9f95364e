// The tensors that a description asks for, found by name and checked.
//
// Errors   kFormat (missing), kShape, kUnsupported (not floating point); each names the file, the
//          tensor, what was found and what was expected.
// Threads  any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/io/weight_store.h"
#include "core/model/block_description.h"

namespace headscope {

// Every tensor of the description.
[[nodiscard]] std::vector<TensorNeed*> AllNeeds(ModelDescription* description);

// Names every tensor as the file does: puts before it the one of `prefixes` that the file's names
// have, and spells norms as old files do (gamma, beta) where the file has these.
void UseNamesOf(const TensorMap& tensors,
                std::span<const std::string_view> prefixes,
                ModelDescription* description);

struct TensorSummary {
  std::int64_t parameters = 0;  // elements of the tensors needed, the output layer included
  std::string precision;        // the type that holds most of them: "F32"
};

// Checks every tensor of `description` against `tensors`; `file` stands in messages.
[[nodiscard]] Result<TensorSummary> CheckTensors(ModelDescription* description,
                                                 const TensorMap& tensors,
                                                 const std::string& file);

}  // namespace headscope
