// The tensors of a trained network as GPT-2's files hold them: heads of n_embd / n_head columns, and
// an MLP, of zeros where there is none.
//
// Shapes   matrices [in, out] as in the files.
// Errors   none.
// Source   core/train/folder.h says how another width of heads is written.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/train/settings.h"

namespace headscope {

struct WideTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

struct WideForm {
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t model_dim = 0;
  std::int64_t inner = 0;
  std::int64_t vocabulary = 0;
  std::int64_t context = 0;
  double epsilon = 1e-5;
  bool tied = false;
  std::vector<WideTensor> tensors;
};

[[nodiscard]] WideForm MakeWideForm(const TrainShape& shape, std::span<const float> weights);

}  // namespace headscope
