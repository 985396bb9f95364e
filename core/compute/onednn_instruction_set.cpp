#include <dnnl.hpp>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "core/compute/instruction_set.h"

namespace headscope {

InstructionSet UsableInstructionSet() {
  // Each of oneDNN's numbers includes the bits of the sets that it builds on.
  static const auto kUsable = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
  const auto has = [](dnnl::cpu_isa isa) {
    const auto bits = static_cast<unsigned>(isa);
    return (kUsable & bits) == bits;
  };
  if (has(dnnl::cpu_isa::avx512_core_bf16)) {
    return InstructionSet::kAvx512Bfloat16;
  }
  if (has(dnnl::cpu_isa::avx512_core)) {
    return InstructionSet::kAvx512;
  }
  return has(dnnl::cpu_isa::avx2) ? InstructionSet::kAvx2 : InstructionSet::kPlain;
}

bool UsableAvx2() {
#if defined(__x86_64__)
  unsigned ax = 0;
  unsigned bx = 0;
  unsigned cx = 0;
  unsigned dx = 0;
  // Compilers know no name for it that all of them take.
  const bool reads_half = __get_cpuid(1, &ax, &bx, &cx, &dx) != 0 && (cx & bit_F16C) != 0;
  __builtin_cpu_init();
  return UsableInstructionSet() >= InstructionSet::kAvx2 && __builtin_cpu_supports("avx2") != 0 &&
         __builtin_cpu_supports("fma") != 0 && reads_half;
#else
  return false;
#endif
}

bool UsableAvx512() {
#if defined(__x86_64__)
  return UsableAvx2() && UsableInstructionSet() >= InstructionSet::kAvx512 &&
         __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0;
#else
  return false;
#endif
}

}  // namespace headscope
