// A head's map, weighed by what its keys bring, as a figure.
#include "core/figure/weighed_map.h"
#include "tests/support/catch.h"
#include "tests/unit/figure/kind_fixture.h"

namespace headscope {
namespace {

TEST_CASE("a weighed map is of the head, and weighed as the figure says", "[figure][weighed]") {
  FigureSubject subject = test::KindSubject(3, {1, 2});
  subject.context.tokens.assign(3, "token");
  CHECK(MakeWeighedMap(subject, WeighedBy::kValues).error().code == ErrorCode::kInput);
  WeighedHead weighed{.layer = test::EvenLayer(1, 1, 3),
                      .of = {1, 2},
                      .by = WeighedBy::kValues,
                      .longest = 2.0,
                      .longest_key = 2};
  subject.weighed = std::make_shared<const WeighedHead>(weighed);
  CHECK(MakeWeighedMap(subject, WeighedBy::kValues).has_value());
  CHECK(MakeWeighedMap(subject, WeighedBy::kOutputs).error().code == ErrorCode::kInput);
  subject.head = {1, 1};  // another head's would pass for it
  CHECK(MakeWeighedMap(subject, WeighedBy::kValues).error().code == ErrorCode::kInput);
  CHECK(WeighedScale(weighed, "sea") == "1 is all weight on “sea”, whose length 2 is the largest");
}

}  // namespace
}  // namespace headscope
