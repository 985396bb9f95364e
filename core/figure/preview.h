// A figure as it will be written, scaled down to be looked at: drawn by the code that writes it, then
// each pixel is the mean of those that it stands for, in linear light. A side of over 3,000 pixels is
// drawn with 3,000.
//
// Units    pixels; a preview is never larger than the figure.
// Errors   as in core/figure/figure.h.
// Threads  any that may compute.
// Cost     that of the pixels that are drawn: 4 bytes each while it is made.
#pragma once

#include <stop_token>

#include "core/figure/figure_kind.h"
#include "core/figure/text_picture.h"

namespace headscope {

struct FigurePreview {
  TextPicture picture;  // opaque
  FigureSize whole;     // of the figure
  double scale = 1.0;   // of the preview: 1 is as written
};

// `most`: width and height that it fits in, at least one pixel.
[[nodiscard]] Result<FigurePreview> MakePreview(const FigureKind& kind,
                                                const FigureSubject& subject,
                                                FigureSize most,
                                                const std::stop_token& stop);

}  // namespace headscope
