#include "core/model/stack_pass.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace headscope {
namespace {

// Returns the rows of `all` from the first token that is run.
template <typename Value>
std::span<const Value> From(const std::vector<Value>& all, std::int64_t first, std::int64_t width) {
  return std::span(all).subspan(static_cast<std::size_t>(first * width));
}

// Returns the row of the position table for each token.
std::vector<std::int32_t> PositionRows(const StackDescription& model,
                                       std::span<const std::int32_t> ids,
                                       std::int64_t tokens,
                                       std::int64_t texts) {
  std::vector<std::int32_t> rows;
  std::int32_t next = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(tokens * texts); ++i) {
    if (i % static_cast<std::size_t>(tokens) == 0) {
      next = static_cast<std::int32_t>(model.position_offset);
    }
    const bool is_placed = ids.empty() || ids[i] != model.unplaced_id;
    rows.push_back(is_placed ? next++ : static_cast<std::int32_t>(model.position_offset - 1));
  }
  return rows;
}

// `positions` is of each row; what lies before the first one has none.
std::vector<float> SinusoidalPositions(std::span<const std::int32_t> positions,
                                       std::int64_t first,
                                       std::int64_t width,
                                       bool is_fairseq) {
  std::vector<float> table(positions.size() * static_cast<std::size_t>(width));
  const std::int64_t sines = (width + 1) / 2;
  const auto pairs = static_cast<double>(is_fairseq ? std::max<std::int64_t>(width / 2 - 1, 1) : 0);
  for (std::size_t row = 0; row < positions.size(); ++row) {
    for (std::int64_t i = 0; positions[row] >= first && i < width; ++i) {
      const auto pair = static_cast<double>(i < sines ? i : i - sines);
      const double exponent = is_fairseq ? pair / pairs : 2.0 * pair / static_cast<double>(width);
      const double angle = static_cast<double>(positions[row]) / std::pow(10000.0, exponent);
      table[row * static_cast<std::size_t>(width) + static_cast<std::size_t>(i)] =
          static_cast<float>(i < sines ? std::sin(angle) : std::cos(angle));
    }
  }
  return table;
}

}  // namespace

Status StackPass::EmbedTokens(const ForwardInput& input) {
  ActivationsPtr embedded;
  HEADSCOPE_TRY(Ensure(rows_, model_.embedding_dim(), &embedded));
  if (input.ids.empty()) {
    backend_.Load(From(input.embeddings, first_, model_.embedding_dim()), embedded.get());
  } else {
    HEADSCOPE_TRY(backend_.Gather(
        weights_.Find(model_.token_embedding), From(input.ids, first_, 1), embedded.get()));
    if (model_.embedding_scale != 1.0) {
      backend_.Scale(model_.embedding_scale, embedded.get());
    }
  }
  if (model_.embedding_projection && !model_.is_projected_last) {
    HEADSCOPE_TRY(Apply(*model_.embedding_projection, *embedded, &hidden_));
  } else {
    hidden_ = std::move(embedded);
  }
  ShowEmbedding(EmbeddingPart::kToken, *hidden_);
  return {};
}

Status StackPass::LoadRows(std::span<const float> values, std::int64_t cols, ActivationsPtr* out) {
  if (!values.empty()) {
    HEADSCOPE_TRY(Ensure(std::ssize(values) / cols, cols, out));
    backend_.Load(values, out->get());
  }
  return {};
}

Status StackPass::AddPositions(std::span<const std::int32_t> ids) {
  const std::vector<std::int32_t> positions = PositionRows(model_, ids, tokens_, texts_);
  if (model_.position_embedding) {
    HEADSCOPE_TRY(AddRows(weights_.Find(*model_.position_embedding),
                          From(positions, first_, 1),
                          EmbeddingPart::kPosition));
  }
  const bool is_fairseq = model_.position_scheme == PositionScheme::kFairseqSinusoidal;
  if (is_fairseq || model_.position_scheme == PositionScheme::kSinusoidal) {
    backend_.Load(
        SinusoidalPositions(
            From(positions, first_, 1), model_.position_offset, hidden_->cols(), is_fairseq),
        normed_.get());
    ShowEmbedding(EmbeddingPart::kPosition, *normed_);
    backend_.Add(*normed_, hidden_.get());
  }
  return {};
}

// Adds one vector to every token.
Status StackPass::AddConstant(const ConstantProduct& constant) {
  HEADSCOPE_TRY(const auto rows, weights_.Read(constant.parts));
  ActivationsPtr made;
  HEADSCOPE_TRY(LoadRows(rows, std::ssize(rows), &made));
  for (const LinearNeed& product : constant.products) {
    if (&product != &constant.products.front()) {
      backend_.Activate(constant.activation, made.get());
    }
    ActivationsPtr next;
    HEADSCOPE_TRY(Apply(product, *made, &next));
    made = std::move(next);
  }
  std::vector<float> row(static_cast<std::size_t>(made->cols()));
  backend_.Read(*made, row);
  std::vector<float> repeated;
  for (std::int64_t token = 0; token < rows_; ++token) {
    repeated.insert(repeated.end(), row.begin(), row.end());
  }
  backend_.Load(repeated, normed_.get());
  ShowEmbedding(EmbeddingPart::kTokenType, *normed_);
  backend_.Add(*normed_, hidden_.get());
  return {};
}

Status StackPass::Embed(const ForwardInput& input) {
  HEADSCOPE_TRY(EmbedTokens(input));
  if (const auto& separate = model_.layer.front().separate) {
    HEADSCOPE_TRY(LoadRows(input.key_embeddings, separate->key.in, &key_input_));
    HEADSCOPE_TRY(LoadRows(input.value_embeddings, separate->value.in, &value_input_));
  }
  HEADSCOPE_TRY(Ensure(rows_, hidden_->cols(), &normed_));
  if (model_.token_type_embedding) {
    const TensorView& table = weights_.Find(*model_.token_type_embedding);
    const std::vector<std::int32_t> zeros(static_cast<std::size_t>(texts_ * tokens_), 0);
    HEADSCOPE_TRY(AddRows(table,
                          From(input.segment_ids.empty() ? zeros : input.segment_ids, first_, 1),
                          EmbeddingPart::kTokenType));
  }
  for (const TensorNeed& constant : model_.constant_embeddings) {
    const std::vector<std::int32_t> row(static_cast<std::size_t>(rows_),
                                        static_cast<std::int32_t>(constant.rows->first));
    HEADSCOPE_TRY(AddRows(weights_.Find(constant), row, EmbeddingPart::kTokenType));
  }
  for (const ConstantProduct& constant : model_.constant_products) {
    HEADSCOPE_TRY(AddConstant(constant));
  }
  if (!model_.is_placed_last) {
    HEADSCOPE_TRY(AddPositions(input.ids));
  }
  HEADSCOPE_TRY(NormStream(model_.embedding_norm, *hidden_, hidden_.get()));
  if (model_.is_placed_last) {
    HEADSCOPE_TRY(AddPositions(input.ids));
  }
  if (model_.embedding_projection && model_.is_projected_last) {
    std::swap(hidden_, normed_);
    HEADSCOPE_TRY(Apply(*model_.embedding_projection, *normed_, &hidden_));
  }
  HEADSCOPE_TRY(ReadTokenInputs(input.ids));
  HEADSCOPE_TRY(Ensure(rows_, model_.model_dim, &normed_));
  return RunBlocks(model_.blocks_before);
}

Status StackPass::ProjectApart(const SeparateProjections& projections) {
  const Activations& keys = key_input_ != nullptr ? *key_input_ : *read_;
  HEADSCOPE_TRY(Apply(projections.query, *read_, &queries_));
  HEADSCOPE_TRY(Apply(projections.key, keys, &keys_));
  return Apply(projections.value, value_input_ != nullptr ? *value_input_ : keys, &values_);
}

Status StackPass::Compress(const Latent& latent, ActivationsPtr* out) {
  HEADSCOPE_TRY(Apply(latent.down, *read_, out));
  return Norm(latent.norm, **out, out->get());
}

Status StackPass::ProjectLatents(const LatentProjections& latents,
                                 ActivationsPtr* keys,
                                 ActivationsPtr* values) {
  if (latents.query_latent) {
    HEADSCOPE_TRY(Compress(*latents.query_latent, &query_latent_));
  }
  HEADSCOPE_TRY(Apply(latents.query, latents.query_latent ? *query_latent_ : *read_, &queries_));
  HEADSCOPE_TRY(Compress(latents.key_value_latent, &latent_));
  HEADSCOPE_TRY(Apply(latents.value, *latent_, values));
  HEADSCOPE_TRY(Apply(latents.key, *latent_, &projected_));
  HEADSCOPE_TRY(Apply(latents.shared_key, *read_, &shared_keys_));
  const std::int64_t width = model_.head_dim;
  HEADSCOPE_TRY(Ensure(read_->rows(), model_.kv_heads * width, keys));
  const std::int64_t shared = shared_keys_->cols();
  backend_.PlaceInHeads(*shared_keys_, model_.kv_heads, 0, shared, keys->get());
  backend_.PlaceInHeads(*projected_, model_.kv_heads, shared, width - shared, keys->get());
  return {};
}

Status StackPass::ProjectTogether(const LayerDescription& layer,
                                  ActivationsPtr* keys,
                                  ActivationsPtr* values) {
  HEADSCOPE_TRY(Apply(layer.query_key_value, *read_, &projected_));
  const HeadWidths widths = model_.WidthsOf(layer);
  const std::int64_t query_width = model_.heads * widths.key;
  const std::int64_t key_width = model_.kv_heads * widths.key;
  HEADSCOPE_TRY(Columns(query_width + key_width, model_.kv_heads * widths.value, values));
  if (model_.layer_positions) {
    HEADSCOPE_TRY(AddLayerPositions(*model_.layer_positions));
    HEADSCOPE_TRY(Apply(layer.query_key_value, *placed_, &projected_));
  }
  HEADSCOPE_TRY(Columns(0, query_width, &queries_));
  return Columns(query_width, key_width, keys);
}

// Joins the rows that an earlier run left and the new ones.
Status StackPass::PutAfterPast(std::span<const float> past,
                               const Activations& made,
                               ActivationsPtr* whole) {
  HEADSCOPE_TRY(Ensure(tokens_, made.cols(), whole));
  backend_.LoadRows(past.first(static_cast<std::size_t>(first_ * made.cols())), 0, whole->get());
  backend_.CopyRows(made, first_, whole->get());
  return {};
}

// Makes the attention's input again, with each token's position added.
Status StackPass::AddLayerPositions(const TensorNeed& table) {
  const std::int64_t tokens = tokens_ - first_;
  std::vector<std::int32_t> positions;
  for (std::int64_t row = 0; row < read_->rows(); ++row) {
    positions.push_back(static_cast<std::int32_t>(first_ + row % tokens));
  }
  HEADSCOPE_TRY(Ensure(read_->rows(), read_->cols(), &placed_));
  HEADSCOPE_TRY(backend_.Gather(weights_.Find(table), positions, placed_.get()));
  backend_.Add(*read_, placed_.get());
  return {};
}

// Multiplies what attention gives by what the layer's input makes of the gate.
Status StackPass::Gate(const OutputGate& gate) {
  HEADSCOPE_TRY(Apply(gate.product, *read_, &gate_));
  backend_.Activate(gate.activation, gate_.get());
  if (gate_->cols() == context_->cols()) {
    backend_.Multiply(*gate_, context_.get());
    return {};
  }
  HEADSCOPE_TRY(Ensure(context_->rows(), context_->cols(), &widened_));
  for (std::int64_t column = 0; column < context_->cols() / model_.heads; ++column) {
    backend_.PlaceInHeads(*gate_, model_.heads, column, 1, widened_.get());
  }
  backend_.Multiply(*widened_, context_.get());
  return {};
}

// Makes queries, keys and values from the attention's input, rotated by their positions.
Status StackPass::Project(const LayerDescription& layer, const PastLayer* past) {
  if (layer.separate) {
    return ProjectApart(*layer.separate);
  }
  ActivationsPtr* keys = past == nullptr ? &keys_ : &new_keys_;
  ActivationsPtr* values = past == nullptr ? &values_ : &new_values_;
  HEADSCOPE_TRY(layer.latent    ? ProjectLatents(*layer.latent, keys, values)
                : layer.keys_of ? Apply(layer.query_key_value, *read_, &queries_)
                                : ProjectTogether(layer, keys, values));
  HEADSCOPE_TRY(Place(layer, layer.query_norm, model_.heads, queries_.get()));
  if (layer.query_growth) {
    GrowQueries(*layer.query_growth, first_, tokens_ - first_, &backend_, queries_.get());
  }
  if (layer.keys_of) {
    return TakeKeys(*layer.keys_of);
  }
  HEADSCOPE_TRY(Place(layer, layer.key_norm, model_.kv_heads, keys->get()));
  HEADSCOPE_TRY(Norm(layer.value_norm, **values, values->get()));
  if (const double limit = layer.projection_limit; limit > 0.0) {
    backend_.Clamp(-limit, limit, 0.0, values->get());
  }
  if (past == nullptr) {
    return {};
  }
  HEADSCOPE_TRY(PutAfterPast(past->keys, *new_keys_, &keys_));
  return PutAfterPast(past->values, *new_values_, &values_);
}

Status StackPass::Place(const LayerDescription& layer,
                        const std::optional<NormNeed>& norm,
                        std::int64_t heads,
                        Activations* rows) {
  HEADSCOPE_TRY(layer.is_rotated_first ? Status() : Norm(norm, *rows, rows));
  if (const double limit = layer.projection_limit; limit > 0.0) {
    backend_.Clamp(-limit, limit, 0.0, rows);
  }
  if (layer.rotary) {
    backend_.Rotate(rotary_[*layer.rotary], heads, first_, texts_, rows);
  }
  return layer.is_rotated_first ? Norm(norm, *rows, rows) : Status();
}

Result<ProjectedRows> StackPass::ProjectRows(std::int64_t layer, std::span<const float> rows) {
  HEADSCOPE_TRY(LoadRows(rows, model_.model_dim, &normed_));
  read_ = normed_.get();
  HEADSCOPE_TRY(Project(model_.layer[static_cast<std::size_t>(layer)], nullptr));
  ProjectedRows made;
  const auto read = [&](const Activations& from, std::vector<float>* to) {
    to->resize(static_cast<std::size_t>(from.rows() * from.cols()));
    backend_.Read(from, *to);
  };
  read(*queries_, &made.queries);
  read(*keys_, &made.keys);
  read(*values_, &made.values);
  return made;
}

void StackPass::Report(LayerId layer, LayerObserver* observer) {
  HEADSCOPE_CHECK(first_ == 0, "states are shown of all tokens");
  const auto cells = static_cast<std::size_t>(rows_ * model_.model_dim);
  std::vector<float> before(cells);
  std::vector<float> after(cells);
  backend_.Read(*read_, before);
  backend_.Read(*output_, after);
  observer->OnStates(layer, before, after);
}

Status StackPass::Attention(std::int64_t layer, bool is_last, LayerObserver* observer) {
  const LayerDescription& description = model_.layer[static_cast<std::size_t>(layer)];
  const NormPlaces& norm = description.attention_norm;
  if (description.neighbours) {
    HEADSCOPE_TRY(Ensure(rows_, model_.model_dim, &layer_input_));
    backend_.CopyRows(*hidden_, 0, layer_input_.get());
  }
  HEADSCOPE_TRY(NormStream(norm.before, *hidden_, normed_.get()));
  read_ = norm.before ? normed_.get() : hidden_.get();
  HEADSCOPE_TRY(Stopped());
  const PastLayer* past = first_ == 0 ? nullptr : &past_.own[static_cast<std::size_t>(layer)];
  if (attended_.empty() || shared_.contains(layer)) {
    HEADSCOPE_TRY(Project(description, past));
    HEADSCOPE_TRY(KeepKeys(layer));
  }
  if (!attended_.empty()) {
    const std::int64_t width = model_.heads * model_.WidthsOf(description).value;
    HEADSCOPE_TRY(LoadRows(std::exchange(attended_, {}), width, &context_));
    HEADSCOPE_TRY(FinishAttention({part_, layer}, description.output));
    return NormStream(norm.inside, *output_, output_.get());
  }
  AttentionRule rule = description.rule;
  const auto& relative_bias =
      description.relative_bias ? description.relative_bias : model_.relative_bias;
  if (relative_bias) {
    HEADSCOPE_UNPACK(bias, weights_.Get(*relative_bias));
    rule.bias = std::move(bias);
  }
  if (description.sinks) {
    HEADSCOPE_UNPACK(sinks, weights_.Get(*description.sinks));
    rule.sinks = std::move(sinks);
  }
  if (description.position_key || description.position_query) {
    HEADSCOPE_UNPACK(positions,
                     weights_.Get(*model_.position_vectors, description, model_.heads, stop_));
    rule.positions = std::move(positions);
  }
  return Attend({part_, layer}, rule, past, description.output, norm, is_last, observer);
}

// Makes keys and values from the encoder's output, or takes them from an earlier run.
Status StackPass::ProjectSource(const CrossDescription& cross, const PastLayer* past) {
  const std::int64_t key_width = model_.kv_heads * model_.head_dim;
  const std::int64_t value_width = model_.kv_heads * model_.value_dim;
  if (past != nullptr) {
    const std::int64_t keys = static_cast<std::int64_t>(past->keys.size()) / key_width;
    HEADSCOPE_TRY(Ensure(keys, key_width, &keys_));
    HEADSCOPE_TRY(Ensure(keys, value_width, &values_));
    backend_.Load(past->keys, keys_.get());
    backend_.Load(past->values, values_.get());
    return {};
  }
  HEADSCOPE_TRY(Apply(cross.key_value, *memory_, &projected_));
  HEADSCOPE_TRY(Columns(0, key_width, &keys_));
  return Columns(key_width, value_width, &values_);
}

// Adds the result of the layer's self-attention, then lets the decoder's queries attend to the
// encoder's keys and values.
Status StackPass::Cross(std::int64_t layer, bool is_last, LayerObserver* observer) {
  const LayerDescription& description = model_.layer[static_cast<std::size_t>(layer)];
  const CrossDescription& cross = *description.cross;
  HEADSCOPE_TRY(Stopped());
  HEADSCOPE_TRY(AddOutput(description.attention_norm));
  HEADSCOPE_TRY(NormStream(cross.norm.before, *hidden_, normed_.get()));
  read_ = cross.norm.before ? normed_.get() : hidden_.get();
  HEADSCOPE_TRY(Apply(cross.query, *read_, &queries_));
  const PastLayer* past =
      past_.cross.empty() ? nullptr : &past_.cross[static_cast<std::size_t>(layer)];
  HEADSCOPE_TRY(ProjectSource(cross, past));
  return Attend(
      {ModelPart::kCross, layer}, cross.rule, past, cross.output, cross.norm, is_last, observer);
}

// Computes the weights of past queries again, for an observer that needs more of them than were
// kept.
Status StackPass::WatchPast(const AttentionInput& input,
                            const PastLayer& past,
                            AttentionObserver* observer) {
  const std::int64_t width = input.queries->cols();
  HEADSCOPE_TRY(Ensure(first_ - past.watched, width, &past_queries_));
  backend_.Load(past.queries.subspan(static_cast<std::size_t>(past.watched * width),
                                     static_cast<std::size_t>((first_ - past.watched) * width)),
                past_queries_.get());
  AttentionInput again = input;
  again.shape.queries = first_ - past.watched;
  again.rule.offset = past.watched;
  again.queries = past_queries_.get();
  return backend_.Attend(again, observer, nullptr, stop_);
}

// Computes the attention's result from queries, keys and values, without adding it yet.
Status StackPass::Attend(LayerId layer,
                         const AttentionRule& rule,
                         const PastLayer* past,
                         const LinearNeed& output,
                         const NormPlaces& norm,
                         bool is_last,
                         LayerObserver* observer) {
  const bool wants_states = observer != nullptr && observer->WantsStates(layer);
  // Who looks at the weights alone has them before the rest of the layer is computed.
  const bool looks_at_weights = observer != nullptr && !wants_states && watcher_ == nullptr;
  // Nothing follows the last layer: only its weights are needed.
  const bool needs_context = !is_last || wants_states || watcher_ != nullptr;
  const HeadWidths widths = model_.WidthsAt(layer.layer);
  if (needs_context) {
    HEADSCOPE_TRY(Ensure(rows_, model_.heads * widths.value, &context_));
  }
  AttentionInput input{.shape = {.queries = rows_ / texts_,
                                 .keys = keys_->rows() / texts_,
                                 .heads = model_.heads,
                                 .kv_heads = model_.kv_heads,
                                 .head_dim = widths.key,
                                 .value_dim = widths.value},
                       .rule = rule,
                       .queries = queries_.get(),
                       .keys = keys_.get(),
                       .values = values_.get(),
                       .texts = texts_};
  input.rule.offset = first_;
  AttentionObserver* watcher = observer == nullptr ? nullptr : observer->BeginLayer(layer);
  Status attended;
  if (watcher != nullptr && past != nullptr && past->watched < first_) {
    attended = WatchPast(input, *past, watcher);
  }
  for (; attended && input.text < texts_; ++input.text) {
    Activations* context = needs_context ? context_.get() : nullptr;
    attended = changes_ != nullptr
                   ? changes_->Attend(layer, input, &backend_, watcher, context, stop_)
                   : backend_.Attend(input, watcher, context, stop_);
  }
  if (!attended) {
    attended.error().message = fmt::format("layer {}: {}", layer.layer, attended.error().message);
    return attended;
  }
  if (looks_at_weights) {
    HEADSCOPE_TRY(observer->EndLayer(layer));
  }
  if (needs_context) {
    if (layer.part != ModelPart::kCross) {
      HEADSCOPE_TRY(ScaleContext(model_.layer[static_cast<std::size_t>(layer.layer)]));
    }
    HEADSCOPE_TRY(FinishAttention(layer, output));
    if (wants_states) {
      Report(layer, observer);
    }
    HEADSCOPE_TRY(NormStream(norm.inside, *output_, output_.get()));
  }
  return observer == nullptr || looks_at_weights ? Status() : observer->EndLayer(layer);
}

// Makes what the attention adds of the heads' outputs.
Status StackPass::FinishAttention(LayerId layer, const LinearNeed& output) {
  if (changes_ != nullptr) {
    HEADSCOPE_TRY(changes_->ChangeContext(layer, context_.get()));
  }
  if (watcher_ != nullptr) {
    watcher_->OnContext(layer, *context_);
  }
  HEADSCOPE_TRY(Apply(output, *context_, &output_));
  return changes_ == nullptr ? Status() : changes_->ChangeAttention(layer, output_.get());
}

Status StackPass::ScaleContext(const LayerDescription& layer) {
  if (layer.value_factor != 1.0) {
    backend_.Scale(layer.value_factor, context_.get());
  }
  HEADSCOPE_TRY(Norm(layer.context_norm, *context_, context_.get()));
  return layer.output_gate ? Gate(*layer.output_gate) : Status();
}

Status StackPass::AddOutput(const NormPlaces& norm) {
  backend_.Add(*output_, hidden_.get());
  return NormStream(norm.after, *hidden_, hidden_.get());
}

}  // namespace headscope
