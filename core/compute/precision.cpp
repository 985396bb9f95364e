#include "core/compute/precision.h"

#include "core/compute/instruction_set.h"

namespace headscope {

const char* Name(Precision precision) {
  return precision == Precision::kBf16 ? "bf16" : "f32";
}

std::optional<Precision> ParsePrecision(std::string_view name) {
  for (const Precision precision : {Precision::kF32, Precision::kBf16}) {
    if (name == Name(precision)) {
      return precision;
    }
  }
  return std::nullopt;
}

std::string PrecisionNote(Precision precision) {
  return precision == Precision::kBf16 ? "Products with weights were computed in bfloat16." : "";
}

Status CheckPrecision(Precision precision) {
  if (precision == Precision::kBf16 && UsableInstructionSet() < InstructionSet::kAvx512Bfloat16) {
    return Fail(ErrorCode::kUnsupported,
                "this processor does not compute in bfloat16 (it lacks AVX512_BF16); use f32");
  }
  return {};
}

}  // namespace headscope
