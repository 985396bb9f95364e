#include "core/heads/probe/target.h"

#include "core/model/config.h"
#include "tests/support/catch.h"
#include "tests/support/made_rows.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::PlainSequence;

std::shared_ptr<const Model> Bart(int positions) {
  return test::TinyModel(R"({"model_type": "bart", "encoder_layers": 1, "decoder_layers": 1,
      "encoder_attention_heads": 1, "decoder_attention_heads": 1, "d_model": 4,
      "encoder_ffn_dim": 4, "decoder_ffn_dim": 4, "vocab_size": 40, "decoder_start_token_id": 2,
      "eos_token_id": 1, "max_position_embeddings": )" +
                         std::to_string(positions) + "}")
      .Open();
}

ProbeCorpus CorpusOf(std::vector<ProbeSequence> sequences) {
  return {.probe = "test", .groups = {""}, .sequences = std::move(sequences)};
}

}  // namespace

TEST_CASE("a target is the start token and the text without the token that ends it", "[heads]") {
  ProbeSequence text = PlainSequence({0, 5, 9, 6, 1});
  text.annotated_word = {-1, 0, 0, 1, -1};
  text.hidden = {{.query = 3, .key = 1, .other = 2}};
  text.segment_ids = {0, 0, 0, 0, 0};
  const auto targets = MakeTargets(*Bart(12), CorpusOf({text, PlainSequence({5, 6, 7})}));
  REQUIRE(targets);
  const ProbeSequence& target = targets->sequences[0];
  CHECK(target.ids == std::vector<std::int32_t>{2, 0, 5, 9, 6});
  CHECK(target.special == std::vector<std::uint8_t>{1, 1, 0, 0, 0});
  CHECK(target.separator == std::vector<std::uint8_t>{1, 1, 0, 0, 0});
  CHECK(target.word == std::vector<std::int32_t>{-1, 0, 1, 1, 3});
  CHECK(target.annotated_word == std::vector<std::int32_t>{-1, -1, 0, 0, 1});
  CHECK(target.count.size() == 5);
  CHECK(target.segment_ids.empty());
  REQUIRE(target.hidden.size() == 1);
  CHECK(target.hidden[0].query == 4);
  CHECK(target.hidden[0].key == 2);
  CHECK(target.hidden[0].other == 3);
  // Nothing ends the other.
  CHECK(targets->sequences[1].ids == std::vector<std::int32_t>{2, 5, 6, 7});
  for (std::int64_t row = 1; row < target.tokens(); ++row) {
    CHECK(target.ids[static_cast<std::size_t>(row)] ==
          text.ids[static_cast<std::size_t>(PlaceInSource(row))]);
  }
}

TEST_CASE("a target is cut where the decoder reads no more", "[heads]") {
  const auto targets = MakeTargets(
      *Bart(12), CorpusOf({PlainSequence({5, 6, 7, 8, 5, 6, 7, 8, 5, 6, 7, 8})}));  // 12
  REQUIRE(targets);
  CHECK(targets->sequences[0].tokens() == 12);
  CHECK(targets->sequences[0].word.size() == 12);
  CHECK(targets->sequences[0].ids.back() == 7);
}

TEST_CASE("the target of a control has other tokens than its source and its sequence", "[heads]") {
  for (const std::int32_t period : {4, 5, 10}) {
    std::vector<std::int32_t> block;
    std::vector<std::int32_t> other;
    for (std::int32_t i = 0; i < period; ++i) {
      block.push_back(3 + i);
      other.push_back(3 + period + i);
    }
    std::vector<std::int32_t> twice = block;
    std::vector<std::int32_t> once = block;
    twice.insert(twice.end(), block.begin(), block.end());
    once.insert(once.end(), other.begin(), other.end());
    ProbeSequence control = PlainSequence(once);
    control.is_control = true;
    const auto targets = MakeTargets(*Bart(30), CorpusOf({PlainSequence(twice), control}));
    REQUIRE(targets);
    const std::vector<std::int32_t>& own = targets->sequences[0].ids;
    const std::vector<std::int32_t>& wrong = targets->sequences[1].ids;
    REQUIRE(own.size() == wrong.size());
    for (std::size_t row = 1; row < own.size(); ++row) {
      const std::size_t place = row - 1;
      const bool is_second = place >= static_cast<std::size_t>(period);
      CHECK((own[row] != wrong[row]) == is_second);
      CHECK((wrong[row] != once[place]) == is_second);
      // Nor beside it.
      CHECK((place == 0 || !is_second || wrong[row] != once[place - 1]));
      CHECK((place + 1 >= once.size() || !is_second || wrong[row] != once[place + 1]));
    }
    // The same tokens.
    std::vector<std::int32_t> first(wrong.begin() + 1, wrong.end());
    std::ranges::sort(first);
    std::ranges::sort(once);
    CHECK(first == once);
  }
}

TEST_CASE("a decoder with a vocabulary of its own has no targets", "[heads]") {
  test::TinyModel marian(R"({"model_type": "marian", "encoder_layers": 1, "decoder_layers": 1,
      "encoder_attention_heads": 1, "decoder_attention_heads": 1, "d_model": 4,
      "encoder_ffn_dim": 4, "decoder_ffn_dim": 4, "max_position_embeddings": 16, "vocab_size": 40,
      "share_encoder_decoder_embeddings": false, "tie_word_embeddings": false})");
  const auto targets = MakeTargets(*marian.Open(), CorpusOf({PlainSequence({5, 6})}));
  REQUIRE_FALSE(targets);
  CHECK_THAT(targets.error().message, test::Says("a vocabulary of its own"));
}

}  // namespace headscope
