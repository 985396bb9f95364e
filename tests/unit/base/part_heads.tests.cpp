#include "core/base/part_heads.h"

#include "tests/support/catch.h"

namespace headscope {
namespace {

TEST_CASE("layers are counted from zero", "[base]") {
  CHECK(LayersFromZero(3) == std::vector<std::int64_t>{0, 1, 2});
  CHECK(LayersFromZero(0).empty());
}

TEST_CASE("a part may hold some of its layers only", "[base]") {
  const PartHeads part{.part = ModelPart::kWhole, .layers = {2, 5}, .heads = 4};
  CHECK(part.HasLayer(2));
  CHECK(part.HasLayer(5));
  CHECK_FALSE(part.HasLayer(3));
  CHECK_FALSE(part.HasLayer(-1));
  CHECK(part.end_layer() == 6);
  CHECK(PartHeads{}.end_layer() == 0);
}

TEST_CASE("layers are told as a range, a list or the only one", "[base]") {
  CHECK(LayersText({0, 1, 2}) == "0 to 2");
  CHECK(LayersText({10, 11}) == "10 to 11");
  CHECK(LayersText({2, 5, 9}) == "2, 5, 9");
  CHECK(LayersText({4}) == "4 only");
}

}  // namespace
}  // namespace headscope
