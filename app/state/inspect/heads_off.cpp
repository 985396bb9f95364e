#include "app/state/inspect/heads_off.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "app/state/inspect/cut_edges.h"
#include "app/state/queries.h"
#include "app/state/work.h"

namespace headscope {
namespace {

bool IsOfPicture(const AppState& state) {
  const HeadsOffState& off = state.heads_off;
  return off.picture != 0 && off.picture == state.shown.request && off.of == off.chosen;
}

void EnsureHeadsOff(Reducer* reducer) {
  AppState& state = reducer->state();
  HeadsOffState& off = state.heads_off;
  if (const ModelInfo* const model = ShownModel(state)) {
    std::erase_if(off.chosen.heads, [model](HeadIndex head) { return !HasHead(*model, head); });
  }
  if (IsSettled(state)) {
    DropOldEdges(&state);
  }
  if (off.chosen.IsEmpty()) {
    reducer->Stop(off.request);
    HeadsOffState none;
    none.chosen = off.chosen;
    off = std::move(none);
    return;
  }
  const bool can_ask = state.screen->looks_at_tokens && IsSettled(state) &&
                       state.shown.request != 0 && state.shown.model == state.model;
  if (!can_ask || IsOfPicture(state)) {
    return;
  }
  if (off.picture != state.shown.request) {
    off.layers.clear();
  }
  off.layers.resize(state.shown.layers.size());
  // Those of the heads before stay until newer ones come.
  for (std::size_t slot = 0; slot < off.layers.size(); ++slot) {
    const auto& own = state.shown.layers[slot];
    if (own != nullptr && !IsChangedBy({own->part(), own->layer()}, off.chosen)) {
      off.layers[slot] = nullptr;
    }
  }
  off.of = off.chosen;
  off.picture = state.shown.request;
  off.said = {};
  off.fault.clear();
  off.Begin(reducer->Send(HeadsOffJob{
      .off = off.chosen, .opening = state.model->opening, .probes = state.probes_folder}));
}

void HearHeadsOff(Reducer* reducer, const Event& event) {
  AppState& state = reducer->state();
  HeadsOffState& off = state.heads_off;
  if (const auto* const ready = std::get_if<LayerReady>(&event.what)) {
    const LayerId layer{ready->layer->part(), ready->layer->layer()};
    const auto slot =
        state.shown.model != nullptr ? SlotOf(*state.shown.model, layer) : std::nullopt;
    if (slot && *slot < off.layers.size()) {
      off.layers[*slot] = ready->layer;
    }
  } else if (const auto* const said = std::get_if<TextSaid>(&event.what)) {
    off.said = *said;
  } else if (const Error* const error = FailureOf(event)) {
    off.layers.clear();
    off.fault =
        error->code == ErrorCode::kCancelled ? "stopped; choose a head again" : error->message;
    if (error->code == ErrorCode::kGone) {
      off.picture = 0;  // asked again, of the model that is opened again
    }
  }
}

std::optional<RequestId> WantedWhole(const AppState& state) {
  const bool can_ask = state.screen->looks_at_tokens && state.head_look.shows_losses &&
                       IsSettled(state) && state.shown.request != 0 &&
                       state.shown.model == state.model && WhyNoHeadsOff(state).empty();
  return can_ask ? std::optional(state.shown.request) : std::nullopt;
}

Request RequestOfWhole(const AppState& state, RequestId /*picture*/) {
  return LossesJob{.opening = state.model->opening};
}

}  // namespace

const HeadsOff* HeadsOffInView(const AppState& state) {
  const HeadsOffState& off = state.heads_off;
  const bool is_shown = state.screen->looks_at_tokens && !off.shows_whole &&
                        !off.chosen.IsEmpty() && IsOfPicture(state) && off.fault.empty() &&
                        state.pending.layers.empty();
  return is_shown ? &off.chosen : nullptr;
}

bool IsHeadOff(const AppState& state, HeadIndex head) {
  const auto& heads = state.heads_off.chosen.heads;
  return std::ranges::find(heads, head) != heads.end();
}

bool IsHeadsOffDone(const AppState& state) {
  return HeadsOffInView(state) != nullptr && state.heads_off.request == 0;
}

std::shared_ptr<const LayerAttention> LayerWithout(const AppState& state, std::size_t slot) {
  const auto& layers = state.heads_off.layers;
  return HeadsOffInView(state) != nullptr && slot < layers.size() ? layers[slot] : nullptr;
}

bool IsLayerWithout(const AppState& state, const LayerAttention* layer) {
  const auto& layers = state.heads_off.layers;
  return layer != nullptr &&
         std::ranges::any_of(layers, [layer](const auto& other) { return other.get() == layer; });
}

bool AwaitsLayerWithout(const AppState& state, LayerId layer) {
  const HeadsOff* const off = HeadsOffInView(state);
  const auto slot = off != nullptr ? SlotOf(*state.shown.model, layer) : std::nullopt;
  return slot && IsChangedBy(layer, *off) && LayerWithout(state, *slot) == nullptr;
}

std::vector<std::shared_ptr<const LayerAttention>> LayersShown(const AppState& state) {
  std::vector<std::shared_ptr<const LayerAttention>> layers = state.shown.layers;
  for (std::size_t slot = 0; slot < layers.size(); ++slot) {
    if (const auto other = LayerWithout(state, slot)) {
      layers[slot] = other;
    }
  }
  return layers;
}

std::string WhyNoHeadsOff(const AppState& state) {
  const ModelInfo* const model = ShownModel(state);
  if (model == nullptr) {
    return "There is no model yet whose heads could be taken away.";
  }
  if (model->file != nullptr) {
    return "These maps come from a file of weights: open the model itself to take its heads away.";
  }
  if (model->reads_embeddings()) {
    return "An attention module has no later layer that its heads could change.";
  }
  if (state.precision != Precision::kF32) {
    return "What single heads do is lost in bfloat16's rounding: compute in float32.";
  }
  return "";
}

namespace {

std::string Listed(const std::vector<std::string>& names, std::size_t most) {
  const std::string words =
      fmt::format("{}", fmt::join(std::span(names).first(std::min(most, names.size())), ", "));
  return names.size() > most ? fmt::format("{} and {} more", words, names.size() - most) : words;
}

}  // namespace

std::string HeadsOffWords(const AppState& state, const HeadsOff& off, std::size_t most) {
  std::vector<std::string> names;
  std::ranges::transform(off.heads, std::back_inserter(names), HeadName);
  std::string words;
  if (!names.empty()) {
    words = fmt::format("{} ({})", Listed(names, most), ReplacementWords(off.replacement));
  }
  if (off.edges.empty()) {
    return words;
  }
  names.clear();
  for (const CutEdge& edge : off.edges) {
    names.push_back(HeadName(edge.head) + " " + EdgeWords(state, edge));
  }
  return fmt::format(
      "{}{}{} cut ({})", words, words.empty() ? "" : "; ", Listed(names, most), RestOfRow(off));
}

std::string HeadsOffTitle(const AppState& state) {
  const HeadsOff& off = state.heads_off.chosen;
  return fmt::format("{} off: {}", OffCounted(off), HeadsOffWords(state, off));
}

std::string HeadsOffCost(const AppState& state) {
  const HeadsOffState& off = state.heads_off;
  if (!off.fault.empty()) {
    return off.fault;
  }
  if (off.request != 0 || !IsOfPicture(state)) {
    return off.progress.done < off.progress.total
               ? fmt::format(
                     "{}… {} %", off.progress.what, 100 * off.progress.done / off.progress.total)
               : "computing the layers after it…";
  }
  const TextSaid& said = off.said;
  if (said.whole == nullptr || said.without == nullptr || !said.whole->losses.loss ||
      !said.without->losses.loss) {
    return said.why_not.empty() ? "" : "no loss: " + said.why_not;
  }
  return fmt::format("loss {:.2f} → {:.2f}", *said.whole->losses.loss, *said.without->losses.loss);
}

std::string HeadsOffNote(const AppState& state) {
  const HeadsOff* const off = HeadsOffInView(state);
  if (off == nullptr) {
    return "";
  }
  const std::string words = HeadsOffWords(state, *off, off->heads.size() + off->edges.size());
  if (off->edges.empty()) {
    return fmt::format(
        "Without {}: layers after the first of them are computed without what they write.", words);
  }
  return fmt::format(
      "With {}: layers after the first of them are computed so. Weights that are cut count as 0; the "
      "map of their own head shows what they were.",
      off->heads.empty() ? words : "off: " + words);
}

// --- actions

void SwitchHead::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  if (const std::string why_not = WhyNoHeadsOff(state); !why_not.empty()) {
    reducer->Notify(ErrorPlace::kMap, why_not);
    return;
  }
  HeadIndex one = head;
  one.part = one.part == ModelPart::kWhole ? PartInView(state) : one.part;
  HeadsOffState& off = state.heads_off;
  off.shows_whole = false;
  auto& heads = off.chosen.heads;
  const auto place = std::ranges::lower_bound(heads, one);
  if (place != heads.end() && *place == one) {
    heads.erase(place);
  } else if (HasHead(*ShownModel(state), one)) {
    heads.insert(place, one);
  }
  off.picture = off.fault.empty() ? off.picture : 0;  // what failed is tried again
}

void TakeHeadsOff::Do(Reducer* reducer) const {
  PutHeadsBack(reducer);
  for (const HeadIndex head : heads) {
    SwitchHead{head}.Do(reducer);
  }
}

void PutHeadsBack(Reducer* reducer) {
  reducer->state().heads_off.chosen.heads.clear();
  reducer->state().heads_off.chosen.edges.clear();
}

std::string WhyNoOtherTexts(const AppState& state) {
  const ModelInfo* const model = ShownModel(state);
  if (model == nullptr || !model->takes_text) {
    return "Without a tokenizer the model reads no other texts.";
  }
  return model->has_decoder() ? "Other texts would need their targets, and sentences have none."
                              : "";
}

void ReplaceHeadsBy::Do(Reducer* reducer) const {
  HeadsOffState& off = reducer->state().heads_off;
  off.chosen.replacement = replacement;
  off.shows_whole = false;
}

template <>
std::vector<Work> WorksOf<HeadsOffJob>() {
  return {At<&AppState::heads_off>({.words = "computing without the heads that are off",
                                    .is_long = true,
                                    .ensure = EnsureHeadsOff,
                                    .hear = HearHeadsOff})};
}

template <>
std::vector<Work> WorksOf<LossesJob>() {
  Work work = At<&AppState::whole_text>({.words = "finding the loss of each token"});
  work.ensure = AskFor<&AppState::whole_text, WantedWhole, RequestOfWhole>;
  work.hear = [](Reducer* reducer, const Event& event) {
    WholeText& text = reducer->state().whole_text;
    if (const auto* const said = std::get_if<TextSaid>(&event.what)) {
      text.Take(*said);
    } else if (const Error* const error = FailureOf(event)) {
      text.Fail(*error);
    }
  };
  return {work};
}

}  // namespace headscope
