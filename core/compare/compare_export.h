// A comparison as data: .json with the matching, .safetensors with every divergence.
//
// Shapes   divergence F32 [layers, heads of A], NaN where a head has no partner; partner I32, the
//          same shape, the head of B or -1; pairs F32 [layers, heads of A, heads of B].
// Units    nats.
// Errors   kInput (another ending), kIo.
// Source   docs/reference.md, "compare".
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "core/base/error.h"
#include "core/compare/comparison.h"

namespace headscope {

[[nodiscard]] std::string ComparisonJson(const Comparison& comparison);

// By the ending of `path`. Metadata goes into a .safetensors, with names, tokens and notes.
[[nodiscard]] Status WriteComparison(const std::filesystem::path& path,
                                     const Comparison& comparison,
                                     const std::map<std::string, std::string>& metadata);

}  // namespace headscope
