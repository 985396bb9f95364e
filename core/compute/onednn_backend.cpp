#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <new>
#include <omp.h>

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/base/half.h"
#include "core/base/mapped_file.h"
#include "core/compute/backend.h"
#include "core/compute/float_buffer.h"
#include "core/compute/float_kernels.h"
#include "core/compute/fused_attention.h"
#include "core/compute/input_checks.h"
#include "core/compute/onednn_engine.h"
#include "core/compute/precision.h"
#include "core/compute/rotary_angles.h"
#include "core/compute/streamed_linear.h"
#include "core/compute/thread_team.h"
#include "core/compute/weight_reader.h"

namespace headscope {
namespace {

// Fewer numbers than this are one thread's work: waking the others would cost more.
constexpr std::int64_t kWorthThreads = 1 << 15;
// The same for multiplications, of which several fit into a clock cycle.
constexpr std::int64_t kMultipliesWorthThreads = 1 << 19;

void RotateNeighbours(float* row, const float* cosine, const float* sine, std::int64_t pairs) {
  for (std::int64_t i = 0; i < pairs; ++i) {
    const float low = row[2 * i];
    const float high = row[2 * i + 1];
    row[2 * i] = low * cosine[i] - high * sine[i];
    row[2 * i + 1] = high * cosine[i] + low * sine[i];
  }
}

class FloatActivations : public Activations {
 public:
  FloatActivations(std::int64_t rows,
                   std::int64_t cols,
                   std::shared_ptr<FloatPool> pool,
                   std::unique_ptr<FloatBuffer> buffer)
      : Activations(rows, cols), pool_(std::move(pool)), buffer_(std::move(buffer)) {}
  ~FloatActivations() override { pool_->Give(std::move(buffer_)); }
  FloatActivations(const FloatActivations&) = delete;
  FloatActivations& operator=(const FloatActivations&) = delete;

  [[nodiscard]] float* data() const { return buffer_->data(); }
  [[nodiscard]] std::int64_t count() const { return rows() * cols(); }

 private:
  std::shared_ptr<FloatPool> pool_;
  std::unique_ptr<FloatBuffer> buffer_;
};

class OnednnLinear : public Linear {
 public:
  OnednnLinear(std::int64_t in, std::int64_t out, std::unique_ptr<PackedWeights> packed)
      : Linear(in, out), packed_(std::move(packed)) {}
  OnednnLinear(std::int64_t in, std::int64_t out, StreamedLinear streamed)
      : Linear(in, out), streamed_(std::move(streamed)) {}
  [[nodiscard]] const PackedWeights* packed() const { return packed_.get(); }  // null: streamed
  [[nodiscard]] const StreamedLinear& streamed() const { return *streamed_; }

 private:
  std::unique_ptr<PackedWeights> packed_;
  std::optional<StreamedLinear> streamed_;
};

const FloatActivations& Floats(const Activations& in) {
  return static_cast<const FloatActivations&>(in);
}

// Runs work(begin, end) over [0, count) in pieces, on every thread if it is worth it.
template <typename Work>
void InPieces(std::int64_t count, std::int64_t piece, std::int64_t numbers, const Work& work) {
  const std::int64_t pieces = (count + piece - 1) / piece;
#pragma omp parallel for schedule(static) if (numbers >= kWorthThreads) default(none) \
    shared(work, pieces, piece, count)
  for (std::int64_t i = 0; i < pieces; ++i) {
    work(i * piece, std::min((i + 1) * piece, count));
  }
}

// Returns the size of equal chunks of rows, each short enough to stop after one oneDNN call.
std::int64_t RowsPerCall(std::int64_t rows, std::int64_t in, std::int64_t out) {
  constexpr std::int64_t kMostMultiplies = 500'000'000;
  constexpr std::int64_t kRowsAtOnce = 16;
  const std::int64_t most = std::max<std::int64_t>(kMostMultiplies / (in * out), 1);
  if (rows <= most) {
    return rows;
  }
  const std::int64_t calls = (rows + most - 1) / most;
  const std::int64_t even = (rows + calls - 1) / calls;
  const std::int64_t rounded = (even + kRowsAtOnce - 1) / kRowsAtOnce * kRowsAtOnce;
  return rounded <= most ? rounded : std::max(even / kRowsAtOnce * kRowsAtOnce, even % kRowsAtOnce);
}

class OnednnBackend : public Backend {
 public:
  OnednnBackend(std::unique_ptr<OnednnEngine> engine, Precision precision, int threads)
      : engine_(std::move(engine)), precision_(precision), threads_(threads) {}

  std::string Description() const override {
    return fmt::format("oneDNN {}, {}, {} thread{}",
                       OnednnEngine::Version(),
                       precision_ == Precision::kBf16 ? "bfloat16 products" : "float32",
                       threads_,
                       threads_ == 1 ? "" : "s");
  }

  int threads() const override { return threads_; }
  Result<std::unique_ptr<Backend>> MakeForThisThread() const override {
    return MakeOnednnBackend(precision_, {.threads = 1});
  }

  Result<std::unique_ptr<Activations>> Make(std::int64_t rows, std::int64_t cols) override {
    HEADSCOPE_TRY(CheckSize(rows, cols));
    try {
      return std::make_unique<FloatActivations>(
          rows, cols, pool_, pool_->Take(static_cast<std::size_t>(rows * cols)));
    } catch (const std::bad_alloc&) {
      return Fail(ErrorCode::kOutOfMemory,
                  fmt::format("no memory for [{},{}] numbers; use a shorter text", rows, cols));
    }
  }

  void Load(std::span<const float> values, Activations* out) override {
    HEADSCOPE_CHECK(static_cast<std::int64_t>(values.size()) == Floats(*out).count(),
                    "as many values as the activations hold");
    std::copy(values.begin(), values.end(), Floats(*out).data());
  }

  void LoadRows(std::span<const float> values, std::int64_t first, Activations* out) override {
    CheckRows(static_cast<std::int64_t>(values.size()), first, *out);
    CopyFloats(values.data(),
               static_cast<std::int64_t>(values.size()),
               Floats(*out).data() + first * out->cols());
  }

  void Read(const Activations& in, std::span<float> out) const override {
    HEADSCOPE_CHECK(static_cast<std::int64_t>(out.size()) == Floats(in).count(),
                    "as many values as the activations hold");
    std::copy_n(Floats(in).data(), out.size(), out.begin());
  }

  void ReadDouble(const Activations& in, std::span<double> out) const override {
    HEADSCOPE_CHECK(static_cast<std::int64_t>(out.size()) == Floats(in).count(),
                    "as many values as the activations hold");
    std::copy_n(Floats(in).data(), out.size(), out.begin());
  }

  Result<std::unique_ptr<Linear>> Prepare(const LinearSource& source,
                                          std::stop_token stop) override {
    UseThreads();
    HEADSCOPE_TRY(const auto out, CheckSource(source));
    if (precision_ == Precision::kF32 && StreamedLinear::Wants(source, out)) {
      HEADSCOPE_TRY(auto streamed, StreamedLinear::Make(source, out));
      return std::make_unique<OnednnLinear>(source.in, out, std::move(streamed));
    }
    HEADSCOPE_TRY(auto plain, ReadWeights(source, out, pool_.get(), stop));
    auto packed = engine_->Pack({.layout = source.layout,
                                 .in = source.in,
                                 .out = out,
                                 .weights = plain.weights,
                                 .bias = plain.bias,
                                 .precision = precision_},
                                stop);
    if (plain.buffer != nullptr) {
      pool_->Give(std::move(plain.buffer));
    }
    HEADSCOPE_TRY(packed);
    // The packed copy replaces the file's pages: one of the two in memory is enough.
    for (const LinearSource::Matrix& matrix : source.matrices) {
      ReleasePages(matrix.weight.bytes);
    }
    return std::make_unique<OnednnLinear>(source.in, out, std::move(*packed));
  }

  Status Apply(const Linear& linear,
               const Activations& in,
               Activations* out,
               std::stop_token stop) override {
    HEADSCOPE_TRY(CheckApply(linear, in, *out));
    UseThreads(in.rows() * linear.in() * linear.out());
    const auto& prepared = static_cast<const OnednnLinear&>(linear);
    if (prepared.packed() == nullptr) {
      return prepared.streamed().Apply(
          Floats(in).data(), in.rows(), Floats(*out).data(), pool_.get(), stop);
    }
    const std::int64_t step = RowsPerCall(in.rows(), linear.in(), linear.out());
    for (std::int64_t row = 0; row < in.rows(); row += step) {
      if (stop.stop_requested()) {
        return Fail(ErrorCode::kCancelled, "the product was stopped");
      }
      HEADSCOPE_TRY(engine_->Multiply(*prepared.packed(),
                                      Floats(in).data() + row * linear.in(),
                                      std::min(step, in.rows() - row),
                                      Floats(*out).data() + row * linear.out()));
    }
    return {};
  }

  Status Gather(const TensorView& table,
                std::span<const std::int32_t> ids,
                Activations* out) override {
    HEADSCOPE_TRY(CheckTable(table, ids, *out));
    for (std::size_t row = 0; row < ids.size(); ++row) {
      const std::int64_t first = ids[row] * out->cols();
      const std::span values(Floats(*out).data() + static_cast<std::int64_t>(row) * out->cols(),
                             static_cast<std::size_t>(out->cols()));
      ConvertToFloat(table, first, values);
      HEADSCOPE_TRY(CheckFinite(table, first, values));
    }
    // Each row also loaded its neighbours' pages: soon the whole table would be in memory.
    ReleasePages(table.bytes);
    return {};
  }

  Status Norm(const NormWeights& norm, const Activations& in, Activations* out) override {
    HEADSCOPE_TRY(CheckNorm(norm, in, *out));
    UseThreads();
    const auto cols = static_cast<std::int64_t>(norm.weight.size()) / norm.heads;
    const std::int64_t rows = in.rows() * (in.cols() / cols);
    InPieces(rows, 16, Floats(in).count(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t own = row % norm.heads * cols;  // the head's first weight
        Kernels().norm({.in = Floats(in).data() + row * cols,
                        .out = Floats(*out).data() + row * cols,
                        .weight = norm.weight.data() + own,
                        .bias = norm.bias.empty() ? nullptr : norm.bias.data() + own,
                        .cols = cols,
                        .epsilon = static_cast<float>(norm.epsilon),
                        .centred = norm.kind == NormKind::kLayer});
      }
    });
    return {};
  }

  void Slice(const Activations& in, std::int64_t first, Activations* out) override {
    HEADSCOPE_CHECK(in.rows() == out->rows() && first >= 0 && first + out->cols() <= in.cols(),
                    "the slice lies within the columns");
    UseThreads();
    const std::int64_t cols = out->cols();
    InPieces(in.rows(), 64, Floats(*out).count(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        std::copy_n(
            Floats(in).data() + row * in.cols() + first, cols, Floats(*out).data() + row * cols);
      }
    });
  }

  void PlaceInHeads(const Activations& in,
                    std::int64_t heads,
                    std::int64_t first,
                    std::int64_t width,
                    Activations* out) override {
    const std::int64_t head_dim = out->cols() / heads;
    HEADSCOPE_CHECK(in.rows() == out->rows() && first + width <= head_dim &&
                        (in.cols() == width || in.cols() == heads * width),
                    "the columns lie within a head");
    const std::int64_t step = in.cols() == width ? 0 : width;
    UseThreads();
    InPieces(in.rows(), 64, Floats(*out).count(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        const float* from = Floats(in).data() + row * in.cols();
        float* to = Floats(*out).data() + row * out->cols() + first;
        for (std::int64_t head = 0; head < heads; ++head) {
          std::copy_n(from + head * step, width, to + head * head_dim);
        }
      }
    });
  }

  void CopyRows(const Activations& in, std::int64_t first, Activations* out) override {
    HEADSCOPE_CHECK(in.cols() == out->cols(), "rows have the same width");
    CheckRows(Floats(in).count(), first, *out);
    CopyFloats(Floats(in).data(), Floats(in).count(), Floats(*out).data() + first * out->cols());
  }

  void TakeRows(const Activations& in,
                std::span<const std::int64_t> rows,
                Activations* out) const override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::copy_n(Floats(in).data() + rows[i] * in.cols(),
                  in.cols(),
                  Floats(*out).data() + static_cast<std::int64_t>(i) * in.cols());
    }
  }

  void AddRows(const Activations& in,
               std::span<const std::int64_t> rows,
               std::span<const double> factors,
               Activations* inout) override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Kernels().add_scaled(static_cast<float>(factors[i]),
                           Floats(in).data() + static_cast<std::int64_t>(i) * in.cols(),
                           Floats(*inout).data() + rows[i] * in.cols(),
                           in.cols());
    }
  }

  void Rotate(const RotaryTable& table,
              std::int64_t heads,
              std::int64_t first_position,
              std::int64_t texts,
              Activations* inout) override {
    const auto pairs = static_cast<std::int64_t>(table.inverse_frequency.size());
    HEADSCOPE_CHECK(heads > 0 && inout->cols() % heads == 0 && 2 * pairs <= inout->cols() / heads,
                    "the pairs lie within a head");
    HEADSCOPE_CHECK(texts > 0 && inout->rows() % texts == 0, "the texts are of one length");
    UseThreads();
    const std::int64_t tokens = inout->rows() / texts;
    angles_.Prepare(table, first_position, tokens);
    const std::int64_t width = inout->cols() / heads;
    InPieces(inout->rows(), 16, Floats(*inout).count(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        for (std::int64_t head = 0; head < heads; ++head) {
          float* low = Floats(*inout).data() + row * inout->cols() + head * width;
          const float* cosine = angles_.Cosine(row % tokens);
          const float* sine = angles_.Sine(row % tokens);
          if (table.pairs_neighbours) {
            RotateNeighbours(low, cosine, sine, pairs);
          } else {
            Kernels().rotate(low, low + pairs, cosine, sine, pairs);
          }
        }
      }
    });
  }

  void Activate(ActivationKind kind, Activations* inout) override {
    if (kind == ActivationKind::kSolu) {
      ActivateRows(inout);
      return;
    }
    ForEach(inout, [&](std::int64_t begin, std::int64_t end) {
      Kernels().activate(kind, Floats(*inout).data() + begin, end - begin);
    });
  }

  void Activate(const Xielu& learnt, Activations* inout) override {
    const auto positive = static_cast<float>(learnt.positive);
    const auto negative = static_cast<float>(learnt.negative);
    const auto linear = static_cast<float>(learnt.linear);
    const auto most = static_cast<float>(learnt.most);
    ForEach(inout, [&](std::int64_t begin, std::int64_t end) {
      for (float& x : std::span(Floats(*inout).data() + begin, Floats(*inout).data() + end)) {
        x = linear * x +
            (x > 0.0F ? positive * x * x : negative * (std::expm1(std::min(x, most)) - x));
      }
    });
  }

  void Multiply(const Activations& factor, Activations* inout) override {
    HEADSCOPE_CHECK(Floats(factor).count() == Floats(*inout).count(), "both have the same shape");
    ForEach(inout, [&](std::int64_t begin, std::int64_t end) {
      Kernels().multiply(Floats(factor).data() + begin, Floats(*inout).data() + begin, end - begin);
    });
  }

  void Add(const Activations& term, Activations* inout) override {
    HEADSCOPE_CHECK(Floats(term).count() == Floats(*inout).count(), "both have the same shape");
    ForEach(inout, [&](std::int64_t begin, std::int64_t end) {
      Kernels().add(Floats(term).data() + begin, Floats(*inout).data() + begin, end - begin);
    });
  }

  void Scale(double factor, Activations* inout) override {
    ForEach(inout, [&](std::int64_t begin, std::int64_t end) {
      Kernels().scale(static_cast<float>(factor), Floats(*inout).data() + begin, end - begin);
    });
  }

  void Clamp(double least, double most, double added, Activations* inout) override {
    ForEach(inout, [&](std::int64_t begin, std::int64_t end) {
      for (float& value : std::span(Floats(*inout).data() + begin, Floats(*inout).data() + end)) {
        value = std::clamp(value, static_cast<float>(least), static_cast<float>(most)) +
                static_cast<float>(added);
      }
    });
  }

  Status Attend(const AttentionInput& input,
                AttentionObserver* observer,
                Activations* context,
                std::stop_token stop) override {
    HEADSCOPE_TRY(CheckAttention(input, context));
    const AttentionShape& shape = input.shape;
    UseThreads(shape.queries * shape.keys * shape.heads * (shape.head_dim + shape.value_dim));
    const auto text_of = [&](const Activations& texts, std::int64_t rows) {
      return Floats(texts).data() + input.text * rows * texts.cols();
    };
    return attention_.Run(
        {.shape = input.shape,
         .rule = input.rule,
         .queries = text_of(*input.queries, shape.queries),
         .keys = text_of(*input.keys, shape.keys),
         .values = text_of(*input.values, shape.keys)},
        observer,
        context == nullptr ? nullptr
                           : Floats(*context).data() + input.text * shape.queries * context->cols(),
        stop);
  }

 private:
  // x softmax(x) of each row.
  void ActivateRows(Activations* inout) {
    UseThreads();
    const std::int64_t width = inout->cols();
    InPieces(inout->rows(), 16, Floats(*inout).count(), [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> weights(static_cast<std::size_t>(width));
      for (std::int64_t i = begin; i < end; ++i) {
        float* row = Floats(*inout).data() + i * width;
        std::copy_n(row, width, weights.begin());
        Kernels().softmax(weights.data(), width, 0.0F);
        Kernels().multiply(weights.data(), row, width);
      }
    });
  }

  void CopyFloats(const float* from, std::int64_t count, float* to) const {
    UseThreads();
    InPieces(count, kWorthThreads / 4, count, [&](std::int64_t begin, std::int64_t end) {
      std::copy(from + begin, from + end, to + begin);
    });
  }

  template <typename Work>
  void ForEach(Activations* inout, const Work& work) {
    UseThreads();
    InPieces(Floats(*inout).count(), kWorthThreads / 4, Floats(*inout).count(), work);
  }

  // OpenMP keeps this number per calling thread; another backend may have set it.
  void UseThreads(std::int64_t multiplies = kMultipliesWorthThreads) const {
    omp_set_num_threads(multiplies < kMultipliesWorthThreads ? 1 : threads_);
  }

  std::unique_ptr<OnednnEngine> engine_;
  Precision precision_;
  int threads_;
  std::shared_ptr<FloatPool> pool_ = std::make_shared<FloatPool>();
  RotaryAngles angles_;
  FusedAttention attention_;
};

}  // namespace

Result<std::unique_ptr<Backend>> MakeOnednnBackend(const BackendOptions& options) {
  return MakeOnednnBackend(Precision::kF32, options);
}

Result<std::unique_ptr<Backend>> MakeOnednnBackend(Precision precision,
                                                   const BackendOptions& options) {
  HEADSCOPE_TRY(CheckPrecision(precision));
  const int threads = UseTeamOf(options.threads);
  HEADSCOPE_TRY(auto engine, OnednnEngine::Make());
  return std::make_unique<OnednnBackend>(std::move(engine), precision, threads);
}

}  // namespace headscope
