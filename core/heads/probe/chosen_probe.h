// What a person has heads scored on: the probe that comes with the program, a file of their own, or
// hidden sentences.
//
// Threads  plain values.
#pragma once

#include <filesystem>

namespace headscope {

enum class ProbeKind { kBundled, kFile, kRetrieval };

struct ChosenProbe {
  ProbeKind kind = ProbeKind::kBundled;
  std::filesystem::path file = {};  // of kFile (core/heads/probe/probe.h says which)
  friend bool operator==(const ChosenProbe&, const ChosenProbe&) = default;
};

}  // namespace headscope
