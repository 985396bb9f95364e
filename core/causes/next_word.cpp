#include "core/causes/next_word.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/causes/token_names.h"

namespace headscope {

NextWord NameWords(const Model& model, Prediction prediction) {
  const Tokenizer* const tokenizer = TokenizerOfWords(model);
  const ModelDescription& shape = model.description();
  const ModelPart part = shape.decoder ? ModelPart::kDecoder : ModelPart::kWhole;
  const StackDescription& stack = StackOf(shape, part);
  NextWord word;
  word.heads = {part, stack.layers, stack.heads};
  const PredictedRow& row = prediction.rows.front();
  word.token = TokenDisplay(tokenizer, row.token);
  for (const LikelyWord& likely : row.top) {
    word.top.push_back(TokenDisplay(tokenizer, likely.id));
    word.typed.push_back(TypedToken(model, likely.id));
  }
  if (row.next) {
    word.actual = TokenDisplay(tokenizer, row.next->id);
  }
  for (const LensLayer& layer : prediction.lens) {
    std::vector<std::string>& names = word.lens.emplace_back();
    for (const LikelyWord& likely : layer.top) {
      names.push_back(TokenDisplay(tokenizer, likely.id));
    }
  }
  if (prediction.shares) {
    const ShareQuestion& split = prediction.shares->question;
    word.split = TokenDisplay(tokenizer, split.id);
    word.over = split.against ? TokenDisplay(tokenizer, *split.against) : "";
  }
  word.prediction = std::move(prediction);
  return word;
}

std::string ResidualWords(const LogitShares& shares) {
  return fmt::format("{:.0e} apart", std::abs(shares.logit - shares.sum));
}

}  // namespace headscope
