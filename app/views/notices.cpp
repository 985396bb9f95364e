// Errors, as a card where the result would be; and what stands there when nothing is open.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"
#include "app/state/text/typed_ids.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/pen.h"
#include "app/views/panels.h"
#include "app/views/screens.h"

namespace headscope {
namespace {

constexpr Rgb kTrouble{0xD5, 0x5E, 0x00};

// In the order of the places.
constexpr auto kTitles = std::to_array<const char*>({
    "This model cannot be shown",
    "This text cannot be run",
    "This layer cannot be cut into other head counts",
    "The session file was left alone",
    "The picture was not saved",
    "This map cannot be made",
    "What to know of this file",
    "What to know of this model",
    "Flags of heads that this model does not have",
    "This session is open in two windows",
    "Your preferences are not kept",
    "Heads cannot be scored on this",
    "This figure is not kept",
    "A text, or texts to score heads on",
});
static_assert(kTitles.size() == static_cast<std::size_t>(ErrorPlace::kOffer) + 1);

const char* TitleOf(const AppState& state, ErrorPlace place) {
  return place == ErrorPlace::kText && !state.input.embeddings.empty()
             ? "These embeddings cannot be run"
             : kTitles.at(static_cast<std::size_t>(place));
}

constexpr float kCardPad = 16.0F;      // unscaled, as what follows
constexpr float kNoticeTitle = 34.0F;  // with the space above it
constexpr float kBelow = 12.0F;
constexpr float kOffer = 40.0F;
constexpr float kStrip = 4.0F;
constexpr float kClose = 28.0F;
constexpr float kBetween = 10.0F;

bool IsOnScreen(const AppState& state, const Notice& notice) {
  return notice.place != ErrorPlace::kExport &&
         (notice.place != ErrorPlace::kCounts ||
          state.screen->subject == ScreenSubject::kHeadCounts);
}

std::string OfferOf(const Notice& notice) {
  return notice.first_tokens > 0 ? fmt::format("Use the first {} tokens", notice.first_tokens)
         : !notice.probe.empty() ? "Score heads on it"
                                 : "";
}

bool ShowsOldPicture(const AppState& state, const Notice& notice) {
  return notice.place == ErrorPlace::kModel && state.shown.request != 0 && !IsOutdated(state);
}

// Cards of one width, each with at most so many lines of its sentence; 0: all of them.
class NoticeCards {
 public:
  NoticeCards(Ui* ui, const Rect& area) : ui_(*ui) {
    const float pad = ui->Px(kCardPad);
    width_ = std::min(ui->Px(640.0F), area.width - 2.0F * pad);
    words_ = std::max(ui->Px(40.0F), width_ - 2.0F * pad - ui->Px(2.0F * kStrip));
    room_ = {area.x + (area.width - width_) / 2.0F,
             area.y + pad,
             width_,
             std::max(0.0F, area.height - 2.0F * pad)};
    for (const Notice& notice : ui->state.notices) {
      if (IsOnScreen(ui->state, notice)) {
        shown_.push_back(&notice);
      }
    }
    Fit();
  }

  void Draw() {
    float y = room_.y;
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      const Rect card{room_.x, y, width_, std::min(Height(*shown_[i]), room_.y + room_.height - y)};
      DrawCard(*shown_[i], card, i + 1 == shown_.size() ? behind_ : 0);
      y += card.height + ui_.Px(kBetween);
    }
  }

  // From the top of the area to below the last card; 0: there is none.
  [[nodiscard]] float height() const {
    float height = 0.0F;
    for (const Notice* const notice : shown_) {
      height += Height(*notice) + ui_.Px(kBetween);
    }
    return shown_.empty() ? 0.0F : std::min(height, room_.height) + ui_.Px(kCardPad);
  }

 private:
  [[nodiscard]] float WordsHeight(const Notice& notice, int lines) const {
    return ParagraphHeight(ui_, notice.sentence, words_, Type::kBody, lines);
  }
  [[nodiscard]] float Height(const Notice& notice) const {
    return ui_.Px(kNoticeTitle) + WordsHeight(notice, lines_) + ui_.Px(kBelow) +
           (ShowsOldPicture(ui_.state, notice) ? LineHeight(ui_, Type::kSmall) + ui_.Px(6.0F)
                                               : 0.0F) +
           (OfferOf(notice).empty() ? 0.0F : ui_.Px(kOffer));
  }
  [[nodiscard]] bool Fits() const {
    float height = -ui_.Px(kBetween);
    for (const Notice* const notice : shown_) {
      height += Height(*notice) + ui_.Px(kBetween);
    }
    return height <= room_.height;
  }

  // Sentences are cut first, then the older notices stand behind the newest.
  void Fit() {
    constexpr int kMostLines = 8;
    for (lines_ = 0; !Fits() && lines_ != 1;) {
      lines_ = lines_ == 0 ? kMostLines : lines_ - 1;
    }
    while (!Fits() && shown_.size() > 1) {
      shown_.erase(shown_.begin());
      ++behind_;
    }
  }

  void DrawCard(const Notice& notice, const Rect& card, int behind) {
    const ThemeColors& colors = ui_.colors();
    const char* const title = TitleOf(ui_.state, notice.place);
    // A child of its own, so that it lies over the grid and takes its clicks.
    BeginScroll(title, card);
    DrawGround(notice, card);
    Pen pen{&ui_, card.x + ui_.Px(kCardPad + kStrip), card.y + ui_.Px(kNoticeTitle), words_};
    const float close = ui_.Px(kClose);
    DrawText(ui_,
             pen.x,
             card.y + ui_.Px(kBelow - 2.0F),
             behind == 0 ? std::string(title) : fmt::format("{} · {} more", title, behind),
             Type::kBold,
             colors.text,
             std::max(ui_.Px(20.0F), card.x + card.width - close - ui_.Px(12.0F) - pen.x));
    const float words = WordsHeight(notice, lines_);
    if (words < WordsHeight(notice, 0)) {
      Area(&ui_, "the whole sentence", {pen.x, pen.y, words_, words}, notice.sentence);
    }
    pen.Paragraph(notice.sentence, Type::kBody, colors.text, lines_);
    if (ShowsOldPicture(ui_.state, notice)) {
      pen.Skip(4.0F);
      pen.Text("This is still the previous picture.", Type::kSmall, colors.muted, 0.0F);
    }
    DrawOffer(notice, pen.x, card.y + card.height);
    if (Button(&ui_,
               "dismiss",
               {card.x + card.width - close - ui_.Px(4.0F), card.y + ui_.Px(4.0F), close, close},
               {.text = "×", .tooltip = "Put this away (Esc)", .bare = true})) {
      ui_.Do(DismissNotice{notice.place});
    }
    EndScroll();
  }

  // The strip at the left has the card's own corners.
  void DrawGround(const Notice& notice, const Rect& card) {
    constexpr float kRadius = 7.0F;
    const ThemeColors& colors = ui_.colors();
    const bool is_quiet = notice.place == ErrorPlace::kShared ||
                          notice.place == ErrorPlace::kModelNote ||
                          notice.place == ErrorPlace::kOffer;
    FillRect(ui_, card, is_quiet ? colors.accent : kTrouble, kRadius);
    ImGui::GetWindowDrawList()->AddRectFilled({card.x + ui_.Px(kStrip), card.y},
                                              {card.x + card.width, card.y + card.height},
                                              ToImGui(colors.raised),
                                              ui_.Px(kRadius),
                                              ImDrawFlags_RoundCornersRight);
    FrameRect(ui_, card, colors.line, kRadius);
  }

  void DrawOffer(const Notice& notice, float x, float bottom) {
    const std::string offer = OfferOf(notice);
    if (offer.empty()) {
      return;
    }
    const bool is_cut = notice.first_tokens > 0;
    const ButtonLook look{.text = offer,
                          .tooltip = is_cut ? "Cut the text to what the model reads; it is said "
                                              "beside the sentence as long as it is cut"
                                            : "Opens Heads, where the scores are shown",
                          .primary = true};
    const float down = bottom - ui_.Px(kBelow) - ui_.Px(32.0F);
    const Rect place{x, down, std::min(ButtonWidth(ui_, look), words_), ui_.Px(32.0F)};
    if (Button(&ui_, "take the offer", place, look)) {
      ui_.Do(is_cut ? Action(UseFirstTokens)
                    : Action(DropProbe{notice.probe, &ScreenNamed("heads").kind}));
    }
  }

  Ui& ui_;
  Rect room_;
  float width_ = 0.0F;
  float words_ = 0.0F;  // the width of a sentence
  int lines_ = 0;
  int behind_ = 0;
  std::vector<const Notice*> shown_;
};

// What notices may take of an area; where there are no maps, the way to some stands below them.
Rect RoomForNotices(const Ui& ui, Rect area) {
  constexpr float kLeast = 120.0F;
  constexpr float kShare = 0.45F;
  const bool is_empty = ui.state.screen->subject != ScreenSubject::kNothing &&
                        SelectedLayer(ui.state).layer == nullptr;
  area.height *= is_empty ? kShare : 1.0F;
  const bool has_room = area.width >= ui.Px(kLeast) && area.height >= ui.Px(kNoticeTitle);
  return has_room ? area : Rect{};
}

}  // namespace

void DrawNotices(Ui* ui, const Rect& area) {
  if (const Rect room = RoomForNotices(*ui, area); room.height > 0.0F) {
    NoticeCards(ui, room).Draw();
  }
}

namespace {

// A band of words across the width of the pen.
void DrawBand(Pen* pen, const std::string& note) {
  Ui* const ui = pen->ui;
  const float pad = ui->Px(16.0F);
  Pen words = pen->Part(pad, pen->width - 2.0F * pad);
  words.Skip(7.0F);
  const Rect band = pen->Take(ParagraphHeight(*ui, note, words.width, Type::kBody) + ui->Px(14.0F));
  FillRect(*ui, band, ui->colors().raised, 0.0F);
  FillRect(*ui, {band.x, band.y, ui->Px(4.0F), band.height}, kTrouble, 0.0F);
  words.Paragraph(note, Type::kBody, ui->colors().text);
}

// What is missing, and in words what to do about it.
void DrawMissing(Pen* pen, std::string_view title, std::string_view words) {
  pen->Text(title, Type::kTitle, pen->ui->colors().text, 40.0F);
  pen->Paragraph(words, Type::kBody, pen->ui->colors().muted);
  pen->Skip(16.0F);
}

// Token ids in place of a text, and some to begin with.
void DrawIdsWanted(Pen* pen) {
  const ModelInfo& model = *pen->ui->state.model;
  DrawMissing(
      pen, "Token ids to look at", ReadsNoTextWords(model) + " Heads (3) scans the model without.");
  const std::vector<std::int32_t> ids = RandomRepeat(model.description);
  if (ids.empty()) {
    return;
  }
  const std::size_t marks = model.description.begin_id ? 1 : 0;
  const std::string words = fmt::format("Repeat {} random tokens", (ids.size() - marks) / 2);
  if (pen->Line(34.0F).Button(
          "random ids",
          {.text = words,
           .tooltip = "Different ids of the vocabulary, drawn by chance, twice: in the second half "
                      "a head that looks for what came before shows it",
           .primary = true})) {
    pen->ui->Do(EditText{IdsInWords(ids)});
  }
}

}  // namespace

void DrawOutdatedNote(Pen* pen) {
  const std::string note = OutdatedNote(pen->ui->state);
  const bool comes = !pen->ui->state.pending.layers.empty();
  if (!note.empty() && (!comes || StaleTooLong(*pen->ui))) {
    DrawBand(pen, note);
  }
}

void DrawTokenizerNote(Pen* pen) {
  const AppState& state = pen->ui->state;
  if (state.model != nullptr && !state.model->tokenizer_fault.empty() &&
      state.opening_folder.empty() && !AwaitsChoice(state)) {
    DrawBand(pen, ReadsNoTextWords(*state.model));
  }
}

void DrawEmpty(Ui* ui, const Rect& whole) {
  constexpr float kCard = 200.0F;
  Rect area = whole;  // what the notices leave of it
  if (const Rect room = RoomForNotices(*ui, whole); room.height > 0.0F) {
    const float taken = NoticeCards(ui, room).height();
    area.y += taken;
    area.height = std::max(0.0F, area.height - taken);
  }
  const AppState& state = ui->state;
  const float width = std::min(ui->Px(460.0F), area.width - ui->Px(32.0F));
  Pen pen{ui,
          area.x + (area.width - width) / 2.0F,
          area.y + std::clamp(area.height - ui->Px(kCard), 0.0F, area.height * 0.3F),
          width};
  const auto offer = [&](const char* id, const ButtonLook& look, Popup popup) {
    PopupButton(ui, id, pen.Line(34.0F).Left(ButtonWidth(*ui, look)), look, popup);
  };
  if (!state.opening_folder.empty() || !state.pending.layers.empty()) {
    const bool generates = HasTargetQueries(PartInView(state)) &&
                           state.pending.encoding != nullptr && state.pending.target == nullptr;
    pen.Text(generates ? "Generating the target …" : "Computing the first picture …",
             Type::kBody,
             ui->colors().muted,
             0.0F);
    return;
  }
  const bool lacks_target = HasTargetQueries(PartInView(state)) && state.shown.request != 0 &&
                            state.shown.target == nullptr;
  if (lacks_target) {
    DrawMissing(&pen,
                "No target to read",
                "This file holds no output layer to generate a target with. Type one in the "
                "target's box above (Ctrl T), or look at the encoder (P).");
  } else if (state.model == nullptr) {
    DrawMissing(&pen,
                "Open a model",
                "Drop a Hugging Face folder here (config.json, model.safetensors, "
                "tokenizer.json), or choose one from the menu at the top left.");
    offer("open a model",
          {.text = "Models …", .tooltip = "Bundled and recent models, or a path (M)"},
          Popup::kModels);
  } else if (state.model->reads_embeddings()) {
    DrawMissing(&pen,
                "Embeddings to look at",
                fmt::format("An attention module reads embeddings, not text. Drop an .npy file "
                            "[n,{}] here, or choose one.",
                            state.model->description.model_dim));
    offer("choose embeddings",
          {.text = "Embeddings …", .tooltip = "The files to run the module on"},
          Popup::kEmbeddings);
  } else if (state.model->reads_ids_alone()) {
    DrawIdsWanted(&pen);
  } else {
    DrawMissing(&pen, "Nothing to show yet", "Type a sentence above, or choose one from Samples.");
  }
}

}  // namespace headscope
