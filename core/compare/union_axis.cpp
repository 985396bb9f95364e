#include "core/compare/union_axis.h"

#include <cstddef>
#include <unordered_map>
#include <utility>

#include "core/text/indexed_name.h"
#include "core/text/words.h"

namespace headscope {
namespace {

// Adds the tokens of one side, up to `end`, that have no place on the shared axis.
void AddLonely(const std::vector<std::int32_t>& places,
               const Encoding& encoding,
               std::size_t end,
               bool is_a,
               std::size_t* next,
               UnionAxis* axis) {
  for (; *next < end; ++*next) {
    if (places[*next] != kNoPlace) {
      continue;
    }
    UnionPlace place{.a = {}, .b = {}, .name = TokenName(encoding, *next)};
    (is_a ? place.a : place.b).push_back(static_cast<std::int64_t>(*next));
    axis->places.push_back(std::move(place));
    ++(is_a ? axis->only_a : axis->only_b);
  }
}

void MarkRepeated(UnionAxis* axis) {
  std::unordered_map<std::string, int> counts;
  for (const UnionPlace& place : axis->places) {
    ++counts[place.name];
  }
  for (UnionPlace& place : axis->places) {
    place.again = counts[place.name] > 1;
  }
}

}  // namespace

std::string UnionAxis::Label(std::int64_t place) const {
  const UnionPlace& at = places[static_cast<std::size_t>(place)];
  const std::string name = at.again ? IndexedName(at.name, place) : at.name;
  return at.is_shared() ? name : name + (at.b.empty() ? " (A)" : " (B)");
}

UnionAxis Unite(const SharedAxis& shared, const Encoding& a, const Encoding& b) {
  UnionAxis axis;
  const auto count = static_cast<std::size_t>(shared.size());
  if (!shared.is_by_words()) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto token = static_cast<std::int64_t>(i);
      axis.places.push_back({.a = {token}, .b = {token}, .name = shared.displays[i]});
    }
    MarkRepeated(&axis);
    return axis;
  }
  auto of_a = TokensOfPlaces(shared.place_a, shared.size());
  auto of_b = TokensOfPlaces(shared.place_b, shared.size());
  std::size_t next_a = 0;
  std::size_t next_b = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!of_a[i].empty()) {
      const auto first = static_cast<std::size_t>(of_a[i].front());
      AddLonely(shared.place_a, a, first, true, &next_a, &axis);
    }
    if (!of_b[i].empty()) {
      const auto first = static_cast<std::size_t>(of_b[i].front());
      AddLonely(shared.place_b, b, first, false, &next_b, &axis);
    }
    axis.places.push_back(
        {.a = std::move(of_a[i]), .b = std::move(of_b[i]), .name = shared.displays[i]});
  }
  AddLonely(shared.place_a, a, a.tokens.size(), true, &next_a, &axis);
  AddLonely(shared.place_b, b, b.tokens.size(), false, &next_b, &axis);
  MarkRepeated(&axis);
  return axis;
}

}  // namespace headscope
