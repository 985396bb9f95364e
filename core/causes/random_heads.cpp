#include "core/causes/random_heads.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/base/random.h"
#include "core/causes/scatter.h"
#include "core/causes/text_without.h"
#include "core/heads/measure/head_name.h"

namespace headscope {
namespace {

struct LayerDraw {
  std::vector<HeadIndex> off;
  std::vector<HeadIndex> others;
};

std::vector<LayerDraw> LayersOf(const ModelDescription& model, const HeadsOff& off) {
  std::map<std::pair<ModelPart, std::int64_t>, LayerDraw> layers;
  for (const HeadIndex head : HeadsTouched(off)) {
    layers[{head.part, head.layer}].off.push_back(head);
  }
  std::vector<LayerDraw> made;
  for (auto& [place, layer] : layers) {
    for (std::int64_t head = 0; head < StackOf(model, place.first).heads; ++head) {
      const HeadIndex one{place.second, head, place.first};
      if (std::ranges::find(layer.off, one) == layer.off.end()) {
        layer.others.push_back(one);
      }
    }
    made.push_back(std::move(layer));
  }
  return made;
}

Result<double> LossWithout(TextWithout* text,
                           const HeadsOff& off,
                           const WordLayer& words,
                           const std::stop_token& stop) {
  HEADSCOPE_TRY(const TextLosses losses, text->LossesWithout(off, words, stop));
  if (!losses.loss) {
    return Fail(ErrorCode::kInput, "a text of one token has no loss");
  }
  return *losses.loss;
}

}  // namespace

Result<std::vector<HeadsOff>> DrawOthers(const ModelDescription& model,
                                         const HeadsOff& off,
                                         std::int64_t draws,
                                         std::uint64_t seed) {
  std::vector<LayerDraw> layers = LayersOf(model, off);
  for (const LayerDraw& layer : layers) {
    if (layer.others.size() < layer.off.size()) {
      const HeadIndex first = layer.off.front();
      return Fail(ErrorCode::kInput,
                  fmt::format("{} has {} other heads, fewer than the {} that are off in it",
                              LayerName({first.part, first.layer}),
                              layer.others.size(),
                              layer.off.size()));
    }
  }
  constexpr std::int64_t kTries = 50;  // a draw: there may be no more that differ
  RandomStream random(seed);
  std::vector<HeadsOff> made;
  for (std::int64_t i = 0; i < draws * kTries && std::ssize(made) < draws; ++i) {
    std::map<HeadIndex, HeadIndex> in_place;
    for (LayerDraw& layer : layers) {
      std::vector<HeadIndex> drawn;
      std::vector<HeadIndex> left = layer.others;
      for (std::size_t k = 0; k < layer.off.size(); ++k) {
        const auto at = left.begin() + static_cast<std::ptrdiff_t>(random.Below(left.size()));
        drawn.push_back(*at);
        left.erase(at);
      }
      // Which stands for which matters to edges alone.
      if (off.edges.empty()) {
        std::ranges::sort(drawn);
      }
      for (std::size_t k = 0; k < drawn.size(); ++k) {
        in_place[layer.off[k]] = drawn[k];
      }
    }
    HeadsOff others = off;
    for (HeadIndex& head : others.heads) {
      head = in_place.at(head);
    }
    for (CutEdge& edge : others.edges) {
      edge.head = in_place.at(edge.head);
    }
    std::ranges::sort(others.heads);
    std::ranges::sort(others.edges);
    if (std::ranges::find(made, others) == made.end()) {
      made.push_back(std::move(others));
    }
  }
  return made;
}

double RandomCost::mean() const {
  return others.empty() ? 0.0 : MeanOfAll(others);
}

double RandomCost::deviation() const {
  return others.size() < 2
             ? 0.0
             : std::sqrt(SquaresAroundMean(others) / static_cast<double>(others.size() - 1));
}

Result<RandomCost> RandomCostOf(TextWithout* text,
                                const ModelDescription& model,
                                const HeadsOff& off,
                                const WordLayer& words,
                                std::uint64_t seed,
                                const std::stop_token& stop,
                                const std::function<void(double done)>& on_part) {
  HEADSCOPE_TRY(const auto draws, DrawOthers(model, off, kControlDraws, seed));
  HEADSCOPE_TRY(const double whole, LossWithout(text, {}, words, stop));
  HEADSCOPE_TRY(const double own, LossWithout(text, off, words, stop));
  RandomCost cost{.own = own - whole, .others = {}};
  for (const HeadsOff& others : draws) {
    HEADSCOPE_TRY(const double without, LossWithout(text, others, words, stop));
    cost.others.push_back(without - whole);
    if (on_part) {
      on_part(static_cast<double>(cost.others.size()) / static_cast<double>(draws.size()));
    }
  }
  return cost;
}

}  // namespace headscope
