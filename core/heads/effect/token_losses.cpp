#include "core/heads/effect/token_losses.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/heads/effect/token_streams.h"
#include "core/heads/measure/metric.h"
#include "core/heads/probe/input.h"
#include "core/model/output_layer.h"

namespace headscope {

std::vector<std::int64_t> PredictedTokens(const ProbeSequence& sequence, bool is_repeats) {
  const std::vector<std::vector<std::int32_t>> copies = EarlierCopies(sequence);
  std::vector<std::int64_t> predicted;
  for (std::int64_t token = 1; token < sequence.tokens(); ++token) {
    const auto place = static_cast<std::size_t>(token);
    const bool is_told = !copies[place].empty() && !copies[place - 1].empty();
    if (sequence.special[place] == 0 && (is_told || !is_repeats)) {
      predicted.push_back(token);
    }
  }
  return predicted;
}

Result<std::unique_ptr<TokenLosses>> TokenLosses::Make(Forward* forward,
                                                       const std::stop_token& stop) {
  const Model& model = forward->model();
  HEADSCOPE_TRY(const auto layer, OutputLayerOf(model));
  if (!model.description().final_norm || model.description().decoder) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("{}: losses need one stack of layers with a norm at its end", model.name()));
  }
  LinearSource source{.layout = WeightLayout::kOutIn,
                      .in = layer->weight.shape[1],
                      .matrices = {{*model.weights().Find(layer->weight.name), std::nullopt}}};
  if (layer->bias) {
    source.matrices.front().bias = *model.weights().Find(layer->bias->name);
  }
  HEADSCOPE_TRY(auto output, forward->backend().Prepare(source, stop));
  return std::unique_ptr<TokenLosses>(new TokenLosses(forward, std::move(output)));
}

void TokenLosses::OnNorm(const NormNeed& norm, const Activations& input) {
  if (&norm == &*forward_.model().description().final_norm) {
    end_.resize(input.rows(), input.cols());
    forward_.backend().Read(input, {end_.data(), static_cast<std::size_t>(end_.size())});
  }
}

Result<std::vector<double>> TokenLosses::Run(std::span<const ProbeSequence* const> texts,
                                             std::span<const std::vector<std::int64_t>> predicted,
                                             const std::stop_token& stop) {
  const Model& model = forward_.model();
  struct Place {
    std::size_t text = 0;
    std::int32_t id = 0;
    Eigen::Index row = 0;
  };
  std::vector<Place> places;
  for (std::size_t text = 0; text < texts.size(); ++text) {
    const std::int64_t first = static_cast<std::int64_t>(text) * texts[text]->tokens();
    for (const std::int64_t token : predicted[text]) {
      places.push_back(
          {text, texts[text]->ids[static_cast<std::size_t>(token)], first + token - 1});
    }
  }
  HEADSCOPE_TRY(forward_.Run(InputOf(texts), model.description().layers - 1, this, stop));
  FloatMatrix rows(std::ssize(places), end_.cols());
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    rows.row(i) = end_.row(places[static_cast<std::size_t>(i)].row);
  }
  HEADSCOPE_TRY(auto read, NormedRows(&forward_, model.description().final_norm, rows));
  const OutputLayer& layer = **OutputLayerOf(model);
  if (const auto& narrow = layer.projection) {
    const ProjectionColumns columns = ReadColumns(model, *narrow, 0, ColumnCount(*narrow));
    HEADSCOPE_TRY(
        read, WeightProduct(&forward_.backend(), stop).TimesTransposed(read, MatrixOf(columns)));
  }
  read *= static_cast<float>(layer.scale);
  std::vector<double> sums(texts.size());
  constexpr Eigen::Index kAtOnce = 64;
  for (Eigen::Index first = 0; first < rows.rows(); first += kAtOnce) {
    const FloatMatrix some = read.middleRows(first, std::min(kAtOnce, rows.rows() - first));
    Backend& backend = forward_.backend();
    HEADSCOPE_TRY(const auto in, backend.Make(some.rows(), some.cols()));
    HEADSCOPE_TRY(const auto out, backend.Make(some.rows(), output_->out()));
    backend.Load({some.data(), static_cast<std::size_t>(some.size())}, in.get());
    HEADSCOPE_TRY(backend.Apply(*output_, *in, out.get(), stop));
    FloatMatrix logits(some.rows(), output_->out());
    backend.Read(*out, {logits.data(), static_cast<std::size_t>(logits.size())});
    if (const auto cap = static_cast<float>(layer.softcap); cap > 0.0F) {
      logits = ((logits.array() / cap).tanh() * cap).matrix();
    }
    for (Eigen::Index i = 0; i < logits.rows(); ++i) {
      const Place& place = places[static_cast<std::size_t>(first + i)];
      const auto most = static_cast<double>(logits.row(i).maxCoeff());
      const double sum = (logits.row(i).cast<double>().array() - most).exp().sum();
      sums[place.text] += most + std::log(sum) - static_cast<double>(logits(i, place.id));
    }
  }
  return sums;
}

}  // namespace headscope
