// The texts on which the user has heads scored: the bundled probe, a file, or hidden sentences.
#pragma once

#include <filesystem>

namespace headscope {

enum class ProbeKind { kBundled, kFile, kRetrieval };

struct ChosenProbe {
  ProbeKind kind = ProbeKind::kBundled;
  std::filesystem::path file = {};  // for kFile (formats: core/heads/probe/probe.h)
  friend bool operator==(const ChosenProbe&, const ChosenProbe&) = default;
};

}  // namespace headscope
