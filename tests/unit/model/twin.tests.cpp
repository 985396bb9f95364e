#include "core/model/twin.h"

#include <algorithm>

#include "core/model/forward.h"
#include "core/model/read_weights.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

std::vector<float> Sorted(std::vector<float> values) {
  std::ranges::sort(values);
  return values;
}

}  // namespace

TEST_CASE("a twin has the entries of each query and key matrix in another order", "[model]") {
  for (const Family* family : AllFamilies()) {
    INFO(family->id);
    const auto model = test::TinyModel(family->example).Open();
    const auto twin = MakeTwin(model, 1, {});
    if (HasLatents(model->description())) {
      REQUIRE_FALSE(twin);
      CHECK_THAT(twin.error().message, Says("narrow latent"));
      continue;
    }
    REQUIRE(twin);
    const auto again = MakeTwin(model, 1, {});
    const auto other = MakeTwin(model, 2, {});
    REQUIRE(again);
    REQUIRE(other);
    const ModelDescription& about = model->description();
    for (std::size_t layer = 0; layer < about.layer.size(); ++layer) {
      const HeadWidths widths = about.WidthsOf(about.layer[layer]);
      const bool has_keys = !about.layer[layer].keys_of;
      const std::int64_t queries = about.heads * widths.key;
      const std::int64_t keys = has_keys ? about.kv_heads * widths.key : 0;
      const std::int64_t values = has_keys ? about.kv_heads * widths.value : 0;
      const auto columns = [&](const Model& of, std::int64_t first, std::int64_t count) {
        return ReadColumns(of, of.description().layer[layer].query_key_value, first, count);
      };
      for (const auto& [first, count] :
           {std::pair(std::int64_t{0}, queries), std::pair(queries, keys)}) {
        if (count == 0) {
          continue;
        }
        const auto before = columns(*model, first, count);
        const auto after = columns(**twin, first, count);
        CHECK(before.weight != after.weight);
        CHECK(Sorted(before.weight) == Sorted(after.weight));
        CHECK(before.bias == after.bias);
        CHECK(columns(**again, first, count).weight == after.weight);
        CHECK(columns(**other, first, count).weight != after.weight);
      }
      CHECK(columns(*model, queries + keys, values).weight ==
            columns(**twin, queries + keys, values).weight);
    }
    CHECK((*twin)->fingerprint() != model->fingerprint());
    const auto backend = MakeReferenceBackend();
    Forward forward(*twin, backend.get());
    CHECK(forward.Run({.ids = {1, 2, 3}, .embeddings = {}}, about.layers - 1, nullptr, {}));
  }
}

TEST_CASE("a twin of an encoder-decoder has its decoder and cross-attention scrambled, too",
          "[model]") {
  for (const Family* family : AllFamilies()) {
    const auto model = test::TinyModel(family->example).Open();
    if (!model->description().decoder) {
      continue;
    }
    INFO(family->id);
    const auto twin = MakeTwin(model, 1, {});
    const auto again = MakeTwin(model, 1, {});
    REQUIRE(twin);
    REQUIRE(again);
    const StackDescription& about = *model->description().decoder;
    const std::int64_t width = about.heads * about.head_dim;  // of queries and of keys
    for (std::size_t layer = 0; layer < about.layer.size(); ++layer) {
      const auto of = [layer](const Model& of_model) -> const LayerDescription& {
        return of_model.description().decoder->layer[layer];
      };
      const auto check = [&](const auto& need_of, std::int64_t first, bool is_permuted) {
        const auto before = ReadColumns(*model, need_of(of(*model)), first, width);
        const auto after = ReadColumns(**twin, need_of(of(**twin)), first, width);
        CHECK((before.weight != after.weight) == is_permuted);
        CHECK(Sorted(before.weight) == Sorted(after.weight));
        CHECK(before.bias == after.bias);
        CHECK(ReadColumns(**again, need_of(of(**again)), first, width).weight == after.weight);
      };
      const auto own = [](const LayerDescription& of_layer) { return of_layer.query_key_value; };
      const auto query = [](const LayerDescription& of_layer) { return of_layer.cross->query; };
      const auto keys = [](const LayerDescription& of_layer) { return of_layer.cross->key_value; };
      check(own, 0, true);
      check(own, width, true);
      check(own, 2 * width, false);
      check(query, 0, true);
      check(keys, 0, true);
      check(keys, width, false);
    }
    const auto backend = MakeReferenceBackend();
    Forward forward(*twin, backend.get());
    ForwardInput input{.ids = {1, 2, 3}, .embeddings = {}};
    input.target_ids = {1, 2};
    CHECK(forward.Run(input, {ModelPart::kCross, about.layers - 1}, nullptr, {}));
  }
}

TEST_CASE("making a twin can be stopped", "[model]") {
  const auto model = test::TinyModel(AllFamilies()[0]->example).Open();
  std::stop_source stop;
  stop.request_stop();
  const auto twin = MakeTwin(model, 1, stop.get_token());
  REQUIRE_FALSE(twin);
  CHECK(twin.error().code == ErrorCode::kCancelled);
}

}  // namespace headscope
