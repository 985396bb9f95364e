#include "app/cli/options.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/support/catch.h"

namespace headscope {
namespace {

InputOptions WithText(const std::string& text) {
  InputOptions options;
  options.text = text;
  return options;
}

TEST_CASE("ParseNumbers reads whole numbers between commas", "[cli][options]") {
  const auto numbers = ParseNumbers("1, 2,30", "--ids", 0, 100);
  REQUIRE(numbers);
  CHECK(*numbers == std::vector<std::int64_t>{1, 2, 30});
  for (const char* bad :
       {"", "1,", "1,,2", "x", "1.5", "-1", "101", "99999999999999999999", "1 2"}) {
    const auto refused = ParseNumbers(bad, "--ids", 0, 100);
    INFO(bad);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().usage);
    CHECK(refused.error().error.message.find("--ids") == 0);
  }
}

TEST_CASE("ParseLayers takes one layer or a range", "[cli][options]") {
  CHECK(ParseLayers("2", 4)->first == 2);
  CHECK(ParseLayers("2", 4)->last == 2);
  CHECK(ParseLayers("0-3", 4)->last == 3);
  SECTION("a layer past the model is a failure that says which there are") {
    const auto refused = ParseLayers("0-4", 4);
    REQUIRE_FALSE(refused);
    CHECK_FALSE(refused.error().usage);
    CHECK(refused.error().error.message.find("0 to 3") != std::string::npos);
  }
  SECTION("what is no range is wrong usage") {
    for (const char* bad : {"", "-", "3-1", "a", "1-", "-1", "1-2-3"}) {
      INFO(bad);
      REQUIRE_FALSE(ParseLayers(bad, 4));
      CHECK(ParseLayers(bad, 4).error().usage);
    }
  }
}

TEST_CASE("ParseColorScale reads modes and fixed ranges", "[cli][options]") {
  Options options;
  REQUIRE(ParseColorScale(options));
  CHECK(*ParseColorScale(options) == ColorScale{});
  options.range = "0.1:0.5";
  options.curve = "log";
  options.colormap = "cividis";
  const auto scale = ParseColorScale(options);
  REQUIRE(scale);
  CHECK(scale->low == 0.1F);
  CHECK(scale->high == 0.5F);
  CHECK(scale->curve == Curve::kLog);
  CHECK(scale->colormap == Colormap::kCividis);
  options.range = "layer";
  CHECK(ParseColorScale(options)->range == RangeMode::kLayer);
  for (const char* bad : {"", "1:0", "-1:1", "nan:1", "0:nan", "0", "0:", "0:0", "rows"}) {
    INFO(bad);
    options.range = bad;
    CHECK_FALSE(ParseColorScale(options));
  }
}

TEST_CASE("ReadInput wants exactly one input", "[cli][options]") {
  CHECK_FALSE(ReadInput({}));
  InputOptions both = WithText("a");
  both.ids = "1";
  CHECK_FALSE(ReadInput(both));
  CHECK(ReadInput(WithText("a"))->text == "a");
  InputOptions ids;
  ids.ids = "3,1,2";
  CHECK(ReadInput(ids)->ids == std::vector<std::int32_t>{3, 1, 2});
  ids.pair = "b";
  CHECK_FALSE(ReadInput(ids));
}

TEST_CASE("ReadInput leaves out the end of a file's last line and a byte order mark",
          "[cli][options]") {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / "headscope_cli_options_input.txt";
  const auto read = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    InputOptions options;
    options.text_file = path.string();
    return ReadInput(options);
  };
  CHECK(read("one\ntwo\n")->text == "one\ntwo");
  CHECK(read("one\r\n")->text == "one");
  CHECK(read("\xEF\xBB\xBFone")->text == "one");
  CHECK(read("one\n\n")->text == "one\n");
  std::filesystem::remove(path);
  InputOptions missing;
  missing.text_file = path.string();
  REQUIRE_FALSE(ReadInput(missing));
  CHECK_FALSE(ReadInput(missing).error().usage);
}

TEST_CASE("embeddings are files, and those of keys go with others", "[cli][options]") {
  InputOptions options;
  options.embeddings = "a.npy";
  options.value_embeddings = "c.npy";
  const auto read = ReadInput(options);
  REQUIRE(read);
  CHECK(read->embeddings == "a.npy");
  CHECK(read->key_embeddings.empty());
  CHECK(read->value_embeddings == "c.npy");
  options.embeddings = "";
  REQUIRE_FALSE(ReadInput(options));
  CHECK(ReadInput(options).error().usage);
  InputOptions text = WithText("a");
  text.key_embeddings = "b.npy";
  REQUIRE_FALSE(ReadInput(text));
  CHECK(ReadInput(text).error().usage);
}

TEST_CASE("a target is a text or ids, not both", "[cli][options]") {
  InputOptions options = WithText("a");
  options.target = "b";
  const auto text = ReadInput(options);
  REQUIRE(text);
  CHECK(text->target == "b");
  options.target_ids = "4,5";
  REQUIRE_FALSE(ReadInput(options));
  CHECK(ReadInput(options).error().usage);
  options.target.reset();
  const auto ids = ReadInput(options);
  REQUIRE(ids);
  CHECK(ids->target_ids == std::vector<std::int32_t>{4, 5});
}

TEST_CASE("segment ids go with ids", "[cli][options]") {
  InputOptions options;
  options.ids = "4,5";
  options.segment_ids = "0,1";
  const auto input = ReadInput(options);
  REQUIRE(input);
  CHECK(input->segment_ids == std::vector<std::int32_t>{0, 1});
  options = WithText("a");
  options.segment_ids = "0,1";
  REQUIRE_FALSE(ReadInput(options));
  CHECK(ReadInput(options).error().usage);
}

TEST_CASE("parts belong to models that have them", "[cli][options]") {
  ModelDescription model;
  model.family = "gpt2";
  CHECK_FALSE(ParsePart(std::nullopt, model)->has_value());
  const auto none = ParsePart("cross", model);
  REQUIRE_FALSE(none);
  CHECK_FALSE(none.error().usage);
  model.decoder.emplace();
  CHECK(*ParsePart("cross", model) == ModelPart::kCross);
  const auto wrong = ParsePart("middle", model);
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().usage);
}

}  // namespace
}  // namespace headscope
