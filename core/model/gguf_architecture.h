// The names of settings and tensors in each GGUF architecture, as data.
//
// Threads  immutable.
#pragma once

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
struct GgufName {
  std::string_view ours;
  std::string_view theirs;
};

struct GgufArchitecture {
  std::string_view id;          // general.architecture
  std::string_view model_type;  // config.json's
  std::string_view constants;   // keys of config.json that the architecture implies, as JSON
  std::span<const GgufSetting> settings;
  std::string_view layer_prefix;  // "layers.": a number and a dot follow; "blk." in the file
  std::span<const GgufName> layer_names;
  std::span<const GgufName> names;
  bool interleaves_queries_and_keys = false;
};

[[nodiscard]] Result<const GgufArchitecture*> FindGgufArchitecture(const GgufMetadata& metadata);

}  // namespace headscope
