// How wide the arithmetic may be: what this processor has, as far as oneDNN's own switch lets it
// (ONEDNN_MAX_CPU_ISA=SSE41, AVX2, AVX512_CORE in the environment). Our loops keep to it as well,
// so that one machine can stand for a plainer one.
//
// Errors   none: a processor that is not known counts as plain.
// Threads  any; the first call reads the environment, for good.
#pragma once

namespace headscope {

// Each has what those before it have.
enum class InstructionSet { kPlain, kAvx2, kAvx512, kAvx512Bfloat16 };

[[nodiscard]] InstructionSet UsableInstructionSet();

// Whether code for avx2 and fma may run: the processor is asked as well, since it may have one alone.
[[nodiscard]] bool UsableAvx2();
// The same of avx512f, vl, bw and dq.
[[nodiscard]] bool UsableAvx512();

}  // namespace headscope
