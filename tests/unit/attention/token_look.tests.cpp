#include "core/attention/token_look.h"

#include <numeric>

#include "tests/support/attention_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/distinct_layer.h"

namespace headscope::test {
namespace {

// "[S] sa·il·or ran , sa·il": two words of several pieces, the first token special.
Encoding Sailor() {
  Encoding text = *Words({"[S]", "sa", "il", "or", "ran", ",", "sa", "il"});
  const std::vector<std::int32_t> words = {-1, 0, 0, 0, 1, 2, 3, 3};
  for (std::size_t i = 0; i < words.size(); ++i) {
    text.tokens[i].word = words[i];
  }
  text.tokens[0].special = true;
  return text;
}

TokenLook MergedLook() {
  TokenLook look;
  look.merges_words = true;
  return look;
}

std::shared_ptr<const LayerAttention> See(const LayerAttention& layer,
                                          const TokenGroups& queries,
                                          const TokenGroups& keys,
                                          bool renormalises) {
  auto seen = MakeSeenLayer(layer, queries, keys, renormalises, {});
  REQUIRE(seen.has_value());
  return *seen;
}

float At(const LayerAttention& layer, std::int64_t head, std::int64_t query, std::int64_t key) {
  std::vector<float> row(static_cast<std::size_t>(layer.shape().keys));
  layer.Row(head, query, row);
  return row[static_cast<std::size_t>(key)];
}

TEST_CASE("pieces are merged to words, and what is hidden has no row", "[attention][look]") {
  const Encoding text = Sailor();
  TokenLook look = MergedLook();
  CHECK(GroupsOf(text, look) == TokenGroups{{0}, {1, 2, 3}, {4}, {5}, {6, 7}});
  look.hides_special = true;
  look.hides_punctuation = true;
  CHECK(GroupsOf(text, look) == TokenGroups{{1, 2, 3}, {4}, {6, 7}});
  look.hidden = {2};
  CHECK(GroupsOf(text, look) == TokenGroups{{1, 3}, {4}, {6, 7}});
  look = {};
  look.hides_first = true;
  CHECK(GroupsOf(text, look).size() == 7);
  CHECK(TokenLook().IsPlain());
  CHECK_FALSE(look.IsPlain());
}

TEST_CASE("a stop word is hidden with all its pieces, and only as a whole word",
          "[attention][look]") {
  const Encoding text = Sailor();
  TokenLook look;
  look.hides_stop_words = true;
  look.stop_words = "SAILOR ran [S] il";  // a special token is no word, a piece is none either
  CHECK(GroupsOf(text, look) == TokenGroups{{0}, {5}, {6}, {7}});
  CHECK(look.Hides());
  CHECK(WordsOf(look) ==
        "Hidden: stop words (a list of 4); rows lack what they gave to hidden tokens");
  look.merges_words = true;
  CHECK(GroupsOf(text, look) == TokenGroups{{0}, {5}, {6, 7}});
  look.stop_words = " ";  // written, and empty
  CHECK(GroupsOf(text, look) == GroupsOf(text, MergedLook()));
  look.stop_words.clear();
  CHECK(GroupsOf(*Words({"The", "captain", "of", "it"}), look) == TokenGroups{{1}});
  CHECK_THAT(WordsOf(look), Says("hidden: stop words (a built-in list of "));
}

TEST_CASE("a merged word is named by its pieces, and equal words are equal", "[attention][look]") {
  Encoding text = *Words({"sa", "il", "ran", "sa", "il"});
  const std::vector<std::int32_t> words = {0, 0, 1, 2, 2};
  for (std::size_t i = 0; i < words.size(); ++i) {
    text.tokens[i].word = words[i];
  }
  const Encoding seen = EncodingOfGroups(text, GroupsOf(text, MergedLook()));
  REQUIRE(seen.tokens.size() == 3);
  CHECK(seen.tokens[0].display == "sail");
  CHECK(seen.tokens[1].display == "ran");
  CHECK(seen.tokens[0].id == seen.tokens[2].id);
  CHECK(seen.tokens[0].id < 0);
  CHECK(seen.tokens[1].id == text.tokens[2].id);
}

TEST_CASE("pieces of one character, merged, are shown as the character", "[attention][look]") {
  const auto shown = [](const std::vector<std::string>& pieces) {
    Encoding text;
    TokenGroups groups(1);
    for (const std::string& piece : pieces) {
      groups.front().push_back(std::ssize(text.tokens));
      text.tokens.push_back({.id = 1, .text = piece, .display = piece, .word = 0});
    }
    return EncodingOfGroups(text, groups).tokens.front().display;
  };
  CHECK(shown({"⟨E6⟩", "⟨9C 80⟩"}) == "最");
  CHECK(shown({"a⟨F0 9F⟩", "⟨98⟩", "⟨80⟩b"}) == "a😀b");
  CHECK(shown({"⟨E6⟩", "⟨9C⟩"}) == "⟨E6⟩⟨9C⟩");  // not the whole of it
  CHECK(shown({"⟨U+200D⟩", "x"}) == "⟨U+200D⟩x");
  CHECK(shown({"⟨", "E6⟩"}) == "⟨E6⟩");
  CHECK(shown({"⟨ab", "⟩⟨c"}) == "⟨ab⟩⟨c");
}

TEST_CASE("without merging or hiding every weight is the layer's own", "[attention][look]") {
  const auto layer = MakeDistinct({.id = {}, .heads = 3, .queries = 9, .keys = 9}).layer;
  const TokenGroups all = GroupsOf(*NumberedWords(9), {});
  const auto seen = See(*layer, all, all, false);
  for (std::int64_t head = 0; head < 3; ++head) {
    for (std::int64_t query = 0; query < 9; ++query) {
      CHECK(seen->HiddenWeight(head, query) < 1e-6F);
      for (std::int64_t key = 0; key < 9; ++key) {
        CHECK(At(*seen, head, query, key) == At(*layer, head, query, key));
      }
    }
  }
  CHECK_FALSE(seen->has_scores());
}

TEST_CASE("columns of a word are summed and its rows averaged", "[attention][look]") {
  // Even and causal: row i has 1/(i+1) over keys 0 to i. The word is of tokens 1 and 2.
  const auto layer = EvenLayer(0, 1, 4);
  const TokenGroups groups = {{0}, {1, 2}, {3}};
  const auto seen = See(*layer, groups, groups, false);
  CHECK(At(*seen, 0, 0, 0) == 1.0F);
  CHECK(At(*seen, 0, 1, 0) == Approx((1.0 / 2 + 1.0 / 3) / 2));
  CHECK(At(*seen, 0, 1, 1) == Approx((1.0 / 2 + 2.0 / 3) / 2));
  CHECK(At(*seen, 0, 1, 2) == 0.0F);  // it comes later
  CHECK(At(*seen, 0, 2, 1) == Approx(2.0 / 4));
  CHECK_FALSE(seen->Visible(1, 2));
}

TEST_CASE("what a row gave to hidden keys is kept beside it", "[attention][look]") {
  const bool has_sink = GENERATE(false, true);
  const auto layer = MakeEven({.id = {}, .heads = 2, .queries = 5, .keys = 5, .sink = has_sink});
  const TokenGroups shown = {{1}, {2}, {4}};
  const auto seen = See(*layer, shown, shown, false);
  const auto whole = See(*layer, shown, shown, true);
  for (std::int64_t row = 0; row < 3; ++row) {
    const double of = (row == 2 ? 5.0 : static_cast<double>(row) + 2.0) + (has_sink ? 1.0 : 0.0);
    const double kept = static_cast<double>(row) + 1.0;  // each of the keys that it sees
    const double sink = has_sink ? 1.0 : 0.0;
    CHECK(At(*seen, 1, row, 0) == Approx(1.0 / of));
    CHECK(seen->HiddenWeight(1, row) == Approx((of - kept - sink) / of));
    CHECK(seen->SinkWeight(1, row) == Approx(sink / of));
    CHECK(At(*whole, 1, row, 0) == Approx(1.0 / (kept + sink)));
    CHECK(whole->HiddenWeight(1, row) == seen->HiddenWeight(1, row));
  }
}

TEST_CASE("of any look rows, hidden and sink add up to 1", "[attention][look]") {
  const std::int64_t tokens = GENERATE(8, 70, 131);
  const auto layer = MakeDistinct({.id = {}, .heads = 2, .queries = tokens, .keys = tokens}).layer;
  TokenGroups groups;
  for (std::int64_t i = 1; i < tokens; i += 3) {  // every third is hidden, the others are pairs
    groups.push_back(i + 1 < tokens ? std::vector<std::int64_t>{i, i + 1}
                                    : std::vector<std::int64_t>{i});
  }
  const auto seen = See(*layer, groups, groups, false);
  const auto whole = See(*layer, groups, groups, true);
  std::vector<float> row(groups.size());
  for (std::int64_t query = 0; query < std::ssize(groups); ++query) {
    seen->Row(1, query, row);
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    CHECK(sum + static_cast<double>(seen->HiddenWeight(1, query)) == Approx(1.0).epsilon(1e-5));
    whole->Row(1, query, row);
    CHECK(std::accumulate(row.begin(), row.end(), 0.0) == Approx(1.0).epsilon(1e-5));
  }
}

TEST_CASE("a picture has its layers in their places, and cross-attention its own axes",
          "[attention][look]") {
  SeenSubject subject;
  subject.source = NumberedWords(6);
  subject.target = NumberedWords(4, "t");
  subject.layers = {
      MakeEven({.id = {ModelPart::kEncoder, 0}, .queries = 6, .keys = 6, .causal = false}),
      nullptr,
      MakeEven({.id = {ModelPart::kCross, 0}, .queries = 4, .keys = 6, .causal = false})};
  TokenLook look;
  look.hidden = {0, 5};  // of the text alone
  const auto seen = SeePicture(subject, look, {});
  REQUIRE(seen.has_value());
  REQUIRE(seen->layers.size() == 3);
  CHECK(seen->layers[0]->shape().queries == 4);
  CHECK(seen->layers[1] == nullptr);
  CHECK(seen->layers[2]->shape().queries == 4);
  CHECK(seen->layers[2]->shape().keys == 4);
  CHECK(seen->source->tokens.size() == 4);
  CHECK(seen->target->tokens.size() == 4);
  look.hidden = {0, 1, 2, 3, 4, 5};
  const auto nothing = SeePicture(subject, look, {});
  REQUIRE_FALSE(nothing.has_value());
  CHECK(nothing.error().message == "No token would be left: show some of those that are hidden.");
}

}  // namespace
}  // namespace headscope::test
