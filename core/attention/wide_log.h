// A logarithm of sixteen numbers at once, for processors with AVX-512.
//
// Errors   none; x must be positive and normal.
// Source   x = 2^n m, m in [1, 2); with c near the middle of m's sixteenth of [1, 2), ln x = n ln 2
//          - ln 1/c + ln(m / c), the last one by its series up to the fifth power. The first and
//          the last sixteenth take c from their ends, 1 and 2, so that numbers near 1 keep their
//          digits.
#pragma once

#if defined(__x86_64__)
#include <cstdint>
#include <immintrin.h>

#include "core/attention/lane_log.h"

#define HEADSCOPE_AVX512_BODY HEADSCOPE_AVX512 __attribute__((always_inline)) inline

namespace headscope {

// Returns a mask for the lanes that a row of `count` cells has from `first` on.
HEADSCOPE_AVX512_BODY __mmask16 LanesLeft(std::int64_t count, std::int64_t first) {
  const std::int64_t left = count - first;
  return left >= 16 ? __mmask16{0xFFFF} : static_cast<__mmask16>((1U << left) - 1U);
}

// Without optimisation GCC's intrinsics are macros, which shift enumerators.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"

HEADSCOPE_AVX512_BODY __m512 WideLog(__m512 x) {
  // 1 / c and -ln(1 / c) for each sixteenth, rounded to float32 from one another.
  const __m512 inverse = _mm512_setr_ps(1.0F,
                                        32.0F / 35.0F,
                                        32.0F / 37.0F,
                                        32.0F / 39.0F,
                                        32.0F / 41.0F,
                                        32.0F / 43.0F,
                                        32.0F / 45.0F,
                                        32.0F / 47.0F,
                                        32.0F / 49.0F,
                                        32.0F / 51.0F,
                                        32.0F / 53.0F,
                                        32.0F / 55.0F,
                                        32.0F / 57.0F,
                                        32.0F / 59.0F,
                                        32.0F / 61.0F,
                                        0.5F);
  const __m512 of_inverse = _mm512_setr_ps(0.0F,
                                           0.0896121531F,
                                           0.145181986F,
                                           0.19782573F,
                                           0.247836201F,
                                           0.295464217F,
                                           0.340926563F,
                                           0.384411731F,
                                           0.426084416F,
                                           0.466089695F,
                                           0.504555996F,
                                           0.541597314F,
                                           0.577315358F,
                                           0.611801539F,
                                           0.645138017F,
                                           0.693147181F);
  constexpr float kLn2 = 0.693147181F;
  const __m512 m = _mm512_getmant_ps(x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero);
  const __m512i sixteenth = _mm512_srli_epi32(_mm512_castps_si512(m), 19);  // its low four bits
  const __m512 base = _mm512_fmadd_ps(
      _mm512_getexp_ps(x), _mm512_set1_ps(kLn2), _mm512_permutexvar_ps(sixteenth, of_inverse));
  const __m512 r =
      _mm512_fmsub_ps(m, _mm512_permutexvar_ps(sixteenth, inverse), _mm512_set1_ps(1.0F));
  __m512 series = _mm512_set1_ps(1.0F / 5.0F);
  series = _mm512_fmadd_ps(series, r, _mm512_set1_ps(-1.0F / 4.0F));
  series = _mm512_fmadd_ps(series, r, _mm512_set1_ps(1.0F / 3.0F));
  series = _mm512_fmadd_ps(series, r, _mm512_set1_ps(-1.0F / 2.0F));
  series = _mm512_fmadd_ps(series, r, _mm512_set1_ps(1.0F));
  return _mm512_fmadd_ps(series, r, base);
}

#pragma GCC diagnostic pop

}  // namespace headscope

#endif
