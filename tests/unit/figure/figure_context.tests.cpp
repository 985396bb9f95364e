#include "core/figure/figure_context.h"

#include "tests/support/attention_fixture.h"
#include "tests/support/catch.h"
#include "tests/unit/figure/kind_fixture.h"

namespace headscope {
namespace {

std::string CaptionOf(const std::string& text) {
  FigureContext context = test::KindContext();
  context.text = text;
  return PageOf(context, ModelPart::kWhole, "").caption;
}

TEST_CASE("Axes show which tokens are pieces of a word", "[figure][context]") {
  Encoding encoding = *test::Words({"the", "sa", "il", "or"});
  encoding.tokens[2].word = encoding.tokens[1].word;
  encoding.tokens[3].word = encoding.tokens[1].word;
  CHECK(AxisTokens(encoding) == std::vector<std::string>{"the", "sa", "·il", "·or"});
}

TEST_CASE("A text from right to left keeps the caption's own direction", "[figure][context]") {
  const std::string arabic = "\u0627\u0644\u0633\u0644\u0627\u0645";
  const std::string hebrew = "\u05E9\u05DC\u05D5\u05DD";
  CHECK_THAT(CaptionOf(arabic), test::Says("\u201c" + arabic + "\u201d\u200E, 3 tokens"));
  CHECK_THAT(CaptionOf(hebrew), test::Says("\u201d\u200E, 3 tokens"));
  for (const char* const other :
       {"caf\u00E9", "\u4E2D\u6587", "\u0928\u0947", "\uFF01", "\uFB01", "\u0394"}) {
    CHECK_THAT(CaptionOf(other), test::Says("\u201d, 3 tokens"));
  }
}

TEST_CASE("A long text is shortened in the caption, between characters", "[figure][context]") {
  std::string text;
  for (int i = 0; i < 400; ++i) {
    text += "\u00e9";
  }
  CHECK(CaptionOf(text).find(text.substr(0, 320) + "\u2026\u201d") != std::string::npos);
  CHECK(CaptionOf("").find("\u201ca text .\u201d") != std::string::npos);
}

}  // namespace
}  // namespace headscope
