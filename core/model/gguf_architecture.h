// The names of settings and tensors in each GGUF architecture, as data.
//
// Threads  immutable.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/error.h"
#include "core/io/gguf.h"

namespace headscope {

// A setting: "<architecture>.<key>" in the file, `config` in config.json.
struct GgufSetting {
  std::string_view key;
  std::string_view config;
  bool is_whole = true;   // otherwise a number with a fraction
  bool is_needed = true;  // otherwise the family's default is used
};

// A tensor, without ".weight" or ".bias": `ours` in the family's description, `theirs` in the file.
// "#" stands for any number, which both have.
struct GgufName {
  std::string_view ours;
  std::string_view theirs;
};

// Layers one after another: a number and a dot follow the prefixes.
struct GgufStack {
  std::string_view ours;
  std::string_view theirs = "blk.";
  std::span<const GgufName> names;
};

// A setting that says whether a tensor of the first layer is there.
struct GgufPresence {
  std::string_view config;
  std::string_view tensor;
};

struct GgufArchitecture {
  std::string_view id;          // general.architecture
  std::string_view model_type;  // config.json's
  std::string_view constants;   // keys of config.json that the architecture implies, as JSON
  std::span<const GgufSetting> settings;
  std::span<const GgufStack> stacks;
  std::span<const GgufName> names;
  std::span<const GgufPresence> presences = {};
  bool interleaves_queries_and_keys = false;
  bool looks_ahead = false;
  bool has_experts = false;
  std::int64_t expert_gate = 1;  // "expert_gating_func": 1 a softmax, 2 sigmoids
  bool tiles_values = false;     // heads of a memory take keys in turn (DeltaShape::is_tiled)
  bool scales_angles_of_windows = true;  // by "rope_freqs", as those of the other layers
  std::string_view turned_part = {};     // the setting for the part of a head that is rotated
};

// Every architecture that opens; one with and without experts is there twice.
[[nodiscard]] std::span<const GgufArchitecture> GgufArchitectures();

[[nodiscard]] Result<const GgufArchitecture*> FindGgufArchitecture(const GgufMetadata& metadata);

}  // namespace headscope
