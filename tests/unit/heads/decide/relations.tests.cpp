#include "core/heads/decide/relations.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/random.h"
#include "core/heads/measure/measure.h"
#include "core/io/annotated_text.h"
#include "tests/support/catch.h"
#include "tests/support/made_rows.h"
#include "tests/support/relation_score.h"
#include "tests/unit/heads/made_sentences.h"

namespace headscope {
namespace {

// Cases of one head whose row q of a sequence is `weight_of(place, q, k)`, causal.
template <typename WeightOf>
std::vector<PairCase> CasesIn(const ProbeCorpus& corpus, const WeightOf& weight_of) {
  const WordCounts counts = CountWords(corpus);
  std::vector<PairCase> cases;
  for (std::size_t place = 0; place < corpus.sequences.size(); ++place) {
    const std::vector<std::size_t> places = {place};
    WordReader reader(corpus, places, counts, 1, 1);
    const std::int64_t n = corpus.sequences[place].tokens();
    std::vector<float> weights;
    for (std::int64_t q = 0; q < n; ++q) {
      for (std::int64_t k = 0; k < n; ++k) {
        weights.push_back(k > q ? 0.0F : weight_of(place, q, k));
      }
    }
    test::ShowWeights(weights, 1, n, true, reader.BeginLayer({}));
    REQUIRE(reader.EndLayer({}));
    std::ranges::move(reader.TakeCases(), std::back_inserter(cases));
  }
  return cases;
}

template <typename WeightOf>
std::vector<PairCase> CasesOf(const std::vector<MadeSentence>& made, const WeightOf& weight_of) {
  ProbeCorpus corpus{.probe = "made", .groups = {""}, .sequences = {}};
  for (const MadeSentence& one : made) {
    corpus.sequences.push_back(SequenceOf(one));
  }
  return CasesIn(corpus, [&](std::size_t place, std::int64_t q, std::int64_t k) {
    return weight_of(made[place], q, k);
  });
}

// Words of which four are mentions: the last one means the same as one of the others.
struct MadeMentions {
  std::vector<std::int64_t> heads;  // ascending
  std::size_t same = 0;             // into `heads`
  [[nodiscard]] std::int64_t antecedent() const { return heads[same]; }
};

ProbeCorpus CorpusOf(const std::vector<MadeMentions>& made) {
  ProbeCorpus corpus{.probe = "made", .groups = {""}, .sequences = {}};
  for (const MadeMentions& one : made) {
    ProbeSequence sequence;
    auto sentence = std::make_shared<AnnotatedSentence>();
    for (std::int32_t word = 0; word < 14; ++word) {
      AnnotatedWord plain;
      plain.form = "w";
      sentence->words.push_back(std::move(plain));
      sequence.ids.push_back(5);
      sequence.special.push_back(0);
      sequence.separator.push_back(0);
      sequence.word.push_back(word);
      sequence.annotated_word.push_back(word);
    }
    for (std::size_t i = 0; i < one.heads.size(); ++i) {
      const bool is_same = i + 1 == one.heads.size() || i == one.same;
      sentence->mentions.push_back(
          {one.heads[i], one.heads[i], one.heads[i], is_same ? "same" : fmt::format("e{}", i)});
    }
    sequence.annotation = std::move(sentence);
    corpus.sequences.push_back(std::move(sequence));
  }
  return corpus;
}

std::vector<MadeMentions> MakeMentions(std::size_t count, RandomStream* random) {
  std::vector<MadeMentions> made(count);
  for (MadeMentions& one : made) {
    for (std::int64_t word = 0; word < 14 && one.heads.size() < 4; ++word) {
      const std::uint64_t left = 14 - static_cast<std::uint64_t>(word);
      if (random->Below(left) < 4 - one.heads.size()) {
        one.heads.push_back(word);
      }
    }
    one.same = random->Below(3);
  }
  return made;
}

std::vector<Suggestion> DecidePairs(const std::vector<PairCase>& cases) {
  return DecideRelations(GroupCases(cases), {.layers = 1, .heads = 1});
}

}  // namespace

TEST_CASE("a head that follows a relation is found, in each direction that it can see", "[heads]") {
  RandomStream random(5);
  const auto made = MakeSentences(200, &random);
  const auto cases = CasesOf(made, [](const MadeSentence& one, std::int64_t q, std::int64_t k) {
    const bool is_object = q == static_cast<std::int64_t>(one.object);
    const bool hit = is_object && k == static_cast<std::int64_t>(one.verb);
    return hit ? 0.9F : (k == 0 ? 0.1F : 0.0F);
  });
  // The verb comes first: a causal model sees it from the object, never the other way round.
  const auto relations = GroupCases(cases);
  REQUIRE(relations.size() == 2);
  CHECK(RelationId(relations[0]) == "dep:obj:dependent-to-head");
  CHECK(RelationId(relations[1]) == "dep:obj:later-to-earlier");
  const HeadScore score = RelationScore(relations[0], 0);
  CHECK(score.score == 1.0);
  CHECK(score.rows == 200);
  CHECK(*score.control < 0.5);
  // Later-to-earlier are the same 200 pairs: one finding.
  const auto found = DecidePairs(cases);
  REQUIRE(found.size() == 1);
  CHECK(found[0].role == "syntactic");
  CHECK(found[0].relation == "obj");
  CHECK(found[0].direction == "dependent-to-head");
  CHECK(found[0].verdict == Verdict::kStrong);
  CHECK(found[0].cases == 200);
}

TEST_CASE("a head that is right no more often than chance follows no relation", "[heads]") {
  // Of ten words so many are right, and the controls never are.
  const auto found_with = [](std::int64_t targets) {
    std::vector<PairCase> cases(200);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      cases[i].sentence = static_cast<std::int64_t>(i);
      cases[i].relation = "obj";
      cases[i].offset = static_cast<std::int64_t>(i) + 1;
      cases[i].candidates = 10;
      cases[i].targets = targets;
      cases[i].right = {i % 5 == 0 ? 0U : 1U};  // in 80 %
      cases[i].popular = {0U};
    }
    return DecidePairs(cases);
  };
  const auto found = found_with(6);
  REQUIRE(found.size() == 1);
  CHECK(found[0].chance == Approx(0.6));
  CHECK_THAT(found[0].why, test::Says("; chance 60 %, the word it likes anyway 0 %"));
  CHECK(found_with(8).empty());
}

TEST_CASE("later-to-earlier is said beside a direction where it has pairs enough of the other",
          "[heads]") {
  // One head, right about all: pairs whose dependent comes last, and so many others.
  const auto found_with = [](std::int64_t others) {
    std::vector<PairCase> cases;
    const auto add = [&](std::int64_t count, PairDirection direction) {
      for (std::int64_t i = 0; i < count; ++i) {
        PairCase pair;
        pair.sentence = i;
        pair.relation = "obj";
        pair.direction = direction;
        pair.offset = -1 - i % 7;
        pair.candidates = 8;
        pair.right = {1};
        pair.popular = {0};
        cases.push_back(std::move(pair));
      }
    };
    add(100, PairDirection::kDependentToHead);
    add(others, PairDirection::kHeadToDependent);
    add(100 + others, PairDirection::kLaterToEarlier);
    std::vector<std::string> directions;
    for (const Suggestion& one : DecidePairs(cases)) {
      directions.push_back(one.direction);
    }
    std::ranges::sort(directions);
    return directions;
  };
  CHECK(found_with(0) == std::vector<std::string>{"dependent-to-head"});
  CHECK(found_with(49) == std::vector<std::string>{"dependent-to-head"});
  CHECK(found_with(50) ==
        std::vector<std::string>{"dependent-to-head", "head-to-dependent", "later-to-earlier"});
}

TEST_CASE("a map that always looks at the verb follows no relation", "[heads]") {
  RandomStream random(6);
  const auto cases = CasesOf(MakeSentences(300, &random),
                             [](const MadeSentence& one, std::int64_t /*q*/, std::int64_t k) {
                               return k == static_cast<std::int64_t>(one.verb) ? 0.9F : 0.01F;
                             });
  const HeadScore score = RelationScore(GroupCases(cases)[0], 0);
  CHECK(score.score == 1.0);
  CHECK(*score.control > 0.9);
  CHECK(DecidePairs(cases).empty());
}

TEST_CASE("even attention over words of many pieces follows no relation", "[heads]") {
  RandomStream random(7);
  auto made = MakeSentences(300, &random);
  for (MadeSentence& one : made) {
    one.pieces[one.verb] = 4;  // summing over pieces makes it the largest
  }
  const auto cases =
      CasesOf(made, [](const MadeSentence& /*one*/, std::int64_t q, std::int64_t /*k*/) {
        return 1.0F / static_cast<float>(q + 1);
      });
  const HeadScore score = RelationScore(GroupCases(cases)[0], 0);
  CHECK(*score.score > 0.9);
  CHECK(*score.control == *score.score);
  CHECK(DecidePairs(cases).empty());
}

TEST_CASE("a fixed distance follows no relation", "[heads]") {
  RandomStream random(8);
  auto made = MakeSentences(300, &random);
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i].verb = i % 10 < 7 ? made[i].object - 2 : made[i].verb;
  }
  const auto cases = CasesOf(made, [](const MadeSentence& /*one*/, std::int64_t q, std::int64_t k) {
    return k == q - 2 ? 0.9F : 0.01F;
  });
  CHECK(*RelationScore(GroupCases(cases)[0], 0).score > 0.65);
  CHECK(DecidePairs(cases).empty());
}

TEST_CASE("scores of a relation are plain counts over its cases", "[heads]") {
  RandomStream random(11);
  std::vector<PairCase> cases(60);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    PairCase& pair = cases[i];
    pair.sentence = static_cast<std::int64_t>((i * 7) % 23);  // in no order
    pair.relation = "obj";
    pair.offset = i % 3 == 0 ? -2 : -1 - static_cast<std::int64_t>(random.Below(9));
    pair.candidates = 2 + static_cast<std::int64_t>(random.Below(4));
    pair.rarest = random.Below(2) == 0;
    pair.right = {random.Below(8)};
    pair.popular = {random.Below(8)};
  }
  const RelationCases relation = GroupCases(cases)[0];
  const std::vector<HeadScore> scores = RelationScores(relation, 3);
  REQUIRE(scores.size() == 3);
  for (std::size_t head = 0; head < 3; ++head) {
    double right = 0.0;
    double popular = 0.0;
    double rarest = 0.0;
    double at_offset = 0.0;
    double chance = 0.0;
    for (const PairCase& pair : cases) {
      right += BitOf(pair.right, head) ? 1.0 : 0.0;
      popular += BitOf(pair.popular, head) ? 1.0 : 0.0;
      rarest += pair.rarest ? 1.0 : 0.0;
      at_offset += pair.offset == -2 ? 1.0 : 0.0;
      chance += 1.0 / static_cast<double>(pair.candidates);
    }
    double spread = 0.0;
    for (std::int64_t sentence = 0; sentence < 23; ++sentence) {
      double off = 0.0;
      for (const PairCase& pair : cases) {
        off += pair.sentence == sentence ? (BitOf(pair.right, head) ? 1.0 : 0.0) - right / 60.0 : 0;
      }
      spread += off * off;
    }
    CHECK(std::abs(*scores[head].score - right / 60.0) < 1e-12);
    CHECK(std::abs(*scores[head].chance - chance / 60.0) < 1e-12);
    CHECK(std::abs(*scores[head].control - std::max({popular, rarest, at_offset}) / 60.0) < 1e-12);
    CHECK(std::abs(*scores[head].error - std::sqrt(spread) / 60.0) < 1e-12);
    CHECK(scores[head].rows == 60);
    CHECK(scores[head].sequences == 23);
    CHECK(RelationScore(relation, head).error == scores[head].error);
  }
}

TEST_CASE("targets drawn at random give a relation in one of a hundred at most", "[heads]") {
  // Twenty heads with no idea, 80 cases: right one time in five, controls as often.
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    RandomStream random(seed);
    std::vector<PairCase> cases(80);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      PairCase& pair = cases[i];
      pair.sentence = static_cast<std::int64_t>(i);
      pair.relation = "obj";
      pair.offset = -1 - static_cast<std::int64_t>(random.Below(5));
      pair.candidates = 5;
      pair.right.assign(1, 0);
      pair.popular.assign(1, 0);
      for (std::size_t head = 0; head < 20; ++head) {
        if (random.Below(5) == 0) {
          SetBit(head, &pair.right);
        }
        if (random.Below(5) == 0) {
          SetBit(head, &pair.popular);
        }
      }
    }
    found += DecideRelations(GroupCases(cases), {.layers = 2, .heads = 10}).empty() ? 0 : 1;
  }
  CHECK(found <= 2);
}

TEST_CASE("a head that looks at what a mention means is a coreference head", "[heads]") {
  RandomStream random(9);
  const auto made = MakeMentions(120, &random);
  // Most of its attention is on a word that is no mention: it is not asked for.
  const auto cases =
      CasesIn(CorpusOf(made), [&](std::size_t place, std::int64_t q, std::int64_t k) {
        const bool hit = q == made[place].heads.back() && k == made[place].antecedent();
        return hit ? 0.2F : (k == q - 1 ? 0.1F : 0.0F);
      });
  const auto relations = GroupCases(cases);
  REQUIRE(relations.size() == 1);
  CHECK(RelationId(relations[0]) == "coreference");
  const HeadScore score = RelationScore(relations[0], 0);
  CHECK(score.score == 1.0);
  CHECK(score.rows == 120);
  CHECK(std::abs(*score.chance - 1.0 / 3.0) < 1e-12);
  CHECK(*score.control < 0.5);
  const auto found = DecidePairs(cases);
  REQUIRE(found.size() == 1);
  CHECK(found[0].role == "coreference");
  CHECK(found[0].metric == "coreference");
  CHECK(found[0].relation.empty());
  CHECK(found[0].direction.empty());
  CHECK_THAT(found[0].why,
             test::Says("looks from a mention to an earlier one of the same in 100 % of 120 "
                        "mentions") &&
                 test::Says("the nearest mention"));
}

TEST_CASE("the nearest mention, or the one liked anyway, is no coreference", "[heads]") {
  RandomStream random(10);
  auto made = MakeMentions(300, &random);
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i].same = i % 10 < 8 ? 2 : random.Below(3);
  }
  const auto nearest =
      CasesIn(CorpusOf(made), [](std::size_t /*place*/, std::int64_t q, std::int64_t k) {
        return k == q ? 0.0F : 0.5F / static_cast<float>(q - k);
      });
  CHECK(*RelationScore(GroupCases(nearest)[0], 0).score > 0.7);
  CHECK(DecidePairs(nearest).empty());
  const auto liked =
      CasesIn(CorpusOf(made), [&](std::size_t place, std::int64_t /*q*/, std::int64_t k) {
        return k == made[place].antecedent() ? 0.9F : 0.01F;
      });
  CHECK(RelationScore(GroupCases(liked)[0], 0).score == 1.0);
  CHECK(DecidePairs(liked).empty());
}

TEST_CASE("any earlier mention of the same is right, and one to choose from is no question",
          "[heads]") {
  ProbeCorpus corpus = CorpusOf({{{1, 4, 6, 9}, 0}});
  AnnotatedSentence changed = *corpus.sequences[0].annotation;
  changed.mentions[2].entity = "same";
  corpus.sequences[0].annotation = std::make_shared<const AnnotatedSentence>(changed);
  const auto even = [](std::size_t /*place*/, std::int64_t /*q*/, std::int64_t k) {
    return k == 1 ? 0.3F : 0.1F;
  };
  const auto cases = CasesIn(corpus, even);
  // Words 6 and 9 ask; word 6 among 1 and 4.
  REQUIRE(cases.size() == 2);
  CHECK(cases[0].candidates == 2);
  CHECK(cases[0].targets == 1);
  CHECK_FALSE(cases[0].pieces_or_nearest);
  CHECK(cases[1].candidates == 3);
  CHECK(cases[1].targets == 2);
  CHECK(cases[1].offset == -3);
  CHECK(cases[1].pieces_or_nearest);
  CHECK(BitOf(cases[1].right, 0));
  CHECK(*RelationScore(GroupCases(cases)[0], 0).chance == (1.0 / 2.0 + 2.0 / 3.0) / 2.0);
  changed.mentions.erase(changed.mentions.begin() + 1);
  changed.mentions.pop_back();
  corpus.sequences[0].annotation = std::make_shared<const AnnotatedSentence>(changed);
  CHECK(CasesIn(corpus, even).empty());
}

TEST_CASE("two heads that halves choose apart are named as sharing a relation", "[heads]") {
  std::vector<PairCase> cases(200);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i].sentence = static_cast<std::int64_t>(i);
    cases[i].relation = "det";
    cases[i].offset = -1 - static_cast<std::int64_t>(i % 7);
    cases[i].candidates = 8;
    cases[i].right.assign(1, 0);
    cases[i].popular.assign(1, 0);
    // Each is nearly always right, one a little more in each half.
    for (const std::size_t head : {std::size_t{0}, std::size_t{1}}) {
      if (i % 20 >= 2 || i % 2 == head) {
        SetBit(head, &cases[i].right);
      }
    }
  }
  const auto found = DecideRelations(GroupCases(cases), {.layers = 1, .heads = 2});
  REQUIRE(found.size() == 2);
  CHECK(found[0].head.head != found[1].head.head);
  CHECK_THAT(found[0].why, test::Says("shared with L0H1"));
  // Neither is sure to be the one.
  CHECK(*found[0].stability > 0.2);
  CHECK(*found[0].stability + *found[1].stability == Approx(1.0));
}

}  // namespace headscope
