// "the old dog barks ." with its tree, in tokens: a begin mark, and "dog" in two pieces.
#pragma once

#include <memory>
#include <vector>

#include "core/heads/measure/text_tree.h"
#include "tests/support/given_map.h"

namespace headscope::test {

inline TextTree SmallTree() {
  auto sentence = std::make_shared<AnnotatedSentence>();
  sentence->text = "the old dog barks .";
  sentence->words = {{"the", 0, 3, "DET", 2, "det"},
                     {"old", 4, 7, "ADJ", 2, "amod"},
                     {"dog", 8, 11, "NOUN", 3, "nsubj"},
                     {"barks", 12, 17, "VERB", -1, "root"},
                     {".", 18, 19, "PUNCT", 3, "punct"}};
  return {.sentence = sentence,
          .word = {-1, 0, 1, 2, 2, 3, 4},
          .source = "small.conllu, sentence 1 of 1"};
}

// "the" gives most to one token of "old", but more to both pieces of "dog" together. The pieces of
// "dog" look at different words, their mean at "barks". "old" looks at "the".
inline std::shared_ptr<const LayerAttention> SmallTreeMap() {
  return GivenMap({{1.0F, 0, 0, 0, 0, 0, 0},
                   {0, 0, 0.4F, 0.3F, 0.3F, 0, 0},
                   {0, 0.9F, 0, 0.1F, 0, 0, 0},
                   {0, 0, 0.7F, 0, 0, 0.3F, 0},
                   {0, 0, 0.2F, 0, 0, 0.8F, 0},
                   {0.6F, 0, 0, 0.2F, 0.1F, 0, 0.1F},
                   {0, 0, 0, 0, 0, 1.0F, 0}},
                  false);
}

}  // namespace headscope::test
