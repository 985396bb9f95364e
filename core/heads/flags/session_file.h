// A person's work: the model and text that were open, and the flags on heads. A JSON file.
//
// Errors   kIo, kFormat (cut short, not a session), kUnsupported (from a newer version); such a
//          file is never overwritten: SaveSession replaces only a file that LoadSession accepts.
// Threads  plain values; SaveSession is atomic (core/base/atomic_file.h).
// Source   our own format: "headscope_session": 1 and one key for each member below. Keys that this
//          version does not know are kept, in the file and in each flag. "target", "selected_part"
//          and a flag's "part" are of encoder-decoders and left out elsewhere.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/model_part.h"
#include "core/heads/flags/flags.h"

namespace headscope {

struct SessionFile {
  std::string model_path;  // as opened
  std::string model_name;
  std::string model_fingerprint;  // flags belong to this model
  std::string text;
  std::string pair;
  std::string target;  // as typed; empty: generated
  ModelPart selected_part = ModelPart::kWhole;
  std::int64_t selected_layer = 0;
  std::int64_t selected_head = 0;
  std::vector<HeadFlag> flags;      // sorted by part, layer, head
  std::vector<SharedFlags> shared;  // what went into files of flags and came from them
  std::string view_json;            // how the window showed it, as a JSON object; "": not kept
  std::string unknown_json;  // the keys that this version does not know, as a JSON object, or ""
  friend bool operator==(const SessionFile&, const SessionFile&) = default;
};

[[nodiscard]] Result<SessionFile> LoadSession(const std::filesystem::path& path);
[[nodiscard]] Result<SessionFile> ParseSession(std::string_view json, const std::string& name);

// The file's content. Bytes that are not UTF-8 are written as U+FFFD.
[[nodiscard]] std::string SessionText(const SessionFile& session);
[[nodiscard]] Status SaveSession(const std::filesystem::path& path, const SessionFile& session);

// The file name of a model's own session: its name and the start of its fingerprint, safe on any
// file system.
[[nodiscard]] std::string SessionFileName(const std::string& model_name,
                                          const std::string& fingerprint);

}  // namespace headscope
