// What a model says at one row of the open text, with its tokens as people read them.
//
// Threads  immutable once published.
#pragma once

#include <string>
#include <vector>

#include "core/causes/prediction.h"
#include "core/heads/measure/heads_of_scan.h"

namespace headscope {

struct NextWord {
  Prediction prediction;         // of one row, with the shares of its likeliest token
  std::vector<std::string> top;  // of each of the row's likeliest tokens
  std::string actual;            // of what came; empty: nothing says it
  std::vector<std::vector<std::string>> lens = {};  // of each layer's likeliest tokens
  // The text with each of them at its end; "": as ids alone. Empty: the row is not the end of a text.
  std::vector<std::string> continued = {};
  bool is_masked_here = false;  // the row was masked, to be said
  HeadsOfScan heads;            // those whose shares are shown, of the part that says words
};

}  // namespace headscope
