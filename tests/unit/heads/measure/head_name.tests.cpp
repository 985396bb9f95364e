#include "core/heads/measure/head_name.h"

#include "tests/support/catch.h"

namespace headscope {
namespace {

TEST_CASE("A head's name counts from zero", "[heads][name]") {
  CHECK(HeadName({5, 1}) == "L5H1");
  CHECK(HeadName({0, 0}) == "L0H0");
  CHECK(HeadName({11, 144}) == "L11H144");
}

TEST_CASE("Every spelling of a head is read", "[heads][name]") {
  const std::string text = GENERATE("L5H1",
                                    "l5h1",
                                    "L5 H1",
                                    "5.1",
                                    "5-1",
                                    "5 1",
                                    "layer 5 head 1",
                                    "Layer 5 Head 1",
                                    "layer5head1",
                                    "  L5H1 ",
                                    "5  1");
  CAPTURE(text);
  const auto index = ParseHeadName(text);
  REQUIRE(index.has_value());
  CHECK(*index == HeadIndex{5, 1});
}

TEST_CASE("What is not a head's name is refused", "[heads][name]") {
  const std::string text = GENERATE("",
                                    "5",
                                    "L5",
                                    "L5H",
                                    "LH1",
                                    "H1",
                                    "-5.1",
                                    "5.-1",
                                    "5.1.2",
                                    "5,1",
                                    "51",
                                    "L5.1",
                                    "5H1",
                                    "layer 5 1",
                                    "L99999999999999999999H1",
                                    "L5H1x",
                                    "L5H99999999999999999999");
  CAPTURE(text);
  CHECK_FALSE(ParseHeadName(text).has_value());
}

TEST_CASE("A name that was written is read back", "[heads][name]") {
  const HeadIndex index{GENERATE(0, 3, 27, 1000000), GENERATE(0, 11, 999)};
  CHECK(ParseHeadName(HeadName(index)) == std::optional(index));
}

TEST_CASE("a head of an encoder-decoder is named by its part", "[heads][name]") {
  CHECK(HeadName({0, 1, ModelPart::kEncoder}) == "E0H1");
  CHECK(HeadName({2, 3, ModelPart::kDecoder}) == "D2H3");
  CHECK(HeadName({4, 5, ModelPart::kCross}) == "X4H5");
  for (const ModelPart part : {ModelPart::kEncoder, ModelPart::kDecoder, ModelPart::kCross}) {
    const HeadIndex head{7, 11, part};
    CHECK(ParseHeadName(HeadName(head)) == head);
    CHECK(ParseHeadName(std::string(PartName(part)) + " 7 head 11") == head);
    CHECK(ParseHeadName(std::string(PartName(part)) + " layer 7 head 11") == head);
  }
  CHECK(ParseHeadName("x0h1") == HeadIndex{0, 1, ModelPart::kCross});
  CHECK(LayerName({ModelPart::kCross, 4}) == "X4");
  CHECK_FALSE(ParseHeadName("E layer 0 head 1"));
  CHECK_FALSE(ParseHeadName("E0"));
  CHECK_FALSE(ParseHeadName("F0H1"));
}

}  // namespace
}  // namespace headscope
