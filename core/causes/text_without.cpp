#include "core/causes/text_without.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/causes/asked_heads.h"
#include "core/causes/probe_means.h"
#include "core/causes/word_layer.h"
#include "core/compute/rows.h"
#include "core/model/layer_changes.h"

namespace headscope {
namespace {

FloatMatrix MatrixOf(const Backend& backend, const Activations& states) {
  const std::vector<float> all = ReadRows(backend, states);
  return Eigen::Map<const FloatMatrix>(all.data(), states.rows(), states.cols());
}

// In double.
std::vector<float> MeanOfRows(const std::vector<float>& rows, std::int64_t cols) {
  const Eigen::Map<const FloatMatrix> all(rows.data(), std::ssize(rows) / cols, cols);
  const Eigen::VectorXf mean = all.cast<double>().colwise().mean().cast<float>().transpose();
  return {mean.begin(), mean.end()};
}

Status CheckSaysNext(const WordLayer& words) {
  return words.is_masked()
             ? Fail(ErrorCode::kUnsupported,
                    "this model says words at masked places alone, so an open text has no loss")
             : Status();
}

std::span<const float> Span(const FloatMatrix& rows) {
  return {rows.data(), static_cast<std::size_t>(rows.size())};
}

using StackLayer = std::pair<ModelPart, std::int64_t>;

// What the whole model leaves.
struct WholeText {
  std::map<StackLayer, std::vector<float>> streams;   // before a layer [n, d]
  std::map<StackLayer, std::vector<float>> contexts;  // a layer's outputs [n, H dv]
  std::map<StackLayer, std::vector<float>> means;     // of outputs, over rows [H dv]
  std::map<ModelPart, FloatMatrix> ends;
  std::int64_t kept_bytes = 0;
  bool is_complete = false;  // it ran to its end
};

}  // namespace

struct TextWithout::State {
  Forward& forward;
  ForwardInput input;
  std::int64_t most_kept;
  std::shared_ptr<const ProbeMeans> probe_means = {};
  WholeText whole = {};
  std::optional<TextLosses> whole_losses = {};
  std::map<HeadIndex, std::optional<double>> losses_without = {};  // of one head
  FloatMatrix end = {};  // of the last Run, of the stack that says words
  std::int64_t layers_run = 0;

  [[nodiscard]] const ModelDescription& model() const { return forward.model().description(); }
  [[nodiscard]] ModelPart last_stack() const {
    return model().decoder ? ModelPart::kDecoder : PartsOf(model()).front();
  }
  [[nodiscard]] const std::vector<std::int32_t>& ids() const {
    return model().decoder ? input.target_ids : input.ids;
  }

  // As far as there is room; returns whether it is kept.
  bool Keep(const Activations& rows, StackLayer place, decltype(WholeText::streams)* kept) {
    const std::int64_t bytes = rows.rows() * rows.cols() * static_cast<std::int64_t>(sizeof(float));
    if (!kept->contains(place) && whole.kept_bytes + bytes <= most_kept) {
      (*kept)[place] = ReadRows(forward.backend(), rows);
      whole.kept_bytes += bytes;
    }
    return kept->contains(place);
  }
  void KeepStream(LayerId layer, const Activations& hidden) {
    Keep(hidden, {layer.part, layer.layer}, &whole.streams);
  }
  void KeepContext(LayerId layer, const Activations& context) {
    const StackLayer place{layer.part, layer.layer};
    if (!Keep(context, place, &whole.contexts) && !whole.means.contains(place)) {
      whole.means[place] = MeanOfRows(ReadRows(forward.backend(), context), context.cols());
    }
  }
  [[nodiscard]] bool HasMean(LayerId layer) const {
    const StackLayer place{layer.part, layer.layer};
    return whole.means.contains(place) || whole.contexts.contains(place);
  }
  // There is one.
  const std::vector<float>& MeanOfLayer(LayerId layer) {
    const StackLayer place{layer.part, layer.layer};
    std::vector<float>& means = whole.means[place];
    if (means.empty()) {
      const StackDescription& stack = StackOf(model(), layer.part);
      means = MeanOfRows(whole.contexts.at(place), stack.heads * stack.WidthsAt(layer.layer).value);
    }
    return means;
  }

  void Remove(const HeadsOff& off, LayerId layer, RemovedHeads* removed) {
    for (const HeadIndex head : off.heads) {
      if (LayerId{head.part, head.layer} != layer) {
        continue;
      }
      removed->Remove(head, InPlaceOf(head, off.replacement));
    }
  }
  [[nodiscard]] std::vector<float> InPlaceOf(HeadIndex head, Replacement replacement) {
    switch (replacement) {
      case Replacement::kZero:
        return {};
      case Replacement::kProbeMean:
        return probe_means->MeanOf(head);
      case Replacement::kPositionMean:
        return probe_means->MeansByPosition(head, std::ssize(ids()));
      case Replacement::kTextMean:
        break;
    }
    const std::vector<float>& means = MeanOfLayer({head.part, head.layer});
    const auto width = std::ssize(means) / StackOf(model(), head.part).heads;
    const auto from = means.begin() + head.head * width;
    return {from, from + width};
  }

  [[nodiscard]] Status Check(const HeadsOff& off) const {
    for (const HeadIndex head : HeadsTouched(off)) {
      if (!HasHead(model(), head)) {
        return Fail(ErrorCode::kInput, fmt::format("the model has no head {}", HeadName(head)));
      }
    }
    const bool needs_means = IsOfOtherTexts(off.replacement) && !off.heads.empty();
    return needs_means && probe_means == nullptr
               ? Fail(
                     ErrorCode::kUnsupported,
                     "a mean over other texts is not kept here: take the mean of this text, or zero")
               : Status();
  }

  [[nodiscard]] Status RunWhole(const std::stop_token& stop);
  [[nodiscard]] Result<FloatMatrix> EndWithout(const HeadsOff& off, const std::stop_token& stop);
  [[nodiscard]] bool NeedsWhole(const HeadsOff& off) const;
  // Nothing but what is kept: a run that begins there.
  [[nodiscard]] Restart StartOf(const HeadsOff& off) const {
    const LayerId first = FirstLayerOf(off);
    const ModelPart stack = StackThatRuns(first.part);
    const std::int64_t layer = BeginsAnywhere(StackOf(model(), stack)) ? first.layer : 0;
    const auto stream = whole.streams.find({stack, layer});
    if (stream == whole.streams.end()) {
      return {.stack = PartsOf(model()).front()};
    }
    Restart from{.stack = stack, .layer = layer, .hidden = stream->second};
    if (stack == ModelPart::kDecoder) {
      const auto memory = whole.ends.find(ModelPart::kEncoder);
      if (memory == whole.ends.end()) {
        return {.stack = PartsOf(model()).front()};
      }
      from.memory = Span(memory->second);
    }
    const auto context = whole.contexts.find({stack, layer});
    if (context != whole.contexts.end() &&
        !CutEdges(off.edges, off.renormalises).IsIn({stack, layer})) {
      from.context = context->second;
    }
    return from;
  }
};

namespace {

// Up to the first head the run is the whole model's, and kept as that.
template <typename State>
class RunWithout : public LayerChanges {
 public:
  // Nothing off: the whole model.
  RunWithout(State* state, const HeadsOff& off)
      : state_(*state), off_(off), removed_(state->forward) {
    if (!off.IsEmpty()) {
      first_ = FirstLayerOf(off);
    }
    removed_.Cut({off.edges, off.renormalises});
  }

  [[nodiscard]] const FloatMatrix& end() const { return end_; }
  [[nodiscard]] std::int64_t layers_run() const { return layers_run_; }

  Status ChangeStream(LayerId layer, Activations* hidden) override {
    ++layers_run_;
    if (IsWhole(layer)) {
      state_.KeepStream(layer, *hidden);
    }
    return {};
  }
  Status Attend(LayerId layer,
                const AttentionInput& input,
                Backend* backend,
                AttentionObserver* observer,
                Activations* context,
                const std::stop_token& stop) override {
    return removed_.Attend(layer, input, backend, observer, context, stop);
  }
  Status ChangeContext(LayerId layer, Activations* context) override {
    if (IsWhole(layer) && !removed_.edges().IsIn(layer)) {
      state_.KeepContext(layer, *context);
    }
    state_.Remove(off_, layer, &removed_);
    return removed_.ChangeContext(layer, context);
  }
  Status OnEnd(ModelPart stack, const Activations& states) override {
    const bool is_whole = !first_ || stack < StackThatRuns(first_->part);
    if (is_whole) {
      state_.whole.ends[stack] = MatrixOf(state_.forward.backend(), states);
    }
    if (stack == state_.last_stack()) {
      end_ = MatrixOf(state_.forward.backend(), states);
      state_.whole.is_complete = state_.whole.is_complete || is_whole;
    }
    return {};
  }

 private:
  [[nodiscard]] bool IsWhole(LayerId layer) const { return !first_ || !RunsBefore(*first_, layer); }

  State& state_;
  const HeadsOff& off_;
  RemovedHeads removed_;
  std::optional<LayerId> first_;
  FloatMatrix end_;  // of the stack that says words
  std::int64_t layers_run_ = 0;
};

}  // namespace

Status TextWithout::State::RunWhole(const std::stop_token& stop) {
  if (whole.is_complete) {
    return {};
  }
  HEADSCOPE_TRY(EndWithout({}, stop));
  return {};
}

// Nothing is captured; the last Run stays as it was.
Result<FloatMatrix> TextWithout::State::EndWithout(const HeadsOff& off,
                                                   const std::stop_token& stop) {
  RunWithout<State> run(this, off);
  const Restart from = off.IsEmpty() ? Restart{.stack = PartsOf(model()).front()} : StartOf(off);
  HEADSCOPE_TRY(forward.RunChanged(input, from, &run, nullptr, stop));
  return run.end();
}

bool TextWithout::State::NeedsWhole(const HeadsOff& off) const {
  const CutEdges edges(off.edges, off.renormalises);
  const LayerId first = FirstLayerOf(off);
  return off.replacement == Replacement::kTextMean &&
         std::ranges::any_of(off.heads, [&](HeadIndex head) {
           const LayerId layer{head.part, head.layer};
           const bool is_made_whole = layer == first && !edges.IsIn(layer);
           return !is_made_whole && !HasMean(layer);
         });
}

TextWithout::TextWithout(Forward* forward, ForwardInput input, std::int64_t most_kept)
    : state_(new State{.forward = *forward, .input = std::move(input), .most_kept = most_kept}) {}
TextWithout::~TextWithout() = default;

std::int64_t TextWithout::layers_run() const {
  return state_->layers_run;
}

void TextWithout::Use(std::shared_ptr<const ProbeMeans> means) {
  state_->probe_means = std::move(means);
}

Status TextWithout::Run(const HeadsOff& off, const LayerSink& sink, const std::stop_token& stop) {
  State& state = *state_;
  HEADSCOPE_TRY(state.Check(off));
  if (off.IsEmpty()) {
    HEADSCOPE_TRY(state.RunWhole(stop));
    state.end = state.whole.ends.at(state.last_stack());
    return {};
  }
  if (state.NeedsWhole(off)) {
    HEADSCOPE_TRY(state.RunWhole(stop));
  }
  RunWithout<State> run(&state, off);
  CaptureOptions options{.last_layer = std::numeric_limits<std::int64_t>::max()};
  options.only = [&off](LayerId layer) { return IsChangedBy(layer, off); };
  HEADSCOPE_TRY(
      CaptureChanged(&state.forward, state.input, state.StartOf(off), &run, options, sink, stop));
  state.end = run.end();
  state.layers_run = run.layers_run();
  return {};
}

Result<TextLosses> TextWithout::Losses(const WordLayer& words, const std::stop_token& stop) {
  HEADSCOPE_TRY(CheckSaysNext(words));
  return LossesOf(words, Span(state_->end), state_->ids(), stop);
}

Result<TextLosses> TextWithout::LossesWithout(const HeadsOff& off,
                                              const WordLayer& words,
                                              const std::stop_token& stop) {
  State& state = *state_;
  HEADSCOPE_TRY(state.Check(off));
  if (off.IsEmpty()) {
    return WholeLosses(words, stop);
  }
  HEADSCOPE_TRY(CheckSaysNext(words));
  if (state.NeedsWhole(off)) {
    HEADSCOPE_TRY(state.RunWhole(stop));
  }
  HEADSCOPE_TRY(const FloatMatrix end, state.EndWithout(off, stop));
  return LossesOf(words, Span(end), state.ids(), stop);
}

Result<std::optional<double>> TextWithout::LossWithout(HeadIndex head,
                                                       const WordLayer& words,
                                                       const std::stop_token& stop) {
  auto& known = state_->losses_without;
  if (!known.contains(head)) {
    HEADSCOPE_TRY(const TextLosses losses, LossesWithout({.heads = {head}}, words, stop));
    known[head] = losses.loss;
  }
  return known.at(head);
}

Result<TextLosses> TextWithout::WholeLosses(const WordLayer& words, const std::stop_token& stop) {
  HEADSCOPE_TRY(CheckSaysNext(words));
  if (!state_->whole_losses) {
    HEADSCOPE_TRY(state_->RunWhole(stop));
    HEADSCOPE_TRY(
        state_->whole_losses,
        LossesOf(words, Span(state_->whole.ends.at(state_->last_stack())), state_->ids(), stop));
  }
  return *state_->whole_losses;
}

Result<std::unique_ptr<RemovedHeads>> TextWithout::Changes(const HeadsOff& off,
                                                           const std::stop_token& stop) {
  State& state = *state_;
  HEADSCOPE_TRY(state.Check(off));
  const bool lacks_mean = std::ranges::any_of(off.heads, [&](HeadIndex head) {
    return !state.HasMean({head.part, head.layer});
  });
  if (off.replacement == Replacement::kTextMean && lacks_mean) {
    HEADSCOPE_TRY(state.RunWhole(stop));
  }
  auto removed = std::make_unique<RemovedHeads>(state.forward);
  for (const HeadIndex head : off.heads) {
    state.Remove(off, {head.part, head.layer}, removed.get());
  }
  removed->Cut({off.edges, off.renormalises});
  return removed;
}

}  // namespace headscope
