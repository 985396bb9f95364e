// Tables of words that a head may map from one to the other.
//
// Source   core/heads/effect/token_maps.h.
#include <array>

#include <fmt/format.h>

#include "core/heads/measure/measure.h"

namespace headscope {
namespace {

HeadMeasure TokenMapOf(std::string_view map, std::string_view about, int place) {
  HeadMeasure measure;
  measure.id = TokenMapId(map);
  measure.name = fmt::format("token map: {}", map);
  measure.place = place;
  measure.noun = "pair";
  measure.words = {
      .about = about,
      .formula =
          "share of the pairs whose second word is among the ten ids that (norm(x) W_V + b_V) W_O "
          "raises most, x being the first word's embedding, above layer 0 with what layer 0's MLP "
          "adds; from .15 on it is such a head",
      .chance = "10 / vocabulary",
      .control =
          "the second word of the next pair: a head that raises all words of the kind has as much",
      .control_name = "the next pair's word",
      .source = "Gould 2023, \"Successor Heads\"",
      .pitfall =
          "weights alone: whether the head ever looks at such words is not asked; only words that "
          "are one token for the model count, so models are not asked the same pairs",
      .needs =
          "a model that predicts tokens, and 30 pairs that are one token each in its vocabulary"};
  return measure;
}

}  // namespace

std::vector<HeadMeasure> TokenMapsMeasures() {
  static constexpr std::array<std::string_view, kTokenMaps.size()> kAbout = {
      "the share of nouns that it maps to their plural",
      "the share of numbers, days and months that it maps to the next one",
      "the share of countries that it maps to their capital",
      "the share of verbs that it maps to their past"};
  std::vector<HeadMeasure> all;
  for (std::size_t map = 0; map < kTokenMaps.size(); ++map) {
    all.push_back(TokenMapOf(kTokenMaps[map], kAbout[map], 46 + static_cast<int>(map)));
  }
  return all;
}

}  // namespace headscope
