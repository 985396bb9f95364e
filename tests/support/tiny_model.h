// Models of a few thousand weights, made in code from a config.json text, changed at will and
// opened from a temporary folder.
//
// Shapes   whatever the config describes: every family can be filled the same way.
// Threads  plain value.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/io/safetensors.h"
#include "core/model/config.h"
#include "core/model/model.h"
#include "core/model/tensor_needs.h"
#include "tests/support/temp_folder.h"

namespace headscope::test {

struct TinyTensor {
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

// Weights spread enough that attention is far from uniform.
inline TinyTensor RandomTensor(const TensorNeed& need, RandomStream* random) {
  TinyTensor tensor{need.shape, {}};
  if (need.is_turned) {
    std::ranges::reverse(tensor.shape);
  }
  std::int64_t count = 1;
  for (const std::int64_t size : need.shape) {
    count *= size;
  }
  const bool is_matrix = need.shape.size() >= 2;
  const bool is_weight = need.name.ends_with("weight");
  const double width = static_cast<double>(is_matrix ? need.shape[1] : 1);
  for (std::int64_t i = 0; i < count; ++i) {
    const double draw = random->Normal();
    tensor.values.push_back(static_cast<float>(is_matrix   ? 1.4 * draw / std::sqrt(width)
                                               : is_weight ? 1.0 + 0.2 * draw
                                                           : 0.2 * draw));
  }
  return tensor;
}

struct TinyModel {
  std::string config;
  ModelDescription description;               // tensor names without a prefix
  std::map<std::string, TinyTensor> tensors;  // the same names
  std::string prefix;                         // written before them
  std::map<std::string, std::string> metadata = {};

  explicit TinyModel(std::string_view config_in, std::uint64_t seed = 1) : config(config_in) {
    Result<ModelDescription> described = ParseConfig(config, "config.json");
    if (!described) {
      throw std::runtime_error(described.error().message);
    }
    description = std::move(*described);
    RandomStream random(seed);
    for (const TensorNeed* need : AllNeeds(&description)) {
      tensors[need->name] = RandomTensor(*need, &random);
    }
  }

  void Write(const std::filesystem::path& folder) const {
    std::vector<TensorView> views;
    for (const auto& [name, tensor] : tensors) {
      views.push_back(
          {prefix + name, DataType::kF32, tensor.shape, std::as_bytes(std::span(tensor.values))});
    }
    const Status written = WriteSafetensors(folder / "model.safetensors", views, metadata);
    if (!written) {
      throw std::runtime_error(written.error().message);
    }
    std::ofstream(folder / "config.json") << config;
  }

  // The weights stay mapped after their folder is gone.
  [[nodiscard]] std::shared_ptr<const Model> Open() const {
    const TempFolder folder;
    Write(folder.path());
    Result<std::shared_ptr<const Model>> model = Model::Open(folder.path());
    if (!model) {
      throw std::runtime_error(model.error().message);
    }
    return std::move(*model);
  }
};

}  // namespace headscope::test
