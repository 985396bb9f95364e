// What models share that work piece by piece: pieces met before are remembered, and a long piece is
// taken word by word where that changes nothing.
//
// Errors   those of TokenizeWord.
// Threads  as TokenModel.
#pragma once

#include <string>
#include <vector>

#include "core/base/stop.h"
#include "core/text/token_model.h"

namespace headscope::text {

class WordwiseModel : public TokenModel {
 public:
  Status Tokenize(const std::string& piece, Cache& cache, std::vector<Hit>& hits) const final;

 protected:
  using TokenModel::TokenModel;

  // Appends to `hits`, ranges from the beginning of the word.
  [[nodiscard]] virtual Status TokenizeWord(const std::string& word,
                                            const std::stop_token& stop,
                                            std::vector<Hit>& hits) const = 0;

  // Words begin at a "▁" that follows another character, if no piece of the vocabulary reaches over
  // such a place and "▁" is a piece. For models to which nothing but pieces matters.
  void CutAtMarkers();

 private:
  bool cuts_at_markers_ = false;
};

// When a loop over the characters of a long piece looks whether it shall stop.
inline constexpr std::size_t kStepsBetweenPolls = 65'536;

}  // namespace headscope::text
