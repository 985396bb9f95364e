// A person's work: the model and text that were open, and the flags on heads. A JSON file.
//
// Errors   kIo, kFormat (cut short, not a session), kUnsupported (from a newer version); such a
// file is never overwritten:
//          Save takes the file it is to replace only if Load would accept it.
// Threads  plain values; Save is atomic (core/base/atomic_file.h).
// Source   our own format, version 1; keys this version does not know are kept.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace headscope {

struct HeadFlag {
  std::int64_t layer = 0;
  std::int64_t head = 0;
  std::string role;    // "positional", "syntactic", ... (core/heads/role.h) or a person's own word
  std::string colour;  // "#56B4E9"
  std::string note;
  friend bool operator==(const HeadFlag&, const HeadFlag&) = default;
};

struct SessionFile {
  std::string model_path;  // as opened
  std::string model_name;
  std::string model_fingerprint;  // flags belong to this model
  std::string text;
  std::string pair;
  std::int64_t selected_layer = 0;
  std::int64_t selected_head = 0;
  std::vector<HeadFlag> flags;  // sorted by layer, head
  std::string unknown_json;  // keys of the file that this version does not know, as a JSON object
  friend bool operator==(const SessionFile&, const SessionFile&) = default;
};

[[nodiscard]] Result<SessionFile> LoadSession(const std::filesystem::path& path);
[[nodiscard]] Result<SessionFile> ParseSession(std::string_view json, const std::string& name);
[[nodiscard]] Status SaveSession(const std::filesystem::path& path, const SessionFile& session);

}  // namespace headscope
