// What the right parts of all screens share: the scrolling panel, the title with its buttons.
#pragma once

#include <string>
#include <string_view>

#include "app/state/queries.h"
#include "app/views/kit/pen.h"
#include "app/views/kit/ui.h"
#include "core/heads/flags/role.h"

namespace headscope {

// Between the two the panel scrolls; the wheel over the large map zooms instead. Returns a pen where
// its content begins, above the window's top when it is scrolled: another screen, or what `title`
// names on the same one, begins at its top.
[[nodiscard]] Pen BeginDetail(Ui* ui, std::string_view title);
void EndDetail(Ui* ui, float bottom);
// Between them: the pointer is on a cell, a token or a bar. Told once for each place: what is drawn
// may be an older text's, of which the state has no such cell.
void PointAt(Ui* ui, const MapPoint& point);

// At the right end, where the panel is a sheet over the middle.
void DrawCloseSheet(Row* row);
// Name, arrows, Flag (for a head that the model has), Export.
void DrawDetailHeader(Pen* pen, std::string_view title, bool can_flag = true);

[[nodiscard]] Rgb ColorFromHex(std::string_view hex);  // "#56B4E9"; grey if it is not one
[[nodiscard]] std::string HexOf(Rgb color);

// An older picture is dimmed only if the new one takes longer than a tenth of a second.
[[nodiscard]] bool StaleTooLong(const Ui& ui);
// So is one that is not of the open model and text, at once.
[[nodiscard]] bool IsDimmed(const Ui& ui, bool stale, bool outdated);

}  // namespace headscope
