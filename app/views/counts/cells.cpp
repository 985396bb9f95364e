#include "app/views/counts/cells.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"

namespace headscope {
namespace {

std::string NameIn(const AppState& state, const Encoding* tokens, std::int64_t index) {
  const SplitResult* const result = state.counts.result.get();
  const bool is_drawn = result != nullptr && result->request.InputUsed() == SplitInput::kNormal;
  return tokens == nullptr || is_drawn ? fmt::format("row {}", index)
                                       : fmt::format("“{}” ({})", TokenWord(*tokens, index), index);
}

}  // namespace

std::optional<CellIndex> CellUnder(
    const Rect& target, float x, float y, std::int64_t queries, std::int64_t keys) {
  const float across = (x - target.x) / target.width;
  const float down = (y - target.y) / target.height;
  if (!(across >= 0.0F && across < 1.0F && down >= 0.0F && down < 1.0F)) {
    return std::nullopt;
  }
  return CellIndex{
      .query = std::min(queries - 1, static_cast<std::int64_t>(down * static_cast<float>(queries))),
      .key = std::min(keys - 1, static_cast<std::int64_t>(across * static_cast<float>(keys)))};
}

void MarkCell(const Ui& ui,
              const Rect& target,
              std::int64_t queries,
              std::int64_t keys,
              const MapPoint& point) {
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const float high = target.height / static_cast<float>(queries);
  const float wide = target.width / static_cast<float>(keys);
  const std::uint32_t white = ToImGui({255, 255, 255}, 0.95F);
  const std::uint32_t shadow = ToImGui({0, 0, 0}, 0.55F);
  const float thick = std::max(1.0F, ui.scale);
  const float right = target.x + target.width;
  const float bottom = target.y + target.height;
  const float top = std::floor(target.y + high * static_cast<float>(point.query));
  const float y0 = std::max(target.y, top - thick);
  const float y1 = std::min(bottom, std::ceil(top + high) + thick);
  float x0 = target.x;
  float x1 = right;
  if (point.key) {
    const float left = std::floor(target.x + wide * static_cast<float>(*point.key));
    x0 = std::max(target.x, left - thick);
    x1 = std::min(right, std::ceil(left + wide) + thick);
    // Hair lines from the edges lead the eye to a small cell.
    constexpr float kSmallCell = 9.0F;
    if (std::max(high, wide) < kSmallCell * ui.scale) {
      const std::uint32_t hair = ToImGui({255, 255, 255}, 0.45F);
      const float mid_x = std::floor((x0 + x1) / 2.0F);
      const float mid_y = std::floor((y0 + y1) / 2.0F);
      list->AddRectFilled({mid_x, target.y}, {mid_x + thick, y0}, hair);
      list->AddRectFilled({mid_x, y1}, {mid_x + thick, bottom}, hair);
      list->AddRectFilled({target.x, mid_y}, {x0, mid_y + thick}, hair);
      list->AddRectFilled({x1, mid_y}, {right, mid_y + thick}, hair);
    }
  }
  // White within a dark line: seen on every colour of the maps.
  list->AddRect({x0 - thick, y0 - thick}, {x1 + thick, y1 + thick}, shadow, 0.0F, 0, thick);
  list->AddRect({x0, y0}, {x1, y1}, white, 0.0F, 0, thick);
}

std::string QueryName(const AppState& state, std::int64_t query) {
  return NameIn(state, MapInFull(state).query_tokens.get(), query);
}

std::string KeyName(const AppState& state, std::int64_t key) {
  return NameIn(state, MapInFull(state).key_tokens.get(), key);
}

std::string CellName(const AppState& state, CellIndex cell) {
  return fmt::format("{} looks at {}", QueryName(state, cell.query), KeyName(state, cell.key));
}

const std::vector<float>& CountCells(const MapView& map) {
  const Thumbnail& thumbnail = map.thumbnail();
  return thumbnail.pooled ? thumbnail.max : thumbnail.mean;
}

std::string WeightWords(const MapView& map, CellIndex cell) {
  if (!map.layer->Visible(cell.query, cell.key)) {
    return ": masked";
  }
  const Thumbnail& thumbnail = map.thumbnail();
  if (thumbnail.pooled || cell.query >= thumbnail.rows || cell.key >= thumbnail.cols) {
    return {};
  }
  return fmt::format(
      ": {:.4f}", thumbnail.mean[static_cast<std::size_t>(cell.query * thumbnail.cols + cell.key)]);
}

}  // namespace headscope
