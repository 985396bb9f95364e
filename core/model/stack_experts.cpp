// The MLP of a layer with experts: which of them each token goes to, and what they make of it.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/model/expert_choice.h"
#include "core/model/query_growth.h"
#include "core/model/stack_pass.h"

namespace headscope {
namespace {

// Puts the loads of a text whose first row is `first` behind those of others.
void AddLoads(const std::vector<ExpertLoad>& of_text,
              std::int64_t first,
              std::vector<ExpertLoad>* loads) {
  for (std::size_t i = 0; i < of_text.size(); ++i) {
    ExpertLoad& load = (*loads)[i];
    for (const std::int64_t token : of_text[i].tokens) {
      load.tokens.push_back(first + token);
    }
    load.weights.insert(load.weights.end(), of_text[i].weights.begin(), of_text[i].weights.end());
  }
}

}  // namespace

// Reads a vector of numbers; leaves `out` as it is if there is none.
Status StackPass::ReadNumbers(const std::optional<TensorNeed>& need, std::vector<double>* out) {
  if (need) {
    HEADSCOPE_UNPACK(values, weights_.Get(*need));
    out->assign(values->begin(), values->end());
  }
  return {};
}

// Asks the router where each row goes, and reads its logits.
Status StackPass::AskRouter(const ExpertsDescription& experts,
                            const Activations& in,
                            std::vector<double>* logits) {
  const Activations* read = &in;
  if (experts.router_norm) {
    HEADSCOPE_TRY(Ensure(in.rows(), in.cols(), &taken_));
    HEADSCOPE_TRY(Norm(experts.router_norm, *hidden_, taken_.get()));
    read = taken_.get();
  }
  HEADSCOPE_TRY(Apply(experts.router, *read, &routed_));
  logits->resize(static_cast<std::size_t>(routed_->rows() * routed_->cols()));
  backend_.ReadDouble(*routed_, *logits);
  return {};
}

// Lets each expert read the rows that the router sends it.
Status StackPass::ApplyExperts(const LayerDescription& layer,
                               const ExpertsDescription& experts,
                               const Activations& in,
                               ActivationsPtr* out) {
  const auto count = std::ssize(experts.expert) + experts.idle;
  std::vector<double> logits;
  HEADSCOPE_TRY(AskRouter(experts, in, &logits));
  std::vector<double> correction;
  HEADSCOPE_TRY(ReadNumbers(experts.correction, &correction));
  std::vector<double> factors(static_cast<std::size_t>(count), 1.0);
  HEADSCOPE_TRY(ReadNumbers(experts.factors, &factors));
  std::vector<ExpertLoad> loads(static_cast<std::size_t>(count));
  for (std::int64_t text = 0; text < texts_; ++text) {  // each fills its experts by itself
    const std::int64_t rows = in.rows() / texts_;
    AddLoads(ChooseExperts(std::span(logits).subspan(static_cast<std::size_t>(text * rows * count),
                                                     static_cast<std::size_t>(rows * count)),
                           count,
                           experts.choice,
                           correction),
             text * rows,
             &loads);
  }
  HEADSCOPE_TRY(Ensure(in.rows(), model_.model_dim, out));
  backend_.Load(std::vector<float>(static_cast<std::size_t>(in.rows() * model_.model_dim)),
                out->get());
  for (std::size_t i = 0; i < loads.size(); ++i) {
    if (loads[i].tokens.empty()) {
      continue;
    }
    HEADSCOPE_TRY(Ensure(std::ssize(loads[i].tokens), in.cols(), &taken_));
    backend_.TakeRows(in, loads[i].tokens, taken_.get());
    if (i >= experts.expert.size()) {
      backend_.AddRows(*taken_, loads[i].tokens, loads[i].weights, out->get());
      continue;
    }
    std::vector<double> weights = loads[i].weights;
    for (double& weight : weights) {
      weight *= factors[i];
    }
    if (experts.weighs_input) {
      ScaleRows(weights, &backend_, taken_.get());
      weights.assign(weights.size(), 1.0);
    }
    const MlpNeeds& expert = experts.expert[i];
    HEADSCOPE_TRY(ApplyMlp(layer, expert.up, expert.gate, expert.down, *taken_, &made_));
    backend_.AddRows(*made_, loads[i].tokens, weights, out->get());
  }
  if (!experts.shared) {
    return {};
  }
  const MlpNeeds& shared = *experts.shared;
  HEADSCOPE_TRY(ApplyMlp(layer, shared.up, shared.gate, shared.down, in, &made_));
  if (!experts.shared_gate) {
    if (experts.shared_factor != 1.0) {
      backend_.Scale(experts.shared_factor, made_.get());
    }
    backend_.Add(*made_, out->get());
    return {};
  }
  HEADSCOPE_TRY(Apply(*experts.shared_gate, in, &routed_));
  std::vector<double> weights(static_cast<std::size_t>(in.rows()));
  backend_.ReadDouble(*routed_, weights);
  std::ranges::transform(
      weights, weights.begin(), [](double logit) { return 1.0 / (1.0 + std::exp(-logit)); });
  std::vector<std::int64_t> rows(weights.size());
  std::iota(rows.begin(), rows.end(), 0);
  backend_.AddRows(*made_, rows, weights, out->get());
  return {};
}

}  // namespace headscope
