// The tree of head counts, and the sum that it promises.
#include "core/headcount/lineage.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/support/catch.h"
#include "tests/unit/headcount/layer.h"

namespace headscope {
namespace {

using Layer = std::shared_ptr<const LayerAttention>;

SplitResult Maps(const Layer& layer, const SplitRequest& request) {
  const auto backend = MakeReferenceBackend();
  auto maps = SplitMaps(backend.get(), layer, request, {});
  REQUIRE(maps.has_value());
  return *maps;
}

double LargestDifferenceInDouble(const SplitResult& split, const SplitTree& tree) {
  double largest = 0.0;
  for (std::size_t at = 0; at < tree.rows.size(); ++at) {
    if (!tree.rows[at].above) {
      continue;
    }
    const LayerAttention& parents = *split.counts[*tree.rows[at].above].attention;
    const LayerAttention& children = *split.counts[at].attention;
    for (std::int64_t parent = 0; parent < parents.shape().heads; ++parent) {
      const auto heads = tree.Children(at, parent);
      for (std::int64_t query = 0; query < parents.shape().queries; ++query) {
        for (std::int64_t key = 0; key < parents.shape().keys; ++key) {
          const DotSum sum = SumOfDots(parents, parent, children, heads, query, key);
          largest = std::max(largest, std::abs(sum.sum - sum.parent) / sum.norms);
        }
      }
    }
  }
  return largest;
}

}  // namespace

TEST_CASE("Contiguous heads stand under those whose columns they share", "[headcount][lineage]") {
  const SplitResult split = Maps(MakeLayer({}), {.head_counts = {1, 2, 3, 4, 8, 12}});  // of 24
  const SplitTree tree = MakeSplitTree(split);
  CHECK_FALSE(tree.rows[0].above);
  CHECK(tree.rows[1].above == std::size_t{0});
  CHECK(tree.rows[1].parent == std::vector<std::int64_t>{0, 0});
  // 3 does not divide into halves: the middle third has columns of both.
  CHECK(tree.rows[2].above == std::size_t{0});
  CHECK(tree.rows[2].fault == LineageFault::kSpread);
  CHECK(tree.rows[2].faulty_head == 1);
  CHECK(tree.rows[3].above == std::size_t{1});
  CHECK(tree.rows[3].parent == std::vector<std::int64_t>{0, 0, 1, 1});
  CHECK(tree.rows[4].above == std::size_t{3});
  CHECK(tree.rows[5].above == std::size_t{3});
  CHECK(tree.rows[5].parent == std::vector<std::int64_t>{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3});
  CHECK(tree.Children(5, 2) == std::vector<std::int64_t>{6, 7, 8});
  CHECK(tree.Below(3) == std::size_t{4});
  CHECK_FALSE(tree.Below(5));
  // Head 7 of 12, head 2 of 4, head 1 of 2, head 0 of 1.
  CHECK(tree.AreKin(5, 7, 3, 2));
  CHECK(tree.AreKin(1, 1, 5, 7));
  CHECK(tree.AreKin(0, 0, 5, 7));
  CHECK(tree.AreKin(5, 7, 5, 7));
  CHECK_FALSE(tree.AreKin(1, 0, 5, 7));
  CHECK_FALSE(tree.AreKin(5, 7, 5, 8));
  CHECK_FALSE(tree.AreKin(4, 5, 5, 7));  // of another branch, though columns are shared
}

TEST_CASE("Strided heads have parents, and stand beside their siblings", "[headcount][lineage]") {
  const SplitTree tree = MakeSplitTree(
      Maps(MakeLayer({}), {.head_counts = {1, 2, 4}, .segments = SegmentKind::kStrided}));
  CHECK(tree.rows[2].above == std::size_t{1});
  CHECK(tree.rows[2].parent == std::vector<std::int64_t>{0, 1, 0, 1});
  CHECK(tree.rows[2].place == std::vector<std::int64_t>{0, 2, 1, 3});
}

TEST_CASE("Heads that share columns, or leave some out, are nobody's children",
          "[headcount][lineage]") {
  const SplitTree random = MakeSplitTree(
      Maps(MakeLayer({}), {.head_counts = {1, 2, 4}, .segments = SegmentKind::kRandom, .seed = 3}));
  CHECK_FALSE(random.rows[1].above);
  CHECK((random.rows[1].fault == LineageFault::kShared ||
         random.rows[1].fault == LineageFault::kLeftOut));
  CHECK(random.rows[2].fault != LineageFault::kNone);
  CHECK(random.rows[1].place == std::vector<std::int64_t>{0, 1});
  const SplitTree wide = MakeSplitTree(
      Maps(MakeLayer({}),
           {.head_counts = {1, 2}, .segments = SegmentKind::kOverlapping, .head_dim = 16}));
  CHECK_FALSE(wide.rows[1].above);
  const SplitTree all = MakeSplitTree(
      Maps(MakeLayer({}),
           {.head_counts = {1, 2}, .segments = SegmentKind::kOverlapping, .head_dim = 24}));
  CHECK(all.rows[1].fault == LineageFault::kShared);
}

TEST_CASE("Children's dot products add up to their parent's, over shapes and segments",
          "[headcount][lineage]") {
  for (const SegmentKind kind : {SegmentKind::kContiguous, SegmentKind::kStrided}) {
    for (const std::int64_t kv_heads : {4, 2, 1}) {
      for (const bool causal : {true, false}) {
        LayerOptions options;
        options.kv_heads = kv_heads;
        options.causal = causal;
        const SplitResult split =
            Maps(MakeLayer(options), {.head_counts = {1, 2, 3, 4, 5, 6, 12, 24}, .segments = kind});
        const SplitTree tree = MakeSplitTree(split);
        CAPTURE(Name(kind), kv_heads, causal);
        CHECK(LargestDifferenceInDouble(split, tree) <= 1e-12);
        for (std::size_t at = 1; at < tree.rows.size(); ++at) {
          REQUIRE(tree.rows[at].above);  // h = 1 has every column
          const LayerAttention& parents = *split.counts[*tree.rows[at].above].attention;
          for (std::int64_t parent = 0; parent < parents.shape().heads; ++parent) {
            const auto heads = tree.Children(at, parent);
            const auto check = CheckDots(parents, parent, *split.counts[at].attention, heads, {});
            REQUIRE(check.has_value());
            CHECK(check->relative <= 1e-6);
            CHECK(check->cells == (causal ? 45 : 81));
            // The cell it names has that difference, as far as float32 and double agree.
            const DotSum sum = SumOfDots(
                parents, parent, *split.counts[at].attention, heads, check->query, check->key);
            CHECK(check->largest <= 1e-6 * sum.norms);
          }
        }
      }
    }
  }
}

TEST_CASE("A sum that lacks a child is seen, at the cell where it lacks most",
          "[headcount][lineage]") {
  const SplitResult split = Maps(MakeLayer({}), {.head_counts = {1, 4}});
  const std::vector<std::int64_t> some = {0, 1, 3};
  const LayerAttention& parents = *split.counts[0].attention;
  const LayerAttention& children = *split.counts[1].attention;
  const auto check = CheckDots(parents, 0, children, some, {});
  REQUIRE(check.has_value());
  double most = 0.0;
  for (std::int64_t query = 0; query < 9; ++query) {
    for (std::int64_t key = 0; key <= query; ++key) {
      most = std::max(most, std::abs(children.DotProduct(2, query, key)));
    }
  }
  CHECK(std::abs(check->largest - most) <= 1e-5);
  CHECK(std::abs(std::abs(children.DotProduct(2, check->query, check->key)) - most) <= 1e-5);
  CHECK(check->relative > 1e-3);
}

TEST_CASE("A check that is stopped says so", "[headcount][lineage]") {
  const SplitResult split = Maps(MakeLayer({}), {.head_counts = {1, 2}});
  std::stop_source stop;
  stop.request_stop();
  const std::vector<std::int64_t> heads = {0, 1};
  const auto check =
      CheckDots(*split.counts[0].attention, 0, *split.counts[1].attention, heads, stop.get_token());
  REQUIRE_FALSE(check.has_value());
  CHECK(check.error().code == ErrorCode::kCancelled);
}

TEST_CASE("A split is heard of map by map, then as it is measured", "[headcount][lineage]") {
  Output output(MakeReferenceBackend(), 24, 10);
  const SplitSource source{.backend = output.backend(),
                           .output = &output.linear(),
                           .costs = {.weights = 1000, .biases = 30},
                           .layer = MakeLayer({})};
  const SplitRequest request{.head_counts = {1, 2, 4}, .keeps_outputs = false};
  std::vector<std::size_t> counts;
  std::vector<std::ptrdiff_t> measured;
  std::vector<Layer> first;
  SplitProgress progress;
  progress.listener = [&](const SplitResult& result) {
    counts.push_back(result.counts.size());
    measured.push_back(std::ranges::count(result.counts, true, &SplitCount::is_measured));
    CHECK(result.planned == request.head_counts);
    if (counts.size() == 3) {
      first = result.Cuts();
    }
  };
  const auto split = SplitLayer(source, request, {}, progress);
  REQUIRE(split.has_value());
  CHECK(counts == std::vector<std::size_t>{1, 2, 3, 3, 3, 3});
  CHECK(measured == std::vector<std::ptrdiff_t>{0, 0, 0, 1, 2, 3});
  CHECK(split->Cuts() == first);  // what is shown stays what it was
  // The same as without anyone who listens.
  const auto silent = SplitLayer(source, request, {});
  REQUIRE(silent.has_value());
  for (std::size_t at = 0; at < 3; ++at) {
    CHECK(split->counts[at].output_difference == silent->counts[at].output_difference);
    CHECK(split->counts[at].mean_divergence == silent->counts[at].mean_divergence);
    CHECK(split->counts[at].attention->content().row_max ==
          silent->counts[at].attention->content().row_max);
    CHECK(split->counts[at].attention->content().row_inverse_sum ==
          silent->counts[at].attention->content().row_inverse_sum);
  }
}

}  // namespace headscope
