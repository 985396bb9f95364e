#include "core/causes/logit_shares.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/causes/word_layer.h"
#include "core/heads/effect/frozen_norm.h"
#include "core/heads/effect/norm_place.h"
#include "core/heads/effect/stream_keeper.h"
#include "core/model/scaled_context.h"

namespace headscope {
namespace {

using Kind = SharePart::Kind;
constexpr std::int64_t kKeysOfHead = std::int64_t{1} << 32U;

double Dot(std::span<const double> one, std::span<const double> other) {
  return std::inner_product(one.begin(), one.end(), other.begin(), 0.0);
}

ModelPart StackWithWords(const ModelDescription& model) {
  return model.decoder ? ModelPart::kDecoder : ModelPart::kWhole;
}

// The biases of all value columns [kv_heads value_dim]; they count to the layer's bias.
std::vector<float> ValueBiases(const Model& model, LayerId layer) {
  const StackDescription& stack = StackOf(model.description(), layer.part);
  const LayerDescription& one = stack.layer[static_cast<std::size_t>(layer.layer)];
  const auto values = static_cast<std::size_t>(stack.kv_heads * stack.WidthsOf(one).value);
  if (one.projection_limit > 0.0 || one.value_norm || one.keys_of) {
    return std::vector<float>(values);
  }
  const std::vector<float> all = ReadBiases(model,
                                            layer.part == ModelPart::kCross ? one.cross->key_value
                                            : one.latent                    ? one.latent->value
                                                                            : one.query_key_value);
  return {all.end() - static_cast<std::ptrdiff_t>(values), all.end()};
}

SharePart PartOf(const Writer& writer) {
  switch (writer.kind) {
    case WriterKind::kPosition:
      return {.kind = Kind::kPosition};
    case WriterKind::kHead:
      return {.kind = Kind::kHead, .layer = writer.layer, .head = writer.head};
    case WriterKind::kMlp:
    case WriterKind::kMlpBias:
      return {.kind = Kind::kMlp, .layer = writer.layer};
    case WriterKind::kAttentionBias:
    case WriterKind::kNormBias:
    case WriterKind::kProjectionBias:
      return {.kind = Kind::kBias, .layer = writer.layer};
    case WriterKind::kToken:
    case WriterKind::kTokenType:
      break;
  }
  return {.kind = Kind::kEmbedding};
}

// Embeddings first, then layer by layer, then the final bias.
auto OrderOf(const SharePart& part) {
  const bool is_of_layer =
      part.kind == Kind::kHead || part.kind == Kind::kBias || part.kind == Kind::kMlp;
  const bool is_last = part.kind == Kind::kFinalBias;
  // Within a layer: self-attention, then cross-attention, then the MLP.
  const int half = part.kind == Kind::kMlp ? 2 : part.layer.part == ModelPart::kCross ? 1 : 0;
  return std::tuple(is_last       ? 2
                    : is_of_layer ? 1
                                  : 0,
                    part.layer.layer,
                    half,
                    part.kind,
                    part.head);
}

}  // namespace

struct ShareRun::State {
  State(const Forward& of, ShareQuestion asked, RemovedHeads* removed_heads)
      : forward(of),
        model(of.model()),
        stack(StackWithWords(model.description())),
        question(std::move(asked)),
        removed(removed_heads),
        keeper(model, stack, question.row, nullptr),
        by_key(model, stack, question.row, nullptr) {}

  const Forward& forward;
  const Model& model;
  ModelPart stack;
  ShareQuestion question;
  RemovedHeads* removed;
  StreamKeeper keeper;
  StreamKeeper by_key;  // each key of the heads in question as a writer: head * kKeysOfHead + key
  std::vector<double> position;     // what positions added to the row
  std::vector<double> before_norm;  // the row before the final norm
  std::vector<float> last;          // and behind it
  // Of the running layer:
  std::vector<float> weights;  // [heads, keys] of the row
  std::vector<float> values;   // [keys, kv_heads value_dim]
  std::int64_t keys = 0;
  Status status;

  [[nodiscard]] const StackDescription& shape() const {
    return StackOf(model.description(), stack);
  }
  [[nodiscard]] std::vector<double> RowOf(const Activations& rows) const {
    std::vector<double> all(static_cast<std::size_t>(rows.rows() * rows.cols()));
    forward.backend().ReadDouble(rows, all);
    const auto first = all.begin() + question.row * rows.cols();
    return {first, first + rows.cols()};
  }
  [[nodiscard]] bool IsAsked(LayerId layer) const {
    return std::ranges::any_of(question.by_key, [&](HeadIndex head) {
      return LayerId{head.part, head.layer} == layer;
    });
  }
  [[nodiscard]] bool NeedsWeights(LayerId layer) const {
    const LayerDescription& one = shape().layer[static_cast<std::size_t>(layer.layer)];
    return IsAsked(layer) || one.sinks || ScalesContext(shape()) || HasCuts(layer);
  }
  [[nodiscard]] bool HasCuts(LayerId layer) const {
    return removed != nullptr && removed->edges().IsIn(layer);
  }
  void CutWeights(LayerId layer, bool has_sinks);
  // A head's values of one key.
  [[nodiscard]] std::span<const float> ValueOf(std::int64_t head, std::int64_t key) const {
    const std::int64_t of_values = head / (shape().heads / shape().kv_heads);
    const std::size_t width = values.size() / static_cast<std::size_t>(keys * shape().kv_heads);
    return std::span(values).subspan(
        static_cast<std::size_t>(key * shape().kv_heads + of_values) * width, width);
  }
  [[nodiscard]] double WeightOf(std::int64_t head, std::int64_t key) const {
    return static_cast<double>(weights[static_cast<std::size_t>(head * keys + key)]);
  }
  // What a gate, norm or factor makes of each column of what the weights make of values.
  [[nodiscard]] std::vector<double> FactorsOf(std::int64_t head,
                                              std::span<const double> context) const {
    std::vector<double> factors(context.size(), 1.0);
    if (!ScalesContext(shape())) {
      return factors;
    }
    for (std::size_t i = 0; i < factors.size(); ++i) {
      double made = 0.0;
      for (std::int64_t key = 0; key < keys; ++key) {
        made += WeightOf(head, key) * static_cast<double>(ValueOf(head, key)[i]);
      }
      factors[i] = made == 0.0 ? 0.0 : context[i] / made;
    }
    return factors;
  }
  void AddHeads(LayerId layer, std::vector<double> context);
  void AddKeys(HeadIndex head,
               std::span<const double> factors,
               std::span<const float> bias,
               const ProjectionColumns& output);
};

void ShareRun::State::AddHeads(LayerId layer, std::vector<double> context) {
  const LayerDescription& one = shape().layer[static_cast<std::size_t>(layer.layer)];
  const LinearNeed& need = OutputNeedOf(model.description(), layer);
  ProjectionColumns output = ReadColumns(model, need, 0, ColumnCount(need));
  const std::vector<float> biases = ValueBiases(model, layer);
  const auto width = static_cast<std::size_t>(shape().WidthsOf(one).value);
  std::vector<double> of_bias(context.size());
  by_key.BeginAttention();
  if (HasCuts(layer)) {
    CutWeights(layer, one.sinks.has_value());
  }
  for (std::int64_t head = 0; head < shape().heads; ++head) {
    const HeadIndex index{layer.layer, head, layer.part};
    const auto first = static_cast<std::size_t>(head) * width;
    const auto value_head = static_cast<std::size_t>(head / (shape().heads / shape().kv_heads));
    const std::span bias = std::span(biases).subspan(value_head * width, width);
    if (removed != nullptr && removed->Has(index)) {
      continue;
    }
    const std::vector<double> factors = FactorsOf(head, std::span(context).subspan(first, width));
    double sum = 1.0;
    if (one.sinks || HasCuts(layer)) {
      sum = 0.0;
      for (std::int64_t key = 0; key < keys; ++key) {
        sum += WeightOf(head, key);
      }
    }
    for (std::size_t i = 0; i < width; ++i) {
      of_bias[first + i] = static_cast<double>(bias[i]) * sum * factors[i];
    }
    if (std::ranges::find(question.by_key, index) != question.by_key.end()) {
      AddKeys(index, factors, bias, output);
    }
  }
  for (std::int64_t column = 0; column < output.columns(); ++column) {
    const std::span<const float> weight = output.Column(column);
    double added = 0.0;
    for (std::size_t i = 0; i < of_bias.size(); ++i) {
      added += static_cast<double>(weight[i]) * of_bias[i];
    }
    output.bias[static_cast<std::size_t>(column)] += static_cast<float>(added);
  }
  std::ranges::transform(context, of_bias, context.begin(), std::minus<>());
  keeper.OnContext(layer, context, output);
}

void ShareRun::State::CutWeights(LayerId layer, bool has_sinks) {
  for (std::int64_t head = 0; head < shape().heads; ++head) {
    const HeadIndex index{layer.layer, head, layer.part};
    if (removed->edges().IsIn(index, question.row)) {
      const auto row = std::span(weights).subspan(static_cast<std::size_t>(head * keys),
                                                  static_cast<std::size_t>(keys));
      std::vector<double> left(row.begin(), row.end());
      removed->edges().CutRow(index, question.row, has_sinks, left);
      std::ranges::transform(
          left, row.begin(), [](double weight) { return static_cast<float>(weight); });
    }
  }
}

void ShareRun::State::AddKeys(HeadIndex head,
                              std::span<const double> factors,
                              std::span<const float> bias,
                              const ProjectionColumns& output) {
  const std::size_t width = factors.size();
  std::vector<double> row(static_cast<std::size_t>(output.columns()));
  for (std::int64_t key = 0; key < keys; ++key) {
    const std::span<const float> value = ValueOf(head.head, key);
    std::vector<double> made(width);
    for (std::size_t i = 0; i < width; ++i) {
      made[i] = WeightOf(head.head, key) * static_cast<double>(value[i] - bias[i]) * factors[i];
    }
    for (std::int64_t column = 0; column < output.columns(); ++column) {
      const auto weight =
          output.Column(column).subspan(static_cast<std::size_t>(head.head) * width, width);
      row[static_cast<std::size_t>(column)] =
          std::inner_product(made.begin(), made.end(), weight.begin(), 0.0);
    }
    by_key.AddToAttention({.kind = WriterKind::kHead,
                           .layer = {head.part, head.layer},
                           .head = head.head * kKeysOfHead + key},
                          row);
  }
}

ShareRun::ShareRun(const Forward& forward, ShareQuestion question, RemovedHeads* removed)
    : state_(std::make_unique<State>(forward, std::move(question), removed)) {}

ShareRun::~ShareRun() = default;

AttentionObserver* ShareRun::BeginLayer(LayerId layer) {
  return state_->keeper.Wants(layer.part) && state_->NeedsWeights(layer) ? this : nullptr;
}

void ShareRun::OnProjections(const AttentionProjections& projections) {
  state_->keys = projections.shape.keys;
  state_->values.assign(projections.values.begin(), projections.values.end());
  state_->weights.assign(static_cast<std::size_t>(projections.shape.heads * state_->keys), 0.0F);
}

void ShareRun::OnBlock(const AttentionBlock& block) {
  const std::int64_t row = state_->question.row;
  if (row < block.query_begin || row >= block.query_end) {
    return;
  }
  const std::int64_t queries = block.query_end - block.query_begin;
  for (std::int64_t head = block.head_begin; head < block.head_end; ++head) {
    const std::int64_t from = (head - block.head_begin) * queries + row - block.query_begin;
    std::ranges::copy(block.weights.subspan(static_cast<std::size_t>(from * block.keys),
                                            static_cast<std::size_t>(block.keys)),
                      state_->weights.begin() + head * block.keys);
  }
}

void ShareRun::OnEmbedding(ModelPart stack, EmbeddingPart part, const Activations& rows) {
  const StackDescription& shape = state_->shape();
  const bool is_apart = !shape.embedding_norm || shape.is_placed_last;
  if (stack == state_->stack && part == EmbeddingPart::kPosition && is_apart &&
      !shape.is_projected_last) {
    state_->position = state_->RowOf(rows);
  }
}

Status ShareRun::ChangeStream(LayerId layer, Activations* hidden) {
  if (layer.part != state_->stack || layer.layer != 0) {
    return {};
  }
  std::vector<double> row = state_->RowOf(*hidden);
  if (!state_->position.empty()) {
    std::ranges::transform(row, state_->position, row.begin(), std::minus<>());
    state_->keeper.OnEmbedding(EmbeddingPart::kPosition, state_->position);
  }
  state_->keeper.OnEmbedding(EmbeddingPart::kToken, row);
  return {};
}

Status ShareRun::Attend(LayerId layer,
                        const AttentionInput& input,
                        Backend* backend,
                        AttentionObserver* observer,
                        Activations* context,
                        const std::stop_token& stop) {
  LayerChanges* const changes = state_->removed;
  return changes != nullptr ? changes->Attend(layer, input, backend, observer, context, stop)
                            : LayerChanges::Attend(layer, input, backend, observer, context, stop);
}

Status ShareRun::ChangeContext(LayerId layer, Activations* context) {
  return state_->removed != nullptr ? state_->removed->ChangeContext(layer, context) : Status();
}

void ShareRun::OnContext(LayerId layer, const Activations& context) {
  if (state_->keeper.Wants(layer.part)) {
    state_->AddHeads(layer, state_->RowOf(context));
  }
}

void ShareRun::OnMlp(LayerId layer, const Activations& output) {
  if (state_->keeper.Wants(layer.part)) {
    state_->keeper.OnMlp(layer, state_->RowOf(output));
  }
}

void ShareRun::OnNorm(const NormNeed& norm, const Activations& input) {
  const auto place = FindNorm(state_->shape(), norm);
  if (!place || place->kind == NormPlace::Kind::kEmbedding ||
      place->kind == NormPlace::Kind::kBefore) {
    return;
  }
  if (place->kind == NormPlace::Kind::kFinal) {
    state_->before_norm = state_->RowOf(input);
    return;
  }
  const std::vector<double> row = state_->RowOf(input);
  state_->keeper.OnNorm(norm, row);
  state_->by_key.OnNorm(norm, row);
}

Status ShareRun::OnEnd(ModelPart stack, const Activations& states) {
  if (stack == state_->stack) {
    const std::vector<double> row = state_->RowOf(states);
    state_->last.assign(row.begin(), row.end());
    state_->keeper.Close();
    state_->by_key.Close();
  }
  return {};
}

Result<LogitShares> ShareRun::Split(const WordLayer& words,
                                    std::int32_t id,
                                    std::optional<std::int32_t> against) const {
  const State& state = *state_;
  const auto& final_norm = state.shape().final_norm;
  // Goes back through the final norm.
  const auto at_end = [&](WordLayer::Linear linear) {
    if (final_norm) {
      const NormWeights norm = ReadNorm(state.model, *final_norm);
      for (std::size_t i = 0; i < norm.bias.size(); ++i) {
        linear.rest += linear.direction[i] * static_cast<double>(norm.bias[i]);
      }
      PullBack(norm, linear.direction);
      const double scale = NormScale(norm, state.before_norm);
      for (double& value : linear.direction) {
        value *= scale;
      }
    }
    return linear;
  };
  const auto less = [](WordLayer::Linear one, const WordLayer::Linear& other) {
    std::ranges::transform(one.direction, other.direction, one.direction.begin(), std::minus<>());
    one.rest -= other.rest;
    return one;
  };
  WordLayer::Linear own = words.LinearOf(state.last, id);
  if (against) {
    own = less(std::move(own), words.LinearOf(state.last, *against));
  }
  LogitShares shares;
  shares.question = state.question;
  shares.question.id = id;
  shares.question.against = against;
  shares.logit = own.rest;
  for (std::size_t i = 0; i < own.direction.size(); ++i) {
    shares.logit += own.direction[i] * static_cast<double>(state.last[i]);
  }
  const WordLayer::Linear linear = at_end(std::move(own));
  const WordLayer::Linear above =
      against ? linear : less(linear, at_end(words.LinearOfMean(state.last)));
  const auto add = [&](SharePart part, double share, double above_mean) {
    const auto found = std::ranges::find_if(
        shares.parts, [&](const SharePart& one) { return OrderOf(one) == OrderOf(part); });
    SharePart& to = found == shares.parts.end() ? shares.parts.emplace_back(part) : *found;
    to.share += share;
    to.above_mean += above_mean;
    shares.sum += share;
  };
  for (const WrittenRows::Part& part : state.keeper.reading().parts()) {
    add(PartOf(part.writer), Dot(linear.direction, part.row), Dot(above.direction, part.row));
  }
  add({.kind = Kind::kFinalBias}, linear.rest, above.rest);
  std::ranges::stable_sort(shares.parts, [](const SharePart& one, const SharePart& other) {
    return OrderOf(one) < OrderOf(other);
  });
  for (const WrittenRows::Part& part : state.by_key.reading().parts()) {
    if (part.writer.kind == WriterKind::kHead) {
      const LayerId layer = part.writer.layer;
      shares.keys[{layer.layer, part.writer.head / kKeysOfHead, layer.part}].push_back(
          Dot(linear.direction, part.row));
    }
  }
  return shares;
}

std::span<const float> ShareRun::Last() const {
  return state_->last;
}

std::vector<float> ShareRun::LastWithout(HeadIndex head) const {
  const State& state = *state_;
  std::vector<double> written(state.last.size());
  for (const WrittenRows::Part& part : state.keeper.reading().parts()) {
    const bool is_own = part.writer.kind == WriterKind::kHead && part.writer.head == head.head &&
                        part.writer.layer == LayerId{head.part, head.layer};
    if (is_own) {
      std::ranges::transform(written, part.row, written.begin(), std::plus<>());
    }
  }
  if (const auto& final_norm = state.shape().final_norm) {
    const NormWeights norm = ReadNorm(state.model, *final_norm);
    ApplyFrozen(norm, NormScale(norm, state.before_norm), written);
  }
  std::vector<float> without(state.last.size());
  std::ranges::transform(state.last, written, without.begin(), [](float all, double own) {
    return static_cast<float>(static_cast<double>(all) - own);
  });
  return without;
}

std::string SharePart::Name() const {
  switch (kind) {
    case Kind::kPosition:
      return "position";
    case Kind::kHead:
      return HeadName({layer.layer, head, layer.part});
    case Kind::kBias:
      return LayerName(layer) + " bias";
    case Kind::kMlp:
      return LayerName(layer) + " MLP";
    case Kind::kFinalBias:
      return "final bias";
    case Kind::kEmbedding:
      break;
  }
  return "embedding";
}

const SharePart* LogitShares::Find(HeadIndex head) const {
  const auto found = std::ranges::find_if(parts, [&](const SharePart& part) {
    return part.kind == Kind::kHead && part.layer == LayerId{head.part, head.layer} &&
           part.head == head.head;
  });
  return found == parts.end() ? nullptr : &*found;
}

Status CheckRow(std::int64_t row, std::int64_t rows) {
  return row < 0 || row >= rows
             ? Fail(ErrorCode::kInput,
                    fmt::format("row {}: the text has the rows 0 to {}", row, rows - 1))
             : Status();
}

Status CheckShares(const ModelDescription& model) {
  if (HasFurtherMlps(model)) {
    return Fail(ErrorCode::kUnsupported,
                "the model's layers have MLPs behind their own: what it says cannot be split over "
                "its heads");
  }
  if (ScalesStream(model)) {
    return Fail(
        ErrorCode::kUnsupported,
        "the model's layers multiply the whole stream: what it says cannot be split over its "
        "heads");
  }
  return HasNeighbours(model) || HasPlainBlocks(model)
             ? Fail(ErrorCode::kUnsupported,
                    "the model joins tokens beside its attention: what it says "
                    "cannot be split over its heads")
             : Status();
}

}  // namespace headscope
