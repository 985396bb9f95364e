// Which sample belongs to which model.
#pragma once

#include <string>
#include <vector>

#include "app/state/app_state.h"

namespace headscope {

// Whether two names are of models that know the same words: "copy-h1" and "copy-h16/step-64", or
// the same.
[[nodiscard]] bool AreOfOneFamily(const std::string& a, const std::string& b);

// The first sample that was chosen for the model, else for one of its family, else the first that
// any model can read; null: there is none.
[[nodiscard]] const Sample* SampleFor(const std::vector<Sample>& samples, const std::string& model);

// Whether the sample's heads and numbers are of the model.
[[nodiscard]] bool IsMadeFor(const Sample& sample, const ModelInfo* model);
// What to look for: heads and numbers only of the model that is open.
[[nodiscard]] std::string AboutSample(const Sample& sample, const ModelInfo* model);

}  // namespace headscope
