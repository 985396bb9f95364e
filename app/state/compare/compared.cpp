#include "app/state/compare/compared.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "app/files/assets.h"
#include "app/state/compare/minimal_pair.h"
#include "app/state/compare/patching.h"
#include "core/base/counted.h"
#include "core/base/utf8.h"
#include "core/model/model_folder.h"
#include "core/model/model_series.h"

namespace headscope {
namespace {

constexpr std::size_t kMostLetters = 24;

// Some words around where the text parts from the other: "… the old sailor told …".
std::string WordsOf(const InputText& input, const InputText& other) {
  const std::string& text = input.text;
  if (text.empty()) {
    return "";
  }
  const auto part = std::ranges::mismatch(text, other.text).in1 - text.begin();
  std::size_t begin = static_cast<std::size_t>(part);
  for (int words = 0; words < 2 && begin > 0; ++words) {  // the one before it, too
    const std::size_t blank = begin >= 2 ? text.rfind(' ', begin - 2) : std::string::npos;
    begin = blank == std::string::npos ? 0 : blank + 1;
  }
  begin = CharacterStart(text, begin);
  const std::size_t end = CharacterStart(text, std::min(text.size(), begin + kMostLetters));
  return fmt::format("“{}{}{}”",
                     begin > 0 ? "…" : "",
                     text.substr(begin, end - begin),
                     end < text.size() ? "…" : "");
}

bool HaveOtherTexts(const AppState& state) {
  const auto& other = state.compare.other;
  return other && other->input && *other->input != state.shown.input;
}

// The family's member with the fewest heads; of that one, the one with the most.
std::optional<ComparisonOffer> OfferHeadCount(const AppState& state, const std::string& name) {
  const auto own = ParseFamilyMember(name);
  if (!own) {
    return std::nullopt;
  }
  const ModelChoice* chosen = nullptr;
  std::int64_t heads = 0;
  for (const ModelChoice& choice : state.bundled_models) {
    const auto member = ParseFamilyMember(choice.name);
    if (!member || member->family != own->family || member->heads == own->heads) {
      continue;
    }
    const bool is_smaller = member->heads < own->heads;
    const bool was_smaller = heads < own->heads && chosen != nullptr;
    if (chosen == nullptr || (is_smaller && (!was_smaller || member->heads > heads)) ||
        (!is_smaller && !was_smaller && member->heads < heads)) {
      chosen = &choice;
      heads = member->heads;
    }
  }
  if (chosen == nullptr) {
    return std::nullopt;
  }
  return ComparisonOffer{
      .title = fmt::format("{} against {}", name, chosen->name),
      .about =
          fmt::format("Trained alike, but with {} heads a layer instead of {}.", heads, own->heads),
      .other = {.model = chosen->folder}};
}

std::optional<ComparisonOffer> OfferMinimalPair(const InputText& input) {
  std::optional<MinimalPair> pair = MinimalPairOf(input.text);
  if (!pair) {
    return std::nullopt;
  }
  InputText other = input;
  other.text = std::move(pair->text);
  return ComparisonOffer{
      .title = fmt::format("“{}” in place of “{}”", pair->taken, pair->given_up),
      .about = "A minimal pair: this sentence with one word exchanged, and yours to edit.",
      .other = {.model = {}, .input = std::move(other)}};
}

std::optional<ComparisonOffer> OfferCheckpoint(const AppState& state) {
  const ModelChoice* const choice = BundledOf(state);
  if (choice == nullptr || choice->checkpoint_steps.empty()) {
    return std::nullopt;
  }
  const std::int64_t step = choice->checkpoint_steps[choice->checkpoint_steps.size() / 2];
  const std::filesystem::path folder =
      choice->folder / (std::string(kCheckpointPrefix) + std::to_string(step));
  if (folder == state.shown.model->folder) {
    return ComparisonOffer{.title = fmt::format("{} at the end of its training", choice->name),
                           .about = "What training changed after this checkpoint.",
                           .other = {.model = choice->folder}};
  }
  return ComparisonOffer{.title = fmt::format("{} after {} steps", choice->name, step),
                         .about = "The same model earlier in its training.",
                         .other = {.model = folder}};
}

// The selected layer's own weights, cut into half as many heads.
std::optional<ComparisonOffer> OfferCut(const AppState& state) {
  const LayerView view = SelectedLayer(state);
  if (view.layer == nullptr || !view.layer->has_scores() || view.stale || view.outdated ||
      view.layer->shape().heads < 2) {
    return std::nullopt;
  }
  const std::int64_t own = view.layer->shape().heads;
  const std::string layer = LayerName({view.layer->part(), view.layer->layer()});
  ComparedSide side;
  side.cut_heads = own / 2;
  side.cut_layer = view.layer->layer();
  return ComparisonOffer{
      .title = fmt::format("{} with {} in place of {}", layer, Counted(own / 2, "head"), own),
      .about = "Two head counts: the layer's own weights, their columns cut into fewer heads.",
      .other = std::move(side)};
}

// A model that comes with the program, beside one that has no family here.
std::optional<ComparisonOffer> OfferModel(const AppState& state, const std::string& name) {
  const auto other = std::ranges::find(state.bundled_models,
                                       name == kDefaultModel ? kSecondModel : kDefaultModel,
                                       &ModelChoice::name);
  if (other == state.bundled_models.end()) {
    return std::nullopt;
  }
  return ComparisonOffer{
      .title = fmt::format("{} against {}", name, other->name),
      .about = "Another model on the same text; where its tokens are others, words are compared.",
      .other = {.model = other->folder}};
}

}  // namespace

const ModelChoice* BundledOf(const AppState& state) {
  const ModelInfo* const model = ShownModel(state);
  if (model == nullptr) {
    return nullptr;
  }
  const auto found = std::ranges::find_if(state.bundled_models, [model](const ModelChoice& choice) {
    return choice.folder == model->folder || choice.folder == model->folder.parent_path();
  });
  return found != state.bundled_models.end() ? &*found : nullptr;
}

std::optional<CompareState::Question> QuestionNow(const AppState& state) {
  if (!state.compare.other || state.shown.request == 0 || state.pending.request != 0 ||
      !state.opening_folder.empty() || state.shown.model != state.model) {
    return std::nullopt;
  }
  return CompareState::Question{.picture = state.shown.request,
                                .part = PartInView(state),
                                .other = *state.compare.other,
                                .look = IsPatching(state) ? TokenLook{} : state.token_look};
}

bool IsCompared(const AppState& state) {
  const auto question = QuestionNow(state);
  return question && state.compare.of == question;
}

ComparedHeads ComparedAt(const AppState& state, HeadIndex head) {
  const CompareState& compare = state.compare;
  ComparedHeads pair{.layer = nullptr, .head = head, .other = {}, .divergence = {}};
  pair.layer = compare.result != nullptr ? compare.result->Layer(head.layer) : nullptr;
  if (pair.layer == nullptr || head.head >= pair.layer->heads_a) {
    pair.layer = nullptr;
    return pair;
  }
  if (IsPatching(state) && AreTwoTextsOfOneModel(state) && head.head < pair.layer->heads_b) {
    pair.other = head.head;
    pair.divergence = pair.layer->num_rows > 0
                          ? std::optional(pair.layer->Divergence(head.head, head.head))
                          : std::nullopt;
    return pair;
  }
  const auto hand = std::ranges::find(compare.by_hand, head, &CompareState::HandPair::head);
  pair.by_hand = hand != compare.by_hand.end() && hand->other < pair.layer->heads_b;
  if (pair.by_hand) {
    pair.other = hand->other;
  } else if (const HeadPair* const matched = pair.layer->PairOf(head.head)) {
    pair.other = matched->b;
  }
  if (pair.other && pair.layer->num_rows > 0) {
    pair.divergence = pair.layer->Divergence(head.head, *pair.other);
  }
  return pair;
}

ComparedHeads SelectedPair(const AppState& state) {
  return ComparedAt(state, state.selection.head);
}

std::vector<ComparedHeads> FurthestPairs(const AppState& state) {
  std::vector<ComparedHeads> pairs;
  if (state.compare.result == nullptr) {
    return pairs;
  }
  const Comparison& comparison = state.compare.result->comparison;
  for (const LayerComparison& layer : comparison.layers) {
    for (std::int64_t head = 0; head < layer.heads_a; ++head) {
      ComparedHeads pair = ComparedAt(state, {layer.layer, head, comparison.part_a});
      if (pair.divergence) {
        pairs.push_back(pair);
      }
    }
  }
  std::ranges::stable_sort(
      pairs, std::ranges::greater{}, [](const ComparedHeads& pair) { return *pair.divergence; });
  return pairs;
}

Comparison ComparisonAsShown(const AppState& state) {
  const CompareState& compare = state.compare;
  Comparison shown = compare.result->comparison;
  std::vector<std::string> changed;
  for (LayerComparison& layer : shown.layers) {
    for (std::int64_t head = 0; head < layer.heads_a; ++head) {
      const ComparedHeads pair = ComparedAt(state, {layer.layer, head, shown.part_a});
      if (!pair.by_hand) {
        continue;
      }
      const HeadPair own{.a = head, .b = *pair.other, .divergence = pair.divergence};
      const auto at = std::ranges::lower_bound(layer.pairs, head, {}, &HeadPair::a);
      if (at != layer.pairs.end() && at->a == head) {
        *at = own;
      } else {
        layer.pairs.insert(at, own);
      }
      changed.push_back(fmt::format(
          "{} with {}", HeadName(pair.head), HeadName({layer.layer, *pair.other, shown.part_b})));
    }
  }
  if (!changed.empty()) {
    shown.notes.push_back(fmt::format("Paired by hand: {}.", fmt::join(changed, ", ")));
  }
  return shown;
}

std::string NameOfA(const AppState& state) {
  const ModelInfo* const model = ShownModel(state);
  const std::string name = model != nullptr ? model->name : "nothing yet";
  return HaveOtherTexts(state)
             ? name + " " + WordsOf(state.shown.input, *state.compare.other->input)
             : name;
}

std::string NameOfB(const AppState& state) {
  const auto& other = state.compare.other;
  if (!other) {
    return "choose …";
  }
  if (other->cut_heads > 0) {
    const LayerId id{PartInView(state), other->cut_layer};
    return fmt::format("{} cut into {}", LayerName(id), Counted(other->cut_heads, "head"));
  }
  const ModelInfo* const model = ShownModel(state);
  const std::string own = model != nullptr ? model->name : "";
  const std::string name = other->model.empty() ? own : ModelName(other->model);
  return HaveOtherTexts(state) ? name + " " + WordsOf(*other->input, state.shown.input) : name;
}

std::optional<PairPart> PartNeeded(const AppState& state) {
  const auto& result = state.compare.result;
  if (result == nullptr || state.maps.size.width <= 0.0 || state.maps.size.height <= 0.0) {
    return std::nullopt;
  }
  const ShownPart shown = PartShown(state.selection.zoom, state.maps.size);
  const auto place = [](double part, std::int64_t length) {
    return std::clamp<std::int64_t>(
        static_cast<std::int64_t>(part * static_cast<double>(length)), 0, length);
  };
  const std::int64_t rows = result->queries.size();
  const std::int64_t cols = result->keys.size();
  const PairPart seen{.first_row = place(shown.first_y, rows),
                      .last_row = std::min(rows, place(shown.first_y + shown.down, rows) + 1),
                      .first_col = place(shown.first_x, cols),
                      .last_col = std::min(cols, place(shown.first_x + shown.across, cols) + 1)};
  return PartAround(seen, rows, cols);
}

std::shared_ptr<const PairMaps> MapsInView(const AppState& state) {
  const CompareState& compare = state.compare;
  if (compare.maps.answer == nullptr || !compare.maps.of ||
      compare.maps.of->pair != compare.result) {
    return nullptr;
  }
  auto question = *compare.maps.of;
  question.part = PartNeeded(state);
  return question.part && compare.part_of == question ? compare.part : compare.maps.answer;
}

std::vector<ComparisonOffer> OffersOf(const AppState& state) {
  std::vector<ComparisonOffer> offers;
  const ModelInfo* const model = ShownModel(state);
  if (model == nullptr || state.shown.request == 0) {
    return offers;
  }
  const bool reads_text = model->reads_tokens();
  const std::string name = BundledOf(state) != nullptr ? BundledOf(state)->name : model->name;
  const auto add = [&offers](std::optional<ComparisonOffer> offer) {
    if (offer) {
      offers.push_back(std::move(*offer));
    }
  };
  add(OfferHeadCount(state, name));
  const bool has_family = !offers.empty();
  add(reads_text ? OfferMinimalPair(state.shown.input) : std::nullopt);
  add(OfferCheckpoint(state));
  add(has_family ? std::nullopt : OfferCut(state));
  add(has_family || !reads_text ? std::nullopt : OfferModel(state, name));
  return offers;
}

}  // namespace headscope
