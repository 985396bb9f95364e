// The arithmetic of a transformer, behind one interface: oneDNN in float32, or the plain reference
// in double.
//
// Shapes   activations [rows, cols], row-major, in the backend's own number type; weights stay in
//          the file's type until Prepare converts or packs them.
// Errors   kNumeric (a weight holds NaN or infinity; the message names the tensor), kShape,
//          kBackend, kOutOfMemory, kCancelled.
// Threads  a backend, its weights and its activations stay on one thread (oneDNN's primitives
//          must). Every call polls `stop` at least every 20 ms.
// Source   docs/architecture.md, "Arithmetic"; norms: Ba 2016, Zhang 2019; rotary: Su 2021.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/tensor_view.h"
#include "core/compute/attention.h"

namespace headscope {

class Activations {
 public:
  virtual ~Activations() = default;
  Activations(const Activations&) = delete;
  Activations& operator=(const Activations&) = delete;
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t cols() const { return cols_; }

 protected:
  Activations(std::int64_t rows, std::int64_t cols) : rows_(rows), cols_(cols) {}

 private:
  std::int64_t rows_;
  std::int64_t cols_;
};

// [in, out] as in GPT-2's Conv1D, [out, in] as in Linear.
enum class WeightLayout { kInOut, kOutIn };

// Several matrices with the same input, stacked side by side for one product (query, key and value
// of all heads).
struct LinearSource {
  struct Matrix {
    TensorView weight;
    std::optional<TensorView> bias;  // [out]
  };
  WeightLayout layout = WeightLayout::kOutIn;
  std::int64_t in = 0;
  std::vector<Matrix> matrices;
};

class Linear {  // a prepared LinearSource
 public:
  virtual ~Linear() = default;
  Linear(const Linear&) = delete;
  Linear& operator=(const Linear&) = delete;
  [[nodiscard]] std::int64_t in() const { return in_; }
  [[nodiscard]] std::int64_t out() const { return out_; }

 protected:
  Linear(std::int64_t in, std::int64_t out) : in_(in), out_(out) {}

 private:
  std::int64_t in_;
  std::int64_t out_;
};

enum class NormKind { kLayer, kRms };

struct NormWeights {
  NormKind kind = NormKind::kLayer;
  std::vector<float> weight;  // [heads width]; columns are a multiple of it
  std::vector<float> bias;    // [heads width] or empty
  double epsilon = 1e-5;
  // Above 1: as many runs of columns are normed each by itself, with weights of its own.
  std::int64_t heads = 1;
};

enum class ActivationKind {
  kGelu,
  kGeluTanh,
  kQuickGelu,  // x sigmoid(1.702 x)
  kRelu,
  kReluSquared,
  kSigmoid,
  kSilu,
  kSoftplus,  // log(1 + exp(x))
  kSolu,      // x softmax(x), over a whole row
  kTanh
};

// x > 0: positive x^2 + linear x; else (exp(min(x, most)) - 1 - x) negative + linear x (xIELU).
struct Xielu {
  double positive = 0.8;
  double negative = 0.8;
  double linear = 0.5;
  double most = -1e-6;
};

// Angles of rotary positions: pair i of each head rotates by position * inverse_frequency[i].
struct RotaryTable {
  std::vector<double> inverse_frequency;  // [pairs]; columns from 2 * pairs on are unchanged
  double attention_factor = 1.0;          // multiplies sine and cosine (yarn)
  bool pairs_neighbours = false;          // pair i is columns (2i, 2i + 1), not (i, i + pairs)

  // Returns the first column of a pair, and how far its second one is from it.
  [[nodiscard]] std::size_t First(std::size_t pair) const {
    return pairs_neighbours ? 2 * pair : pair;
  }
  [[nodiscard]] std::size_t Distance() const {
    return pairs_neighbours ? 1 : inverse_frequency.size();
  }

  [[nodiscard]] bool operator==(const RotaryTable&) const = default;
};

struct AttentionInput {
  AttentionShape shape;
  AttentionRule rule;
  const Activations* queries = nullptr;  // [n, H dk]
  const Activations* keys = nullptr;     // [m, Hkv dk]
  const Activations* values = nullptr;   // [m, Hkv dv]
  // The rows of `texts` texts of this shape follow each other in queries, keys, values and context;
  // `text` is the one to compute.
  std::int64_t texts = 1;
  std::int64_t text = 0;
};

class Backend {
 public:
  Backend() = default;
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  [[nodiscard]] virtual std::string Description() const = 0;  // "oneDNN 2.6.3, float32, 2 threads"
  // The number of threads that share its work.
  [[nodiscard]] virtual int threads() const { return 1; }
  // Makes a backend with the same arithmetic that works on the calling thread alone. kUnsupported
  // for a backend that has only one thread.
  [[nodiscard]] virtual Result<std::unique_ptr<Backend>> MakeForThisThread() const {
    return Fail(ErrorCode::kUnsupported, "this backend has one thread, its own");
  }

  [[nodiscard]] virtual Result<std::unique_ptr<Activations>> Make(std::int64_t rows,
                                                                  std::int64_t cols) = 0;
  virtual void Load(std::span<const float> values, Activations* out) = 0;
  // Loads whole rows into the rows of `out` from `first` on.
  virtual void LoadRows(std::span<const float> values, std::int64_t first, Activations* out) = 0;
  virtual void Read(const Activations& in, std::span<float> out) const = 0;
  virtual void ReadDouble(const Activations& in, std::span<double> out) const = 0;

  [[nodiscard]] virtual Result<std::unique_ptr<Linear>> Prepare(const LinearSource& source,
                                                                std::stop_token stop) = 0;

  // out = in W + b; `out` is not `in`.
  [[nodiscard]] virtual Status Apply(const Linear& linear,
                                     const Activations& in,
                                     Activations* out,
                                     std::stop_token stop) = 0;
  // out[row] = table[ids[row]]; ids are checked by the caller.
  [[nodiscard]] virtual Status Gather(const TensorView& table,
                                      std::span<const std::int32_t> ids,
                                      Activations* out) = 0;
  // Normalises each run of as many columns as a head has weights: whole rows, or the heads in them.
  // `out` may be `in`.
  [[nodiscard]] virtual Status Norm(const NormWeights& norm,
                                    const Activations& in,
                                    Activations* out) = 0;
  // Copies columns [first, first + out->cols()) of `in`.
  virtual void Slice(const Activations& in, std::int64_t first, Activations* out) = 0;
  // Copies columns of `in` into each head of `out` [rows, heads head_dim], to its `width` columns
  // from `first` on: all of `in` [rows, width], or the head's own of `in` [rows, heads width].
  virtual void PlaceInHeads(const Activations& in,
                            std::int64_t heads,
                            std::int64_t first,
                            std::int64_t width,
                            Activations* out) = 0;
  // Copies all rows of `in` to the rows of `out` from `first` on.
  virtual void CopyRows(const Activations& in, std::int64_t first, Activations* out) = 0;
  // out[i] = in[rows[i]].
  virtual void TakeRows(const Activations& in,
                        std::span<const std::int64_t> rows,
                        Activations* out) const = 0;
  // inout[rows[i]] += factors[i] * in[i].
  virtual void AddRows(const Activations& in,
                       std::span<const std::int64_t> rows,
                       std::span<const double> factors,
                       Activations* inout) = 0;
  // Rotates each head of `inout` [texts n, heads head_dim] by its position, which begins at
  // first_position in each text.
  virtual void Rotate(const RotaryTable& table,
                      std::int64_t heads,
                      std::int64_t first_position,
                      std::int64_t texts,
                      Activations* inout) = 0;
  virtual void Activate(ActivationKind kind, Activations* inout) = 0;
  virtual void Activate(const Xielu& learnt, Activations* inout) = 0;
  virtual void Multiply(const Activations& factor, Activations* inout) = 0;
  virtual void Add(const Activations& term, Activations* inout) = 0;
  virtual void Scale(double factor, Activations* inout) = 0;
  // Makes each value at least and at most that, then adds `added`.
  virtual void Clamp(double least, double most, double added, Activations* inout) = 0;

  // context [n, H dv] = softmax(score) V, heads side by side. With a null context the weights are
  // made (and observed) but not multiplied by the values.
  [[nodiscard]] virtual Status Attend(const AttentionInput& input,
                                      AttentionObserver* observer,
                                      Activations* context,
                                      std::stop_token stop) = 0;
};

struct BackendOptions {
  int threads = 0;  // 0: every core
};

[[nodiscard]] Result<std::unique_ptr<Backend>> MakeOnednnBackend(
    const BackendOptions& options = {});

// Slow and plain, in double. Per head: one narrow product after another, as in the formula;
// stacked: one wide product and a reshape, as in the fast backend. A test shows that they agree.
enum class ReferenceForm { kPerHead, kStacked };
[[nodiscard]] std::unique_ptr<Backend> MakeReferenceBackend(
    ReferenceForm form = ReferenceForm::kPerHead);

}  // namespace headscope
