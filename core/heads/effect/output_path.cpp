#include "core/heads/effect/output_path.h"

#include <algorithm>
#include <numeric>

#include "core/base/half.h"
#include "core/base/stop.h"
#include "core/heads/effect/frozen_norm.h"
#include "core/heads/effect/norm_place.h"
#include "core/model/output_layer.h"

namespace headscope {
namespace {

// Returns the mean row of a matrix [rows, cols].
Result<std::vector<double>> MeanRow(const TensorView& matrix, const std::stop_token& stop) {
  const std::int64_t rows = matrix.shape[0];
  const auto cols = static_cast<std::size_t>(matrix.shape[1]);
  std::vector<double> mean(cols);
  std::vector<float> row(cols);
  for (std::int64_t i = 0; i < rows; ++i) {
    HEADSCOPE_TRY(CheckStop(stop));
    ConvertToFloat(matrix, i * matrix.shape[1], row);
    for (std::size_t col = 0; col < cols; ++col) {
      mean[col] += static_cast<double>(row[col]);
    }
  }
  for (double& value : mean) {
    value /= static_cast<double>(rows);
  }
  return mean;
}

}  // namespace

Result<OutputPath> OutputPath::Make(const Model& model, const std::stop_token& stop) {
  HEADSCOPE_TRY(const auto layer, OutputLayerOf(model));
  OutputPath path;
  path.model_ = &model;
  path.layer_ = layer;
  HEADSCOPE_TRY(path.mean_, MeanRow(*model.weights().Find(path.layer_->weight.name), stop));
  const auto add = [&](const std::optional<NormNeed>& norm, std::vector<NormWeights>* to) {
    if (norm) {
      to->push_back(ReadNorm(model, *norm));
    }
  };
  const ModelDescription& description = model.description();
  for (const LayerDescription& one : description.layer) {
    LayerNorms& norms = path.norms_.emplace_back();
    add(one.attention_norm.inside, &norms.inside);
    add(one.attention_norm.after, &norms.after);
    add(one.mlp_norm.after, &norms.after);
    norms.factor = StreamFactorOf(model, one);
  }
  add(description.final_norm, &path.final_);
  if (path.layer_->projection) {
    const LinearNeed& projection = *path.layer_->projection;
    path.projection_ = ReadColumns(model, projection, 0, ColumnCount(projection));
  }
  return path;
}

// In the order in which they are applied.
std::vector<const NormWeights*> OutputPath::NormsAfter(std::int64_t layer) const {
  std::vector<const NormWeights*> norms;
  for (const NormWeights& norm : norms_[static_cast<std::size_t>(layer)].inside) {
    norms.push_back(&norm);
  }
  for (std::size_t later = static_cast<std::size_t>(layer); later < norms_.size(); ++later) {
    for (const NormWeights& norm : norms_[later].after) {
      norms.push_back(&norm);
    }
  }
  for (const NormWeights& norm : final_) {
    norms.push_back(&norm);
  }
  return norms;
}

double OutputPath::FactorAfter(std::int64_t layer) const {
  return std::accumulate(
      norms_.begin() + layer, norms_.end(), 1.0, [](double all, const LayerNorms& one) {
        return all * one.factor;
      });
}

bool OutputPath::are_layers_alike() const {
  return std::ranges::all_of(norms_, [](const LayerNorms& norms) {
    return norms.inside.empty() && norms.after.empty() && norms.factor == 1.0;
  });
}

std::vector<float> OutputPath::Directions(std::int64_t layer,
                                          std::span<const std::int32_t> ids) const {
  const TensorView& matrix = *model_->weights().Find(layer_->weight.name);
  const auto norms = NormsAfter(layer);
  const double factor = FactorAfter(layer);
  const std::size_t width = mean_.size();
  std::vector<float> row(width);
  std::vector<float> directions;
  for (const std::int32_t id : ids) {
    ConvertToFloat(matrix, id * matrix.shape[1], row);
    std::vector<double> direction(width);
    for (std::size_t i = 0; i < width; ++i) {
      direction[i] = static_cast<double>(row[i]) - mean_[i];
    }
    if (projection_.in > 0) {
      std::vector<double> wide(static_cast<std::size_t>(projection_.in));
      for (std::size_t i = 0; i < width; ++i) {
        const std::span<const float> column = projection_.Column(static_cast<std::int64_t>(i));
        for (std::size_t col = 0; col < wide.size(); ++col) {
          wide[col] += direction[i] * static_cast<double>(column[col]);
        }
      }
      direction = std::move(wide);
    }
    std::for_each(
        norms.rbegin(), norms.rend(), [&](const NormWeights* norm) { PullBack(*norm, direction); });
    std::ranges::transform(direction, std::back_inserter(directions), [&](double value) {
      return static_cast<float>(factor * value);
    });
  }
  return directions;
}

std::vector<double> OutputPath::Through(std::int64_t layer, std::vector<double> row) const {
  for (const NormWeights* norm : NormsAfter(layer)) {
    ApplyFrozen(*norm, 1.0, row);
  }
  std::ranges::transform(
      row, row.begin(), [factor = FactorAfter(layer)](double value) { return factor * value; });
  if (projection_.in == 0) {
    return row;
  }
  std::vector<double> narrow;
  for (std::int64_t column = 0; column < projection_.columns(); ++column) {
    const std::span<const float> weights = projection_.Column(column);
    narrow.push_back(std::inner_product(weights.begin(), weights.end(), row.begin(), 0.0));
  }
  return narrow;
}

OutputPath::Layers OutputPath::LayersThrough(const NormNeed& norm) const {
  const ModelDescription& description = model_->description();
  const auto place = FindNorm(description, norm);
  if (!place) {
    return {};
  }
  switch (place->kind) {
    case NormPlace::Kind::kInsideAttention:
      return {place->layer, place->layer + 1};
    case NormPlace::Kind::kAfterAttention:
    case NormPlace::Kind::kAfterMlp:
      return {0, place->layer + 1};
    case NormPlace::Kind::kFinal:
      return {0, description.layers};
    case NormPlace::Kind::kEmbedding:
    case NormPlace::Kind::kBefore:
    case NormPlace::Kind::kInsideMlp:
      break;
  }
  return {};
}

}  // namespace headscope
