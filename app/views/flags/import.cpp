// Flags from a file: what would change, and what a person decides.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/flags/files.h"
#include "app/state/queries.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/keys.h"
#include "app/views/kit/popups.h"
#include "app/views/kit/widgets.h"
#include "app/views/panels.h"
#include "core/base/counted.h"

namespace headscope {
namespace {

std::string Says(const HeadFlag& flag) {
  if (flag.role.empty()) {
    return "no flag";
  }
  return flag.note.empty() ? flag.role : fmt::format("{}: {}", flag.role, Beginning(flag.note, 80));
}

void DrawListInFlagImport(Ui* ui, const char* words, const std::vector<HeadIndex>& heads) {
  if (!heads.empty()) {
    SmallParagraph(
        ui, fmt::format("{} {}: {}", heads.size(), words, NamesOf(heads)), ui->colors().text);
  }
}

// Both sides of a head, the chosen one filled.
void DrawConflict(Ui* ui, const FlagConflict& conflict) {
  const auto& decided = ui->state.flag_files.importing.takes_theirs;
  const auto found = decided.find(conflict.head);
  const bool is_decided = found != decided.end();
  ImGui::PushID(HeadName(conflict.head).c_str());
  Heading(ui, HeadName(conflict.head));
  const std::string mine = "yours: " + Says(conflict.mine);
  const std::string theirs = "theirs: " + Says(conflict.theirs);
  if (DialogButton(ui, mine.c_str(), is_decided && !found->second)) {
    ui->Do(DecideConflict{conflict.head, false});
  }
  const ImGuiStyle& style = ImGui::GetStyle();
  const float width = ImGui::CalcTextSize(theirs.c_str()).x + 2.0F * style.FramePadding.x;
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - style.WindowPadding.x;
  if (ImGui::GetItemRectMax().x + style.ItemSpacing.x + width <= right) {
    ImGui::SameLine();
  }
  if (DialogButton(ui, theirs.c_str(), is_decided && found->second)) {
    ui->Do(DecideConflict{conflict.head, true});
  }
  ImGui::PopID();
}

void DrawConflicts(Ui* ui, const ImportPlan& plan) {
  const std::vector<FlagConflict>& conflicts = plan.merge.conflicts;
  if (conflicts.empty()) {
    return;
  }
  const std::string what =
      ui->state.flag_files.importing.is_other_window
          ? "Another window flagged the same, and differently, since this one read the file."
          : fmt::format("{} changed on both sides{}.",
                        Counted(conflicts.size(), "head"),
                        plan.has_base ? "" : ", or nobody knows who changed it");
  SmallParagraph(ui, what + " Which one stays?", ui->colors().text);
  const float line = ImGui::GetFrameHeightWithSpacing() + ImGui::GetTextLineHeightWithSpacing();
  const float most = ui->layout.window.height * 0.4F;
  const float height = std::min(most, line * 1.2F * static_cast<float>(conflicts.size()));
  ImGui::BeginChild("conflicts", {0.0F, height}, false);
  for (const FlagConflict& conflict : conflicts) {
    DrawConflict(ui, conflict);
  }
  ImGui::EndChild();
  if (conflicts.size() > 1) {
    if (DialogButton(ui, "All yours", false)) {
      ui->Do(DecideConflict{{}, false});
    }
    ImGui::SameLine();
    if (DialogButton(ui, "All theirs", false)) {
      ui->Do(DecideConflict{{}, true});
    }
  }
}

void DrawOtherModel(Ui* ui, const ImportPlan& plan, const FlagFile& file) {
  SmallParagraph(
      ui,
      fmt::format("These flags are of {}, another model. {} will stand here as {}, "
                  "marked so; you accept or reject each in Heads.{}",
                  file.model_name,
                  Counted(plan.suggested.size(), "flag"),
                  plan.suggested.size() == 1 ? "a suggestion" : "suggestions",
                  plan.left_out == 0 ? ""
                                     : fmt::format(" Left out: {} that this model has not.",
                                                   Counted(plan.left_out, "head"))),
      ui->colors().text);
}

void DrawOwnModel(Ui* ui, const ImportPlan& plan, const FlagFile& file) {
  if (file.model_fingerprint.empty()) {
    SmallParagraph(ui,
                   "The file does not say which model its flags are of; they are taken as this "
                   "one's.",
                   ui->colors().muted);
  }
  DrawListInFlagImport(ui, "new", plan.merge.added);
  DrawListInFlagImport(ui, "changed by them", plan.merge.changed);
  DrawListInFlagImport(ui, "taken away by them", plan.merge.removed);
  DrawListInFlagImport(ui, "only yours, which stay", plan.merge.kept);
  DrawListInFlagImport(ui, "the same on both sides", plan.merge.same);
  DrawConflicts(ui, plan);
  if (plan.merge.changes.empty() && plan.merge.conflicts.empty()) {
    SmallParagraph(ui, "Nothing changes.", ui->colors().text);
  }
}

}  // namespace

void DrawFlagImport(Ui* ui) {
  const FlagImportDraft& draft = ui->state.flag_files.importing;
  const ImportPlan plan = PlanImport(ui->state);
  const bool is_read = draft.file != nullptr;
  if (draft.is_other_window) {
    Heading(ui, "Two windows on " + draft.path.filename().string());
    DrawConflicts(ui, plan);
  } else if (is_read) {
    const FlagFile& file = *draft.file;
    Heading(ui, "Flags of " + FromWords(file.author, draft.path.filename().string(), file.date));
    if (plan.fault.empty()) {
      plan.is_other_model ? DrawOtherModel(ui, plan, file) : DrawOwnModel(ui, plan, file);
    }
  } else {
    Heading(ui, "Import flags");
  }
  if (!plan.fault.empty()) {
    SmallParagraph(ui, plan.fault, ui->colors().text);
  } else if (!is_read) {
    SmallParagraph(ui, "reading …", ui->colors().muted);
  }
  ImGui::Dummy({1.0F, ui->Px(2.0F)});
  const bool can_take = is_read && plan.can_take();
  if (is_read && plan.fault.empty() &&
      (DialogButton(ui, draft.is_other_window ? "Keep" : "Import", true, can_take) ||
       (IsPressed(*ui, Key::kEnter) && can_take))) {
    ui->Do(TakeFlagImport);
  }
  if (is_read && plan.fault.empty()) {
    ImGui::SameLine();
  }
  if (DialogButton(ui, can_take ? "Cancel" : "Close", false)) {
    ui->Do(ClosePopup);
  }
  if (plan.undecided > 0) {
    SmallParagraph(
        ui, fmt::format("{} to decide.", Counted(plan.undecided, "conflict")), ui->colors().muted);
  } else if (can_take && !draft.is_other_window) {
    SmallParagraph(ui, "Ctrl Z takes the whole import back.", ui->colors().muted);
  }
}

}  // namespace headscope
