#include "core/heads/measure/relation_words.h"

#include "tests/support/catch.h"

namespace headscope {
namespace {

TEST_CASE("a relation reads governor and dependent, in words where it has some", "[heads]") {
  CHECK(RelationSentence("det", PairDirection::kDependentToHead) ==
        "det: determiner looks at its noun");
  CHECK(RelationSentence("nsubj", PairDirection::kDependentToHead) ==
        "nsubj: subject looks at its verb");
  CHECK(RelationSentence("det", PairDirection::kHeadToDependent) ==
        "det: noun looks at its determiner");
  CHECK(RelationSentence("obj", PairDirection::kLaterToEarlier) ==
        "obj: the later word looks at the earlier");
  CHECK(RelationLabel("aux:pass", PairDirection::kHeadToDependent) ==
        "aux:pass: verb → passive auxiliary");
  CHECK(RelationLabel("obj", PairDirection::kLaterToEarlier) == "obj: later → earlier");
  // A subtype without words of its own is as its relation; what nobody named is of any two words.
  CHECK(RelationLabel("nmod:npmod", PairDirection::kDependentToHead) ==
        "nmod:npmod: modifying noun → noun");
  CHECK(RelationSentence("of:us", PairDirection::kDependentToHead) ==
        "of:us: dependent looks at its governor");
  CHECK(RelationSentence("of:us", PairDirection::kHeadToDependent) ==
        "of:us: governor looks at its dependent");
}

TEST_CASE("an id of files says relation and direction", "[heads]") {
  const RelationOfId plain = ReadRelationId("dep:obj:dependent-to-head");
  CHECK(plain.relation == "obj");
  CHECK(plain.direction == PairDirection::kDependentToHead);
  const RelationOfId sub = ReadRelationId("dep:aux:pass:later-to-earlier");
  CHECK(sub.relation == "aux:pass");
  CHECK(sub.direction == PairDirection::kLaterToEarlier);
}

}  // namespace
}  // namespace headscope
