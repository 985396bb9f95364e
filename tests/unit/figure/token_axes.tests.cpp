#include "core/figure/token_axes.h"

#include "tests/support/catch.h"

namespace headscope {
namespace {

TEST_CASE("Tokens that stand once are plain, repeated ones have their index", "[figure][axis]") {
  TextSetter setter;
  const FigureStyle style = StyleFor(1000);
  const std::vector<std::string> tokens = {"the", "cat", "the"};
  const Axis axis = MakeAxis(tokens, 40.0, 200.0, 1.15, style, &setter);
  REQUIRE(axis.labels.size() == 3);
  CHECK(axis.stride == 1);
  CHECK(axis.labels[0].text == "the (0)");
  CHECK(axis.labels[1].text == "cat");
  CHECK(axis.labels[2].text == "the (2)");
  CHECK(axis.style.size_px == Approx(style.largest_token));
}

TEST_CASE("Labels thin out so that none touches the next", "[figure][axis]") {
  TextSetter setter;
  const FigureStyle style = StyleFor(1000);
  const std::vector<std::string> tokens(300, "word");
  const double pitch = GENERATE(0.3, 0.9, 1.0, 2.0, 3.5, 7.0, 9.1, 12.0);
  const Axis axis = MakeAxis(tokens, pitch, 200.0, 1.15, style, &setter);
  CHECK(static_cast<double>(axis.stride) * pitch >= 1.14 * axis.style.size_px);
  CHECK(axis.style.size_px >= style.smallest_token);
  CHECK(axis.labels.size() == (300U + static_cast<std::size_t>(axis.stride) - 1U) /
                                  static_cast<std::size_t>(axis.stride));
  if (axis.stride > 1) {
    CHECK(axis.labels[1].text == "word (" + std::to_string(axis.stride) + ")");
  }
  CHECK(axis.longest <= 200.0);
}

}  // namespace
}  // namespace headscope
