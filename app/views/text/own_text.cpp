// Where a text would be typed, but none is: attention from a file has its own, and an attention
// module reads embeddings.
#include <filesystem>
#include <string>

#include <imgui.h>

#include "app/views/kit/pen.h"
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
  Row row(ui, rect);
  row.Skip(12.0F);
  if (state.model->file != nullptr) {
    Area(ui, "sentence label", rect, "The tokens that the file's attention is of");
    row.SkipRight(12.0F);
    row.Text(TextOf(*state.model->file), Type::kBody, colors.text);
    return;
  }
  const std::filesystem::path& path = state.input.embeddings;
  const ButtonLook look{.text = "Embeddings …",
                        .tooltip = "The files to run the module on (.npy); drop one anywhere",
                        .type = Type::kSmall};
  row.SkipRight(6.0F);
  const Rect button = Inset(row.Right(ButtonWidth(*ui, look)), 0.0F, ui->Px(6.0F));
  row.SkipRight(14.0F);
  row.Text(path.empty() ? "no embeddings yet" : "embeddings " + path.filename().string(),
           Type::kBody,
           path.empty() ? colors.dim : colors.text);
  PopupButton(ui, "embeddings", button, look, Popup::kEmbeddings);
}

}  // namespace headscope
