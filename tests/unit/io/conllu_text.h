// CoNLL-U as tests write it.
#pragma once

#include <string>

#include "core/io/annotated_text.h"

namespace headscope::test {

// The row of a word.
inline std::string Row(const std::string& id,
                       const std::string& form,
                       const std::string& head,
                       const std::string& relation,
                       const std::string& misc = "_") {
  return id + "\t" + form + "\t_\tX\t_\t_\t" + head + "\t" + relation + "\t_\t" + misc + "\n";
}

// "the boats sleep", a sentence that is right.
inline std::string GoodSentence() {
  return Row("1", "the", "2", "det") + Row("2", "boats", "3", "nsubj") +
         Row("3", "sleep", "0", "root") + "\n";
}

inline std::string FormAt(const AnnotatedSentence& sentence, const AnnotatedWord& word) {
  return sentence.text.substr(static_cast<std::size_t>(word.begin),
                              static_cast<std::size_t>(word.end - word.begin));
}

}  // namespace headscope::test
