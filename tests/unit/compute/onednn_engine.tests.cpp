#include "core/compute/onednn_engine.h"

#include <cstdlib>

#include "core/compute/float_kernels.h"
#include "core/compute/instruction_set.h"
#include "core/compute/raw_products.h"
#include "tests/unit/compute/backend_fixture.h"

namespace headscope {

TEST_CASE("No product runs oneDNN's reference code", "[compute][onednn]") {
  struct Shape {
    std::int64_t in, out;
  };
  const Shape shape = GENERATE(Shape{1, 1},
                               Shape{5, 3},
                               Shape{37, 49},
                               Shape{64, 172},
                               Shape{172, 64},
                               Shape{96, 288},
                               Shape{768, 2304},
                               Shape{768, 768});
  const WeightLayout layout = GENERATE(WeightLayout::kInOut, WeightLayout::kOutIn);
  const auto engine = OnednnEngine::Make();
  REQUIRE(engine);
  const std::vector<float> weights = RandomValues(shape.in * shape.out, 1);
  const auto packed = (*engine)->Pack(
      {.layout = layout, .in = shape.in, .out = shape.out, .weights = weights.data(), .bias = {}});
  REQUIRE(packed);
  for (const std::int64_t rows : {1, 2, 3, 5, 8, 13, 16, 31, 64, 100, 128, 200, 512}) {
    const auto name = (*engine)->Implementation(**packed, rows);
    REQUIRE(name);
    CAPTURE(rows, *name);
    CHECK(!IsReferenceImplementation(*name));
    CHECK(name->find("jit") + name->find("brg") != 2 * std::string::npos);
  }
}

TEST_CASE("oneDNN and our loops are as wide as the processor, or as its switch lets them be",
          "[compute][onednn]") {
  const char* held = std::getenv("ONEDNN_MAX_CPU_ISA");
  const std::string most = held == nullptr ? "" : held;
  CAPTURE(most);
  InstructionSet expected = InstructionSet::kPlain;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (most != "SSE41" && __builtin_cpu_supports("avx2") != 0) {
    expected = InstructionSet::kAvx2;
  }
  if (most.empty() && __builtin_cpu_supports("avx512bw") != 0) {
    expected = __builtin_cpu_supports("avx512bf16") != 0 ? InstructionSet::kAvx512Bfloat16
                                                         : InstructionSet::kAvx512;
  }
#endif
  REQUIRE((most.empty() || most == "SSE41" || most == "AVX2"));
  CHECK(UsableInstructionSet() == expected);
  const std::string loops = Kernels().name;
  CHECK(loops == (expected == InstructionSet::kPlain  ? "Plain"
                  : expected == InstructionSet::kAvx2 ? "Avx2"
                                                      : "Avx512"));
  const auto engine = OnednnEngine::Make();
  REQUIRE(engine);
  const std::vector<float> weights(256 * 256, 0.5F);
  const auto packed = (*engine)->Pack({.layout = WeightLayout::kInOut,
                                       .in = 256,
                                       .out = 256,
                                       .weights = weights.data(),
                                       .bias = {}});
  REQUIRE(packed);
  const auto name = (*engine)->Implementation(**packed, 128);
  REQUIRE(name);
  CAPTURE(*name);
  CHECK((name->find("avx512") != std::string::npos) == (expected >= InstructionSet::kAvx512));
  CHECK((name->find("avx") == std::string::npos || expected >= InstructionSet::kAvx2));
}

TEST_CASE("Reference implementations are known by their names", "[compute][onednn]") {
  CHECK(IsReferenceImplementation("ref:any"));
  CHECK(IsReferenceImplementation("x64:gemm:ref"));
  CHECK(IsReferenceImplementation("simple:any"));
  CHECK(!IsReferenceImplementation("brgemm:avx512_core"));
  CHECK(!IsReferenceImplementation("jit_1x1:avx2"));
  CHECK(!IsReferenceImplementation("x64:gemm:jit"));
}

TEST_CASE("Raw products are measured, and nonsense is refused", "[compute][onednn]") {
  for (const ProductShape& shape : {ProductShape{.rows = 16, .in = 64, .out = 64},
                                    ProductShape{.batch = 4, .rows = 32, .in = 16, .out = 32}}) {
    const auto raw = MeasureRawProduct(shape, 2);
    REQUIRE(raw);
    CHECK(raw->milliseconds > 0.0);
    CHECK(raw->milliseconds < 1000.0);
    CHECK(!IsReferenceImplementation(raw->primitive));
    CHECK((raw->primitive.find("batched") == 0) == (shape.batch > 1));
  }
  const auto refused = MeasureRawProduct({.rows = 0, .in = 64, .out = 64});
  REQUIRE(!refused);
  CHECK(refused.error().code == ErrorCode::kShape);
}

TEST_CASE("The number of threads does not change a bit of the attention", "[compute][onednn]") {
  const AttentionCase given = RandomCase(
      {.queries = 150, .keys = 150, .heads = 4, .kv_heads = 2, .head_dim = 32, .value_dim = 32},
      {.scale = 0.2, .causal = true},
      4);
  const auto one = MakeOnednnBackend({.threads = 1});
  const auto three = MakeOnednnBackend({.threads = 3});
  REQUIRE(one);
  REQUIRE(three);
  CHECK((*one)->Description().find("1 thread") != std::string::npos);
  CHECK((*three)->Description().find("3 threads") != std::string::npos);
  const Attended a = Attend(one->get(), given);
  const Attended b = Attend(three->get(), given);
  CHECK(a.maps.weights == b.maps.weights);
  CHECK(a.context == b.context);
}

TEST_CASE("Two backends give the same bits", "[compute][onednn]") {
  const std::vector<float> weights = RandomValues(192 * 64, 1);
  const std::vector<float> in = RandomValues(50 * 64, 2);
  LinearSource source{.layout = WeightLayout::kOutIn, .in = 64, .matrices = {}};
  source.matrices.push_back({.weight = View("w", {192, 64}, weights), .bias = std::nullopt});
  std::vector<std::vector<double>> results;
  for (int run = 0; run < 3; ++run) {
    const auto backend = MakeOnednnBackend();
    REQUIRE(backend);
    const auto linear = (*backend)->Prepare(source, {});
    REQUIRE(linear);
    const auto from = Loaded(backend->get(), 50, 64, in);
    auto out = (*backend)->Make(50, 192);
    REQUIRE((*backend)->Apply(**linear, *from, out->get(), {}));
    results.push_back(Values(**backend, **out));
  }
  CHECK(results[0] == results[1]);
  CHECK(results[0] == results[2]);
}

TEST_CASE("Scores past float32 are refused, not shown", "[compute][onednn]") {
  const auto backend = MakeOnednnBackend();
  REQUIRE(backend);
  AttentionCase given = RandomCase(
      {.queries = 9, .keys = 9, .heads = 2, .kv_heads = 2, .head_dim = 4, .value_dim = 4}, {}, 4);
  given.queries[9] = 3e38F;
  given.keys[9] = -3e38F;
  const auto q = Loaded(backend->get(), 9, 8, given.queries);
  const auto k = Loaded(backend->get(), 9, 8, given.keys);
  const AttentionInput input{.shape = given.shape,
                             .rule = given.rule,
                             .queries = q.get(),
                             .keys = k.get(),
                             .values = k.get()};
  given.keys[9] = 3e38F;
  (*backend)->Load(given.keys, k.get());
  const Status status = (*backend)->Attend(input, nullptr, nullptr, {});
  REQUIRE(!status);
  CHECK(status.error().code == ErrorCode::kNumeric);
}

TEST_CASE("A long product stops within 50 ms of being asked", "[compute][onednn]") {
  // Asked from within: the observer of a long attention requests the stop at its first block.
  class Stopper : public AttentionObserver {
   public:
    void OnBlock(const AttentionBlock& /*block*/) override {
      ++blocks;
      asked = CpuMilliseconds();
      source.request_stop();
    }
    int blocks = 0;
    std::stop_source source;
    double asked = 0.0;
  };
  const auto backend = MakeOnednnBackend();
  REQUIRE(backend);
  const std::int64_t n = 2048;
  const auto q = Loaded(backend->get(), n, 256, RandomValues(n * 256, 1));
  Stopper stopper;
  const AttentionInput input{
      .shape =
          {.queries = n, .keys = n, .heads = 4, .kv_heads = 4, .head_dim = 64, .value_dim = 64},
      .rule = {.scale = 0.1},
      .queries = q.get(),
      .keys = q.get(),
      .values = q.get()};
  const Status status = (*backend)->Attend(input, &stopper, nullptr, stopper.source.get_token());
  REQUIRE(!status);
  CHECK(status.error().code == ErrorCode::kCancelled);
  CHECK(stopper.blocks == 1);
  CHECK(CpuMilliseconds() - stopper.asked < 50.0);
}

}  // namespace headscope
