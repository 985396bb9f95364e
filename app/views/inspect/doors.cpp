// Where a person may begin, above the grid on a first start.
#include <algorithm>
#include <array>
#include <vector>

#include "app/views/help/tour.h"
#include "app/views/inspect/panels.h"
#include "app/views/kit/pen.h"
#include "app/views/kit/popups.h"
#include "app/views/panels.h"
#include "app/views/screens.h"

namespace headscope {
namespace {

struct Door {
  const char* title;
  const char* about;
  const char* screen;
  std::vector<Action> actions;  // there
};

std::array<Door, 3> AllDoors() {
  return {{{"Is the embedding cut in pieces?",
            "One layer, from one head to h heads, matrix by matrix",
            "counts",
            {ShowWalk{true}, ShowStage{WalkStage::kProject}}},
           {"Which heads do what?",
            "The heads of this model by their roles, each with its evidence",
            "heads",
            {SetHeadsView{HeadsView::kRoles}}},
           {"Open my model",
            "A folder, a file, or one from the Hugging Face cache",
            "inspect",
            {OpenPopup{Popup::kModels}}}}};
}

}  // namespace

float DrawDoors(Ui* ui, const Rect& area) {
  const float room = std::min(area.width, ui->layout.middle_visible.width);
  if (!ui->state.shows_doors || ui->state.presenting || room < ui->Px(420.0F) ||
      area.height < ui->Px(320.0F)) {
    return 0.0F;
  }
  std::array<Door, 3> doors = AllDoors();
  if (area.height < ui->Px(640.0F)) {  // the maps need the room
    for (Door& door : doors) {
      door.about = "";
    }
  }
  const float pad = ui->Px(14.0F);
  const float gap = ui->Px(10.0F);
  const float close = ui->Px(24.0F);
  const float width = (room - 2.0F * pad - 3.0F * gap - close) / 3.0F;
  float height = 0.0F;
  for (const Door& door : doors) {
    height = std::max(height, CardHeight(*ui, width, door.about));
  }
  float x = area.x + pad;
  for (const Door& door : doors) {
    Pen pen{ui, x, area.y + ui->Px(4.0F), width};
    if (DrawCard(&pen, door.title, door.about, height)) {
      ui->Do(ShowDoors{false});
      ui->memory->popup_anchor = UsualAnchor(*ui, Popup::kModels);
      ui->Do(SetScreen{&ScreenNamed(door.screen).kind});
      for (const Action& action : door.actions) {
        ui->Do(action);
      }
    }
    x += width + gap;
  }
  if (Button(ui,
             "put doors away",
             {x, area.y + ui->Px(4.0F), close, close},
             {.text = "×", .tooltip = "Put these away; ? above has all questions", .bare = true})) {
    ui->Do(ShowDoors{false});
  }
  const ButtonLook tour{.text = "Or: show me around, in under a minute",
                        .tooltip = "Eight cards, each beside what it speaks of; Esc ends them",
                        .type = Type::kSmall,
                        .bare = true};
  const Rect place{
      area.x + pad, area.y + height + ui->Px(8.0F), ButtonWidth(*ui, tour), ui->Px(24.0F)};
  if (Button(ui, "show me around", place, tour)) {
    ui->Do(ShowDoors{false});
    GoToTourStop(ui, 0);
  }
  return height + ui->Px(36.0F);
}

}  // namespace headscope
