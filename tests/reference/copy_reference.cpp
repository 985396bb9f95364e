#include "tests/reference/copy_reference.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/base/half.h"
#include "core/heads/effect/frozen_norm.h"
#include "core/heads/effect/norm_place.h"
#include "core/model/output_layer.h"
#include "core/model/read_weights.h"

namespace headscope {
namespace {

using DoubleRows = std::vector<std::vector<double>>;

double Dot(std::span<const float> weights, std::span<const double> row) {
  return std::inner_product(weights.begin(), weights.end(), row.begin(), 0.0);
}

// Keeps the heads' outputs, the norms' inputs, and the key that each row attends to most.
class Keeper : public LayerObserver, public AttentionObserver {
 public:
  Keeper(const Backend& backend, const CopyText& text) : backend_(backend), text_(text) {}

  AttentionObserver* BeginLayer(LayerId /*layer*/) override {
    attended.emplace_back();
    return this;
  }
  bool WantsWrites() override { return true; }
  bool WantsEnd() override { return true; }
  void OnContext(LayerId /*layer*/, const Activations& context) override {
    contexts.push_back(Read(context));
  }
  void OnNorm(const NormNeed& norm, const Activations& input) override {
    inputs[&norm] = Read(input);
  }
  void OnProjections(const AttentionProjections& projections) override {
    rule_ = projections.rule;
    attended.back().assign(static_cast<std::size_t>(projections.shape.heads),
                           std::vector<std::int64_t>(text_.ids.size(), -1));
  }
  void OnBlock(const AttentionBlock& block) override {
    const float* row = block.weights.data();
    for (std::int64_t head = block.head_begin; head < block.head_end; ++head) {
      for (std::int64_t query = block.query_begin; query < block.query_end; ++query) {
        std::int64_t& best =
            attended.back()[static_cast<std::size_t>(head)][static_cast<std::size_t>(query)];
        for (std::int64_t key = 0; key < block.keys; ++key) {
          const bool is_seen = key >= rule_.FirstVisible(query) &&
                               key < rule_.LastVisible(query, block.keys) &&
                               !text_.is_special[static_cast<std::size_t>(key)];
          if (is_seen && (best < 0 || row[key] > row[best])) {
            best = key;
          }
        }
        row += block.keys;
      }
    }
  }

  std::vector<DoubleRows> contexts;                              // [L][n][H dv]
  std::map<const NormNeed*, DoubleRows> inputs;                  // [n][d]
  std::vector<std::vector<std::vector<std::int64_t>>> attended;  // [L][H][n], -1: none

 private:
  [[nodiscard]] DoubleRows Read(const Activations& in) const {
    std::vector<double> all(static_cast<std::size_t>(in.rows() * in.cols()));
    backend_.ReadDouble(in, all);
    DoubleRows rows;
    for (std::int64_t row = 0; row < in.rows(); ++row) {
      const auto first = all.begin() + row * in.cols();
      rows.emplace_back(first, first + in.cols());
    }
    return rows;
  }

  const Backend& backend_;
  const CopyText& text_;
  AttentionRule rule_;
};

// Takes one head's row from the head's output to what it adds to each logit.
class Path {
 public:
  Path(const Model& model, const OutputLayer& layer, const Keeper& keeper)
      : model_(model), layer_(layer), keeper_(keeper) {}

  [[nodiscard]] std::vector<double> Logits(std::int64_t layer,
                                           std::int64_t head,
                                           std::int64_t row) const {
    const ModelDescription& description = model_.description();
    const LayerDescription& own = description.layer[static_cast<std::size_t>(layer)];
    const auto width = static_cast<std::size_t>(description.WidthsOf(own).value);
    const auto context =
        std::span(keeper_.contexts[static_cast<std::size_t>(layer)][static_cast<std::size_t>(row)])
            .subspan(static_cast<std::size_t>(head) * width, width);
    const ProjectionColumns output = ReadColumns(model_, own.output, 0, ColumnCount(own.output));
    std::vector<double> x;
    for (std::int64_t column = 0; column < output.columns(); ++column) {
      x.push_back(Dot(output.Column(column).subspan(static_cast<std::size_t>(head) * width, width),
                      context));
    }
    Norm(own.attention_norm.inside, row, &x);
    for (std::int64_t later = layer; later < description.layers; ++later) {
      const LayerDescription& one = description.layer[static_cast<std::size_t>(later)];
      Norm(one.attention_norm.after, row, &x);
      Norm(one.mlp_norm.after, row, &x);
      const double factor = StreamFactorOf(model_, one);
      std::ranges::transform(x, x.begin(), [factor](double value) { return factor * value; });
    }
    Norm(description.final_norm, row, &x);
    if (layer_.projection) {
      const ProjectionColumns narrow =
          ReadColumns(model_, *layer_.projection, 0, ColumnCount(*layer_.projection));
      std::vector<double> projected;
      for (std::int64_t column = 0; column < narrow.columns(); ++column) {
        projected.push_back(Dot(narrow.Column(column), x));
      }
      x = std::move(projected);
    }
    const TensorView& matrix = *model_.weights().Find(layer_.weight.name);
    std::vector<float> weights(x.size());
    std::vector<double> logits;
    for (std::int64_t id = 0; id < matrix.shape[0]; ++id) {
      ConvertToFloat(matrix, id * matrix.shape[1], weights);
      logits.push_back(Dot(weights, x));
    }
    return logits;
  }

 private:
  void Norm(const std::optional<NormNeed>& need, std::int64_t row, std::vector<double>* x) const {
    if (need) {
      const NormWeights norm = ReadNorm(model_, *need);
      const DoubleRows& input = keeper_.inputs.at(&*need);
      ApplyFrozen(norm, NormScale(norm, input[static_cast<std::size_t>(row)]), *x);
    }
  }

  const Model& model_;
  const OutputLayer& layer_;
  const Keeper& keeper_;
};

}  // namespace

Result<CopyReference> CopyEffectByDefinition(Forward* forward,
                                             const CopyText& text,
                                             const std::stop_token& stop) {
  const Model& model = forward->model();
  HEADSCOPE_TRY(const auto layer, OutputLayerOf(model));
  const std::int64_t layers = model.description().layers;
  const std::int64_t heads = model.description().heads;
  Keeper keeper(forward->backend(), text);
  HEADSCOPE_TRY(forward->Run({.ids = text.ids, .embeddings = {}}, layers - 1, &keeper, stop));
  const Path path(model, *layer, keeper);
  const auto cells = static_cast<std::size_t>(layers * heads);
  const std::vector<std::int64_t> none(cells);
  CopyReference found{.sums = {std::vector<double>(cells), none}, .ranks = {none, none, none}};
  for (std::int64_t one = 0; one < layers; ++one) {
    for (std::int64_t head = 0; head < heads; ++head) {
      for (std::size_t row = 0; row < text.ids.size(); ++row) {
        const std::int64_t key =
            keeper.attended[static_cast<std::size_t>(one)][static_cast<std::size_t>(head)][row];
        if (!text.Counts(row) || key < 0) {
          continue;
        }
        const std::vector<double> logits = path.Logits(one, head, static_cast<std::int64_t>(row));
        const double own =
            logits[static_cast<std::size_t>(text.ids[static_cast<std::size_t>(key)])];
        const double mean =
            std::accumulate(logits.begin(), logits.end(), 0.0) / static_cast<double>(logits.size());
        const auto cell = static_cast<std::size_t>(one * heads + head);
        found.sums.effect[cell] += own - mean;
        ++found.sums.rows[cell];
        ++found.ranks.rows[cell];
        const auto above = std::ranges::count_if(logits, [&](double x) { return x > own; });
        const auto below = std::ranges::count_if(logits, [&](double x) { return x < own; });
        found.ranks.raised[cell] += above < CopyEffect::kTop ? 1 : 0;
        found.ranks.lowered[cell] += below < CopyEffect::kTop ? 1 : 0;
      }
    }
  }
  return found;
}

}  // namespace headscope
