// The subject of a picture: one head, or whole layers, of one part of a model or of a file.
//
// Errors   CommandError: what does not exist, and what does.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/cli/options.h"
#include "core/base/part_heads.h"
#include "core/heads/measure/head_name.h"

namespace headscope {

struct Subject {
  ModelPart part = ModelPart::kWhole;
  LayerRange layers;  // to be computed
  std::optional<std::int64_t> layer;
  std::optional<HeadIndex> head;
};

// Reads --head, --layer or --all, with --part; layers over which --range measures are also
// computed.
[[nodiscard]] CommandResult<Subject> FindSubject(const Options& options,
                                                 const std::vector<PartHeads>& parts);

}  // namespace headscope
