#include "core/compute/onednn_engine.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "core/compute/float_buffer.h"
#include "core/compute/float_kernels.h"
#include "core/compute/onednn_primitives.h"

namespace headscope {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

bool Contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

struct Ready {
  dnnl::primitive primitive;
  memory in;
  memory out;
  memory scratch;
  std::size_t scratch_bytes = 0;
  std::unordered_map<int, memory> arguments;
  std::string name;
};

}  // namespace

struct PackedWeights::State {
  ProductKind kind = ProductKind::kMatmul;
  Precision precision = Precision::kF32;
  std::int64_t in = 0;
  std::int64_t out = 0;
  std::size_t format = 0;  // index among the layouts that the engine has seen
  std::unique_ptr<FloatBuffer> cells;
  memory weights;  // points into `cells`
  memory bias;
};

PackedWeights::PackedWeights() : state(std::make_unique<State>()) {}
PackedWeights::~PackedWeights() = default;

struct OnednnEngine::State {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  std::vector<memory::desc> formats;
  std::map<std::tuple<std::int64_t, std::int64_t, Precision>, std::pair<ProductKind, memory::desc>>
      plans;
  std::map<std::tuple<ProductKind, std::size_t, std::int64_t, std::int64_t, std::int64_t>, Ready>
      ready;
  std::unique_ptr<FloatBuffer> scratch = std::make_unique<FloatBuffer>(0);
  std::unique_ptr<FloatBuffer> rounded = std::make_unique<FloatBuffer>(0);

  // Returns `in` as bfloat16, valid until the next call.
  const void* Rounded(const float* in, std::int64_t rows, std::int64_t cols) {
    const auto floats = static_cast<std::size_t>((rows * cols + 1) / 2);
    if (rounded->size() < floats) {
      rounded = std::make_unique<FloatBuffer>(floats);
    }
    auto* to = reinterpret_cast<std::uint16_t*>(rounded->data());
#pragma omp parallel for schedule(static) default(none) shared(in, rows, cols, to)
    for (std::int64_t row = 0; row < rows; ++row) {
      Kernels().to_bfloat16(in + row * cols, to + row * cols, cols);
    }
    return to;
  }

  std::size_t Format(const memory::desc& layout) {
    const auto found = std::find(formats.begin(), formats.end(), layout);
    if (found == formats.end()) {
      formats.push_back(layout);
      return formats.size() - 1;
    }
    return static_cast<std::size_t>(found - formats.begin());
  }

  // Allocates memory for weights in `layout`.
  void Place(const memory::desc& layout, PackedWeights::State* weights) {
    auto cells =
        std::make_unique<FloatBuffer>((layout.get_size() + sizeof(float) - 1) / sizeof(float));
    weights->weights = memory(layout, engine, cells->data());
    weights->format = Format(layout);
    weights->cells = std::move(cells);
  }

  void Reorder(memory from, memory to) {
    dnnl::reorder(from, to).execute(stream, from, to);
    stream.wait();
  }

  // Packs in pieces of whole columns, if the layout can be split.
  Status Pack(const memory& from, PackedWeights::State* to, const std::stop_token& stop) {
    constexpr std::int64_t kNumbersAtOnce = std::int64_t{1} << 22;
    constexpr std::int64_t kColumnsTogether = 64;  // layouts group at most this many
    const std::int64_t step =
        std::max(kNumbersAtOnce / to->in / kColumnsTogether, std::int64_t{1}) * kColumnsTogether;
    const bool is_matmul = to->kind == ProductKind::kMatmul;
    for (std::int64_t column = 0; column < to->out; column += step) {
      if (stop.stop_requested()) {
        return Fail(ErrorCode::kCancelled, "packing the weights was stopped");
      }
      const std::int64_t count = std::min(step, to->out - column);
      memory::dims dims = {count, to->in, 1, 1};
      memory::dims offsets = {column, 0, 0, 0};
      if (to->kind != ProductKind::kConvolution) {
        dims = is_matmul ? memory::dims{to->in, count} : memory::dims{count, to->in};
        offsets = is_matmul ? memory::dims{0, column} : memory::dims{column, 0};
      }
      const memory::desc part = to->weights.get_desc().submemory_desc(dims, offsets, true);
      if (part.get_size() == 0) {  // the layout cannot be split here
        Reorder(from, to->weights);
        return {};
      }
      Reorder(memory(from.get_desc().submemory_desc(dims, offsets), engine, from.get_data_handle()),
              memory(part, engine, to->weights.get_data_handle()));
    }
    return {};
  }

  void* Scratch(std::size_t bytes) {
    const std::size_t floats = (bytes + sizeof(float) - 1) / sizeof(float);
    if (scratch->size() < floats) {
      scratch = std::make_unique<FloatBuffer>(floats);
    }
    return scratch->data();
  }

  Ready Prepared(const Candidate& candidate) {
    Ready made;
    made.primitive = dnnl::primitive(candidate.primitive.get());
    made.in = memory(candidate.in, engine, nullptr);
    made.out = memory(candidate.out, engine, nullptr);
    made.name = candidate.name;
    made.arguments = {{DNNL_ARG_SRC, made.in}, {DNNL_ARG_DST, made.out}};
    const memory::desc scratch_layout = candidate.primitive.scratchpad_desc();
    made.scratch_bytes = scratch_layout.get_size();
    if (made.scratch_bytes > 0) {
      made.scratch = memory(scratch_layout, engine, nullptr);
      made.arguments.emplace(DNNL_ARG_SCRATCHPAD, made.scratch);
    }
    return made;
  }

  void Run(Ready* primitive, const PackedWeights::State& weights, const void* in, float* out) {
    primitive->in.set_data_handle(const_cast<void*>(in));
    primitive->out.set_data_handle(out);
    if (primitive->scratch_bytes > 0) {
      primitive->scratch.set_data_handle(Scratch(primitive->scratch_bytes));
    }
    primitive->arguments[DNNL_ARG_WEIGHTS] = weights.weights;
    primitive->arguments[DNNL_ARG_BIAS] = weights.bias;
    primitive->primitive.execute(stream, primitive->arguments);
    stream.wait();
  }

  // With brgemm (AVX-512) the matmul keeps one layout for every length and is best or equal from
  // 128 rows on (the inner product is a twentieth slower, the convolution's layout changes with the
  // length). Without it the 1x1 convolution (jit_1x1, from oneDNN 3 on brgconv_1x1) beats the
  // general product by a tenth to a half, in one layout, and a row's sums do not depend on how many
  // rows come with it. The general product serves all other cases.
  Result<std::pair<ProductKind, memory::desc>> Plan(std::int64_t in,
                                                    std::int64_t out,
                                                    Precision precision) {
    const auto known = plans.find({in, out, precision});
    if (known != plans.end()) {
      return known->second;
    }
    constexpr std::int64_t kUsualRows = 128;
    struct Choice {
      ProductKind kind;
      const char* name;
    };
    constexpr Choice kChoices[] = {{ProductKind::kMatmul, "brg"},
                                   {ProductKind::kConvolution, "1x1"},
                                   {ProductKind::kMatmul, ""},
                                   {ProductKind::kInnerProduct, ""}};
    std::string seen;
    for (const Choice& choice : kChoices) {
      try {
        const Candidate candidate = MakeCandidate(
            engine, choice.kind, kUsualRows, WeightsAny(choice.kind, in, out, precision), in, out);
        seen += seen.empty() ? candidate.name : ", " + candidate.name;
        if (Contains(candidate.name, choice.name) && !IsReferenceImplementation(candidate.name)) {
          const std::pair plan(choice.kind, candidate.primitive.weights_desc());
          plans.emplace(std::tuple(in, out, precision), plan);
          return plan;
        }
      } catch (const dnnl::error& error) {
        if (error.status != dnnl_unimplemented) {
          throw;
        }
      }
    }
    return Fail(ErrorCode::kBackend,
                fmt::format("oneDNN {} has no fast product [rows,{}] x [{},{}] on this processor, "
                            "only: {}",
                            Version(),
                            in,
                            in,
                            out,
                            seen.empty() ? "none" : seen));
  }

  // Finds the primitive for these weights as they are packed, or else one for a layout of its own
  // choice, to which the weights are then converted.
  Result<Ready*> Find(PackedWeights::State* weights, std::int64_t rows) {
    const auto key = [&] {
      return std::tuple(weights->kind, weights->format, rows, weights->in, weights->out);
    };
    const auto known = ready.find(key());
    if (known != ready.end()) {
      return &known->second;
    }
    constexpr std::size_t kMostPrimitives = 512;
    if (ready.size() >= kMostPrimitives) {
      ready.clear();
    }
    for (const bool as_packed : {true, false}) {
      try {
        const memory::desc layout =
            as_packed ? weights->weights.get_desc()
                      : WeightsAny(weights->kind, weights->in, weights->out, weights->precision);
        const Candidate candidate =
            MakeCandidate(engine, weights->kind, rows, layout, weights->in, weights->out);
        if (IsReferenceImplementation(candidate.name)) {
          continue;
        }
        if (!as_packed) {
          const memory before = weights->weights;
          const std::unique_ptr<FloatBuffer> cells = std::move(weights->cells);
          Place(candidate.primitive.weights_desc(), weights);
          Reorder(before, weights->weights);
        }
        return &ready.insert_or_assign(key(), Prepared(candidate)).first->second;
      } catch (const dnnl::error& error) {
        if (error.status != dnnl_unimplemented) {
          throw;
        }
      }
    }
    return Fail(ErrorCode::kBackend,
                fmt::format("oneDNN {} has only its reference code for [{},{}] x [{},{}]",
                            Version(),
                            rows,
                            weights->in,
                            weights->in,
                            weights->out));
  }
};

bool IsReferenceImplementation(const std::string& name) {
  return Contains(name, "ref") || Contains(name, "simple") || Contains(name, "undef");
}

OnednnEngine::OnednnEngine() = default;
OnednnEngine::~OnednnEngine() = default;

std::string OnednnEngine::Version() {
  const dnnl_version_t* version = dnnl_version();
  return fmt::format("{}.{}.{}", version->major, version->minor, version->patch);
}

Result<std::unique_ptr<OnednnEngine>> OnednnEngine::Make() {
  return Guarded("its start on this processor", []() -> Result<std::unique_ptr<OnednnEngine>> {
    std::unique_ptr<OnednnEngine> made(new OnednnEngine);
    made->state_ = std::make_unique<State>();
    // The general product and SmallProduct share one kernel: if it is reference code, so is
    // everything.
    const Candidate general = MakeCandidate(
        made->state_->engine, ProductKind::kMatmul, 64, Described({64, 64}, Tag::ab), 64, 64);
    if (IsReferenceImplementation(general.name)) {
      return Fail(ErrorCode::kBackend,
                  fmt::format("oneDNN {} has only its reference code ({}) on this processor",
                              Version(),
                              general.name));
    }
    return made;
  });
}

Result<std::unique_ptr<PackedWeights>> OnednnEngine::Pack(const PlainWeights& plain,
                                                          const std::stop_token& stop) {
  return Guarded("the packing of weights", [&]() -> Result<std::unique_ptr<PackedWeights>> {
    HEADSCOPE_TRY(const auto plan, state_->Plan(plain.in, plain.out, plain.precision));
    auto packed = std::make_unique<PackedWeights>();
    PackedWeights::State& to = *packed->state;
    to.kind = plan.first;
    to.precision = plain.precision;
    to.in = plain.in;
    to.out = plain.out;
    state_->Place(plan.second, &to);
    HEADSCOPE_TRY(state_->Pack(memory(WeightsPlain(to.kind, plain.layout, plain.in, plain.out),
                                      state_->engine,
                                      const_cast<float*>(plain.weights)),
                               &to,
                               stop));
    to.bias = memory(to.kind == ProductKind::kMatmul ? Described({1, plain.out}, Tag::ab)
                                                     : Described({plain.out}, Tag::a),
                     state_->engine);
    auto* bias = static_cast<float*>(to.bias.get_data_handle());
    std::fill_n(bias, plain.out, 0.0F);
    std::copy(plain.bias.begin(), plain.bias.end(), bias);
    return packed;
  });
}

Status OnednnEngine::Multiply(const PackedWeights& weights,
                              const float* in,
                              std::int64_t rows,
                              float* out) {
  return Guarded("a product", [&]() -> Status {
    HEADSCOPE_TRY(const auto primitive, state_->Find(weights.state.get(), rows));
    const bool is_rounded = weights.state->precision == Precision::kBf16;
    state_->Run(primitive,
                *weights.state,
                is_rounded ? state_->Rounded(in, rows, weights.state->in) : in,
                out);
    return {};
  });
}

Result<std::string> OnednnEngine::Implementation(const PackedWeights& weights, std::int64_t rows) {
  return Guarded("a product", [&]() -> Result<std::string> {
    HEADSCOPE_TRY(const auto primitive, state_->Find(weights.state.get(), rows));
    return fmt::format("{} {}", Name(weights.state->kind), primitive->name);
  });
}

bool Multiply(const SmallProduct& product) {
  return dnnl_sgemm('N',
                    product.b_transposed ? 'T' : 'N',
                    product.rows,
                    product.cols,
                    product.in,
                    product.alpha,
                    product.a,
                    product.a_stride,
                    product.b,
                    product.b_stride,
                    product.is_added ? 1.0F : 0.0F,
                    product.c,
                    product.c_stride) == dnnl_success;
}

}  // namespace headscope
