// What the Compare screen makes once for a result or a row, and draws in many frames.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/views/compare/panels.h"
#include "core/compare/shared_rows.h"

namespace headscope {
namespace {

// Places as tokens, each a word of its own, so that labels are drawn as everywhere.
std::shared_ptr<const Encoding> LabelsOf(const UnionAxis& axis) {
  Encoding encoding;
  for (std::size_t i = 0; i < axis.places.size(); ++i) {
    const UnionPlace& place = axis.places[i];
    Token token;
    token.text = place.is_shared() ? place.name : place.name + (place.b.empty() ? " (A)" : " (B)");
    token.display = token.text;
    token.word = static_cast<std::int32_t>(i);
    encoding.tokens.push_back(std::move(token));
  }
  return std::make_shared<const Encoding>(std::move(encoding));
}

}  // namespace

CompareDrawing& DrawingOf(Ui* ui) {
  std::shared_ptr<CompareDrawing>& kept = ui->memory->compare;
  const auto& result = ui->state.compare.result;
  if (kept == nullptr || kept->pair != result) {
    kept = std::make_shared<CompareDrawing>();
    kept->pair = result;
    kept->queries = LabelsOf(result->queries);
    const auto names = [](const UnionAxis& axis) {
      std::vector<std::string> all;
      for (const UnionPlace& place : axis.places) {
        all.push_back(place.name);
      }
      return all;
    };
    const bool is_one = names(result->queries) == names(result->keys);
    kept->keys = is_one ? kept->queries : LabelsOf(result->keys);
  }
  return *kept;
}

bool TellRow(Ui* ui, CompareDrawing* drawing) {
  const AppState& state = ui->state;
  const ComparedHeads pair = SelectedPair(state);
  if (pair.layer == nullptr || !pair.other) {
    return false;
  }
  const CompareState::MapsQuestion of{
      state.compare.result, pair.head.layer, pair.head.head, *pair.other};
  const std::int64_t last = drawing->pair->queries.size() - 1;
  const std::int64_t query =
      state.compare.point
          ? state.compare.point->query
          : std::clamp<std::int64_t>(drawing->query < 0 ? last : drawing->query, 0, last);
  if (drawing->query == query && drawing->row_of == of) {
    return true;
  }
  drawing->row_of = of;
  drawing->query = query;
  const UnionAxis& keys = drawing->pair->keys;
  const UnionPlace& place = drawing->pair->queries.places[static_cast<std::size_t>(query)];
  drawing->row_a.resize(keys.places.size());
  drawing->row_b.resize(keys.places.size());
  const MapView a{.layer = of.pair->LayerA(of.layer), .head = of.a};
  const MapView b{.layer = of.pair->LayerB(of.layer), .head = of.b};
  PlaceRow(a, Side::kA, place, keys, drawing->row_a);
  PlaceRow(b, Side::kB, place, keys, drawing->row_b);
  return true;
}

}  // namespace headscope
