// The tensors that a description asks for, checked.
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

// Whether a tensor's name is `part`, or ends in it behind a dot.
[[nodiscard]] bool EndsInPart(std::string_view name, std::string_view part);

// Every tensor of the description.
[[nodiscard]] std::vector<TensorNeed*> AllNeeds(ModelDescription* description);

struct TensorSummary {
  std::int64_t parameters = 0;  // elements of the tensors needed, the output layer included
  std::string precision;        // the type that holds most of them: "F32"
};

// Where the shapes come from: a config.json beside the weights, or the file itself.
enum class Expectation { kConfig, kFile };

// Checks every tensor of `description` against `tensors`; `file` stands in messages.
[[nodiscard]] Result<TensorSummary> CheckTensors(ModelDescription* description,
                                                 const TensorMap& tensors,
                                                 const std::string& file,
                                                 Expectation by);

}  // namespace headscope
