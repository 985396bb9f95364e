// Sentences of ten words, in which one is the object of another.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/random.h"
#include "core/heads/probe/probe.h"
#include "core/io/annotated_text.h"

namespace headscope {

inline constexpr std::size_t kWordsOfMade = 10;

// A sentence of ten words of one token each, or of several: word `verb` has an object `object`.
struct MadeSentence {
  std::size_t verb = 0;
  std::size_t object = 0;
  std::vector<std::size_t> pieces;  // tokens of each word
};

inline ProbeSequence SequenceOf(const MadeSentence& made) {
  ProbeSequence sequence;
  auto sentence = std::make_shared<AnnotatedSentence>();
  for (std::size_t word = 0; word < kWordsOfMade; ++word) {
    AnnotatedWord one;
    one.form = fmt::format("w{}", word);
    one.head = static_cast<std::int64_t>(made.verb);
    if (word == made.object) {
      one.relation = "obj";
    }
    sentence->words.push_back(std::move(one));
    for (std::size_t piece = 0; piece < made.pieces[word]; ++piece) {
      sequence.ids.push_back(5);
      sequence.special.push_back(0);
      sequence.separator.push_back(0);
      sequence.word.push_back(static_cast<std::int32_t>(word));
      sequence.annotated_word.push_back(static_cast<std::int32_t>(word));
    }
  }
  sequence.annotation = std::move(sentence);
  return sequence;
}

inline std::vector<MadeSentence> MakeSentences(std::size_t count, RandomStream* random) {
  std::vector<MadeSentence> made;
  for (std::size_t i = 0; i < count; ++i) {
    MadeSentence one;
    one.object = 3 + random->Below(kWordsOfMade - 3);
    one.verb = random->Below(one.object);
    one.pieces.assign(kWordsOfMade, 1);
    made.push_back(std::move(one));
  }
  return made;
}

}  // namespace headscope
