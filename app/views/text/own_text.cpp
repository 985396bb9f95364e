// Where a text would be typed, but none is: attention from a file has its own, and an attention
// module reads embeddings.
#include <filesystem>
#include <string>

#include <imgui.h>

#include "app/views/kit/widgets.h"
#include "app/views/panels.h"

namespace headscope {
namespace {

// As much of the tokens as one line can show.
std::string Words(const Encoding& encoding) {
  constexpr std::size_t kMost = 400;
  std::string text;
  for (const Token& token : encoding.tokens) {
    if (text.size() > kMost) {
      return text + " …";
    }
    text += (text.empty() ? "" : " ") + token.display;
  }
  return text;
}

std::string TextOf(const AttentionFile& file) {
  std::string text = Words(*file.encoding());
  for (const auto& other : {file.keys(), file.target()}) {
    if (other != nullptr) {
      text += " → " + Words(*other);
    }
  }
  return text;
}

}  // namespace

void DrawOwnText(Ui* ui, const Rect& rect) {
  const AppState& state = ui->state;
  const ThemeColors& colors = ui->colors();
  FillRect(*ui, rect, colors.background, 7.0F);
  FrameRect(*ui, rect, colors.line, 7.0F);
  Rect inner = Inset(rect, ui->Px(12.0F), 0.0F);
  if (state.model->file != nullptr) {
    Area(ui, "sentence label", rect, "The tokens that the file's attention is of");
    DrawTextIn(*ui, inner, TextOf(*state.model->file), Type::kBody, colors.text, inner.width);
    return;
  }
  const std::filesystem::path& path = state.input.embeddings;
  const ButtonLook look{.text = "Embeddings …",
                        .tooltip = "The files to run the module on (.npy); drop one anywhere",
                        .type = Type::kSmall};
  const float width = ButtonWidth(*ui, look);
  inner.width -= width + ui->Px(8.0F);
  DrawTextIn(*ui,
             inner,
             path.empty() ? "no embeddings yet" : "embeddings " + path.filename().string(),
             Type::kBody,
             path.empty() ? colors.dim : colors.text,
             inner.width);
  const Rect button{rect.x + rect.width - width - ui->Px(6.0F),
                    rect.y + ui->Px(6.0F),
                    width,
                    rect.height - ui->Px(12.0F)};
  if (Button(ui, "embeddings", button, look)) {
    ui->memory->popup_anchor = button;
    ui->Do(OpenPopup{Popup::kEmbeddings});
  }
}

}  // namespace headscope
