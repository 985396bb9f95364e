// One matrix of the walk as a picture: its name and shape, its numbers as colours, what the pointer
// is on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/state/queries.h"
#include "app/views/kit/ui.h"
#include "app/views/walk/layout.h"

namespace headscope {

// What all pictures of a frame share.
struct WalkFrame {
  std::shared_ptr<const LayerWalk> walk;
  std::shared_ptr<const Encoding> query_tokens = {};  // null: of another text
  std::shared_ptr<const Encoding> key_tokens = {};
  WalkStage stage = WalkStage::kWidth;
  bool stale = false;
  std::int64_t row = 0;  // told of
  std::int64_t key = 0;
  Rect view = {};  // nothing is drawn outside
};

// The walk as the selection and the text on screen have it; `view` is left empty.
[[nodiscard]] WalkFrame WalkFrameOf(const AppState& state, const LayerWalk& walk);

// "5 “the”"; the number alone where the word is not known.
[[nodiscard]] std::string NumberedToken(const std::shared_ptr<const Encoding>& tokens,
                                        std::int64_t index);

// A cell of a matrix, in the place of `count` of them.
struct WalkCell {
  std::int64_t row = 0;
  std::int64_t col = 0;
  std::int64_t count = 1;
};
// The cell farthest from 0 among those that the picture of that size draws as one at (x, y), from
// its top left.
[[nodiscard]] WalkCell CellAt(
    const WalkMatrix& matrix, float width, float height, float x, float y);

// "query 5 “the”, column 3 of 32: 0.1234".
[[nodiscard]] std::string CellWords(const WalkFrame& frame, WalkPiece piece, const WalkCell& cell);

void DrawWalkPicture(Ui* ui, const WalkFrame& frame, WalkPiece piece, const WalkPlace& place);

// At the pointer, at once: a line for each of the words' lines.
void TellNow(Ui* ui, const std::string& words);

// A name with a part of it set low: "Q" and "4". Returns its width.
float DrawLowered(
    const Ui& ui, float x, float y, const std::string& name, const std::string& low, Rgb color);

}  // namespace headscope
