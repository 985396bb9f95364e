// What an attention module has to be told: how many heads it has, and which embeddings it reads.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/views/files/dialog_parts.h"
#include "app/views/kit/keys.h"
#include "app/views/kit/popups.h"
#include "app/views/panels.h"
#include "core/base/counted.h"
#include "core/base/home_path.h"
#include "core/model/config.h"

namespace headscope {

void DrawHeadCountMenu(Ui* ui) {
  const HeadCountNeeded& needed = ui->state.dialogs.head_count;
  Heading(ui, fmt::format("How many heads does {} have?", needed.path.filename().string()));
  Heading(ui,
          fmt::format("Its file does not say. {} can be shared by:",
                      Counted(needed.model_dim, "column")));
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  bool is_first = true;
  for (std::int64_t heads = 1; heads <= std::min(needed.model_dim, kMaxHeads); ++heads) {
    if (needed.model_dim % heads != 0) {
      continue;
    }
    const std::string label = fmt::format("{}", heads);
    const float width = ImGui::CalcTextSize(label.c_str()).x + ui->Px(24.0F);
    if (!is_first) {
      ImGui::SameLine();
      if (ImGui::GetCursorScreenPos().x + width > right) {
        ImGui::NewLine();
      }
    }
    is_first = false;
    if (DialogButton(ui, label.c_str(), false)) {
      ui->Do(OpenFolder{needed.path, {.heads = heads}});
    }
  }
}

void DrawEmbeddingsDialog(Ui* ui) {
  EmbeddingsDraft draft = ui->state.dialogs.embeddings;
  bool has_changed = false;
  TakesKeys takes_keys = WhenOpened(*ui, TakesKeys::kNowSelected);
  const auto field = [&](const char* heading,
                         const char* name,
                         FileWanted wanted,
                         std::string* path) {
    Heading(ui, heading);
    const PathFieldLook look{
        .hint = "/path/to/rows.npy", .takes_keys = takes_keys, .button = "File …", .beside = 84.0F};
    has_changed = PathField(ui, name, path, wanted, look) || has_changed;
    takes_keys = TakesKeys::kWhenClicked;  // the first one alone
  };
  field("Embeddings of the queries [n, d], an .npy file",
        "query rows",
        FileWanted::kQueryRows,
        &draft.queries);
  field("Of the keys [m, kdim]; empty: the same", "key rows", FileWanted::kKeyRows, &draft.keys);
  field("Of the values [m, vdim]; empty: those of the keys",
        "value rows",
        FileWanted::kValueRows,
        &draft.values);
  if (has_changed) {
    ui->Do(EditEmbeddings{draft});
  }
  const bool is_entered = IsPressed(*ui, Key::kEnter);
  if ((DialogButton(ui, "Run", true, !draft.queries.empty()) || is_entered) &&
      !draft.queries.empty()) {
    ui->Do(EditEmbeddings{{.queries = ExpandHome(draft.queries).string(),
                           .keys = ExpandHome(draft.keys).string(),
                           .values = ExpandHome(draft.values).string()}});
    ui->Do(UseEmbeddings);
  }
}

}  // namespace headscope
