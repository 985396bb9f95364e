// What views, curves, ranges and colours are called in the files that the window keeps.
//
// Threads  plain values.
#pragma once

#include <string_view>

#include "app/state/inspect/head_look.h"
#include "core/figure/color_scale.h"
#include "core/io/fields.h"

namespace headscope {

// {key} and {found} as in FieldNames.
inline constexpr std::string_view kWrongName =
    "expected \"{key}\" to be a name that there is, found {found}";

inline constexpr FieldNames<HeadView, 6> kHeadViews = {{{{HeadView::kMap, "map"},
                                                         {HeadView::kLines, "lines"},
                                                         {HeadView::kArcs, "arcs"},
                                                         {HeadView::kText, "text"},
                                                         {HeadView::kPair, "query_key"},
                                                         {HeadView::kSteps, "steps"}}},
                                                       kWrongName};
inline constexpr FieldNames<Curve, 3> kCurves = {
    {{{Curve::kLinear, "linear"}, {Curve::kSqrt, "sqrt"}, {Curve::kLog, "log"}}}, kWrongName};
inline constexpr FieldNames<RangeMode, 5> kRanges = {{{{RangeMode::kFixed, "fixed"},
                                                       {RangeMode::kRow, "row"},
                                                       {RangeMode::kHead, "head"},
                                                       {RangeMode::kLayer, "layer"},
                                                       {RangeMode::kGlobal, "global"}}},
                                                     kWrongName};
inline constexpr FieldNames<Colormap, 4> kColormaps = {{{{Colormap::kViridis, "viridis"},
                                                         {Colormap::kCividis, "cividis"},
                                                         {Colormap::kBlues, "blues"},
                                                         {Colormap::kGreys, "greys"}}},
                                                       kWrongName};

}  // namespace headscope
