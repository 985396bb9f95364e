// Says the next word at one row, and each head's share in it.
#include <utility>

#include "core/causes/next_word.h"
#include "core/causes/text_without.h"
#include "core/causes/token_names.h"
#include "core/worker/continued_text.h"
#include "core/worker/job.h"
#include "core/worker/kept_row.h"

namespace headscope {
namespace {

// A row that is run, or was.
Result<const KeptRow*> RowOf(const NextWordJob& asked, Job* job) {
  Opened& opened = *job->opened;
  const Model& model = opened.forward()->model();
  const bool can_split = CheckShares(model.description()).has_value();
  const std::optional<HeadIndex> by_key = can_split ? asked.by_key : std::nullopt;
  const bool is_kept = opened.row() != nullptr && opened.row()->row == asked.row &&
                       opened.row()->off == asked.off && opened.row()->by_key == by_key;
  if (is_kept) {
    return opened.row().get();
  }
  opened.row() = nullptr;
  HEADSCOPE_TRY(auto* const text, opened.Without(asked.off, asked.probes, job->stop));
  HEADSCOPE_TRY(const auto* const words, opened.Words());
  Forward* const forward = opened.forward();
  PredictionQuestion question{.rows = {asked.row}};
  question.row = asked.row;
  question.has_shares = can_split;
  question.has_lens = true;
  if (by_key) {
    question.by_key = {*by_key};
  }
  ForwardInput input = *opened.input();
  const auto masked = MaskRow(model, asked.row, &input);
  if (masked) {
    question.masked[asked.row] = *masked;
  }
  HEADSCOPE_TRY(const auto removed, text->Changes(asked.off, job->stop));
  HEADSCOPE_TRY(auto run,
                PredictedText::Run(forward, *words, input, question, removed.get(), job->stop));
  opened.row() = std::make_unique<KeptRow>(
      KeptRow{asked.row, asked.off, by_key, masked.has_value(), std::move(run)});
  return opened.row().get();
}

// Of the tokens that are asked for; of the likeliest where they cannot be, for which the reason is
// returned.
Result<std::string> SplitLogit(const NextWordJob& asked,
                               const Model& model,
                               const KeptRow& row,
                               Prediction* said) {
  std::string fault;
  const auto read = [&](const std::string& token) -> std::optional<std::int32_t> {
    if (token.empty() || !fault.empty()) {
      return std::nullopt;
    }
    const auto id = ReadTypedToken(model, token);
    fault = id ? "" : id.error().message;
    return id ? std::optional(*id) : std::nullopt;
  };
  std::optional<std::int32_t> of = read(asked.tokens.of);
  std::optional<std::int32_t> over = read(asked.tokens.over);
  if (over) {
    const auto differs = CheckTokensDiffer(
        model, of.value_or(row.text.likeliest()), *over, "the token and the one that it leads");
    fault = differs ? fault : differs.error().message;
  }
  if (!fault.empty()) {
    of.reset();
    over.reset();
  }
  HEADSCOPE_TRY(said->shares, row.text.Split(of, over));
  return fault;
}

}  // namespace

Status NextWordJob::Run(Job* job) const {
  Opened& opened = *job->opened;
  HEADSCOPE_TRY(opened.CheckModel(opening, "weights only, no model that could say a word"));
  HEADSCOPE_TRY(const auto* const kept, RowOf(*this, job));
  const Model& model = opened.forward()->model();
  Prediction said = kept->text.said();
  std::string token_fault;
  if (CheckShares(model.description()).has_value()) {
    HEADSCOPE_TRY(token_fault, SplitLogit(*this, model, *kept, &said));
  }
  NextWord made = NameWords(model, std::move(said));
  made.token_fault = std::move(token_fault);
  made.is_masked_here = kept->is_masked;
  if (continues) {
    std::vector<std::int32_t> tokens;
    for (const LikelyWord& word : made.prediction.rows.front().top) {
      tokens.push_back(word.id);
    }
    made.continued = TextsWith(model, *continues, opened.input()->ids, tokens);
  }
  job->publish(NextWordSaid{std::make_shared<const NextWord>(std::move(made))});
  return {};
}

}  // namespace headscope
