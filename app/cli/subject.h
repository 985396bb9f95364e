// What a picture shows: one head, or whole layers, of one part of a model or of a file.
//
// Errors   CommandError: what is not there, with what is.
// Threads  plain values.
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
  LayerRange layers;  // that are computed
  std::optional<std::int64_t> layer;
  std::optional<HeadIndex> head;
};

// --head, --layer or --all, with --part; layers that --range measures over are computed too.
[[nodiscard]] CommandResult<Subject> FindSubject(const Options& options,
                                                 const std::vector<PartHeads>& parts);

}  // namespace headscope
