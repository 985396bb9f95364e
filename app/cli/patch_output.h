// Writes what patch found, and what it has found so far.
//
// Errors   CommandError.
#pragma once

#include "app/cli/commands.h"
#include "core/causes/patch_file.h"

namespace headscope {

// As --out's ending says; a picture needs the model's shape, which `model` (null: none) has.
[[nodiscard]] CommandStatus WritePatch(const Options& options,
                                       const PatchPart& part,
                                       const Model* model);

// Joins the shares of one run.
[[nodiscard]] CommandStatus MergePatches(const Options& options);

}  // namespace headscope
