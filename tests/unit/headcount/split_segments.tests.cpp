// Segments of every kind, cut from the layer and from a model.
#include <algorithm>
#include <cmath>

#include "core/headcount/split.h"
#include "core/headcount/split_export.h"
#include "core/io/json.h"
#include "core/io/safetensors.h"
#include "tests/reference/split_reference.h"
#include "tests/support/captured.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/headcount/layer.h"

namespace headscope {
namespace {

using Layer = std::shared_ptr<const LayerAttention>;

constexpr SegmentKind kKinds[] = {SegmentKind::kContiguous,
                                  SegmentKind::kStrided,
                                  SegmentKind::kRandom,
                                  SegmentKind::kOverlapping};

Result<SplitResult> SplitSegments(Output* output, const Layer& layer, const SplitRequest& request) {
  return SplitLayer({.backend = output->backend(),
                     .output = &output->linear(),
                     .costs = {.weights = 1000, .biases = 30},
                     .layer = layer},
                    request,
                    {});
}

std::int64_t Owned(const LayerAttention& cut) {
  std::int64_t owned = 0;
  for (std::int64_t head = 0; head < cut.shape().heads; ++head) {
    owned += std::ssize(cut.columns(head));
  }
  return owned;
}

TEST_CASE("Every kind of segments gives the reference's maps and counts what nobody owns",
          "[headcount][segments]") {
  LayerOptions options;
  options.kv_heads = GENERATE(4, 2, 1);
  const Layer layer = MakeLayer(options);
  for (const SegmentKind kind : kKinds) {
    const bool has_width = kind == SegmentKind::kRandom || kind == SegmentKind::kOverlapping;
    for (const std::int64_t own : {0, 5, 24}) {
      if (own > 0 && !has_width) {
        continue;
      }
      Output output(MakeReferenceBackend(), 24, 10);
      const SplitRequest request{.head_counts = {1, 2, 3, 5, 24},
                                 .segments = kind,
                                 .head_dim = own > 0 ? std::optional(own) : std::nullopt};
      const auto split = SplitSegments(&output, layer, request);
      REQUIRE(split.has_value());
      for (const SplitCount& count : split->counts) {
        CAPTURE(Name(kind), own, count.heads);
        const auto columns = SegmentColumns(request, 24, count.heads);
        const LayerAttention& cut = *count.attention;
        std::vector<int> owners(24, 0);
        for (std::int64_t head = 0; head < count.heads; ++head) {
          CHECK(cut.columns(head) == columns[static_cast<std::size_t>(head)]);
          for (const std::int32_t column : cut.columns(head)) {
            ++owners[static_cast<std::size_t>(column)];
          }
        }
        CHECK(count.unowned_columns == std::ranges::count(owners, 0));
        CHECK(count.multiplies == 9 * 1000 + 2 * 9 * 9 * Owned(cut));
        CHECK(count.parameters == 1030);
        const std::vector<double> expected = SplitMapsReference(*layer, columns);
        const std::vector<float> maps = test::AllMaps({count.attention});
        REQUIRE(maps.size() == expected.size());
        for (std::size_t i = 0; i < maps.size(); ++i) {
          CHECK(maps[i] == test::Near(expected[i], test::kUnit));
        }
      }
    }
  }
}

TEST_CASE("Columns that nobody owns add nothing, shared ones count once", "[headcount][segments]") {
  const Layer layer = MakeLayer({});
  Output output(MakeReferenceBackend(), 24, 10);
  // One head with every column twice over is one head.
  const auto whole = SplitSegments(&output, layer, {.head_counts = {1}});
  const auto twice = SplitSegments(
      &output, layer, {.head_counts = {2}, .segments = SegmentKind::kOverlapping, .head_dim = 24});
  REQUIRE(whole.has_value());
  REQUIRE(twice.has_value());
  for (std::size_t i = 0; i < whole->counts[0].output.size(); ++i) {
    CHECK(twice->counts[0].output[i] ==
          test::Near(static_cast<double>(whole->counts[0].output[i]), 1e-4));
  }
  const auto sparse = SplitSegments(
      &output, layer, {.head_counts = {1}, .segments = SegmentKind::kOverlapping, .head_dim = 3});
  REQUIRE(sparse.has_value());
  CHECK(sparse->counts[0].unowned_columns == 21);
  CHECK(sparse->counts[0].output_difference > 0.0);
}

TEST_CASE("Segments of the trained count are held against the contiguous one",
          "[headcount][segments]") {
  const Layer layer = MakeLayer({});
  for (const SegmentKind kind : kKinds) {
    Output output(MakeReferenceBackend(), 24, 10);
    const auto split = SplitSegments(&output, layer, {.head_counts = {4}, .segments = kind});
    REQUIRE(split.has_value());
    const bool same = kind == SegmentKind::kContiguous || kind == SegmentKind::kOverlapping;
    // Overlapping heads of D/h columns do not overlap where h divides D.
    CHECK((split->counts[0].output_difference == 0.0) == same);
    CHECK(split->IsTrained(split->counts[0]) == (kind == SegmentKind::kContiguous));
  }
}

TEST_CASE("Overlapping heads share half of their columns with the next one where that is asked for",
          "[headcount][segments]") {
  for (const std::int64_t width : {24, 64, 256, 7, 1}) {
    const SplitRequest request{
        .head_counts = {}, .segments = SegmentKind::kOverlapping, .shares_half = true};
    for (std::int64_t heads = 1; heads <= width; ++heads) {
      CAPTURE(width, heads);
      const auto columns = SegmentColumns(request, width, heads);
      const std::int64_t own = HeadDimOf(request, width, heads);
      // About 2 D / h: exactly 2 D / (h + 1), to the nearest.
      CHECK(std::abs(static_cast<double>(own) -
                     2.0 * static_cast<double>(width) / static_cast<double>(heads + 1)) <= 0.5);
      CHECK(columns.front().front() == 0);
      CHECK(columns.back().back() == width - 1);
      std::vector<int> owners(static_cast<std::size_t>(width), 0);
      for (const auto& head : columns) {
        CHECK(std::ssize(head) == own);
        for (const std::int32_t column : head) {
          ++owners[static_cast<std::size_t>(column)];
        }
      }
      CHECK(std::ranges::count(owners, 0) == 0);
      if (heads > 1 && width >= 2 * heads) {
        CHECK(std::ranges::any_of(owners, [](int count) { return count > 1; }));
      }
    }
    // A width that is asked for stays as it is; random heads have D/h.
    CHECK(HeadDimOf({.head_counts = {},
                     .segments = SegmentKind::kOverlapping,
                     .head_dim = 3,
                     .shares_half = true},
                    width,
                    1) == 3);
    CHECK(HeadDimOf({.head_counts = {}, .segments = SegmentKind::kRandom, .shares_half = true},
                    width,
                    1) == width);
  }
  // So they are not the contiguous ones, and are held against these.
  const Layer layer = MakeLayer({});
  Output output(MakeReferenceBackend(), 24, 10);
  const auto split = SplitSegments(
      &output,
      layer,
      {.head_counts = {4}, .segments = SegmentKind::kOverlapping, .shares_half = true});
  REQUIRE(split.has_value());
  CHECK(split->counts[0].output_difference > 0.01);
  const auto contiguous = SplitSegments(&output, layer, {.head_counts = {4}});
  REQUIRE(contiguous.has_value());
  CHECK(split->contiguous_effective_heads == contiguous->counts[0].effective_heads);
  CHECK_FALSE(contiguous->contiguous_effective_heads);
}

TEST_CASE("Random segments change with the seed and with nothing else", "[headcount][segments]") {
  const Layer layer = MakeLayer({});
  const auto columns = [&](std::uint64_t seed, std::vector<std::int64_t> counts) {
    Output output(MakeReferenceBackend(), 24, 10);
    const auto split = SplitSegments(
        &output,
        layer,
        {.head_counts = std::move(counts), .segments = SegmentKind::kRandom, .seed = seed});
    REQUIRE(split.has_value());
    return split->counts.back().attention->content().cut->columns;
  };
  CHECK(columns(1, {4}) == columns(1, {2, 4}));
  CHECK(columns(1, {4}) != columns(2, {4}));
}

TEST_CASE("A width of heads that cannot be is refused", "[headcount][segments]") {
  const Layer layer = MakeLayer({});
  Output output(MakeReferenceBackend(), 24, 10);
  for (const std::int64_t own : {std::int64_t{0}, std::int64_t{25}}) {
    const auto split = SplitSegments(
        &output, layer, {.head_counts = {2}, .segments = SegmentKind::kRandom, .head_dim = own});
    REQUIRE_FALSE(split.has_value());
    CHECK(split.error().code == ErrorCode::kInput);
    CHECK(split.error().message.find("24") != std::string::npos);
  }
  const auto fixed = SplitSegments(&output, layer, {.head_counts = {2}, .head_dim = 3});
  REQUIRE_FALSE(fixed.has_value());
  CHECK(fixed.error().message.find("contiguous") != std::string::npos);
}

TEST_CASE("Files say how the columns were cut, with what and of what", "[headcount][segments]") {
  const test::TempFolder folder;
  const Layer layer = MakeLayer({});
  Output output(MakeReferenceBackend(), 24, 10);
  const auto split = SplitSegments(&output,
                                   layer,
                                   {.head_counts = {3},
                                    .segments = SegmentKind::kOverlapping,
                                    .head_dim = 10,
                                    .weights = SplitWeights::kOnes,
                                    .input_scale = 0.01,
                                    .seed = 18446744073709551615U});
  REQUIRE(split.has_value());
  const auto json = JsonDocument::Parse(SplitJson(*split), "split");
  REQUIRE(json.has_value());
  CHECK(json->root().Find("segments")->Text() == "overlapping");
  CHECK(json->root().Find("weights")->Text() == "ones");
  CHECK(json->root().Find("input")->Text() == "normal");
  CHECK(json->root().Find("input_scale")->Number() == 0.01);
  CHECK(json->root().Find("head_dim")->Integer() == 10);
  CHECK(json->root().Find("part")->Text() == "decoder");
  CHECK(json->root().Find("scales")->Array()->size() == 4);
  const SplitAbout about = {{"model", "probe \"x\""}, {"ids", "[5,6]"}};
  const auto told = JsonDocument::Parse(SplitJson(*split, about), "split");
  REQUIRE(told.has_value());
  CHECK(told->root().Find("model")->Text() == "probe \"x\"");
  CHECK(told->root().Find("ids")->Array()->size() == 2);
  REQUIRE(WriteSplit(folder / "s.safetensors", *split, about).has_value());
  const auto file = WeightStore::OpenSafetensors(folder / "s.safetensors");
  REQUIRE(file.has_value());
  CHECK(file->metadata().at("segments") == "overlapping");
  CHECK(file->metadata().at("weights") == "ones");
  CHECK(file->metadata().at("input") == "normal");
  CHECK(file->metadata().at("input_scale") == "0.01");
  CHECK(file->metadata().at("seed") == "18446744073709551615");
  CHECK(file->metadata().at("head_dim") == "10");
  CHECK(file->metadata().at("part") == "decoder");
  CHECK(file->metadata().at("ids") == "[5,6]");
  CHECK(file->Find("columns_3")->shape == std::vector<std::int64_t>{30});
}

}  // namespace
}  // namespace headscope
