// Writes a split as data: .json with the costs of every count, .safetensors with its maps and
// outputs.
//
// Shapes   heads_<h> F32 [h, n, n]; output_<h> F32 [n, d]; columns_<h> I32 flat, head after head;
//          widths_<h> I32 [h].
// Errors   kInput (another extension), kIo (reported before anything is made if the disk is too
//          small).
// Threads  any; rows are made on every thread.
// Cost     a file of 4 h n^2 bytes for each count; rows are made as they are written.
// Source   docs/reference.md, "split".
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "core/base/error.h"
#include "core/headcount/split.h"

namespace headscope {

// What was cut, in addition to what the result itself says: text, and lists of numbers as in JSON.
using SplitAbout = std::map<std::string, std::string>;  // "model", "text", "ids", "precision", ...

[[nodiscard]] std::string SplitJson(const SplitResult& split, const SplitAbout& about = {});

// The extension of `path` chooses the format; `split` keeps its outputs. Either file holds `about`,
// the part, the layer, the trained count and how the columns were cut.
[[nodiscard]] Status WriteSplit(const std::filesystem::path& path,
                                const SplitResult& split,
                                const SplitAbout& about);

}  // namespace headscope
