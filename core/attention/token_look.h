// Attention with some tokens merged or out of the way: pieces of a word as one row and one column,
// special tokens, the first one, punctuation, stop words or any token hidden. What is made is a layer
// of weights that are given, without scores.
//
// A word's column is the sum over its pieces, its row the mean over them. Hidden tokens have neither.
// What a row gave to hidden keys is kept beside it, and is put on nothing else unless the row is
// renormalised: divided by what is left.
//
// Shapes   weights [H, shown rows, shown columns]; hidden [H, shown rows].
// Threads  MakeSeenLayer: OpenMP's; the rest any.
// Cost     each weight of the layer is made once; 4 bytes for each weight that is kept.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/text/tokenizer.h"

namespace headscope {

struct TokenLook {
  bool merges_words = false;
  bool hides_special = false;      // [CLS], <|begin|>, padding
  bool hides_first = false;        // the first token, whatever it is
  bool hides_punctuation = false;  // tokens of nothing else
  bool hides_stop_words = false;   // all pieces of a word that is in the list
  bool renormalises = false;
  // Places in the text, ascending. In cross-attention they are of the text alone.
  std::vector<std::int64_t> hidden = {};
  // The list: words with blanks or line ends between; without any, the one that is built in.
  std::string stop_words = {};

  [[nodiscard]] bool Hides() const {
    return hides_special || hides_first || hides_punctuation || hides_stop_words || !hidden.empty();
  }
  [[nodiscard]] bool IsPlain() const { return !merges_words && !Hides(); }
  friend bool operator==(const TokenLook&, const TokenLook&) = default;
};

// "Pieces of a word merged (columns summed, rows averaged); hidden: special tokens; rows lack what
// they gave to hidden tokens"; empty: all tokens are shown.
[[nodiscard]] std::string WordsOf(const TokenLook& look);

// The tokens of each row or column that is shown, in order; each ascending, none in two.
using TokenGroups = std::vector<std::vector<std::int64_t>>;
[[nodiscard]] TokenGroups GroupsOf(const Encoding& text, const TokenLook& look);
// One token for each group, named by its pieces; equal words have equal ids.
[[nodiscard]] Encoding EncodingOfGroups(const Encoding& text, const TokenGroups& groups);

// Errors   kCancelled.
[[nodiscard]] Result<std::shared_ptr<const LayerAttention>> MakeSeenLayer(
    const LayerAttention& layer,
    const TokenGroups& queries,
    const TokenGroups& keys,
    bool renormalises,
    const std::stop_token& stop);

// A picture's layers, each of its place or null, and what they are of.
struct SeenSubject {
  std::vector<std::shared_ptr<const LayerAttention>> layers;
  std::shared_ptr<const Encoding> source;
  std::shared_ptr<const Encoding> target;  // null: there is none
  std::shared_ptr<const Encoding> keys;    // of columns that are another text's; or null
};
struct SeenPicture : SeenSubject {
  TokenGroups source_groups;
};
// Errors   kInput (no token is left, or the weights take more than 512 MiB), kCancelled.
[[nodiscard]] Result<SeenPicture> SeePicture(const SeenSubject& subject,
                                             const TokenLook& look,
                                             const std::stop_token& stop);

// Layers of one part, and the tokens of their rows and columns.
struct SeenLayers {
  std::vector<std::shared_ptr<const LayerAttention>> layers;
  std::shared_ptr<const Encoding> queries;
  std::shared_ptr<const Encoding> keys;
};
// As SeePicture; a plain look gives them back. Tokens hidden by hand are of rows and of columns if
// these are one text, else of neither.
[[nodiscard]] Result<SeenLayers> SeeLayers(const SeenLayers& layers,
                                           const TokenLook& look,
                                           const std::stop_token& stop);

}  // namespace headscope
