// What loops are written with that are compiled for several instruction sets (instruction_set.h).
#pragma once

#include <cstddef>
#include <cstring>

// Bodies are inlined into one function per instruction set, so that each is compiled for it.
#define HEADSCOPE_BODY [[gnu::always_inline]] inline
#if defined(__x86_64__)
#define HEADSCOPE_AVX2 __attribute__((target("avx2,fma")))
#define HEADSCOPE_AVX512 __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma")))
#endif

namespace headscope {

// Numbers that fill a register.
template <typename T, std::size_t kLanes>
struct Register {
  using Type [[gnu::vector_size(kLanes * sizeof(T))]] = T;
};

template <typename T, typename Lanes>
HEADSCOPE_BODY void Load(const T* from, Lanes* lanes) {
  std::memcpy(lanes, from, sizeof(*lanes));
}
template <typename T, typename Lanes>
HEADSCOPE_BODY void Store(const Lanes& lanes, T* to) {
  std::memcpy(to, &lanes, sizeof(lanes));
}

}  // namespace headscope
