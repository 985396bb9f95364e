// Writes a prediction as JSON or CSV.
//
// Source   docs/reference.md, "predict".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/causes/prediction.h"
#include "core/causes/random_heads.h"

namespace headscope {

class Tokenizer;

struct PredictionAbout {
  std::string model;
  std::vector<std::string> tokens;       // of the text whose rows are predicted
  const Tokenizer* tokenizer = nullptr;  // null: tokens are numbers
  std::vector<HeadIndex> without = {};
  std::optional<Replacement> replaced_by = {};
  std::vector<CutEdge> cut = {};
  bool renormalises = false;
  // What the heads that are off cost beside others, drawn with that seed.
  struct Control {
    std::uint64_t seed = kControlSeed;
    std::vector<HeadsOff> draws;
    RandomCost cost;
  };
  std::optional<Control> control = {};
};

[[nodiscard]] std::string PredictionJson(const Prediction& prediction,
                                         const PredictionAbout& about);
// One line for each number: kind, row, part, id, token, rank, logit, probability, loss, share.
[[nodiscard]] std::string PredictionCsv(const Prediction& prediction, const PredictionAbout& about);

}  // namespace headscope
