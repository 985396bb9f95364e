#include "core/worker/head_map.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "core/base/stop.h"

namespace headscope {
namespace {

// A few milliseconds of work between checks of the stop token.
constexpr std::int64_t kCellsPerBlock = 1 << 18;

}  // namespace

Result<std::shared_ptr<const HeadMap>> MakeHeadMap(const MapView& view,
                                                   const std::stop_token& stop) {
  const std::int64_t heads = view.layer->shape().heads;
  if (view.head < 0 || view.head >= heads) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("head {} is asked for, the layer has heads 0 to {}", view.head, heads - 1));
  }
  auto map = std::make_shared<HeadMap>();
  map->of = view;
  map->weights.resize(static_cast<std::size_t>(view.queries() * view.keys()));
  const std::int64_t block = std::max<std::int64_t>(1, kCellsPerBlock / view.keys());
  for (std::int64_t begin = 0; begin < view.queries(); begin += block) {
    HEADSCOPE_TRY(CheckStop(stop));
    const std::int64_t end = std::min(view.queries(), begin + block);
    const auto first = static_cast<std::size_t>(begin * view.keys());
    const auto count = static_cast<std::size_t>((end - begin) * view.keys());
    view.DrawableRows(begin, end, std::span(map->weights).subspan(first, count));
  }
  return map;
}

}  // namespace headscope
