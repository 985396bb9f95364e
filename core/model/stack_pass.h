// Runs one text through one stack of layers: the hidden states and the steps that change them.
//
// Shapes   hidden states [n - p, d], for the tokens after the p that an earlier run left; a
//          decoder's memory [m, d], its encoder's output.
// Errors   the backend's; kCancelled.
// Threads  the backend's thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>

#include "core/base/check.h"
#include "core/base/error.h"
#include "core/compute/backend.h"
#include "core/model/forward.h"
#include "core/model/layer_changes.h"
#include "core/model/past.h"
#include "core/model/prepared_weights.h"
#include "core/model/rotary.h"

namespace headscope {

using ActivationsPtr = std::unique_ptr<Activations>;

// Returns a Result's error, or unpacks it into a new variable.
// NOLINTBEGIN(bugprone-macro-parentheses): the variable is a name
#define HEADSCOPE_UNPACK(variable, result) \
  auto variable##_result = (result);       \
  HEADSCOPE_TRY(variable##_result);        \
  auto variable = std::move(*variable##_result)
// NOLINTEND(bugprone-macro-parentheses)

// One pass over one text: the hidden states and the steps that change them.
class StackPass {
 public:
  // `memory` is the encoder's output, for a decoder; null if `past` has the cross-attention's keys
  // and values.
  StackPass(ModelPart part,
            const StackDescription& model,
            Backend* backend,
            PreparedWeights* weights,
            std::int64_t tokens,
            std::int64_t texts,
            const Activations* memory,
            Past past,
            std::stop_token stop)
      : part_(part),
        model_(model),
        backend_(*backend),
        weights_(*weights),
        past_(std::move(past)),
        tokens_(tokens),
        first_(past_.tokens),
        texts_(texts),
        rows_(texts * (tokens - first_)),
        memory_(memory),
        stop_(std::move(stop)) {
    HEADSCOPE_CHECK(first_ >= 0 && rows_ > 0, "there is a token to run");
    HEADSCOPE_CHECK(first_ == 0 || texts == 1,
                    "a run of several texts begins with their first tokens");
    for (const RotaryRule& rule : model.rotary) {
      rotary_.push_back(TableFor(rule, tokens));
    }
    for (const LayerDescription& layer : model.layer) {
      if (layer.keys_of) {
        shared_[*layer.keys_of];
      }
    }
  }

  // Shows everything written into the residual stream to an observer that wants it.
  void ShowTo(LayerObserver* observer) {
    watcher_ = observer != nullptr && observer->WantsWrites() ? observer : nullptr;
    HEADSCOPE_CHECK(watcher_ == nullptr || first_ == 0, "what is written is shown of all tokens");
  }
  // Lets someone change what is between the steps; null: nobody.
  void ChangeBy(LayerChanges* changes) { changes_ = changes; }
  Status ChangeStream(std::int64_t layer) {
    return changes_ == nullptr ? Status() : changes_->ChangeStream({part_, layer}, hidden_.get());
  }
  // Tells of the states after the final norm.
  Status End() { return changes_ == nullptr ? Status() : changes_->OnEnd(part_, *hidden_); }
  // Begins with these states [rows, d] in place of the embeddings of `ids`.
  Status Begin(std::span<const float> hidden, std::span<const std::int32_t> ids) {
    HEADSCOPE_TRY(LoadRows(hidden, model_.model_dim, &hidden_));
    HEADSCOPE_CHECK(hidden_->rows() == rows_, "there are states of every row");
    HEADSCOPE_TRY(ReadTokenInputs(ids));
    return Ensure(rows_, model_.model_dim, &normed_);
  }
  // The first layer that is run takes these heads' outputs in place of its own attention's.
  void Attended(std::span<const float> context) { attended_ = context; }
  Status Embed(const ForwardInput& input);
  Status Attention(std::int64_t layer, bool is_last, LayerObserver* observer);
  Status Cross(std::int64_t layer, bool is_last, LayerObserver* observer);
  Status FinalNorm() { return NormStream(model_.final_norm, *hidden_, hidden_.get()); }
  // Projects rows that replace the layer's input; the pass must not have embedded anything.
  Result<ProjectedRows> ProjectRows(std::int64_t layer, std::span<const float> rows);
  [[nodiscard]] const Activations& hidden() const { return *hidden_; }
  Status Mlp(std::int64_t layer);
  Status RunBlocks(const std::vector<PlainBlock>& blocks);
  [[nodiscard]] Status Stopped() const {
    if (stop_.stop_requested()) {
      return Fail(ErrorCode::kCancelled, "the model was stopped");
    }
    return {};
  }

 private:
  // Adds rows of a table to the hidden states.
  Status AddRows(const TensorView& table, std::span<const std::int32_t> rows, EmbeddingPart part) {
    HEADSCOPE_TRY(backend_.Gather(table, rows, normed_.get()));
    ShowEmbedding(part, *normed_);
    backend_.Add(*normed_, hidden_.get());
    return {};
  }

  // Makes activations of `cols` columns in `slot` once, and reuses them in every layer.
  Status Ensure(std::int64_t rows, std::int64_t cols, ActivationsPtr* slot) {
    if (*slot == nullptr || (*slot)->rows() != rows || (*slot)->cols() != cols) {
      HEADSCOPE_UNPACK(made, backend_.Make(rows, cols));
      *slot = std::move(made);
    }
    return {};
  }

  Status Apply(const LinearNeed& need, const Activations& in, ActivationsPtr* out) {
    HEADSCOPE_UNPACK(linear, weights_.Get(need, stop_));
    HEADSCOPE_TRY(Ensure(in.rows(), linear->out(), out));
    return backend_.Apply(*linear, in, out->get(), stop_);
  }

  Status Norm(const NormNeed& need, const Activations& in, Activations* out) {
    HEADSCOPE_UNPACK(norm, weights_.Get(need));
    return backend_.Norm(*norm, in, out);
  }

  // Does nothing if there is no norm; `out` may be `in`.
  Status Norm(const std::optional<NormNeed>& need, const Activations& in, Activations* out) {
    return need ? Norm(*need, in, out) : Status();
  }

  // Applies a norm of the residual stream or inside a half, not one of queries or keys.
  Status NormStream(const std::optional<NormNeed>& need, const Activations& in, Activations* out) {
    if (need && watcher_ != nullptr) {
      watcher_->OnNorm(*need, in);
    }
    return Norm(need, in, out);
  }

  void ShowEmbedding(EmbeddingPart part, const Activations& rows) {
    if (watcher_ != nullptr) {
      watcher_->OnEmbedding(part_, part, rows);
    }
  }

  Status Columns(std::int64_t first, std::int64_t count, ActivationsPtr* out) {
    HEADSCOPE_TRY(Ensure(projected_->rows(), count, out));
    backend_.Slice(*projected_, first, out->get());
    return {};
  }

  Status EmbedTokens(const ForwardInput& input);
  Status AddPositions(std::span<const std::int32_t> ids);
  Status AddConstant(const ConstantProduct& constant);
  Status LoadRows(std::span<const float> values, std::int64_t cols, ActivationsPtr* out);
  Status ProjectApart(const SeparateProjections& projections);
  Status AddLayerPositions(const TensorNeed& table);
  Status ReadTokenInputs(std::span<const std::int32_t> ids);
  Status Project(const LayerDescription& layer, const PastLayer* past);
  // Norms, limits and rotates queries or keys.
  Status Place(const LayerDescription& layer,
               const std::optional<NormNeed>& norm,
               std::int64_t heads,
               Activations* rows);
  // Keeps a layer's keys and values, if later layers attend to them, or takes them again.
  Status KeepKeys(std::int64_t layer);
  Status TakeKeys(std::int64_t layer);
  Status ProjectTogether(const LayerDescription& layer,
                         ActivationsPtr* keys,
                         ActivationsPtr* values);
  // Makes queries, keys and values of normed latents.
  Status ProjectLatents(const LatentProjections& latents,
                        ActivationsPtr* keys,
                        ActivationsPtr* values);
  Status Compress(const Latent& latent, ActivationsPtr* out);
  Status ProjectSource(const CrossDescription& cross, const PastLayer* past);
  // `layer` has what all MLPs of a layer share.
  Status ApplyMlp(const LayerDescription& layer,
                  const LinearNeed& up,
                  const std::optional<LinearNeed>& gate,
                  const LinearNeed& down,
                  const Activations& in,
                  ActivationsPtr* out);
  Status ApplyExperts(const LayerDescription& layer,
                      const ExpertsDescription& experts,
                      const Activations& in,
                      ActivationsPtr* out);
  Status AskRouter(const ExpertsDescription& experts,
                   const Activations& in,
                   std::vector<double>* logits);
  Status ReadNumbers(const std::optional<TensorNeed>& need, std::vector<double>* out);
  Status ReadNumbers(std::optional<TensorNeed>&& need, std::vector<double>* out) = delete;
  // Adds to made_, what the layer's MLP made, what the experts beside it make.
  Status AddBeside(const LayerDescription& layer, const BesideNorms& norms);
  Status Activate(const LayerDescription& layer, Activations* inout);
  Status AddFurther(std::int64_t layer, const FurtherMlp& further);
  // An MLP of the layer's token inputs.
  Status ApplyToTokens(std::int64_t layer, const MlpNeeds& mlp, const Activations& in);
  Status AddNeighbours(const NeighbourProducts& neighbours);
  // Both make made_ of normed_.
  Status Convolve(const ShortConvolution& convolution);
  Status Recall(const DeltaMemory& memory);
  Status ReadMemory(const DeltaMemory& memory);
  Result<std::vector<float>> Recollect(const DeltaMemory& memory);
  // Makes beside_ of the rows and those of the last tokens, and uses up made_.
  Status SumTaps(const Activations& rows,
                 const TensorNeed& taps,
                 const std::optional<TensorNeed>& bias);
  // Adds to beside_ what tokens `back` further on take of `rows`.
  Status AddToLater(std::int64_t back, const Activations& rows);
  // A row for every token.
  Status Repeat(std::span<const float> row, ActivationsPtr* out);
  Status Gate(const OutputGate& gate);
  Status ScaleContext(const LayerDescription& layer);
  Status AddOutput(const NormPlaces& norm);
  Status PutAfterPast(std::span<const float> past, const Activations& made, ActivationsPtr* whole);
  Status WatchPast(const AttentionInput& input, const PastLayer& past, AttentionObserver* observer);
  Status Attend(LayerId layer,
                const AttentionRule& rule,
                const PastLayer* past,
                const LinearNeed& output,
                const NormPlaces& norm,
                bool is_last,
                LayerObserver* observer);
  Status FinishAttention(LayerId layer, const LinearNeed& output);
  void Report(LayerId layer, LayerObserver* observer);

  ModelPart part_;
  const StackDescription& model_;
  Backend& backend_;
  PreparedWeights& weights_;
  Past past_;
  std::int64_t tokens_;
  std::int64_t first_;  // first token to run
  std::int64_t texts_;  // texts of one length, side by side
  std::int64_t rows_;   // tokens to run, over all texts
  const Activations* memory_;
  std::stop_token stop_;
  LayerChanges* changes_ = nullptr;
  LayerObserver* watcher_ = nullptr;  // of writes to the residual stream
  std::span<const float> attended_;   // of the first layer that is run; empty: it attends itself
  std::vector<RotaryTable> rotary_;   // for a text of this length
  ActivationsPtr hidden_;
  ActivationsPtr normed_;
  const Activations* read_ = nullptr;  // the attention's input: normed_ or hidden_
  ActivationsPtr key_input_;           // for an attention module, if given
  ActivationsPtr value_input_;
  ActivationsPtr layer_input_;  // for what tokens beside each other add
  ActivationsPtr beside_;
  ActivationsPtr placed_;     // the attention's input with positions
  ActivationsPtr projected_;  // queries, keys and values side by side
  ActivationsPtr query_latent_;
  ActivationsPtr latent_;  // of keys and values
  ActivationsPtr shared_keys_;
  ActivationsPtr queries_;
  ActivationsPtr past_queries_;
  ActivationsPtr new_keys_;  // and values: of the tokens that are run
  ActivationsPtr new_values_;
  ActivationsPtr keys_;  // and values: of every token
  ActivationsPtr values_;
  struct KeysValues {
    ActivationsPtr keys;
    ActivationsPtr values;
  };
  std::map<std::int64_t, KeysValues> shared_;  // by the layer that makes them, and others take
  ActivationsPtr token_inputs_;                // [rows, layers width]
  ActivationsPtr context_;
  ActivationsPtr output_;
  ActivationsPtr up_;
  ActivationsPtr gate_;
  ActivationsPtr widened_;  // a gate of heads, in each of their columns
  ActivationsPtr routed_;   // [rows, experts]
  ActivationsPtr taken_;    // the rows that one expert reads
  ActivationsPtr made_;     // what it makes of them
  ActivationsPtr blended_;  // what all make
};

}  // namespace headscope
