// What a model says at one row of a text, with its tokens as people read them.
//
// Threads  immutable once published.
#pragma once

#include <string>
#include <vector>

#include "core/causes/prediction.h"
#include "core/heads/measure/heads_of_scan.h"

namespace headscope {

struct NextWord {
  Prediction prediction;           // of one row, with shares where the model can be split
  std::string token = {};          // the row's own
  std::vector<std::string> top;    // of each of the row's likeliest tokens
  std::vector<std::string> typed;  // the same as ReadToken reads them
  std::string actual;              // of what came; empty: nothing says it
  std::vector<std::vector<std::string>> lens = {};  // of each layer's likeliest tokens
  // The text with each of them at its end; "": as ids alone. Empty: the row is not the end of a text.
  std::vector<std::string> continued = {};
  std::string split;  // the token whose logit is split, and the one that it leads
  std::string over = {};
  std::string token_fault = {};  // why not the tokens that were asked for, in a sentence
  bool is_masked_here = false;   // the row was masked, to be said
  HeadsOfScan heads;             // those whose shares are shown, of the part that says words
};

// Of a prediction of one row, named as the model's tokenizer names tokens.
[[nodiscard]] NextWord NameWords(const Model& model, Prediction prediction);

// "4e-07 apart": how far a split's sum is from the logit; it tells how exact both are.
[[nodiscard]] std::string ResidualWords(const LogitShares& shares);

}  // namespace headscope
