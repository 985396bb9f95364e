// Takes heads away from the open text, and says what that costs.
#include <utility>

#include "core/causes/text_without.h"
#include "core/causes/token_names.h"
#include "core/worker/job.h"
#include "core/worker/text_said.h"

namespace headscope {
namespace {

std::shared_ptr<const NamedLosses> Named(const Model& model, TextLosses losses) {
  NamedLosses named{.losses = std::move(losses), .likeliest = {}};
  const Tokenizer* const tokenizer = TokenizerOfWords(model);
  for (const RowSaid& row : named.losses.rows) {
    named.likeliest.push_back(TokenDisplay(tokenizer, row.likeliest.id));
  }
  return std::make_shared<const NamedLosses>(std::move(named));
}

Status CheckWeights(const Opening& opening, const Job& job) {
  return job.opened->CheckModel(opening, "weights only, no model whose heads could be taken away");
}

// Everything but being stopped is said in place of the losses: the maps stand all the same.
Status SayLosses(TextWithout* text, bool has_heads_off, Job* job) {
  const Model& model = *job->opened->model();
  TextSaid said;
  const auto say = [&]() -> Status {
    HEADSCOPE_TRY(const auto words, job->opened->Words());
    if (has_heads_off) {
      HEADSCOPE_TRY(auto without, text->Losses(*words, job->stop));
      said.without = Named(model, std::move(without));
    }
    HEADSCOPE_TRY(auto whole, text->WholeLosses(*words, job->stop));
    said.whole = Named(model, std::move(whole));
    return {};
  };
  if (const Status status = say(); !status) {
    if (status.error().code == ErrorCode::kCancelled) {
      return status;
    }
    said = {.why_not = status.error().message};
  }
  job->publish(std::move(said));
  return {};
}

}  // namespace

Status HeadsOffJob::Run(Job* job) const {
  HEADSCOPE_TRY(CheckWeights(opening, *job));
  const auto tell = [job](double done) {
    constexpr std::int64_t kParts = 100;
    job->publish(Progress{static_cast<std::int64_t>(done * static_cast<double>(kParts)),
                          kParts,
                          "running other texts for their mean"});
  };
  HEADSCOPE_TRY(auto* const text, job->opened->Without(off, probes, job->stop, tell));
  const auto take = [job](std::shared_ptr<const LayerAttention> layer) -> Status {
    job->publish(LayerReady{std::move(layer)});
    job->between_layers();
    return {};
  };
  HEADSCOPE_TRY(text->Run(off, take, job->stop));
  return SayLosses(text, true, job);
}

Status LossesJob::Run(Job* job) const {
  HEADSCOPE_TRY(CheckWeights(opening, *job));
  HEADSCOPE_TRY(auto* const text, job->opened->Without());
  return SayLosses(text, false, job);
}

}  // namespace headscope
