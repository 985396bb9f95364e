// How wide the arithmetic may be: limited by this processor and by oneDNN's own switch
// (ONEDNN_MAX_CPU_ISA=SSE41, AVX2, AVX512_CORE in the environment). Our loops obey it as well, so
// that one machine can stand in for a plainer one.
//
// Errors   none: an unknown processor counts as plain.
// Threads  any; the first call reads the environment, for good.
#pragma once

#include <cstddef>

namespace headscope {

// Each includes the previous ones.
enum class InstructionSet { kPlain, kAvx2, kAvx512, kAvx512Bfloat16 };

[[nodiscard]] InstructionSet UsableInstructionSet();

// Whether code for avx2, fma and f16c may run: this also asks the processor, which may have only some
// of them.
[[nodiscard]] bool UsableAvx2();
// The same for avx512f, vl, bw and dq.
[[nodiscard]] bool UsableAvx512();

// How many forms of a loop may run, of those for any processor, for AVX2 and for AVX-512: 1 to 3.
[[nodiscard]] inline std::size_t CountUsableForms() {
  return UsableAvx512() ? 3 : UsableAvx2() ? 2 : 1;
}

}  // namespace headscope
