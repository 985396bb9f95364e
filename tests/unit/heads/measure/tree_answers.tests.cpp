#include "core/heads/measure/tree_answers.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "core/attention/capture.h"
#include "core/compute/backend.h"
#include "core/heads/measure/failing_cases.h"
#include "core/heads/probe/probe.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/support/small_tree.h"

namespace headscope {
namespace {

bool Has(const std::string& words, const std::string& part) {
  return words.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a word's largest weight is over pieces, as sums of keys and means of rows",
          "[heads][tree]") {
  const TextTree tree = test::SmallTree();
  const TreeAnswers answers =
      AnswerTree(tree, {test::SmallTreeMap(), 0}, PairDirection::kDependentToHead);
  REQUIRE(answers.edges.size() == 4);
  CHECK(answers.edges[0] == TreeEdge{0, 2, "det", EdgeMatch::kAgrees});
  CHECK(answers.edges[1] == TreeEdge{1, 2, "amod", EdgeMatch::kDiffers});
  CHECK(answers.edges[2] == TreeEdge{2, 3, "nsubj", EdgeMatch::kAgrees});
  CHECK(answers.edges[3] == TreeEdge{4, 3, "punct", EdgeMatch::kNotAsked});
  REQUIRE(answers.head.size() == 5);
  CHECK(answers.head[0].key == 2);
  CHECK(answers.head[0].weight == Approx(0.6));
  CHECK(answers.head[2].key == 3);
  CHECK(answers.head[2].weight == Approx(0.55));
  CHECK(answers.head[3].key == 2);  // the begin mark is no word
  CHECK(answers.head[3].weight == Approx(0.3));
  CHECK(answers.asked == 3);
  CHECK(answers.right == 2);
  CHECK(answers.right_before == 0);
  CHECK(answers.best_offset == 1);
  CHECK(answers.right_at_best == 2);
  CHECK(answers.punctuation == 1);
  const std::string words = AnswerWords(answers, "L1H3");
  CHECK(Has(words, "L1H3’s largest weight is the governor at 2 of 3 words"));
  CHECK(Has(words, "the word before would be right at 0"));
  CHECK(Has(words, "the best fixed distance, 1 word after, at 2"));
  CHECK(Has(words, "Not asked: 1 punctuation mark."));
}

TEST_CASE("a governor with two dependents can be right on one of its edges", "[heads][tree]") {
  const TreeAnswers answers =
      AnswerTree(test::SmallTree(), {test::SmallTreeMap(), 0}, PairDirection::kHeadToDependent);
  CHECK(answers.asked == 3);
  CHECK(answers.queries == 2);  // "dog" twice, "barks"
  CHECK(answers.right == 1);    // "barks" looks at "dog"
  CHECK(answers.right_before == 2);
  CHECK(Has(AnswerWords(answers, "L0H0"), "so 2 at most"));
}

TEST_CASE("edges to words that come later are not asked of a causal head", "[heads][tree]") {
  std::vector<std::vector<float>> rows(7, std::vector<float>(7, 0.0F));
  for (std::size_t query = 0; query < 7; ++query) {
    rows[query][query > 0 ? query - 1 : 0] = 1.0F;
  }
  const auto layer = test::GivenMap(rows, true);
  const TreeAnswers up = AnswerTree(test::SmallTree(), {layer, 0}, PairDirection::kDependentToHead);
  CHECK(up.asked == 0);
  CHECK(up.unseen == 3);
  CHECK(Has(AnswerWords(up, "L0H0"), "No edge of this tree can be asked of L0H0."));
  const TreeAnswers down =
      AnswerTree(test::SmallTree(), {layer, 0}, PairDirection::kHeadToDependent);
  CHECK(down.asked == 3);
  CHECK(down.right == 2);  // the word before: "old" of "dog", "dog" of "barks"
  CHECK(down.right == down.right_before);
}

TEST_CASE("what is counted is what relation scores count", "[heads][tree]") {
  const auto model = *Model::Open(test::SourceFolder() / "assets/models/gpt-h8");
  const auto backend = std::move(*MakeOnednnBackend());
  Forward forward(model, backend.get());
  auto corpus = ReadProbe(
      *model, ReadVocabulary(*model), test::SourceFolder() / "assets/probes/probes.conllu", {});
  REQUIRE(corpus);
  std::int64_t asked = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    const ProbeSequence& text = corpus->sequences[i];
    const TextTree tree{.sentence = text.annotation, .word = text.annotated_word};
    std::set<std::string> relations;
    for (const AnnotatedWord& word : text.annotation->words) {
      relations.insert(word.relation);
    }
    ForwardInput input;
    input.ids = text.ids;
    const auto compare = [&](std::shared_ptr<const LayerAttention> layer) -> Status {
      for (std::int64_t head = 0; head < layer->shape().heads; ++head) {
        for (const PairDirection direction :
             {PairDirection::kDependentToHead, PairDirection::kHeadToDependent}) {
          std::int64_t cases = 0;
          std::int64_t right = 0;
          for (const std::string& relation : relations) {
            const auto found = AnswersOf(text,
                                         *layer,
                                         head,
                                         std::string(kRelationPrefix) + relation + ":" +
                                             std::string(DirectionName(direction)));
            cases += std::ssize(found);
            right += std::ranges::count(found, true, &WordAnswer::is_right);
          }
          const TreeAnswers answers = AnswerTree(tree, {layer, head}, direction);
          CHECK(answers.asked == cases);
          CHECK(answers.right == right);
          asked += cases;
        }
      }
      return {};
    };
    REQUIRE(CaptureAttention(&forward, input, {.last_layer = 1}, compare, {}));
  }
  CHECK(asked > 500);
}

TEST_CASE("a sentence is found by its text, its number and its id", "[heads][tree]") {
  AnnotatedText file;
  AnnotatedSentence bare;
  bare.text = "No tree.";
  bare.words = {{"No", 0, 2, "", -1, ""}};
  file.sentences = {bare, *test::SmallTree().sentence};
  file.sentences[1].id = "s-2";
  CHECK(FindSentence(file, "the old dog barks .\n") == 1);
  CHECK_FALSE(FindSentence(file, "the old dog"));
  CHECK_FALSE(FindSentence(file, ""));
  CHECK(*ChooseSentence(file, "", "f.conllu") == 1);  // the first has no tree
  CHECK(*ChooseSentence(file, "1", "f.conllu") == 0);
  CHECK(*ChooseSentence(file, "s-2", "f.conllu") == 1);
  const auto none = ChooseSentence(file, "3", "f.conllu");
  REQUIRE_FALSE(none);
  CHECK(none.error().message == "f.conllu: expected a sentence from 1 to 2 or its id, found \"3\"");
  CHECK(Has(WhyNoTree({.sentence = std::make_shared<AnnotatedSentence>(bare), .word = {0}}),
            "no governors"));
}

}  // namespace headscope
