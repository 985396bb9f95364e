#include "core/figure/page_pairs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fmt/format.h>
#include <glib.h>

#include "core/base/digits.h"
#include "core/base/grouped.h"
#include "core/compare/pair_maps.h"
#include "core/figure/pair_scale.h"
#include "core/heads/measure/head_name.h"

namespace headscope {
namespace {

using PairsJson = nlohmann::ordered_json;

constexpr std::uint16_t kNoWeight = 65535;

void AddCells(const std::vector<float>& cells, std::vector<std::uint16_t>* to) {
  constexpr float kMostWeight = 65534.0F;
  for (const float cell : cells) {
    to->push_back(cell < 0.0F ? kNoWeight
                              : static_cast<std::uint16_t>(
                                    std::lround(std::clamp(cell, 0.0F, 1.0F) * kMostWeight)));
  }
}

PairsJson LabelsOf(const UnionAxis& axis) {
  PairsJson labels = PairsJson::array();
  for (const UnionPlace& place : axis.places) {
    labels.push_back(place.is_shared() ? place.name
                                       : place.name + (place.b.empty() ? " (A)" : " (B)"));
  }
  return labels;
}

}  // namespace

std::string Base64Of(const void* bytes, std::size_t size) {
  gchar* const text = g_base64_encode(static_cast<const guchar*>(bytes), size);
  std::string base64 = text;
  g_free(text);
  return base64;
}

Status AddPairsToPage(const ComparedPair& pair,
                      const Comparison& comparison,
                      const ColorScale& scale,
                      std::int64_t most,
                      PairsJson* json) {
  const std::int64_t cells_of_side = pair.queries.size() * pair.keys.size();
  std::int64_t pairs = 0;
  for (const LayerComparison& layer : comparison.layers) {
    const bool is_there =
        pair.LayerA(layer.layer) != nullptr && pair.LayerB(layer.layer) != nullptr;
    pairs += is_there ? std::ssize(layer.pairs) : 0;
  }
  const std::int64_t cells = 2 * cells_of_side * pairs;
  if (cells == 0) {
    return {};
  }
  if (cells > most) {
    (*json)["notes"].push_back(fmt::format(
        "The maps of the pairs are left out: they have {} weights, and a page holds up to {}.",
        Grouped(cells),
        Grouped(most)));
    return {};
  }
  (*json)["queries"] = LabelsOf(pair.queries);
  (*json)["keys"] = LabelsOf(pair.keys);
  (*json)["curve"] = Name(scale.curve);
  (*json)["pairs"] = PairsJson::array();
  std::vector<std::uint16_t> weights;
  weights.reserve(static_cast<std::size_t>(cells));
  ColorScale own = scale;
  own.range = RangeMode::kHead;
  for (const LayerComparison& layer : comparison.layers) {
    const auto& a = pair.LayerA(layer.layer);
    const auto& b = pair.LayerB(layer.layer);
    for (const HeadPair& heads : layer.pairs) {
      if (a == nullptr || b == nullptr) {
        continue;
      }
      HEADSCOPE_TRY(const auto maps,
                    MakePairMaps({a, heads.a}, {b, heads.b}, pair.queries, pair.keys, {}, {}));
      const ColorScale one = ScaleOfPair(own, pair, layer.layer, heads.a, heads.b);
      const std::string name = HeadName({layer.layer, heads.a, comparison.part_a});
      for (PairsJson& cell : (*json)["heads"]) {
        if (cell["name"] == name) {
          cell["pair"] = (*json)["pairs"].size();
        }
      }
      (*json)["pairs"].push_back({{"a", name},
                                  {"b", HeadName({layer.layer, heads.b, comparison.part_b})},
                                  {"low", one.low},
                                  {"high", one.high}});
      AddCells(maps.a, &weights);
      AddCells(maps.b, &weights);
    }
  }
  (*json)["pair_weights"] = Base64Of(weights.data(), weights.size() * sizeof(std::uint16_t));
  (*json)["notes"].push_back(fmt::format(
      "Both maps of a pair have the same rows, columns and colours, up to the larger of their largest "
      "weights. A page holds up to {} weights; these are {}.",
      Grouped(most),
      Grouped(cells)));
  return {};
}

}  // namespace headscope
