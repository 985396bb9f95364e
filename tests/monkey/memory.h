// Bytes that the program holds from the allocator now.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
// Of the sanitizers' run-time library; GCC 12 does not bring the header that declares it.
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();
#else
#include <malloc.h>
#endif

namespace headscope::monkey {

inline std::size_t AllocatedBytes() {
#if defined(__SANITIZE_ADDRESS__)
  return __sanitizer_get_current_allocated_bytes();
#else
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#endif
}

}  // namespace headscope::monkey
