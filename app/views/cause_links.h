// Ways from a head or an MLP to what it does to words: Compare's Patching, and the shares of the next
// word in Inspect.
#pragma once

#include <string_view>

#include "app/views/kit/pen.h"
#include "core/causes/asked_heads.h"

namespace headscope {

// At the right end of a line, where paths are followed: how much of the difference between two texts
// comes along the path from one head to another's input.
void DrawPathLink(Row* row, HeadIndex sender, const HeadReading& to, std::string_view words);

// An MLP's name, which leads to what MLPs carry of the difference between two texts.
void DrawMlpLink(Ui* ui, const Rect& rect, LayerId layer, std::string_view name);

// The selected head's page: its share in the next word, and patching.
void DrawCauseLinks(Pen* pen);

}  // namespace headscope
