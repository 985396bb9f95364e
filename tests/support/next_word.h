// A next word as the worker says it, made by hand.
#pragma once

#include <cmath>
#include <memory>

#include "core/causes/next_word.h"

namespace headscope::test {

inline std::shared_ptr<const NextWord> SomeNextWord() {
  NextWord word;
  PredictedRow row{.row = 2, .token = 5, .next = {}, .top = {}};
  row.top = {{7, 4.0, 0.5}, {8, 3.1, 0.2}, {9, -4.0, 0.0001}};
  row.next = ActualWord{.id = 8, .rank = 2, .probability = 0.2, .loss = -std::log(0.2)};
  word.prediction.rows = {row};
  word.top = {"man", "captain", "boy"};
  word.typed = {"man", " captain", "#9"};
  word.token = "old";
  word.split = "man";
  word.actual = "captain";
  word.heads = {ModelPart::kWhole, 2, 4};
  LogitShares shares;
  shares.question = {.row = 2, .id = 7};
  shares.sum = 1.5;
  shares.logit = 1.5;
  const auto add = [&](std::int64_t layer, std::int64_t head, double share) {
    shares.parts.push_back({.kind = SharePart::Kind::kHead,
                            .layer = {ModelPart::kWhole, layer},
                            .head = head,
                            .share = share,
                            .above_mean = share});
  };
  add(0, 3, 2.0);
  add(1, 2, -0.5);
  word.prediction.shares = shares;
  return std::make_shared<const NextWord>(std::move(word));
}

}  // namespace headscope::test
