#include "core/attention/attention_file.h"

#include <array>
#include <cmath>
#include <limits>

#include "core/base/random.h"
#include "core/io/npy.h"
#include "tests/support/captured.h"
#include "tests/support/catch.h"
#include "tests/support/float_bounds.h"
#include "tests/support/near.h"
#include "tests/support/npy_bytes.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

using test::NpyBytes;
using test::RawBytes;
using test::Says;
using test::TempFolder;
using Maps = std::vector<float>;
using Shape = std::vector<std::int64_t>;
using File = Result<std::shared_ptr<const AttentionFile>>;

// Softmax rows of random scores over the keys that each query sees.
Maps RandomMaps(std::int64_t maps, std::int64_t queries, std::int64_t keys, bool causal) {
  RandomStream random(7);
  Maps weights;
  for (std::int64_t row = 0; row < maps * queries; ++row) {
    const std::int64_t visible = causal ? row % queries + 1 : keys;
    std::vector<double> scores;
    double sum = 0.0;
    for (std::int64_t key = 0; key < visible; ++key) {
      scores.push_back(std::exp(random.Normal()));
      sum += scores.back();
    }
    for (std::int64_t key = 0; key < keys; ++key) {
      weights.push_back(
          key < visible ? static_cast<float>(scores[static_cast<std::size_t>(key)] / sum) : 0.0F);
    }
  }
  return weights;
}

struct Given {
  std::map<std::string, std::pair<Shape, Maps>> arrays;
  std::map<std::string, std::string> metadata = {};

  [[nodiscard]] File Open(const std::string& tensor = "") const {
    const TempFolder folder;
    std::vector<TensorView> views;
    for (const auto& [name, array] : arrays) {
      views.push_back({name, DataType::kF32, array.first, std::as_bytes(std::span(array.second))});
    }
    REQUIRE(WriteSafetensors(folder / "x.safetensors", views, metadata));
    return AttentionFile::Open(folder / "x.safetensors", tensor, {});
  }
};

Given Causal() {
  return {.arrays = {{"attention", {{2, 3, 4, 4}, RandomMaps(6, 4, 4, true)}}},
          .metadata = {{"tokens", R"(["<s>", "\u0120the", "\u0120old", "est"])"},
                       {"token_ids", "[0, 11, 12, 13]"}}};
}

std::shared_ptr<const AttentionFile> Must(const File& file) {
  INFO((file ? "" : file.error().message));
  REQUIRE(file);
  return *file;
}

std::string Notes(const AttentionFile& file) {
  std::string notes;
  for (const std::string& note : file.notes()) {
    notes += note + "\n";
  }
  return notes;
}

std::vector<std::string> Displays(const Encoding& encoding) {
  std::vector<std::string> displays;
  for (const Token& token : encoding.tokens) {
    displays.push_back(token.display);
  }
  return displays;
}

TEST_CASE("attention from a file is shown as it lies there", "[attention][file]") {
  const Given given = Causal();
  const auto file = Must(given.Open());
  CHECK(file->notes().empty());
  CHECK(file->name() == "x");
  REQUIRE(file->parts().size() == 1);
  CHECK(file->parts()[0].causal);
  CHECK_THAT(file->mask_note(), Says("cells after the query are masked"));
  CHECK(Displays(*file->encoding()) == std::vector<std::string>{"<s>", "the", "old", "est"});
  CHECK(file->encoding()->tokens[1].text == "Ġthe");
  CHECK(file->encoding()->Ids() == std::vector<std::int32_t>{0, 11, 12, 13});
  for (std::size_t index = 0; index < 2; ++index) {
    const auto layer = file->Layer(0, index, 128, {});
    REQUIRE(layer);
    CHECK((*layer)->layer() == static_cast<std::int64_t>(index));
    CHECK_FALSE((*layer)->has_scores());
    for (std::int64_t head = 0; head < 3; ++head) {
      const Maps& all = given.arrays.at("attention").second;
      const std::span<const float> own =
          std::span(all).subspan((index * 3 + static_cast<std::size_t>(head)) * 16, 16);
      CHECK(test::MapOf(**layer, head) == Maps(own.begin(), own.end()));
      const Thumbnail& thumbnail = (*layer)->thumbnail(head);
      CHECK_FALSE(thumbnail.pooled);
      for (std::int64_t query = 0; query < 4; ++query) {
        for (std::int64_t key = 0; key < 4; ++key) {
          const auto cell = static_cast<std::size_t>(query * 4 + key);
          CHECK((*layer)->Visible(query, key) == (key <= query));
          CHECK(thumbnail.mean[cell] == (key <= query ? own[cell] : kMasked));
        }
      }
    }
  }
}

TEST_CASE("given maps are measured by their rows that see two keys or more", "[attention][file]") {
  const bool is_causal = GENERATE(true, false);
  Given given = Causal();
  Maps& maps = given.arrays["attention"].second;
  if (!is_causal) {
    maps = RandomMaps(6, 4, 4, false);
  }
  const auto file = Must(given.Open());
  const auto layer = file->Layer(0, 1, 128, {});
  REQUIRE(layer);
  for (std::int64_t head = 0; head < 3; ++head) {
    const auto map = maps.begin() + (3 + head) * 16;
    const float largest = *std::max_element(map + (is_causal ? 4 : 0), map + 16);
    CHECK((*layer)->largest(head) == largest);
    CHECK(largest < 1.0F);
  }
}

TEST_CASE("the texts of a file are grouped to words as far as their markers tell",
          "[attention][file]") {
  const auto words_of = [](const char* tokens) {
    Given given = Causal();
    given.metadata["tokens"] = tokens;
    std::vector<std::int32_t> words;
    const auto file = Must(given.Open());
    for (const Token& token : file->encoding()->tokens) {
      words.push_back(token.word);
    }
    return words;
  };
  using Words = std::vector<std::int32_t>;
  CHECK(words_of(R"(["<s>", "\u0120the", "\u0120old", "est"])") == Words{-1, 0, 1, 1});
  CHECK(words_of(R"(["[CLS]", "old", "##est", "man"])") == Words{-1, 0, 0, 1});
  CHECK(words_of(R"(["\u2581the", "\u2581old", "est", "."])") == Words{0, 1, 1, 2});
  CHECK(words_of(R"(["a", "b", "c", "d"])") == Words{0, 1, 2, 3});  // nothing tells
}

TEST_CASE("every way to keep the maps gives the same layers", "[attention][file]") {
  const Maps maps = RandomMaps(6, 4, 4, false);
  const auto part = [&](std::size_t layer) {
    return Maps(maps.begin() + static_cast<std::ptrdiff_t>(layer * 48),
                maps.begin() + static_cast<std::ptrdiff_t>((layer + 1) * 48));
  };
  const std::vector<Given> ways = {
      {.arrays = {{"attention", {{2, 3, 4, 4}, maps}}, {"scores", {{2, 3, 4, 4}, maps}}}},
      {.arrays = {{"attentions", {{2, 1, 3, 4, 4}, maps}}}},
      {.arrays = {{"whatever", {{2, 3, 4, 4}, maps}}, {"more", {{4}, Maps(4)}}}},
      {.arrays = {{"arr_0", {{3, 4, 4}, part(0)}}, {"arr_1", {{3, 4, 4}, part(1)}}}},
      {.arrays = {{"blocks.0.attn.7", {{1, 3, 4, 4}, part(0)}},
                  {"blocks.1.attn.7", {{1, 3, 4, 4}, part(1)}}}},
  };
  for (const Given& way : ways) {
    INFO(way.arrays.begin()->first);
    const auto file = Must(way.Open());
    REQUIRE(file->parts().size() == 1);
    CHECK(file->parts()[0].layers == std::vector<std::int64_t>{0, 1});
    CHECK_FALSE(file->parts()[0].causal);
    const auto layer = file->Layer(0, 1, 128, {});
    REQUIRE(layer);
    const Maps last = part(1);
    CHECK(test::MapOf(**layer, 2) == Maps(last.begin() + 32, last.end()));
    CHECK_THAT(Notes(*file), Says("no \"tokens\"; they are numbered"));
  }
}

TEST_CASE("a .npy is attention with numbered tokens", "[attention][file]") {
  const Maps maps = RandomMaps(3, 4, 4, true);
  const TempFolder folder;
  const auto path = folder.Write(
      "maps.npy", NpyBytes("<f4", "1, 3, 4, 4", RawBytes(std::span<const float>(maps))));
  const auto file = Must(AttentionFile::Open(path, "", {}));
  CHECK(file->name() == "maps");
  CHECK(file->parts()[0].heads == 3);
  CHECK(Displays(*file->encoding()) == std::vector<std::string>{"0", "1", "2", "3"});
}

TEST_CASE("the defects of attention are said, with their number and the worst place",
          "[attention][file]") {
  Given given = Causal();
  Maps& maps = given.arrays["attention"].second;
  const auto cell = [&](std::size_t map, std::size_t query, std::size_t key) -> float& {
    return maps[map * 16 + query * 4 + key];
  };
  SECTION("a row that does not sum to 1") {
    cell(4, 0, 0) = 0.9F;
    cell(5, 3, 3) += 0.5F;
    CHECK_THAT(
        Notes(*Must(given.Open())),
        Says("2 of 24 rows do not sum to 1 within 0.0001") && Says("L1H2 query 3, sums to 1.5"));
  }
  SECTION("a weight below 0, drawn as 0") {
    cell(0, 1, 0) = -0.25F;
    cell(0, 1, 1) = 1.25F;
    const auto file = Must(given.Open());
    CHECK_THAT(Notes(*file),
               Says("1 weight is below 0, first -0.25 at L0H0 query 1 key 0; drawn as 0") &&
                   Says("1 weight is above 1, the largest 1.25 at L0H0 query 1 key 1"));
    const auto layer = *file->Layer(0, 0, 128, {});
    CHECK(layer->thumbnail(0).mean[4] == 0.0F);
    CHECK(test::MapOf(*layer, 0)[4] == -0.25F);
  }
  SECTION("weights that are no numbers") {
    cell(2, 2, 1) = std::nanf("");
    cell(2, 3, 0) = std::numeric_limits<float>::infinity();
    const auto file = Must(given.Open());
    CHECK_THAT(Notes(*file), Says("2 weights are not finite, first NaN at L0H2 query 2 key 1"));
    const auto layer = *file->Layer(0, 0, 128, {});
    CHECK(layer->thumbnail(2).mean[9] == 0.0F);
    CHECK(layer->thumbnail(2).mean[12] == 0.0F);
    CHECK(std::isnan(test::MapOf(*layer, 2)[9]));
  }
  SECTION("a map that looks ahead where the others do not") {
    cell(3, 0, 0) = 0.75F;
    cell(3, 0, 2) = 0.25F;
    const auto file = Must(given.Open());
    CHECK_THAT(Notes(*file),
               Says("1 of 6 maps looks at later tokens, first L1H0 at query 0 key 2") &&
                   Says("which the others never do"));
    CHECK_FALSE(file->parts()[0].causal);
    CHECK_THAT(file->mask_note(), Says("no cell is masked"));
    given.metadata["family"] = "gpt2";
    CHECK_THAT(Notes(*Must(given.Open())), Says("in a model that is causal"));
  }
  SECTION("another number of tokens") {
    given.metadata["tokens"] = R"(["a", "b"])";
    const auto file = Must(given.Open());
    CHECK_THAT(Notes(*file), Says("2 \"tokens\" for maps of 4; they are numbered"));
    CHECK(file->encoding()->tokens.size() == 4);
  }
  SECTION("maps that are not square") {
    given.arrays["attention"] = {{1, 2, 3, 5}, RandomMaps(2, 3, 5, false)};
    given.metadata["tokens"] = R"(["a", "b", "c"])";
    const auto file = Must(given.Open());
    CHECK_THAT(Notes(*file), Says("not square, [3,5]"));
    REQUIRE(file->keys() != nullptr);
    CHECK(file->keys()->tokens.size() == 5);
    given.metadata["key_tokens"] = R"(["u", "v", "w", "x", "y"])";
    const auto named = Must(given.Open());
    CHECK(named->notes().empty());
    CHECK(Displays(*named->keys()) == std::vector<std::string>{"u", "v", "w", "x", "y"});
  }
}

TEST_CASE("cells are masked only where every map and the file agree", "[attention][file]") {
  Given given = Causal();
  given.metadata["causal"] = "false";
  const auto said = Must(given.Open());
  CHECK_FALSE(said->parts()[0].causal);
  CHECK_THAT(said->mask_note(), Says("the file says that it is not causal"));
  CHECK(said->notes().empty());
  // In a model that looks both ways a few heads may happen to look back only.
  given.metadata.clear();
  Maps mixed = RandomMaps(5, 4, 4, false);
  const Maps back = RandomMaps(1, 4, 4, true);
  mixed.insert(mixed.end(), back.begin(), back.end());
  given.arrays["attention"].second = mixed;
  const auto both = Must(given.Open());
  CHECK_FALSE(both->parts()[0].causal);
  CHECK_THAT(Notes(*both), !Says("later tokens"));
  // One token sees itself, whatever the model.
  given.arrays["attention"] = {{1, 2, 1, 1}, {1.0F, 1.0F}};
  CHECK_FALSE(Must(given.Open())->parts()[0].causal);
}

TEST_CASE("layers are called as names of arrays number them", "[attention][file]") {
  const auto named = [](const std::vector<std::string>& names,
                        std::map<std::string, std::string> metadata = {}) {
    Given given;
    for (const std::string& name : names) {
      given.arrays[name] = {{3, 4, 4}, RandomMaps(3, 4, 4, true)};
    }
    given.metadata = std::move(metadata);
    given.metadata["tokens"] = R"(["a", "b", "c", "d"])";
    return Must(given.Open());
  };
  using Numbers = std::vector<std::int64_t>;
  const auto ten = named({"layer_10", "layer_11"});
  CHECK(ten->parts()[0].layers == Numbers{10, 11});
  CHECK((*ten->Layer(0, 1, 128, {}))->layer() == 11);
  CHECK(ten->notes().empty());
  CHECK(named({"blocks.2.attn", "blocks.10.attn", "blocks.5.attn"})->parts()[0].layers ==
        Numbers{2, 5, 10});
  // A count from 1 is kept and said.
  const auto from_one = named({"layer_1", "layer_2", "layer_3"});
  CHECK(from_one->parts()[0].layers == Numbers{1, 2, 3});
  CHECK_THAT(Notes(*from_one), Says("counts its layers from 1") && Says("L1 to L3"));
  CHECK(named({"layer_1", "layer_3"})->notes().empty());
  // One layer alone is called by its name, where a number in it is one of a layer.
  CHECK(named({"layer_10"})->parts()[0].layers == Numbers{10});
  CHECK(named({"attn.5"})->parts()[0].layers == Numbers{5});
  CHECK(named({"L7"})->parts()[0].layers == Numbers{7});
  CHECK(named({"gpt2"})->parts()[0].layers == Numbers{0});
  // What the file says of its layers counts; a name that says otherwise is told.
  const auto said = named({"layer_0", "layer_1"}, {{"layers", "10-11"}});
  CHECK(said->parts()[0].layers == Numbers{10, 11});
  CHECK(said->notes().empty());
  const auto both = named({"layer_3", "layer_4"}, {{"layers", "10-11"}});
  CHECK(both->parts()[0].layers == Numbers{10, 11});
  CHECK_THAT(Notes(*both), Says("number the layers 3 to 4") && Says("10 to 11"));
  // No model has so many layers.
  const auto dates = named({"maps_20240101", "maps_20240102"});
  CHECK(dates->parts()[0].layers == Numbers{0, 1});
  CHECK_THAT(Notes(*dates), Says("20240101"));
  // One of a list is chosen.
  Given given;
  for (const char* name : {"layer_10", "layer_11"}) {
    given.arrays[name] = {{3, 4, 4}, RandomMaps(3, 4, 4, true)};
  }
  CHECK(Must(given.Open("layer_11"))->parts()[0].layers == Numbers{11});
}

TEST_CASE("a window and the numbers of layers come back", "[attention][file]") {
  Maps maps(2 * 9, 0.0F);
  for (std::size_t layer = 0; layer < 2; ++layer) {
    for (std::size_t i = 0; i < 3; ++i) {
      maps[layer * 9 + i * 3 + i] = 1.0F;  // each token looks at itself
    }
  }
  Given given{.arrays = {{"attention", {{2, 1, 3, 3}, maps}}},
              .metadata = {{"windows", "[0, 2]"}, {"layers", "4-5"}}};
  const auto file = Must(given.Open());
  CHECK(file->parts()[0].layers == std::vector<std::int64_t>{4, 5});
  CHECK((*file->Layer(0, 0, 128, {}))->Visible(2, 0));
  const auto layer = *file->Layer(0, 1, 128, {});
  CHECK(layer->layer() == 5);
  CHECK_FALSE(layer->Visible(2, 0));
  CHECK(layer->Visible(2, 1));
  // A weight past the window: the file is wrong about it, and nothing is hidden.
  given.arrays["attention"].second[9 + 6] = 0.5F;
  CHECK((*Must(given.Open())->Layer(0, 1, 128, {}))->Visible(2, 0));
}

TEST_CASE("the three parts of an encoder-decoder have their own tokens", "[attention][file]") {
  const Given given{
      .arrays = {{"encoder", {{2, 2, 3, 3}, RandomMaps(4, 3, 3, false)}},
                 {"decoder", {{1, 2, 2, 2}, RandomMaps(2, 2, 2, true)}},
                 {"cross", {{1, 2, 2, 3}, RandomMaps(2, 2, 3, false)}}},
      .metadata = {{"tokens", R"(["a", "b", "c"])"}, {"target_tokens", R"(["x", "y"])"}}};
  const auto file = Must(given.Open());
  CHECK(file->notes().empty());
  REQUIRE(file->parts().size() == 3);
  CHECK(file->parts()[0].part == ModelPart::kEncoder);
  CHECK_FALSE(file->parts()[0].causal);
  CHECK(file->parts()[1].causal);
  CHECK(file->parts()[2].keys == 3);
  CHECK_FALSE(file->parts()[2].causal);
  CHECK(Displays(*file->target()) == std::vector<std::string>{"x", "y"});
  const auto cross = file->Layer(2, 0, 128, {});
  REQUIRE(cross);
  CHECK((*cross)->part() == ModelPart::kCross);
  CHECK((*cross)->shape().queries == 2);
  Given apart = given;
  apart.arrays["cross"] = {{1, 2, 2, 4}, RandomMaps(2, 2, 4, false)};
  const File refused = apart.Open();
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message, Says("encoder is of 3 tokens and cross of 4"));
}

TEST_CASE("one map is one head, and numbers are tokens", "[attention][file]") {
  const Given given{.arrays = {{"map", {{3, 3}, RandomMaps(1, 3, 3, false)}}},
                    .metadata = {{"tokens", "[7, 0, 12]"}}};
  const auto file = Must(given.Open());
  REQUIRE(file->parts().size() == 1);
  CHECK(file->parts()[0].heads == 1);
  CHECK(file->parts()[0].layers == std::vector<std::int64_t>{0});
  CHECK(file->parts()[0].queries == 3);
  CHECK(file->notes().empty());
  REQUIRE(file->encoding()->tokens.size() == 3);
  CHECK(file->encoding()->tokens[2].text == "12");
  CHECK(file->encoding()->Ids() == std::vector<std::int32_t>{7, 0, 12});
  // Beside another matrix it is not known which is meant.
  Given two = given;
  two.arrays["other"] = {{3, 4}, Maps(12)};
  CHECK_FALSE(two.Open());
  CHECK(two.Open("map"));
}

TEST_CASE("what holds no attention is refused with one sentence", "[attention][file]") {
  const auto refusal = [](const Given& given, const std::string& tensor = "") {
    const File file = given.Open(tensor);
    REQUIRE_FALSE(file);
    CHECK(file.error().message.find('\n') == std::string::npos);
    CHECK_THAT(file.error().message, Says("x.safetensors: "));
    return file.error().message;
  };
  const auto one = [](Shape shape, std::size_t count) {
    return Given{.arrays = {{"attention", {std::move(shape), Maps(count)}}}, .metadata = {}};
  };
  CHECK_THAT(refusal(one({16}, 16)), Says("[16]") && Says("[L,H,n,n]"));
  CHECK_THAT(refusal(one({1, 2, 2, 1, 2, 2}, 16)), Says("expected attention"));
  CHECK_THAT(refusal(one({1, 2, 2, 2, 2}, 16)), Says("a batch"));
  CHECK_THAT(refusal(one({0, 2, 4, 4}, 0)), Says("at least one layer"));
  CHECK_THAT(refusal(one({1, 2, 0, 0}, 0)), Says("at least one layer"));
  CHECK_THAT(refusal(one({2000, 1, 1, 1}, 2000)), Says("at most 1024 layers"));
  CHECK_THAT(refusal({.arrays = {{"b", {{3}, Maps(3)}}}, .metadata = {}}), Says("found \"b\" [3]"));
  CHECK_THAT(refusal({.arrays = {}, .metadata = {}}), Says("no array of numbers"));
  const Given several{.arrays = {{"6", {{2, 1, 2, 2}, Maps(8)}}, {"19", {{2, 1, 3, 3}, Maps(18)}}},
                      .metadata = {}};
  CHECK_THAT(refusal(several), Says("--tensor \"19\""));
  CHECK(Must(several.Open("6"))->parts()[0].queries == 2);
  CHECK_THAT(refusal(several, "7"), Says("no array \"7\""));
  CHECK_THAT(refusal({.arrays = {{"l0", {{1, 2, 2}, Maps(4)}}, {"l1", {{2, 2, 2}, Maps(8)}}},
                      .metadata = {}}),
             Says("expected [1,2,2] as in \"l0\""));
}

TEST_CASE("maps of more cells than a thumbnail are pooled over visible cells",
          "[attention][file]") {
  const Given given{.arrays = {{"attention", {{1, 2, 200, 200}, RandomMaps(2, 200, 200, true)}}},
                    .metadata = {}};
  const auto file = Must(given.Open());
  const auto layer = *file->Layer(0, 0, 50, {});
  const Thumbnail& thumbnail = layer->thumbnail(1);
  REQUIRE(thumbnail.pooled);
  REQUIRE(thumbnail.rows == 50);
  const Maps map = test::MapOf(*layer, 1);
  for (std::int64_t row = 0; row < 50; ++row) {
    for (std::int64_t col = 0; col < 50; ++col) {
      double sum = 0.0;
      float most = 0.0F;
      int visible = 0;
      for (std::int64_t query = 4 * row; query < 4 * row + 4; ++query) {
        for (std::int64_t key = 4 * col; key < 4 * col + 4 && key <= query; ++key) {
          const float weight = map[static_cast<std::size_t>(query * 200 + key)];
          sum += static_cast<double>(weight);
          most = std::max(most, weight);
          ++visible;
        }
      }
      const auto cell = static_cast<std::size_t>(row * 50 + col);
      const double mean = visible == 0 ? static_cast<double>(kMasked) : sum / visible;
      CHECK(static_cast<double>(thumbnail.mean[cell]) ==
            test::Near(mean, test::SumBound(std::abs(mean), visible)));
      CHECK(thumbnail.max[cell] == (visible == 0 ? kMasked : most));
    }
  }
}

}  // namespace
}  // namespace headscope
