// The common part of models that work piece by piece: caches results per piece, and splits a long
// piece into words where that changes nothing.
//
// Errors   TokenizeWord's.
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

  // Appends to `hits`, with ranges relative to the word.
  [[nodiscard]] virtual Status TokenizeWord(const std::string& word,
                                            const std::stop_token& stop,
                                            std::vector<Hit>& hits) const = 0;

  // From now on words begin at a "▁" that follows another character, if "▁" is a piece and no piece
  // of the vocabulary extends over such a place. For models in which only pieces matter.
  void CutAtMarkers();

 private:
  bool cuts_at_markers_ = false;
};

// How often a loop over the characters of a long piece checks whether to stop.
inline constexpr std::size_t kStepsBetweenPolls = 65'536;

}  // namespace headscope::text
