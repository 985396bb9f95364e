// How far heads lie from others of the same text, against the formula.
#include "core/compare/parent_divergence.h"

#include <cmath>

#include "core/attention/row_divergence.h"
#include "tests/reference/row_divergence_reference.h"
#include "tests/support/catch.h"
#include "tests/support/distinct_layer.h"

namespace headscope {

using test::MakeDistinct;

TEST_CASE("Divergences from parents are the mean over rows that see two keys",
          "[compare][lineage]") {
  const bool causal = GENERATE(true, false);
  const auto parents =
      MakeDistinct({.id = {}, .heads = 2, .queries = 11, .keys = 11, .causal = causal}, 1);
  const auto children =
      MakeDistinct({.id = {}, .heads = 5, .queries = 11, .keys = 11, .causal = causal}, 2);
  const std::vector<std::int64_t> parent_of = {1, 0, kNoParent, 0, 1};
  const auto found = DivergenceFromParents(*parents.layer, *children.layer, parent_of, {});
  REQUIRE(found.has_value());
  REQUIRE(found->size() == 5);
  for (std::int64_t child = 0; child < 5; ++child) {
    const ParentDistance& distance = (*found)[static_cast<std::size_t>(child)];
    const std::int64_t parent = parent_of[static_cast<std::size_t>(child)];
    if (parent == kNoParent) {
      CHECK_FALSE(distance.divergence);
      continue;
    }
    double sum = 0.0;
    double most = 0.0;
    std::vector<float> own(11);
    std::vector<float> other(11);
    for (std::int64_t query = causal ? 1 : 0; query < 11; ++query) {
      children.layer->Row(child, query, own);
      parents.layer->Row(parent, query, other);
      sum += RowDivergenceReference(own, other);
      for (std::size_t key = 0; key < 11; ++key) {
        most = std::max(most,
                        std::abs(static_cast<double>(own[key]) - static_cast<double>(other[key])));
      }
    }
    REQUIRE(distance.divergence);
    CHECK(std::abs(*distance.divergence - sum / (causal ? 10.0 : 11.0)) <= 1e-5);
    CHECK(std::abs(distance.own - distance.other) == most);
    children.layer->Row(child, distance.query, own);
    parents.layer->Row(parent, distance.query, other);
    CHECK(distance.own == static_cast<double>(own[static_cast<std::size_t>(distance.key)]));
    CHECK(distance.other == static_cast<double>(other[static_cast<std::size_t>(distance.key)]));
  }
}

TEST_CASE("A head lies at 0 from itself, and a lone token has no row that counts",
          "[compare][lineage]") {
  const auto layer = MakeDistinct({.id = {}, .heads = 2, .queries = 7, .keys = 7});
  const std::vector<std::int64_t> self = {0, 1};
  const auto same = DivergenceFromParents(*layer.layer, *layer.layer, self, {});
  REQUIRE(same.has_value());
  CHECK((*same)[0].divergence == 0.0);
  CHECK((*same)[1].own == (*same)[1].other);
  const auto lone = MakeDistinct({.id = {}, .heads = 2});
  const auto none = DivergenceFromParents(*lone.layer, *lone.layer, self, {});
  REQUIRE(none.has_value());
  CHECK_FALSE((*none)[0].divergence);
}

TEST_CASE("A comparison with parents that is stopped says so", "[compare][lineage]") {
  const auto layer = MakeDistinct({.id = {}, .heads = 1, .queries = 7, .keys = 7});
  std::stop_source stop;
  stop.request_stop();
  const std::vector<std::int64_t> self = {0};
  const auto found = DivergenceFromParents(*layer.layer, *layer.layer, self, stop.get_token());
  REQUIRE_FALSE(found.has_value());
  CHECK(found.error().code == ErrorCode::kCancelled);
}

}  // namespace headscope
