// Why a suggested role is not the head's: a line that is kept with it.
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/views/kit/detail_header.h"
#include "app/views/kit/keys.h"
#include "app/views/kit/popups.h"
#include "app/views/kit/text_field.h"
#include "app/views/kit/widgets.h"
#include "app/views/panels.h"

namespace headscope {

void DrawRejectBox(Ui* ui) {
  const RejectDraft& draft = ui->state.dialogs.reject;
  Heading(ui, fmt::format("{} is not {}: why?", HeadName(draft.head), draft.role));
  std::string reason = draft.reason;
  const TakesKeys takes_keys = WhenOpened(*ui, TakesKeys::kNow);
  const char* const hint = "a reason, or nothing; the suggestion does not come back";
  if (DialogField(ui, "reason", &reason, {.hint = hint, .takes_keys = takes_keys})) {
    ui->Do(EditReject{reason});
  }
  ImGui::Dummy({1.0F, ui->Px(2.0F)});
  if (DialogButton(ui, "Reject", true) || IsPressed(*ui, Key::kEnter)) {
    ui->Do(RejectSuggestion);
  }
}

}  // namespace headscope
