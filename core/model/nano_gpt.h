// nanoGPT's checkpoints (ckpt.pt): one file of torch with the weights, and what they are made from.
//
// Errors   as core/model/config.h and core/io/pickle.h; each names the file.
// Source   Karpathy's nanoGPT: train.py writes ckpt.pt, data/<set>/prepare.py meta.pkl.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/model/block_description.h"
#include "core/text/tokenizer.h"

namespace headscope {

// Describes a model from its "model_args", as JSON.
[[nodiscard]] Result<ModelDescription> ParseNanoGpt(std::string_view settings,
                                                    const std::string& name);

// Makes a tokenizer of the single characters that a meta.pkl numbers ("stoi").
[[nodiscard]] Result<std::shared_ptr<const Tokenizer>> ParseCharacters(
    std::span<const std::byte> bytes, const std::string& name);

// Loads the characters of a meta.pkl beside the checkpoint, or where nanoGPT keeps it: in
// ../data/<set>, for the set that the checkpoint names. Null if there is none: the model then reads
// ids.
[[nodiscard]] Result<std::shared_ptr<const Tokenizer>> LoadCheckpointTokenizer(
    const std::filesystem::path& checkpoint, const std::stop_token& stop);

}  // namespace headscope
