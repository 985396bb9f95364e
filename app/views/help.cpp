// Keys, mouse, words.
#include <array>
#include <string>
#include <string_view>

#include <imgui.h>

#include "app/views/panels.h"
#include "app/views/widgets.h"

namespace headscope {
namespace {

struct KeyLine {
  std::string_view keys;
  std::string_view what;
};

constexpr std::array<KeyLine, 24> kKeys = {{
    {"← → ↑ ↓", "walk heads and layers"},
    {"Shift + arrows", "walk queries and keys of the large map"},
    {"click, Space", "lock the head; again, or Esc, unlocks"},
    {"L5H1, Ctrl K", "go to a head: L5H1, 5.1, 5-1, layer 5 head 1"},
    {"P", "of an encoder-decoder: encoder, decoder, cross-attention (also E0H1, D0H1, X0H1)"},
    {"F", "flag the head: role, colour, note"},
    {"Ctrl Z, Ctrl Y", "undo and redo flags"},
    {"Ctrl E", "export a head, all heads or the head counts as PNG"},
    {"wheel, + −", "zoom the large map about the pointer"},
    {"drag", "move the zoomed map"},
    {"0, double click", "fit the whole map"},
    {"click a cell", "hold the cross-hair there; Esc lets go"},
    {"/ or Ctrl L", "go to the sentence; Esc leaves it"},
    {"Ctrl T", "go to an encoder-decoder's target; where it is empty the model generates it"},
    {"S", "samples"},
    {"M", "models: bundled, recent, a path"},
    {"C", "curve: linear, square root, logarithm"},
    {"R", "range: fixed, row, head, layer, global"},
    {"V", "next colour map"},
    {"T", "dark or light"},
    {"1, 2, 6", "Inspect, Counts, Help"},
    {"Ctrl C", "copy the head's name"},
    {"Ctrl Q", "leave; flags are kept as you set them"},
    {"drop", "a model folder, a text (.txt) or a session (.json)"},
}};

constexpr std::array<KeyLine, 8> kWords = {{
    {"map",
     "Rows are queries, columns are keys: how much each token (row) looks at each other token "
     "(column). Heads and layers count from 0."},
    {"dot product", "q · k of the query's and the key's vectors in this head."},
    {"score", "The dot product, scaled (and capped, where the model does that)."},
    {"weight", "The score after the softmax over the row's visible keys: a row sums to 1."},
    {"masked",
     "A key that the query may not see. Its weight is exactly 0, and it has its own colour."},
    {"part",
     "An encoder-decoder has three kinds of maps: the text looks at itself (encoder, E0H1), the "
     "target looks at itself (decoder, D0H1), the target looks at the text (cross, X0H1)."},
    {"pooled",
     "Thumbnails of long texts stand for blocks of weights. Numbers under the pointer are "
     "always exact."},
    {"flag", "Your own word on what a head does. It is written to the session file at once."},
}};

}  // namespace

void DrawHelp(Ui* ui, const Rect& area) {
  const ThemeColors& colors = ui->colors();
  BeginScroll("help", area);
  const float pad = ui->Px(28.0F);
  const float width = std::min(area.width - 2.0F * pad, ui->Px(760.0F));
  const float x = area.x + pad;
  float y = area.y + ui->Px(20.0F) - ImGui::GetScrollY();
  const float left = std::min(ui->Px(150.0F), width * 0.35F);
  const auto table = [&](const char* title, const auto& lines, Type type) {
    DrawText(*ui, x, y, title, Type::kTitle, colors.text);
    y += ui->Px(40.0F);
    for (const KeyLine& line : lines) {
      DrawText(*ui, x, y, line.keys, type, colors.text, left);
      y += DrawParagraph(*ui,
                         x + left + ui->Px(16.0F),
                         y,
                         width - left - ui->Px(16.0F),
                         line.what,
                         Type::kBody,
                         colors.muted) +
           ui->Px(4.0F);
    }
    y += ui->Px(20.0F);
  };
  table("Keys and mouse", kKeys, Type::kMono);
  table("Words", kWords, Type::kBold);
  ImGui::SetCursorScreenPos({area.x, y});
  ImGui::Dummy({1.0F, 1.0F});
  EndScroll();
}

}  // namespace headscope
