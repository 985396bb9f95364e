// Stands in for the attention store and the head counts until those libraries are there.
#include "core/attention/layer_attention.h"
#include "core/headcount/split.h"

namespace headscope {
#ifndef HEADSCOPE_HAS_ATTENTION
LayerAttention::LayerAttention(Parts parts) : parts_(std::move(parts)) {}
const Thumbnail& LayerAttention::thumbnail(std::int64_t head) const {
  return parts_.thumbnails[static_cast<std::size_t>(head)];
}
#endif
#ifndef HEADSCOPE_HAS_HEADCOUNT
std::vector<std::int64_t> DefaultHeadCounts(std::int64_t trained,
                                            std::int64_t /*width*/,
                                            std::int64_t /*most*/) {
  return {1, trained};
}
#endif
}  // namespace headscope
