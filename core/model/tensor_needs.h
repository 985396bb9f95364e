// Checks the tensors that a description needs.
//
// Errors   kFormat (missing), kShape, kUnsupported (not floating point); each names the file, the
//          tensor, what was found and what was expected.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/io/weight_store.h"
#include "core/model/block_description.h"

namespace headscope {

// Whether a tensor's name is `part`, or ends with a dot and `part`.
[[nodiscard]] bool EndsInPart(std::string_view name, std::string_view part);

// Returns every tensor of the description.
[[nodiscard]] std::vector<TensorNeed*> AllNeeds(ModelDescription* description);

// Returns the experts of its layers and of the blocks between them.
[[nodiscard]] std::vector<ExpertsDescription*> AllExperts(StackDescription* stack);

struct TensorSummary {
  std::int64_t parameters = 0;  // elements of the needed tensors, with the output layer
  std::string precision;        // the type of most elements: "F32"
};

// Where the shapes come from: a config.json next to the weights, or the file itself.
enum class Expectation { kConfig, kFile };

// Checks every tensor of `description` against `tensors`; messages name `file`.
[[nodiscard]] Result<TensorSummary> CheckTensors(ModelDescription* description,
                                                 const TensorMap& tensors,
                                                 const std::string& file,
                                                 Expectation by);

}  // namespace headscope
