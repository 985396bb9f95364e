// Says what losing a head costs the open text, and what the head writes at a row.
#include <utility>

#include "core/causes/logit_shares.h"
#include "core/causes/text_without.h"
#include "core/causes/token_names.h"
#include "core/worker/head_cost.h"
#include "core/worker/job.h"
#include "core/worker/kept_row.h"

namespace headscope {
namespace {

constexpr std::int64_t kMostWords = 10;

std::vector<HeadCost::Word> NamedWords(const Model& model, const std::vector<MovedWord>& words) {
  std::vector<HeadCost::Word> named;
  for (const MovedWord& word : words) {
    named.push_back({TokenDisplay(TokenizerOfWords(model), word.id), word.change});
  }
  return named;
}

// Everything but being stopped is said in place of the loss.
Status AddLosses(TextWithout* text, const WordLayer& words, Job* job, HeadCost* cost) {
  const auto measure = [&]() -> Status {
    HEADSCOPE_TRY(const TextLosses whole, text->WholeLosses(words, job->stop));
    HEADSCOPE_TRY(const auto without, text->LossWithout(cost->head, words, job->stop));
    if (!whole.loss || !without) {
      return Fail(ErrorCode::kInput, "a text of one token has no loss");
    }
    cost->losses = {.whole = *whole.loss, .without = *without};
    return {};
  };
  Status status = measure();
  if (!status && status.error().code != ErrorCode::kCancelled) {
    cost->why_no_loss = status.error().message;
    status = {};
  }
  return status;
}

}  // namespace

Status HeadCostJob::Run(Job* job) const {
  Opened& opened = *job->opened;
  HEADSCOPE_TRY(
      opened.CheckModel(opening, "weights only, no model whose heads could be taken away"));
  HEADSCOPE_TRY(auto* const text, opened.Without());
  HEADSCOPE_TRY(const auto words, opened.Words());
  const Model& model = opened.forward()->model();
  HeadCost made{.head = head, .row = row};
  HEADSCOPE_TRY(AddLosses(text, *words, job, &made));
  if (CheckShares(model.description()) && WritesWords(model.description(), head)) {
    const KeptRow* const kept = opened.row().get();
    const bool is_run = kept != nullptr && kept->row == row && kept->off.IsEmpty();
    ForwardInput input = *opened.input();
    MaskRow(model, row, &input);
    HEADSCOPE_TRY(
        const HeadWrites writes,
        is_run
            ? WritesOf(model.description(), kept->text.run(), *words, head, kMostWords, job->stop)
            : WritesOf(opened.forward(), *words, input, row, head, kMostWords, job->stop));
    made.raised = NamedWords(model, writes.raised);
    made.lowered = NamedWords(model, writes.lowered);
  }
  job->publish(HeadCosts{std::make_shared<const HeadCost>(std::move(made))});
  return {};
}

}  // namespace headscope
