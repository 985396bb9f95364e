// Makes oneDNN's primitives for one product, in either of its two interfaces: 2 wraps operation
// descriptors, 3 takes everything at once.
//
// Shapes   [rows, in] x [in, out] + [out] -> [rows, out], row-major float32 or, except for the
//          output, bfloat16; batched: [b, rows, in] x [b, in, out].
// Errors   throw dnnl::error; Guarded turns it into an Error.
// Threads  as onednn_engine.h. Only onednn_*.cpp includes this.
#pragma once

#include <cstdint>
#include <new>
#include <string>

#include <dnnl.hpp>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/compute/onednn_engine.h"

namespace headscope {

// A primitive that oneDNN can make, and the layouts that it needs.
struct Candidate {
  ProductKind kind = ProductKind::kMatmul;
  dnnl::primitive_desc_base primitive;
  dnnl::memory::desc in;
  dnnl::memory::desc bias;
  dnnl::memory::desc out;
  std::string name;
};

[[nodiscard]] dnnl::memory::desc Described(
    const dnnl::memory::dims& dims,
    dnnl::memory::format_tag tag,
    dnnl::memory::data_type type = dnnl::memory::data_type::f32);
[[nodiscard]] dnnl::memory::data_type TypeOf(Precision precision);
[[nodiscard]] const char* Name(ProductKind kind);

// Weights in the layout that the primitive prefers.
[[nodiscard]] dnnl::memory::desc WeightsAny(ProductKind kind,
                                            std::int64_t in,
                                            std::int64_t out,
                                            Precision precision = Precision::kF32);
// Plain float32 weights as stored in memory, in the axes that the primitive names.
[[nodiscard]] dnnl::memory::desc WeightsPlain(ProductKind kind,
                                              WeightLayout layout,
                                              std::int64_t in,
                                              std::int64_t out);

// The input has the type of `weights`, the output is float32.
[[nodiscard]] Candidate MakeCandidate(const dnnl::engine& engine,
                                      ProductKind kind,
                                      std::int64_t rows,
                                      const dnnl::memory::desc& weights,
                                      std::int64_t in,
                                      std::int64_t out);
// A matmul over a batch, without bias; each layout as given.
[[nodiscard]] Candidate MakeBatched(const dnnl::engine& engine,
                                    const dnnl::memory::desc& in,
                                    const dnnl::memory::desc& weights,
                                    const dnnl::memory::desc& out);

// Runs `work`, turning oneDNN's exceptions into errors.
template <typename Work>
auto Guarded(const char* what, Work work) -> decltype(work()) {
  try {
    return work();
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory) {
      return Fail(ErrorCode::kOutOfMemory, fmt::format("no memory for {}", what));
    }
    return Fail(ErrorCode::kBackend, fmt::format("oneDNN refused {}: {}", what, error.what()));
  } catch (const std::bad_alloc&) {
    return Fail(ErrorCode::kOutOfMemory, fmt::format("no memory for {}", what));
  }
}

}  // namespace headscope
