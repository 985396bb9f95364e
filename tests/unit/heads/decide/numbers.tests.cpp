#include "core/heads/decide/numbers.h"

#include <set>

#include "core/heads/measure/metric.h"
#include "tests/support/catch.h"

namespace headscope {

TEST_CASE("every number is described, by an id of its own that finds it", "[heads]") {
  std::set<std::string> ids;
  for (const HeadNumber* const number : AllNumbers()) {
    INFO(number->id);
    CHECK(ids.insert(number->id).second);
    CHECK(FindNumber(number->id) == number);
    CHECK_FALSE(number->name.empty());
    CHECK_FALSE(number->words.about.empty());
    CHECK_FALSE(number->words.formula.empty());
    CHECK_FALSE(number->words.chance.empty());
    CHECK_FALSE(number->words.source.empty());
    CHECK_FALSE(number->words.pitfall.empty());
    CHECK_FALSE(number->words.needs.empty());
    CHECK_FALSE(number->noun.empty());
    CHECK((number->group == NumberGroup::kMetric) == (FindMetric(number->id) != nullptr));
    CHECK((!number->form.is_percent || number->is_share()));
    CHECK((number->name_of != nullptr) == !number->prefix.empty());
  }
  CHECK(FindNumber("no such number") == nullptr);
}

TEST_CASE("a relation is found by the id of any of its scores", "[heads]") {
  const HeadNumber* const relation = FindNumber("dep:obj:dependent-to-head");
  REQUIRE(relation != nullptr);
  CHECK(relation == FindNumber("dep:det:head-to-dependent"));
  CHECK(relation->id == "dep:RELATION:DIRECTION");
  CHECK(relation->NameOf("dep:obj:dependent-to-head") == "obj: object looks at its verb");
  CHECK(relation->LabelOf("dep:obj:dependent-to-head") == "obj: object → verb");
}

TEST_CASE("what a part has in place of a metric is a metric of that part", "[heads]") {
  for (const HeadMetric& metric : AllMetrics()) {
    INFO(metric.id);
    const HeadMetric* const alike = FindMetric(metric.alike);
    CHECK((alike != nullptr) == !metric.alike.empty());
    for (const ModelPart part : {ModelPart::kWhole, ModelPart::kCross}) {
      CHECK((alike == nullptr || metric.IsOf(part) || alike->IsOf(part)));
    }
  }
}

}  // namespace headscope
