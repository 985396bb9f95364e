// Qwen's models in which three layers of four remember by the gated delta rule in place of attention, and
// what the others' attention gives is multiplied by a gate. Layers are counted by those with attention.
//
// Errors   as core/model/family_kit.h.
// Source   Yang 2025 (the rule); Qwen Team 2025, 2026; tensors as transformers' Qwen3NextModel and
//          Qwen3_5TextModel name them, matrices [out, in].
#pragma once

#include "core/model/llama_layout.h"

namespace headscope {

// How a memory's products are stored: as one each for queries, keys and values, gates, strengths and
// fadings, or as two, in which what belongs to one head of keys lies together.
enum class MemoryStorage { kApart, kTogether };

// Describes such a model; `config` has everything but the gates and the memories.
[[nodiscard]] Result<ModelDescription> DescribeQwenMemory(const JsonObject& json,
                                                          std::string_view family,
                                                          MemoryStorage storage,
                                                          const LlamaConfig& config);

// Reads what all of them have in common. `usual` has what config.json may omit.
[[nodiscard]] Result<LlamaConfig> ReadQwenMemoryConfig(const JsonObject& json,
                                                       const LlamaDefaults& usual);

}  // namespace headscope
