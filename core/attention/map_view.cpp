#include "core/attention/map_view.h"

#include <algorithm>

#include "core/base/thread_role.h"

namespace headscope {

// A row's visible keys begin and end no earlier than the previous row's.
bool MapView::has_masked() const {
  return queries() > 0 && (FirstVisible(queries() - 1) > 0 || LastVisible(0) < keys());
}

void MapView::DrawableRows(std::int64_t query_begin,
                           std::int64_t query_end,
                           std::span<float> out) const {
  CheckNotDrawing("making rows of a map");
  layer->RowsOnAllThreads(head, query_begin, query_end, out);
  layer->MakeDrawable(out);
  for (std::int64_t query = query_begin; query < query_end; ++query) {
    float* const row = out.data() + (query - query_begin) * keys();
    std::fill(row, row + std::min(FirstVisible(query), keys()), kMasked);
    std::fill(row + LastVisible(query), row + keys(), kMasked);
  }
}

}  // namespace headscope
