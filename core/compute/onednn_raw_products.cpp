#include <algorithm>
#include <chrono>
#include <limits>
#include <omp.h>
#include <unordered_map>

#include "core/compute/input_checks.h"
#include "core/compute/onednn_primitives.h"
#include "core/compute/raw_products.h"
#include "core/compute/thread_team.h"

namespace headscope {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

// Fills with numbers that are neither zero nor subnormal, so that no shortcut of the processor
// distorts the time.
memory Filled(const memory::desc& layout, const dnnl::engine& engine) {
  memory filled(layout, engine);
#if DNNL_VERSION_MAJOR >= 3
  const memory::data_type type = layout.get_data_type();
#else
  const memory::data_type type = layout.data_type();
#endif
  if (type == memory::data_type::bf16) {
    constexpr std::uint16_t kHalf = 0x3F00;
    std::fill_n(static_cast<std::uint16_t*>(filled.get_data_handle()),
                layout.get_size() / sizeof(kHalf),
                kHalf);
  } else {
    std::fill_n(
        static_cast<float*>(filled.get_data_handle()), layout.get_size() / sizeof(float), 0.5F);
  }
  return filled;
}

class Stopwatch {
 public:
  explicit Stopwatch(int repetitions) : repetitions_(repetitions) {}

  void Measure(const Candidate& candidate, const char* kind) {
    if (IsReferenceImplementation(candidate.name)) {
      return;
    }
    std::unordered_map<int, memory> arguments = {
        {DNNL_ARG_SRC, Filled(candidate.in, engine_)},
        {DNNL_ARG_WEIGHTS, Filled(candidate.primitive.weights_desc(), engine_)},
        {DNNL_ARG_DST, Filled(candidate.out, engine_)},
        {DNNL_ARG_SCRATCHPAD, memory(candidate.primitive.scratchpad_desc(), engine_)}};
    if (candidate.bias.get_size() > 0) {
      arguments.emplace(DNNL_ARG_BIAS, Filled(candidate.bias, engine_));
    }
    const dnnl::primitive primitive(candidate.primitive.get());
    double best = std::numeric_limits<double>::infinity();
    for (int run = 0; run <= repetitions_; ++run) {
      const auto begin = std::chrono::steady_clock::now();
      primitive.execute(stream_, arguments);
      stream_.wait();
      const std::chrono::duration<double, std::milli> elapsed =
          std::chrono::steady_clock::now() - begin;
      // The first run touches fresh pages.
      best = run == 0 ? best : std::min(best, elapsed.count());
    }
    if (best_.primitive.empty() || best < best_.milliseconds) {
      best_ = {.milliseconds = best, .primitive = fmt::format("{} {}", kind, candidate.name)};
    }
  }

  template <typename MakeOne>
  void Try(const char* kind, MakeOne make_one) {
    try {
      Measure(make_one(engine_), kind);
    } catch (const dnnl::error& error) {
      if (error.status != dnnl_unimplemented) {
        throw;
      }
    }
  }

  [[nodiscard]] const RawProduct& best() const { return best_; }

 private:
  int repetitions_;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  RawProduct best_;
};

void MeasureKinds(const ProductShape& shape, Stopwatch* stopwatch) {
  for (const ProductKind kind :
       {ProductKind::kMatmul, ProductKind::kInnerProduct, ProductKind::kConvolution}) {
    stopwatch->Try(Name(kind), [&](const dnnl::engine& engine) {
      return MakeCandidate(engine,
                           kind,
                           shape.rows,
                           WeightsAny(kind, shape.in, shape.out, shape.precision),
                           shape.in,
                           shape.out);
    });
  }
}

void MeasureBatch(const ProductShape& shape, Stopwatch* stopwatch) {
  for (const Tag tag : {Tag::abc, Tag::any}) {
    stopwatch->Try("batched matmul", [&](const dnnl::engine& engine) {
      return MakeBatched(engine,
                         Described({shape.batch, shape.rows, shape.in}, Tag::abc),
                         Described({shape.batch, shape.in, shape.out}, tag),
                         Described({shape.batch, shape.rows, shape.out}, Tag::abc));
    });
  }
}

}  // namespace

Result<RawProduct> MeasureRawProduct(const ProductShape& shape, int repetitions, int threads) {
  if (shape.batch < 1 || shape.rows < 1 || shape.in < 1 || shape.out < 1 || repetitions < 1) {
    return Fail(ErrorCode::kShape,
                fmt::format("{} products [{},{}] x [{},{}], {} times: nothing to measure",
                            shape.batch,
                            shape.rows,
                            shape.in,
                            shape.in,
                            shape.out,
                            repetitions));
  }
  HEADSCOPE_TRY(CheckSize(shape.batch * shape.rows, std::max(shape.in, shape.out)));
  HEADSCOPE_TRY(CheckPrecision(shape.precision));
  return Guarded("a measured product", [&]() -> Result<RawProduct> {
    static_cast<void>(UseTeamOf(threads));
    Stopwatch stopwatch(repetitions);
    if (shape.batch == 1) {
      MeasureKinds(shape, &stopwatch);
    } else {
      MeasureBatch(shape, &stopwatch);
    }
    if (stopwatch.best().primitive.empty()) {
      return Fail(ErrorCode::kBackend,
                  fmt::format("oneDNN has only its reference code for [{},{}] x [{},{}]",
                              shape.rows,
                              shape.in,
                              shape.in,
                              shape.out));
    }
    return stopwatch.best();
  });
}

}  // namespace headscope
