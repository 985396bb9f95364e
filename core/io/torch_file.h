// What torch.save writes: a zip of tensors' bytes and a pickle that says which is which; before
// version 1.6 pickles and then the bytes, one behind the other.
//
// Shapes   any, in order (contiguous); the bytes are used in place.
// Errors   as core/io/pickle.h and core/io/zip_file.h; kFormat (a tensor beyond its bytes), kUnsupported
//          (a tensor that is a view out of order, another byte order, a packed zip); each names the
//          file and the tensor.
// Threads  pure; the bytes must outlive what is read from them.
// Cost     the pickle and the zip's list; no tensor is read.
// Source   torch.serialization, since version 0.4.
#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/io/safetensors.h"

namespace headscope {

// Whether the bytes are such a zip, or begin as such pickles.
[[nodiscard]] bool IsTorchFile(std::span<const std::byte> bytes);

// Reads a state: a dictionary of tensors, by itself or as "state_dict", "model" or the like of a
// checkpoint. The header is the pickle.
// "_orig_mod." and the like stay in the names.
[[nodiscard]] Result<SafetensorsHeader> ParseTorchBytes(std::span<const std::byte> bytes,
                                                        const std::string& name,
                                                        const std::stop_token& stop = {});

// nanoGPT's key for what a model is made from.
inline constexpr std::string_view kCheckpointSettings = "model_args";

// Returns a dictionary that a checkpoint holds under `key` as JSON: its numbers, texts, booleans and
// Nones; other values are left out. Empty if there is no such dictionary.
[[nodiscard]] Result<std::optional<std::string>> TorchSettings(std::span<const std::byte> bytes,
                                                               const std::string& name,
                                                               std::string_view key);

}  // namespace headscope
