// Sessions: saving what is on screen, and opening it again as it was.
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/files/dialog_parts.h"
#include "app/views/kit/popups.h"
#include "app/views/kit/widgets.h"
#include "app/views/panels.h"
#include "core/base/counted.h"

namespace headscope {
namespace {

constexpr std::size_t kMostText = 90;  // bytes of a session's text

std::string AboutSession(const SessionEntry& entry) {
  if (!entry.fault.empty()) {
    return entry.fault;
  }
  std::string about = fmt::format("{}. {}", entry.model, entry.day);
  if (entry.flags > 0) {
    about += ", " + Counted(entry.flags, "flag");
  }
  if (!entry.has_view) {
    about += "; without a view";
  }
  return entry.text.empty() ? about
                            : fmt::format("{}. “{}”", about, Beginning(entry.text, kMostText));
}

void DrawSessionList(Ui* ui) {
  const SessionList& sessions = ui->state.flag_files.sessions;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = sessions.entries.empty() ? 40.0F : 320.0F;
  BeginScroll("sessions", {at.x, at.y, ImGui::GetContentRegionAvail().x, ui->Px(height)});
  if (sessions.entries.empty()) {
    Heading(ui, sessions.is_read ? "None is saved yet." : "reading …");
  }
  for (const SessionEntry& entry : sessions.entries) {
    const bool is_open = entry.path == SessionInView(ui->state).path;
    if (MenuRow(ui,
                entry.path.c_str(),
                entry.path.stem().string() + (is_open ? " (open)" : ""),
                AboutSession(entry),
                is_open) &&
        entry.fault.empty()) {
      ui->Do(ClosePopup);
      ui->Do(OpenSession{entry.path});
    }
  }
  EndScroll();
  if (sessions.left_out > 0) {
    Heading(ui, fmt::format("and {} older: open them by File …", sessions.left_out));
  }
}

}  // namespace

void DrawSessions(Ui* ui) {
  Heading(ui, "Save what is on screen: model, text, flags, and how they are shown");
  const SaveDraft& draft = ui->state.flag_files.saving_session;
  std::string path = draft.path;
  if (PathField(ui,
                "session file",
                &path,
                FileWanted::kSessionPlace,
                {.hint = "/path/to/session.json",
                 .takes_keys = WhenOpened(*ui, TakesKeys::kNowSelected)})) {
    ui->Do(EditSessionSave{path});
  }
  std::string problem;
  if (ShownLayers(ui->state) == 0) {
    problem = "There are no maps yet.";
  } else if (!draft.path.ends_with(".json")) {
    problem = "Give the file a name that ends in .json.";
  }
  if (!problem.empty()) {
    SmallParagraph(ui, problem, ui->colors().text);
  }
  if (!ui->state.train.runs.empty()) {
    SmallParagraph(
        ui,
        fmt::format(
            "Runs of Train are held by their folders: they open again, paused, as long as they "
            "are among the newest {} that are kept. Save in Train writes one for good, as a "
            "folder that opens as a model.",
            kMostKeptRuns),
        ui->colors().muted);
  }
  const bool can_save = problem.empty() && !draft.is_writing && draft.done.empty();
  if (const auto overwrite = SaveButtons(ui, draft, can_save)) {
    ui->Do(SaveSessionAs{.overwrite = *overwrite});
  }
  if (!draft.done.empty()) {
    SmallParagraph(ui, "Flags and views are kept in it from now on.", ui->colors().muted);
  }
  ImGui::Dummy({1.0F, ui->Px(6.0F)});
  Heading(ui, "Or open one as it was");
  DrawSessionList(ui);
}

}  // namespace headscope
