// The whole map of one head, for drawing.
//
// Errors   kInput (no such head), kCancelled.
// Threads  the worker's: rows are made on OpenMP's threads.
// Cost     checks `stop` between blocks of rows.
#pragma once

#include <memory>
#include <stop_token>

#include "core/base/error.h"
#include "core/worker/requests.h"

namespace headscope {

// Masked cells are kMasked.
[[nodiscard]] Result<std::shared_ptr<const HeadMap>> MakeHeadMap(const MapView& view,
                                                                 const std::stop_token& stop);

}  // namespace headscope
