// Says the next word at one row, and each head's share in it.
#include <utility>

#include "core/causes/text_without.h"
#include "core/causes/token_names.h"
#include "core/worker/continued_text.h"
#include "core/worker/job.h"
#include "core/worker/next_word.h"

namespace headscope {

Status NextWordJob::Run(Job* job) const {
  Opened& opened = *job->opened;
  HEADSCOPE_TRY(opened.CheckModel(opening, "weights only, no model that could say a word"));
  HEADSCOPE_TRY(auto* const text, opened.Without(off, probes, job->stop));
  Forward* forward = opened.forward();
  const Model& model = forward->model();
  const ModelDescription& shape = model.description();
  HEADSCOPE_TRY(const auto words, opened.Words());
  PredictionQuestion question{.rows = {row}};
  question.row = row;
  question.has_shares = CheckShares(shape).has_value();
  question.has_lens = true;
  NextWord made;
  ForwardInput input = *opened.input();
  if (const auto masked = MaskRow(model, row, &input)) {
    question.masked[row] = *masked;
    made.is_masked_here = true;
  }
  HEADSCOPE_TRY(const auto removed, text->Changes(off, job->stop));
  HEADSCOPE_TRY(made.prediction,
                Predict(forward, *words, input, question, removed.get(), job->stop));
  const Tokenizer* tokenizer = TokenizerOfWords(model);
  const PredictedRow& said = made.prediction.rows.front();
  for (const LikelyWord& word : said.top) {
    made.top.push_back(TokenDisplay(tokenizer, word.id));
  }
  if (continues) {
    std::vector<std::int32_t> tokens;
    for (const LikelyWord& word : said.top) {
      tokens.push_back(word.id);
    }
    made.continued = TextsWith(model, *continues, opened.input()->ids, tokens);
  }
  if (said.next) {
    made.actual = TokenDisplay(tokenizer, said.next->id);
  }
  for (const LensLayer& layer : made.prediction.lens) {
    std::vector<std::string>& names = made.lens.emplace_back();
    for (const LikelyWord& word : layer.top) {
      names.push_back(TokenDisplay(tokenizer, word.id));
    }
  }
  const ModelPart part = shape.decoder ? ModelPart::kDecoder : ModelPart::kWhole;
  made.heads = {part, StackOf(shape, part).layers, StackOf(shape, part).heads};
  job->publish(NextWordSaid{std::make_shared<const NextWord>(std::move(made))});
  return {};
}

}  // namespace headscope
