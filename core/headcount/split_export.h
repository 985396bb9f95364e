// A split as data: .json with the costs of every count, .safetensors with its maps and outputs.
//
// Shapes   heads_<h> F32 [h, n, n]; output_<h> F32 [n, d]; columns_<h> I32 flat, head after head;
//          widths_<h> I32 [h].
// Errors   kInput (another ending), kIo (before anything is made where the disk is too small).
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

// What was cut, beside what the result says itself: text, and lists of numbers as JSON has them.
using SplitAbout = std::map<std::string, std::string>;  // "model", "text", "ids", "precision", ...

[[nodiscard]] std::string SplitJson(const SplitResult& split, const SplitAbout& about = {});

// By the ending of `path`; `split` keeps its outputs. What `about` says goes into either file, with
// the part, the layer, the trained count and how the columns were cut.
[[nodiscard]] Status WriteSplit(const std::filesystem::path& path,
                                const SplitResult& split,
                                const SplitAbout& about);

}  // namespace headscope
