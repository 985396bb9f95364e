// The request for a figure as it will be written, made small enough for a dialog
// (core/worker/requests.h).
//
// Threads  as there.
#pragma once

#include <memory>

#include "core/figure/figure_kind.h"
#include "core/figure/preview.h"
#include "core/worker/request_rule.h"

namespace headscope {

struct PreviewJob {
  const FigureKind* kind = nullptr;
  FigureSubject subject;
  FigureSize most;  // of the preview, in pixels

  static constexpr RequestRule kRule{.turn = 3};
  [[nodiscard]] Status Run(Job* job) const;
};

struct PreviewMade {
  std::shared_ptr<const FigurePreview> preview;
};

}  // namespace headscope
