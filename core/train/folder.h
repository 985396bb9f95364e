// A trained network as a Hugging Face folder, which transformers and Model::Open read, and first
// weights from one.
//
// Errors   kIo; kInput: a folder that holds something already; kShape: another layout or other sizes;
//          the message names the file.
// Threads  any but the drawing one.
// Source   transformers' GPT2LMHeadModel. Heads of other than model_dim / heads columns get a wider
//          model that computes the same: columns of 0, and writers to the stream minus their mean, so
//          that a layer norm over the added zeros sees what it saw.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/train/parameters.h"
#include "core/train/settings.h"

namespace headscope {

// Whether a run that has done so many steps keeps them in a folder of their own.
[[nodiscard]] bool IsKeptStep(std::int64_t step);

// Returns the path, or path-2, path-3, ...: the first that is not there.
[[nodiscard]] std::filesystem::path FreeTrainFolder(const std::filesystem::path& wanted);

// Makes the folder; refuses one that holds files.
[[nodiscard]] Status PrepareTrainFolder(const std::filesystem::path& folder);

// Writes the tokenizer, the weights, and config.json last: a folder with one is whole. kCancelled: it
// was stopped between two files.
[[nodiscard]] Status WriteTrainFolder(const std::filesystem::path& folder,
                                      const TrainSettings& settings,
                                      std::span<const float> weights,
                                      const std::stop_token& stop = {});

// The shape and the task of a folder whose tokens are a task's symbols; kInput: it is another model.
// Without an MLP, unless `has_mlp`.
[[nodiscard]] Result<TrainSettings> SettingsOfFolder(const std::filesystem::path& folder,
                                                     bool has_mlp);

// Reads the weights of a folder with the same layout and sizes.
[[nodiscard]] Result<std::vector<float>> ReadFirstWeights(const std::filesystem::path& folder,
                                                          const TrainLayout& layout);

}  // namespace headscope
