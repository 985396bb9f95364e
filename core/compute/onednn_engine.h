// The only door to oneDNN: packed weights and one product at a time. It hides all differences
// between versions of oneDNN.
//
// Shapes   products: [rows, in] x [in, out] + [out] -> [rows, out], row-major float32.
// Errors   kBackend (oneDNN reports an error, or has only its reference code for a shape: that is a
//          hundred times slower and is never taken silently), kOutOfMemory. No exception leaves.
// Threads  an engine and its packed weights stay on the thread that made them; SmallProduct runs on
//          any thread, and alone on that thread if called from a parallel region.
// Cost     primitives are made once per (shape of weights, rows) and kept.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "core/base/error.h"
#include "core/compute/backend.h"
#include "core/compute/precision.h"

namespace headscope {

// Which primitive multiplies. The choice depends only on the processor and the shape, never on a
// stopwatch: two processes on one kind of machine must give the same bits (sharded scores are
// merged exactly), and on a busy machine a stopwatch is off by a factor of ten.
enum class ProductKind { kInnerProduct, kConvolution, kMatmul };

class PackedWeights {
 public:
  PackedWeights();
  ~PackedWeights();
  PackedWeights(const PackedWeights&) = delete;
  PackedWeights& operator=(const PackedWeights&) = delete;

  struct State;
  std::unique_ptr<State> state;
};

struct PlainWeights {
  WeightLayout layout = WeightLayout::kOutIn;
  std::int64_t in = 0;
  std::int64_t out = 0;
  const float* weights = nullptr;
  std::span<const float> bias;            // [out] or empty
  Precision precision = Precision::kF32;  // of the packed weights, and thus of the product
};

class OnednnEngine {
 public:
  [[nodiscard]] static Result<std::unique_ptr<OnednnEngine>> Make();
  ~OnednnEngine();
  OnednnEngine(const OnednnEngine&) = delete;
  OnednnEngine& operator=(const OnednnEngine&) = delete;

  [[nodiscard]] static std::string Version();  // "2.6.3"

  // Packs large matrices in pieces, and checks `stop` between them (kCancelled).
  [[nodiscard]] Result<std::unique_ptr<PackedWeights>> Pack(const PlainWeights& plain,
                                                            const std::stop_token& stop = {});

  // out = in W + b (with `in` rounded to the precision of the weights) in one call of oneDNN: the
  // caller splits long inputs into short calls.
  [[nodiscard]] Status Multiply(const PackedWeights& weights,
                                const float* in,
                                std::int64_t rows,
                                float* out);

  // Returns oneDNN's name for what it runs for these weights and rows.
  [[nodiscard]] Result<std::string> Implementation(const PackedWeights& weights, std::int64_t rows);

 private:
  OnednnEngine();
  struct State;
  std::unique_ptr<State> state_;
};

// Whether it is the name of one of oneDNN's plain loops: "ref:any", "gemm:ref", "simple:any".
[[nodiscard]] bool IsReferenceImplementation(const std::string& name);

// c = alpha a b or, if b_transposed, alpha a b^T, added to c if is_added; a [rows, in], b [in,
// cols] or [cols, in], c [rows, cols], with leading dimensions. Multiply returns false if oneDNN
// had no memory.
struct SmallProduct {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t in = 0;
  float alpha = 1.0F;
  const float* a = nullptr;
  std::int64_t a_stride = 0;
  const float* b = nullptr;
  std::int64_t b_stride = 0;
  bool b_transposed = false;
  float* c = nullptr;
  std::int64_t c_stride = 0;
  bool is_added = false;
};
[[nodiscard]] bool Multiply(const SmallProduct& product);

}  // namespace headscope
