// What the products with weights are computed in. Scores, softmax, norms and sums stay float32 in
// either.
//
// Errors   kUnsupported where the processor has no bfloat16 products: emulated ones would be slower
//          than float32 and no better.
// Threads  any.
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

// What a picture says of weights made so; empty for float32.
[[nodiscard]] std::string PrecisionNote(Precision precision);

// Why this processor cannot compute in `precision`: an error with a sentence to show.
[[nodiscard]] Status CheckPrecision(Precision precision);

[[nodiscard]] Result<std::unique_ptr<Backend>> MakeOnednnBackend(
    Precision precision, const BackendOptions& options = {});

}  // namespace headscope
