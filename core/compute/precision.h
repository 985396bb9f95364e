// The number type of products with weights. Scores, softmax, norms and sums are float32 in any
// case.
//
// Errors   kUnsupported if the processor has no bfloat16 products: emulated ones would be slower
//          than float32 and no better.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/compute/backend.h"

namespace headscope {

enum class Precision { kF32, kBf16 };

[[nodiscard]] const char* Name(Precision precision);  // "f32", "bf16"
[[nodiscard]] std::optional<Precision> ParsePrecision(std::string_view name);

// The note in a picture of weights computed in this precision; empty for float32.
[[nodiscard]] std::string PrecisionNote(Precision precision);

// Returns an error to show if this processor cannot compute in `precision`.
[[nodiscard]] Status CheckPrecision(Precision precision);

[[nodiscard]] Result<std::unique_ptr<Backend>> MakeOnednnBackend(
    Precision precision, const BackendOptions& options = {});

}  // namespace headscope
