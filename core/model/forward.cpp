#include "core/model/forward.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/model/prepared_weights.h"
#include "core/model/rotary.h"

namespace headscope {
namespace {

using ActivationsPtr = std::unique_ptr<Activations>;

// Returns a Result's error, or unpacks it into a new variable.
// NOLINTBEGIN(bugprone-macro-parentheses): the variable is a name
#define HEADSCOPE_UNPACK(variable, result)                            \
  auto variable##_result = (result);                                  \
  if (!variable##_result) {                                           \
    return ::headscope::PassOn(std::move(variable##_result.error())); \
  }                                                                   \
  auto variable = std::move(*variable##_result)
// NOLINTEND(bugprone-macro-parentheses)

Status CheckIds(const ModelDescription& model, std::span<const std::int32_t> ids) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= model.vocabulary) {
      return Fail(ErrorCode::kInput,
                  fmt::format("token {} has the id {}, but the model's vocabulary has the ids 0 "
                              "to {}; was it tokenized for another model?",
                              i,
                              ids[i],
                              model.vocabulary - 1));
    }
  }
  return {};
}

Status CheckEmbeddings(const ModelDescription& model, std::span<const float> embeddings) {
  const auto width = static_cast<std::size_t>(model.embedding_dim());
  if (embeddings.size() % width != 0) {
    return Fail(ErrorCode::kInput,
                fmt::format("the embeddings are {} numbers, expected a multiple of {}, the width "
                            "of one token",
                            embeddings.size(),
                            width));
  }
  for (std::size_t i = 0; i < embeddings.size(); ++i) {
    if (!std::isfinite(embeddings[i])) {
      return Fail(ErrorCode::kInput,
                  fmt::format("the embedding of token {} holds {} in column {}, expected finite "
                              "numbers",
                              i / width,
                              std::isnan(embeddings[i]) ? "NaN" : "infinity",
                              i % width));
    }
  }
  return {};
}

Status CheckSegments(const ModelDescription& model,
                     std::span<const std::int32_t> segments,
                     std::int64_t tokens) {
  if (segments.empty()) {
    return {};
  }
  if (model.token_types == 0) {
    return Fail(ErrorCode::kInput,
                fmt::format("segments are given, but {} models tell none apart; leave them out",
                            model.family));
  }
  if (static_cast<std::int64_t>(segments.size()) != tokens) {
    return Fail(ErrorCode::kInput,
                fmt::format("there are {} segment ids for {} tokens, expected one for each token",
                            segments.size(),
                            tokens));
  }
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (segments[i] < 0 || segments[i] >= model.token_types) {
      return Fail(ErrorCode::kInput,
                  fmt::format("token {} has the segment id {}, but the model has the segments 0 "
                              "to {}",
                              i,
                              segments[i],
                              model.token_types - 1));
    }
  }
  return {};
}

std::int64_t TokenCount(const ModelDescription& model, const ForwardInput& input) {
  return input.ids.empty()
             ? static_cast<std::int64_t>(input.embeddings.size()) / model.embedding_dim()
             : static_cast<std::int64_t>(input.ids.size());
}

// One pass over one text: the hidden states and the steps that change them.
class Pass {
 public:
  Pass(const StackDescription& model,
       Backend* backend,
       PreparedWeights* weights,
       std::int64_t tokens,
       std::stop_token stop)
      : model_(model),
        backend_(*backend),
        weights_(*weights),
        tokens_(tokens),
        stop_(std::move(stop)) {
    for (const RotaryRule& rule : model.rotary) {
      rotary_.push_back(TableFor(rule, tokens));
    }
  }

  Status Embed(const ForwardInput& input);
  Status Attention(std::int64_t layer, bool is_last, LayerObserver* observer);
  Status Mlp(const LayerDescription& layer);
  [[nodiscard]] Status Stopped() const {
    if (stop_.stop_requested()) {
      return Fail(ErrorCode::kCancelled, "the model was stopped");
    }
    return {};
  }

 private:
  // Adds rows of a table to the hidden states.
  Status AddRows(const TensorView& table, std::span<const std::int32_t> rows) {
    HEADSCOPE_TRY(backend_.Gather(table, rows, normed_.get()));
    backend_.Add(*normed_, hidden_.get());
    return {};
  }

  // Activations of `cols` columns in `slot`, made once and used again in every layer.
  Status Ensure(std::int64_t cols, ActivationsPtr* slot) {
    if (*slot == nullptr || (*slot)->cols() != cols) {
      HEADSCOPE_UNPACK(made, backend_.Make(tokens_, cols));
      *slot = std::move(made);
    }
    return {};
  }

  Status Apply(const LinearNeed& need, const Activations& in, ActivationsPtr* out) {
    HEADSCOPE_UNPACK(linear, weights_.Get(need, stop_));
    HEADSCOPE_TRY(Ensure(linear->out(), out));
    return backend_.Apply(*linear, in, out->get(), stop_);
  }

  // Nothing where there is no norm; `out` may be `in`.
  Status Norm(const std::optional<NormNeed>& need, const Activations& in, Activations* out) {
    if (!need) {
      return {};
    }
    HEADSCOPE_UNPACK(norm, weights_.Get(*need));
    return backend_.Norm(*norm, in, out);
  }

  Status Columns(std::int64_t first, std::int64_t count, ActivationsPtr* out) {
    HEADSCOPE_TRY(Ensure(count, out));
    backend_.Slice(*projected_, first, out->get());
    return {};
  }

  Status EmbedTokens(const ForwardInput& input);
  Status Project(const LayerDescription& layer);
  void Report(std::int64_t layer, LayerObserver* observer);

  const StackDescription& model_;
  Backend& backend_;
  PreparedWeights& weights_;
  std::int64_t tokens_;
  std::stop_token stop_;
  std::vector<RotaryTable> rotary_;  // of a text this long
  ActivationsPtr hidden_;
  ActivationsPtr normed_;
  const Activations* read_ = nullptr;  // what the attention reads: normed_ or hidden_
  ActivationsPtr projected_;           // queries, keys and values side by side
  ActivationsPtr queries_;
  ActivationsPtr keys_;
  ActivationsPtr values_;
  ActivationsPtr context_;
  ActivationsPtr output_;
  ActivationsPtr up_;
  ActivationsPtr gate_;
};

// The row of the position table for each token.
std::vector<std::int32_t> PositionRows(const StackDescription& model,
                                       std::span<const std::int32_t> ids,
                                       std::int64_t tokens) {
  std::vector<std::int32_t> rows;
  auto next = static_cast<std::int32_t>(model.position_offset);
  for (std::size_t i = 0; i < static_cast<std::size_t>(tokens); ++i) {
    const bool is_placed = ids.empty() || ids[i] != model.unplaced_id;
    rows.push_back(is_placed ? next++ : static_cast<std::int32_t>(model.position_offset - 1));
  }
  return rows;
}

Status Pass::EmbedTokens(const ForwardInput& input) {
  ActivationsPtr embedded;
  HEADSCOPE_TRY(Ensure(model_.embedding_dim(), &embedded));
  if (input.ids.empty()) {
    backend_.Load(input.embeddings, embedded.get());
  } else {
    HEADSCOPE_TRY(
        backend_.Gather(weights_.Find(model_.token_embedding), input.ids, embedded.get()));
    if (model_.embedding_scale != 1.0) {
      backend_.Scale(model_.embedding_scale, embedded.get());
    }
  }
  if (model_.embedding_projection) {
    return Apply(*model_.embedding_projection, *embedded, &hidden_);
  }
  hidden_ = std::move(embedded);
  return {};
}

Status Pass::Embed(const ForwardInput& input) {
  HEADSCOPE_TRY(EmbedTokens(input));
  HEADSCOPE_TRY(Ensure(model_.model_dim, &normed_));
  if (model_.token_type_embedding) {
    const TensorView& table = weights_.Find(*model_.token_type_embedding);
    const std::vector<std::int32_t> zeros(static_cast<std::size_t>(tokens_), 0);
    HEADSCOPE_TRY(AddRows(table, input.segment_ids.empty() ? zeros : input.segment_ids));
  }
  if (model_.position_embedding) {
    HEADSCOPE_TRY(AddRows(weights_.Find(*model_.position_embedding),
                          PositionRows(model_, input.ids, tokens_)));
  }
  return Norm(model_.embedding_norm, *hidden_, hidden_.get());
}

// What the attention reads, to queries, keys and values, turned by their positions.
Status Pass::Project(const LayerDescription& layer) {
  HEADSCOPE_TRY(Apply(layer.query_key_value, *read_, &projected_));
  const std::int64_t query_width = model_.heads * model_.head_dim;
  const std::int64_t key_width = model_.kv_heads * model_.head_dim;
  HEADSCOPE_TRY(Columns(0, query_width, &queries_));
  HEADSCOPE_TRY(Columns(query_width, key_width, &keys_));
  HEADSCOPE_TRY(Columns(query_width + key_width, model_.kv_heads * model_.value_dim, &values_));
  HEADSCOPE_TRY(Norm(layer.query_norm, *queries_, queries_.get()));
  HEADSCOPE_TRY(Norm(layer.key_norm, *keys_, keys_.get()));
  if (layer.rotary) {
    const RotaryTable& table = rotary_[*layer.rotary];
    backend_.Rotate(table, model_.heads, 0, queries_.get());
    backend_.Rotate(table, model_.kv_heads, 0, keys_.get());
  }
  return {};
}

void Pass::Report(std::int64_t layer, LayerObserver* observer) {
  const auto cells = static_cast<std::size_t>(tokens_ * model_.model_dim);
  std::vector<float> before(cells);
  std::vector<float> after(cells);
  backend_.Read(*read_, before);
  backend_.Read(*output_, after);
  observer->OnStates(layer, before, after);
}

Status Pass::Attention(std::int64_t layer, bool is_last, LayerObserver* observer) {
  const LayerDescription& description = model_.layer[static_cast<std::size_t>(layer)];
  const NormPlaces& norm = description.attention_norm;
  HEADSCOPE_TRY(Norm(norm.before, *hidden_, normed_.get()));
  read_ = norm.before ? normed_.get() : hidden_.get();
  HEADSCOPE_TRY(Stopped());
  HEADSCOPE_TRY(Project(description));

  const bool wants_states = observer != nullptr && observer->WantsStates(layer);
  // Nothing follows the last layer: its weights are all there is to see.
  const bool needs_context = !is_last || wants_states;
  if (needs_context) {
    HEADSCOPE_TRY(Ensure(model_.heads * model_.value_dim, &context_));
  }
  const AttentionInput input{.shape = {.queries = tokens_,
                                       .keys = tokens_,
                                       .heads = model_.heads,
                                       .kv_heads = model_.kv_heads,
                                       .head_dim = model_.head_dim,
                                       .value_dim = model_.value_dim},
                             .rule = description.rule,
                             .queries = queries_.get(),
                             .keys = keys_.get(),
                             .values = values_.get()};
  AttentionObserver* watcher = observer == nullptr ? nullptr : observer->BeginLayer(layer);
  Status attended =
      backend_.Attend(input, watcher, needs_context ? context_.get() : nullptr, stop_);
  if (!attended) {
    attended.error().message = fmt::format("layer {}: {}", layer, attended.error().message);
    return attended;
  }
  if (needs_context) {
    HEADSCOPE_TRY(Apply(description.output, *context_, &output_));
    if (wants_states) {
      Report(layer, observer);
    }
    HEADSCOPE_TRY(Norm(norm.inside, *output_, output_.get()));
  }
  return observer == nullptr ? Status() : observer->EndLayer(layer);
}

// Adds what the attention gave, then what the MLP gives.
Status Pass::Mlp(const LayerDescription& layer) {
  HEADSCOPE_TRY(Stopped());
  const Activations* in = layer.is_parallel ? read_ : hidden_.get();
  const auto add_attention = [&]() -> Status {
    backend_.Add(*output_, hidden_.get());
    return Norm(layer.attention_norm.after, *hidden_, hidden_.get());
  };
  if (!layer.is_parallel) {
    HEADSCOPE_TRY(add_attention());
  }
  if (layer.mlp_norm.before) {
    HEADSCOPE_TRY(Norm(layer.mlp_norm.before, *hidden_, normed_.get()));
    in = normed_.get();
  }
  HEADSCOPE_TRY(Apply(layer.mlp_up, *in, &up_));
  if (layer.mlp_gate) {
    HEADSCOPE_TRY(Apply(*layer.mlp_gate, *in, &gate_));
    backend_.Activate(layer.activation, gate_.get());
    backend_.Multiply(*gate_, up_.get());
  } else {
    backend_.Activate(layer.activation, up_.get());
  }
  HEADSCOPE_TRY(Stopped());
  HEADSCOPE_TRY(Apply(layer.mlp_down, *up_, &normed_));
  HEADSCOPE_TRY(Norm(layer.mlp_norm.inside, *normed_, normed_.get()));
  if (layer.is_parallel) {
    HEADSCOPE_TRY(add_attention());
  }
  backend_.Add(*normed_, hidden_.get());
  HEADSCOPE_TRY(Norm(layer.mlp_norm.after, *hidden_, hidden_.get()));
  return Stopped();
}

}  // namespace

struct Forward::State {
  std::shared_ptr<const Model> model;
  Backend* backend = nullptr;
  std::unique_ptr<PreparedWeights> weights;

  // The file is named where the fault is in the weights.
  Status InFile(Status status) const {
    if (!status &&
        (status.error().code == ErrorCode::kNumeric || status.error().code == ErrorCode::kShape)) {
      status.error().message =
          fmt::format("{}: {}", model->weights().path().string(), status.error().message);
    }
    return status;
  }

  Status Run(const ForwardInput& input,
             std::int64_t last_layer,
             LayerObserver* observer,
             std::stop_token stop) {
    const ModelDescription& description = model->description();
    Pass pass(description, backend, weights.get(), TokenCount(description, input), std::move(stop));
    HEADSCOPE_TRY(InFile(pass.Embed(input)));
    for (std::int64_t layer = 0; layer <= last_layer; ++layer) {
      HEADSCOPE_TRY(pass.Stopped());
      const bool is_last = layer == last_layer;
      HEADSCOPE_TRY(InFile(pass.Attention(layer, is_last, observer)));
      if (!is_last) {
        HEADSCOPE_TRY(InFile(pass.Mlp(description.layer[static_cast<std::size_t>(layer)])));
      }
    }
    return {};
  }
};

Forward::Forward(std::shared_ptr<const Model> model, Backend* backend)
    : state_(std::make_unique<State>()) {
  state_->model = std::move(model);
  state_->backend = backend;
  state_->weights = std::make_unique<PreparedWeights>(*state_->model, backend);
}

Forward::~Forward() = default;

const Model& Forward::model() const {
  return *state_->model;
}

Backend& Forward::backend() const {
  return *state_->backend;
}

Status Forward::Run(const ForwardInput& input,
                    std::int64_t last_layer,
                    LayerObserver* observer,
                    std::stop_token stop) {
  const ModelDescription& description = state_->model->description();
  HEADSCOPE_TRY(CheckInput(description, input));
  HEADSCOPE_TRY(CheckLayer(description, last_layer));
  return state_->Run(input, last_layer, observer, std::move(stop));
}

Result<const Linear*> Forward::OutputProjection(std::int64_t layer, std::stop_token stop) {
  HEADSCOPE_TRY(CheckLayer(state_->model->description(), layer));
  const LayerDescription& description =
      state_->model->description().layer[static_cast<std::size_t>(layer)];
  Result<const Linear*> linear = state_->weights->Get(description.output, std::move(stop));
  if (!linear) {
    return PassOn(state_->InFile(PassOn(std::move(linear.error()))).error());
  }
  return linear;
}

Status CheckLayer(const ModelDescription& model, std::int64_t layer) {
  if (layer < 0 || layer >= model.layers) {
    return Fail(ErrorCode::kInput,
                fmt::format("layer {} was asked for, but the model has the layers 0 to {}",
                            layer,
                            model.layers - 1));
  }
  return {};
}

Status CheckInput(const ModelDescription& model, const ForwardInput& input) {
  if (input.ids.empty() && input.embeddings.empty()) {
    return Fail(ErrorCode::kInput,
                "there is no token to look at, expected at least one; type a text");
  }
  if (input.ids.empty()) {
    HEADSCOPE_TRY(CheckEmbeddings(model, input.embeddings));
  }
  const std::int64_t tokens = TokenCount(model, input);
  if (tokens > model.positions) {
    return Fail(ErrorCode::kInput,
                fmt::format("the text has {} tokens, but the model reads at most {}; shorten it",
                            tokens,
                            model.positions));
  }
  HEADSCOPE_TRY(CheckSegments(model, input.segment_ids, tokens));
  return CheckIds(model, input.ids);
}

}  // namespace headscope
