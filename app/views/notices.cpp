// Errors, as a card where the result would be; and what stands there when nothing is open.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/detail_header.h"
#include "app/views/panels.h"
#include "app/views/widgets.h"

namespace headscope {
namespace {

constexpr Rgb kTrouble{0xD5, 0x5E, 0x00};

const char* TitleOf(const AppState& state, ErrorPlace place) {
  switch (place) {
    case ErrorPlace::kModel:
      return "This model cannot be shown";
    case ErrorPlace::kText:
      return state.input.embeddings.empty() ? "This text cannot be run"
                                            : "These embeddings cannot be run";
    case ErrorPlace::kCounts:
      return "This layer cannot be cut into other head counts";
    case ErrorPlace::kSession:
      return "The session file was left alone";
    case ErrorPlace::kExport:
      return "The picture was not saved";
    case ErrorPlace::kMap:
      return "This map cannot be made";
    case ErrorPlace::kPreferences:
      return "Your preferences are not kept";
    case ErrorPlace::kFile:
      return "This file holds what attention should not";
    case ErrorPlace::kModelNote:
      return "This model has code of its own";
    case ErrorPlace::kFlags:
      return "Flags of heads that this model does not have";
    case ErrorPlace::kShared:
      return "This session is open in two windows";
    case ErrorPlace::kProbe:
      return "Heads cannot be scored on this";
  }
  return "";
}

}  // namespace

void DrawNotices(Ui* ui, const Rect& area) {
  const AppState& state = ui->state;
  const ThemeColors& colors = ui->colors();
  const float pad = ui->Px(16.0F);
  const float width = std::min(ui->Px(640.0F), area.width - 2.0F * pad);
  if (width < ui->Px(120.0F)) {
    return;
  }
  float y = area.y + pad;
  for (const Notice& notice : state.notices) {
    if (notice.place == ErrorPlace::kExport ||
        (notice.place == ErrorPlace::kCounts &&
         state.screen->subject != ScreenSubject::kHeadCounts)) {
      continue;
    }
    const float text_width = width - 2.0F * pad - ui->Px(8.0F);
    const bool shows_old =
        notice.place == ErrorPlace::kModel && state.shown.request != 0 && !IsOutdated(state);
    const std::string offer =
        notice.first_tokens > 0 ? fmt::format("Use the first {} tokens", notice.first_tokens) : "";
    const float offer_height = offer.empty() ? 0.0F : ui->Px(40.0F);
    const float extra =
        (shows_old ? LineHeight(*ui, Type::kSmall) + ui->Px(6.0F) : 0.0F) + offer_height;
    const float height = ui->Px(30.0F) +
                         ParagraphHeight(*ui, notice.sentence, text_width, Type::kBody) + extra +
                         ui->Px(16.0F);
    const Rect card{area.x + (area.width - width) / 2.0F, y, width, height};
    // A child of its own, so that it lies over the grid and takes its clicks.
    BeginScroll(TitleOf(state, notice.place), card);
    FillRect(*ui, card, colors.raised, 7.0F);
    const bool is_quiet =
        notice.place == ErrorPlace::kShared || notice.place == ErrorPlace::kModelNote;
    FillRect(*ui,
             {card.x, card.y, ui->Px(4.0F), card.height},
             is_quiet ? colors.accent : kTrouble,
             2.0F);
    FrameRect(*ui, card, colors.line, 7.0F);
    float top = card.y + ui->Px(10.0F);
    const float x = card.x + pad + ui->Px(4.0F);
    DrawText(*ui, x, top, TitleOf(state, notice.place), Type::kBold, colors.text, text_width);
    top += ui->Px(24.0F);
    top += DrawParagraph(*ui, x, top, text_width, notice.sentence, Type::kBody, colors.text);
    if (shows_old) {
      DrawText(
          *ui, x, top + ui->Px(4.0F), "The picture is the one before.", Type::kSmall, colors.muted);
    }
    if (!offer.empty()) {
      const ButtonLook look{.text = offer,
                            .tooltip =
                                "Cut the text to what the model reads; it is said beside "
                                "the sentence as long as it is cut",
                            .primary = true};
      const float down = card.y + card.height - ui->Px(12.0F) - ui->Px(32.0F);
      if (Button(ui, "use first tokens", {x, down, ButtonWidth(*ui, look), ui->Px(32.0F)}, look)) {
        ui->Do(UseFirstTokens{});
      }
    }
    const float close = ui->Px(28.0F);
    if (Button(ui,
               "dismiss",
               {card.x + card.width - close - ui->Px(4.0F), card.y + ui->Px(4.0F), close, close},
               {.text = "×", .tooltip = "Put this away (Esc)", .bare = true})) {
      ui->Do(DismissNotice{notice.place});
    }
    EndScroll();
    y += height + ui->Px(10.0F);
  }
}

float DrawOutdatedNote(Ui* ui, const Rect& area) {
  const std::string note = OutdatedNote(ui->state);
  const bool comes = !ui->state.pending.layers.empty();
  if (note.empty() || (comes && !StaleTooLong(*ui))) {
    return 0.0F;
  }
  const float pad = ui->Px(16.0F);
  const float width = area.width - 2.0F * pad;
  const float text = ParagraphHeight(*ui, note, width, Type::kBody);
  const float height = text + ui->Px(14.0F);
  FillRect(*ui, {area.x, area.y, area.width, height}, ui->colors().raised, 0.0F);
  FillRect(*ui, {area.x, area.y, ui->Px(4.0F), height}, kTrouble, 0.0F);
  DrawParagraph(
      *ui, area.x + pad, area.y + ui->Px(7.0F), width, note, Type::kBody, ui->colors().text);
  return height;
}

void DrawEmpty(Ui* ui, const Rect& area) {
  const ThemeColors& colors = ui->colors();
  const AppState& state = ui->state;
  const float width = std::min(ui->Px(460.0F), area.width - ui->Px(32.0F));
  const float x = area.x + (area.width - width) / 2.0F;
  float y = area.y + area.height * 0.3F;
  if (!state.opening_folder.empty() || !state.pending.layers.empty()) {
    const bool generates = HasTargetQueries(PartInView(state)) &&
                           state.pending.encoding != nullptr && state.pending.target == nullptr;
    DrawText(*ui,
             x,
             y,
             generates ? "Generating the target …" : "Computing the first picture …",
             Type::kBody,
             colors.muted);
    return;
  }
  const bool lacks_target = HasTargetQueries(PartInView(state)) && state.shown.request != 0 &&
                            state.shown.target == nullptr;
  if (lacks_target) {
    DrawText(*ui, x, y, "No target to read", Type::kTitle, colors.text);
    DrawParagraph(*ui,
                  x,
                  y + ui->Px(40.0F),
                  width,
                  "This file holds no output layer to generate a target with. Type one in the "
                  "target's box above (Ctrl T), or look at the encoder (P).",
                  Type::kBody,
                  colors.muted);
    return;
  }
  if (state.model != nullptr && state.model->reads_embeddings()) {
    DrawText(*ui, x, y, "Embeddings to look at", Type::kTitle, colors.text);
    y += ui->Px(40.0F);
    y += DrawParagraph(*ui,
                       x,
                       y,
                       width,
                       fmt::format("An attention module reads embeddings, not text. Drop an .npy "
                                   "file [n,{}] here, or choose one.",
                                   state.model->description.model_dim),
                       Type::kBody,
                       colors.muted);
    const ButtonLook choose{.text = "Embeddings …", .tooltip = "The files to run the module on"};
    const Rect rect{x, y + ui->Px(16.0F), ButtonWidth(*ui, choose), ui->Px(34.0F)};
    if (Button(ui, "choose embeddings", rect, choose)) {
      ui->memory->popup_anchor = rect;
      ui->Do(OpenPopup{Popup::kEmbeddings});
    }
    return;
  }
  if (state.model != nullptr) {
    DrawText(*ui, x, y, "Nothing to show yet", Type::kTitle, colors.text);
    DrawParagraph(*ui,
                  x,
                  y + ui->Px(40.0F),
                  width,
                  "Type a sentence above, or choose one from Samples.",
                  Type::kBody,
                  colors.muted);
    return;
  }
  DrawText(*ui, x, y, "Open a model", Type::kTitle, colors.text);
  y += ui->Px(40.0F);
  y += DrawParagraph(*ui,
                     x,
                     y,
                     width,
                     "Drop a Hugging Face folder here (config.json, model.safetensors, "
                     "tokenizer.json), or choose one from the menu at the top left.",
                     Type::kBody,
                     colors.muted);
  y += ui->Px(16.0F);
  const ButtonLook look{.text = "Models …", .tooltip = "Bundled and recent models, or a path (M)"};
  const Rect rect{x, y, ButtonWidth(*ui, look), ui->Px(34.0F)};
  if (Button(ui, "open a model", rect, look)) {
    ui->memory->popup_anchor = rect;
    ui->Do(OpenPopup{Popup::kModels});
  }
}

}  // namespace headscope
