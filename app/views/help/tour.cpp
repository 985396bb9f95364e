// A tour of the window in under a minute: a card beside what it speaks of, and the rest darker. Enter or
// an arrow leads on, Esc ends it; everything can be used meanwhile.
#include "app/views/help/tour.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/kit/keys.h"
#include "app/views/kit/pen.h"
#include "app/views/kit/widgets.h"
#include "app/views/panels.h"
#include "app/views/screens.h"

namespace headscope {
namespace {

enum class TourTarget { kMiddle, kSentence, kDetail, kRail, kTop };

struct TourStop {
  TourTarget target;
  const char* screen;
  const char* title;
  const char* words;
};

constexpr auto kStops = std::to_array<TourStop>({
    {TourTarget::kMiddle,
     "inspect",
     "All heads at once",
     "Each small map is one attention head on the sentence above. A row is a word that looks, a column a word that is looked at, "
     "and bright is a large weight. Roles stand below the maps."},
    {TourTarget::kSentence,
     "inspect",
     "Your own sentence",
     "Type here: the maps follow with every letter. Samples (S) are sentences that show something."},
    {TourTarget::kDetail,
     "inspect",
     "One head in full",
     "Point at any map to see it large, click to keep it. Point at a cell for its two words and the exact weight. Lines, "
     "Arcs and Text show the same weights in other ways."},
    {TourTarget::kMiddle,
     "inspect",
     "Does it matter?",
     "Press X over a map: that head is taken away, and the later maps, the next word and the loss follow. X puts it back."},
    {TourTarget::kMiddle,
     "counts",
     "What does the number of heads change?",
     "Counts (2) cuts one layer into 1, 2, 4, ... heads: the same weights, other maps. W goes through the layer matrix by "
     "matrix."},
    {TourTarget::kMiddle,
     "heads",
     "Which heads do what?",
     "Heads (3) scores every head on test texts. A score stands beside its chance level, its control and its error: a "
     "number without them is no evidence."},
    {TourTarget::kRail,
     "inspect",
     "Two things side by side, and how heads form",
     "Compare (4) sets texts, models or training steps side by side. Train (7) trains small models here and shows their heads "
     "as they form."},
    {TourTarget::kTop,
     "inspect",
     "Take it with you",
     "Ctrl E saves a figure, a page or numbers; Ctrl S keeps all of it for later. ? answers questions, and Ctrl Shift P "
     "finds everything by its name."},
});

Rect TargetOf(const Ui& ui, TourTarget target) {
  const WindowLayout& at = ui.layout;
  switch (target) {
    case TourTarget::kSentence: {
      const Rect& box = ui.memory->sentence_place;
      return box.width > 0.0F ? box : at.top;
    }
    case TourTarget::kDetail:
      return at.detail.width > 0.0F ? at.detail : at.middle_visible;
    case TourTarget::kRail:
      return at.rail;
    case TourTarget::kTop:
      return at.top;
    case TourTarget::kMiddle:
      return at.middle_visible;
  }
  return at.window;
}

// Beside the target, where there is room; else in the middle of its lower part.
Rect PlaceOfCard(const Ui& ui, const Rect& target, float width, float height) {
  const Rect& window = ui.layout.window;
  const float gap = ui.Px(16.0F);
  const float middle_y = target.y + (target.height - height) / 2.0F;
  const float middle_x = target.x + (target.width - width) / 2.0F;
  std::array<Rect, 4> places = {{{target.x + target.width + gap, middle_y, width, height},
                                 {target.x - gap - width, middle_y, width, height},
                                 {middle_x, target.y + target.height + gap, width, height},
                                 {middle_x, target.y - gap - height, width, height}}};
  const bool is_line = target.width > 3.0F * target.height;  // best read from below
  if (is_line) {
    std::ranges::rotate(places, places.begin() + 2);
  }
  for (Rect place : places) {
    place.y = std::clamp(place.y, gap, std::max(gap, window.height - height - gap));
    const Rect common = Intersection(place, target);
    const bool is_apart = common.width <= 0.0F || common.height <= 0.0F;
    if (is_apart && place.x >= gap && place.x + width <= window.width - gap) {
      return place;
    }
  }
  return {std::clamp(middle_x, gap, std::max(gap, window.width - width - gap)),
          std::max(gap, target.y + target.height - height - 2.0F * gap),
          width,
          height};
}

void DrawAround(const Ui& ui, const Rect& target) {
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const Rect& window = ui.layout.window;
  const std::uint32_t shade = ToImGui(RgbOf(0x000000), 0.5F);
  const float right = target.x + target.width;
  const float bottom = target.y + target.height;
  list->PushClipRectFullScreen();
  list->AddRectFilled({0.0F, 0.0F}, {window.width, target.y}, shade);
  list->AddRectFilled({0.0F, bottom}, {window.width, window.height}, shade);
  list->AddRectFilled({0.0F, target.y}, {target.x, bottom}, shade);
  list->AddRectFilled({right, target.y}, {window.width, bottom}, shade);
  list->AddRect({target.x, target.y},
                {right, bottom},
                ToImGui(ui.colors().accent),
                ui.Px(4.0F),
                0,
                ui.Px(2.0F));
  list->PopClipRect();
}

}  // namespace

std::vector<Action> ActionsOfTour(const AppState& state, std::size_t stop) {
  if (stop >= kStops.size()) {
    return {SetTour{std::nullopt}};
  }
  std::vector<Action> actions = {SetTour{stop}, SetScreen{&ScreenNamed(kStops[stop].screen).kind}};
  // A narrow window has the large map on a sheet.
  const bool wants_sheet = kStops[stop].target == TourTarget::kDetail;
  if (state.sheet_open != wants_sheet) {
    actions.emplace_back(ShowSheet{wants_sheet});
  }
  return actions;
}

void GoToTourStop(Ui* ui, std::size_t stop) {
  for (Action& action : ActionsOfTour(ui->state, stop)) {
    ui->Do(std::move(action));
  }
}

void TakeTourKeys(Ui* ui) {
  const std::optional<std::size_t> stop = ui->state.tour;
  if (!stop || ui->state.dialogs.popup != Popup::kNone || ui->memory->fields.has_focus()) {
    return;
  }
  const auto take = [ui](Key key) {
    return std::erase_if(ui->keys, [key](const KeyPress& press) { return press.key == key; }) > 0;
  };
  if (take(Key::kEscape)) {
    GoToTourStop(ui, kStops.size());
  } else if (take(Key::kEnter) || take(Key::kRight)) {
    GoToTourStop(ui, *stop + 1);
  } else if (take(Key::kLeft) && *stop > 0) {
    GoToTourStop(ui, *stop - 1);
  }
}

void DrawTour(Ui* ui) {
  const AppState& state = ui->state;
  if (!state.tour || *state.tour >= kStops.size() || state.dialogs.popup != Popup::kNone ||
      state.presenting) {
    return;
  }
  const TourStop& stop = kStops[*state.tour];
  const ThemeColors& colors = ui->colors();
  const Rect target = TargetOf(*ui, stop.target);
  const float pad = ui->Px(18.0F);
  const float width = std::min(ui->Px(360.0F), ui->layout.window.width - ui->Px(40.0F));
  const float inner = width - 2.0F * pad;
  const float words = ParagraphHeight(*ui, stop.words, inner, Type::kBody);
  const float title = ParagraphHeight(*ui, stop.title, inner, Type::kBold);
  const float height = 2.0F * pad + title + ui->Px(8.0F) + words + ui->Px(14.0F) + ui->Px(32.0F);
  const Rect card = PlaceOfCard(*ui, target, width, height);
  ImGui::SetNextWindowPos({card.x, card.y});
  ImGui::SetNextWindowSize({card.width, card.height});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0.0F, 0.0F));
  ImGui::Begin("tour",
               nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::PopStyleVar();
  DrawAround(*ui, target);
  FillRect(*ui, card, colors.raised, 10.0F);
  FrameRect(*ui, card, colors.line, 10.0F);
  float y = card.y + pad;
  DrawParagraph(*ui, card.x + pad, y, inner, stop.title, Type::kBold, colors.text);
  y += title + ui->Px(8.0F);
  DrawParagraph(*ui, card.x + pad, y, inner, stop.words, Type::kBody, colors.text);
  y += words + ui->Px(14.0F);
  Row row(ui, {card.x + pad, y, inner, ui->Px(32.0F)});
  const bool is_last = *state.tour + 1 == kStops.size();
  std::optional<std::size_t> next;
  const auto button = [&](const char* id, const ButtonLook& look, std::size_t to) {
    if (Button(ui, id, row.Right(ButtonWidth(*ui, look)), look)) {
      next = to;
    }
    row.SkipRight(8.0F);
  };
  button("tour next", {.text = is_last ? "Done" : "Next", .primary = true}, *state.tour + 1);
  if (*state.tour > 0) {
    button("tour back", {.text = "Back"}, *state.tour - 1);
  }
  if (!is_last) {
    button("tour end", {.text = "End", .bare = true}, kStops.size());
  }
  row.Text(fmt::format("{} of {}", *state.tour + 1, kStops.size()), Type::kSmall, colors.muted);
  ImGui::End();
  if (next) {
    GoToTourStop(ui, *next);
  }
}

}  // namespace headscope
