// Rows in Compare's Patching: where the words are asked, and which rows of heads are taken over.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/compare/patching.h"
#include "app/views/compare/panels.h"
#include "app/views/kit/flow.h"
#include "app/views/kit/popups.h"
#include "app/views/panels.h"
#include "core/model/masked_output.h"

namespace headscope {
namespace {

std::string_view AskedWhere(const AppState& state) {
  const bool is_masked = state.model != nullptr && IsMasked(state.model->description);
  return is_masked ? "at" : "after";
}

// The token that words are asked at, by its place; -1: there is none.
int AskedToken(const AppState& state, std::size_t tokens) {
  const PatchInView view = PatchedLayers(state);
  const std::int64_t last = static_cast<std::int64_t>(tokens) - 1;
  const std::int64_t row = view.patched != nullptr && !view.is_old
                               ? view.patched->row
                               : state.compare.patch_look.row.value_or(last);
  return static_cast<int>(std::min(row, last));
}

// Tokens as buttons, in as many lines as they need. Returns the index of the pressed one, or -1.
int TokenChoices(
    Ui* ui, const char* id, std::span<const std::string> names, int chosen, bool enabled) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  Flow flow(ui, {at.x, at.y, ImGui::GetContentRegionAvail().x, 0.0F}, 38.0F);
  int pressed = -1;
  ImGui::PushID(id);
  for (int i = 0; i < static_cast<int>(names.size()); ++i) {
    const std::string name = fmt::format("{}", i);
    if (flow.Button(name.c_str(),
                    {.text = names[static_cast<std::size_t>(i)],
                     .type = Type::kMonoSmall,
                     .active = i == chosen,
                     .enabled = enabled})) {
      pressed = i;
    }
  }
  ImGui::PopID();
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({1.0F, flow.height()});
  return pressed;
}

}  // namespace

void DrawPatchRows(Ui* ui, Flow* flow) {
  const auto row = PatchedRow(ui->state);
  flow->PopupButton(
      "patched rows",
      {.text = row ? fmt::format("Row {} alone", *row) : std::string("All rows"),
       .tooltip = fmt::format("Which rows of heads are taken over: all, or that of one token; and "
                              "{} which token the words are asked",
                              AskedWhere(ui->state)),
       .active = row.has_value()},
      Popup::kPatchRows);
}

void DrawPatchRowsMenu(Ui* ui) {
  const AppState& state = ui->state;
  PatchLook look = state.compare.patch_look;
  const bool is_of_file = !look.file.path.empty();
  std::vector<std::string> names = PatchRowNames(state);
  if (is_of_file) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      names[i] = fmt::format("{}", i);  // every pair has words of its own
    }
  }
  names.insert(names.begin(), "all rows");
  Heading(ui, "Taken over of each head");
  const auto row = PatchedRow(state);
  const bool follows = FollowsPaths(state);
  const int taken =
      TokenChoices(ui, "rows taken", names, row ? static_cast<int>(*row) + 1 : 0, !follows);
  if (taken >= 0) {
    look.at = taken > 0 ? std::optional<std::int64_t>(taken - 1) : std::nullopt;
    ui->Do(SetPatchLook{look});
    ui->Do(ClosePopup);
  }
  SmallParagraph(
      ui,
      follows      ? "Along direct paths all rows of a head are sent."
      : is_of_file ? "The row of that number in each pair. Of keys and values it is a key's."
      : state.model != nullptr && state.model->has_decoder()
          ? "A row of the text in the encoder and of the target in the decoder; heads without such "
            "a row have no share. Of keys and values it is a key's."
          : "A row of weights and outputs is a query's; of keys and values it is a key's.",
      ui->colors().muted);
  Heading(ui, fmt::format("The words are asked {}", AskedWhere(state)));
  if (is_of_file) {
    SmallParagraph(ui, "The last token of each pair, or the masked one.", ui->colors().muted);
    return;
  }
  const std::vector<std::string> asked = PatchAskedNames(state);
  const int token = TokenChoices(ui, "rows asked", asked, AskedToken(state, asked.size()), true);
  if (token >= 0) {
    look.row = token;
    ui->Do(SetPatchLook{look});
    ui->Do(ClosePopup);
  }
}

}  // namespace headscope
