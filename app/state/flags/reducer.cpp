// Flags: the editor's drafts, saving, removing, undo and redo.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/state/heads/own_probe.h"
#include "app/state/reducer_class.h"

namespace headscope {
namespace {

constexpr const char* kNoRole =
    "Choose a role first: a digit, the arrow keys, or a word of your own.";

bool IsBlank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

}  // namespace

// As it was left, where it was left without saving.
void Reducer::OpenFlagEditor(const ModelWork& work, HeadIndex head) {
  Dialogs& dialogs = state_.dialogs;
  dialogs.flag_error.clear();
  const auto unsaved = std::ranges::find_if(dialogs.unsaved_flags, [&](const FlagDraft& draft) {
    return draft.head == head && IsSameModel(*draft.model, *work.model);
  });
  if (unsaved != dialogs.unsaved_flags.end()) {
    dialogs.flag = *unsaved;
    dialogs.flag.model = work.model;
    return;
  }
  dialogs.flag = FlagDraft{.model = work.model, .head = head, .role = {}, .colour = {}, .note = {}};
  if (const HeadFlag* flag = FindFlag(work.flags, head)) {
    dialogs.flag.role = flag->role;
    dialogs.flag.colour = flag->colour;
    dialogs.flag.note = flag->note;
  }
}

void Reducer::ForgetFlagDraft(const ModelInfo& model, HeadIndex head) {
  std::erase_if(state_.dialogs.unsaved_flags, [&](const FlagDraft& draft) {
    return draft.head == head && IsSameModel(*draft.model, model);
  });
}

void Reducer::On(const EditFlag& action) {
  Dialogs& dialogs = state_.dialogs;
  std::shared_ptr<const ModelInfo> model = dialogs.flag.model;
  if (model == nullptr) {
    return;  // no editor was opened
  }
  dialogs.flag = action.draft;
  dialogs.flag.model = std::move(model);
  dialogs.flag.edited = true;
  dialogs.flag_error.clear();
  ForgetFlagDraft(*dialogs.flag.model, dialogs.flag.head);
  dialogs.unsaved_flags.push_back(dialogs.flag);
}

// To the model that the editor was opened for, whatever is on screen by now.
void Reducer::On(const SaveFlag& /*action*/) {
  const FlagDraft draft = state_.dialogs.flag;
  if (IsBlank(draft.role)) {
    state_.dialogs.flag_error = kNoRole;
    return;
  }
  state_.dialogs.popup = Popup::kNone;
  ModelWork* const work = WorkOf(draft.model.get());
  if (work == nullptr) {
    return;
  }
  ForgetFlagDraft(*work->model, draft.head);
  if (!HasHead(*work->model, draft.head)) {
    Notify(ErrorPlace::kFlags,
           fmt::format("{} is not flagged: {} has no such head, it has {}.",
                       HeadName(draft.head),
                       work->model->name,
                       HeadsWords(*work->model)));
    return;
  }
  GiveFlag(work, draft.head, draft.role, draft.colour, draft.note);
}

// With the numbers of the scan that there is; those of a flag that stays the same role stay.
void Reducer::GiveFlag(ModelWork* work,
                       HeadIndex head,
                       const std::string& role,
                       const std::string& colour,
                       const std::string& note) {
  const HeadFlag* const before = FindEntry(work->flags, head);
  HeadFlag flag = before != nullptr ? *before : HeadFlag{};
  if (flag.role != role || flag.evidence.empty()) {
    const HeadScanReport* const report =
        ShownModel(state_) == work->model.get() ? RolesInView(state_) : nullptr;
    flag.evidence = report != nullptr ? EvidenceFor(*report, head, role) : "";
    const HeadSuggestions suggestions = SuggestionsInView(state_);
    for (const Suggestion* one : suggestions.Of(head)) {
      if (one->role == role && !one->from.empty() && ShownModel(state_) == work->model.get()) {
        flag.evidence = one->why + (flag.evidence.empty() ? "" : ". " + flag.evidence);
      }
    }
  }
  flag.layer = head.layer;
  flag.head = head.head;
  flag.part = head.part;
  flag.role = role;
  flag.colour = colour.empty() ? RoleColour("") : colour;
  flag.note = note;
  if (before == nullptr || flag.role != before->role || flag.colour != before->colour ||
      flag.note != before->note) {
    flag.author = state_.flag_files.author;
    flag.date = state_.flag_files.day;
  }
  std::erase_if(flag.rejected, [&](const RejectedRole& other) { return other.role == role; });
  if (SetFlag(&work->flags, flag)) {
    StoreFlags(work);
  }
}

void Reducer::On(const AcceptSuggestion& action) {
  ModelWork* const work = WorkInView();
  if (work != nullptr && HasHead(*work->model, action.head)) {
    const HeadFlag* const before = FindFlag(work->flags, action.head);
    GiveFlag(work,
             action.head,
             action.role,
             RoleColour(action.role),
             before != nullptr ? before->note : "");
  }
}

void Reducer::On(const AskReject& action) {
  state_.dialogs.reject = {.head = action.head, .role = action.role, .reason = {}};
  state_.dialogs.popup = Popup::kReject;
}

void Reducer::On(const EditReject& action) {
  state_.dialogs.reject.reason = action.reason;
}

void Reducer::On(const RejectSuggestion& /*action*/) {
  const RejectDraft draft = std::exchange(state_.dialogs.reject, {});
  state_.dialogs.popup = Popup::kNone;
  ModelWork* const work = WorkInView();
  if (work != nullptr && !draft.role.empty() && HasHead(*work->model, draft.head) &&
      RejectRole(&work->flags, draft.head, {draft.role, draft.reason})) {
    StoreFlags(work);
  }
}

void Reducer::On(const TakeBackReject& action) {
  ModelWork* const work = WorkInView();
  if (work != nullptr && TakeBackRejection(&work->flags, action.head, action.role)) {
    StoreFlags(work);
  }
}

void Reducer::On(const DiscardFlagDraft& /*action*/) {
  state_.dialogs.popup = Popup::kNone;
  if (const FlagDraft draft = state_.dialogs.flag; draft.model != nullptr) {
    ForgetFlagDraft(*draft.model, draft.head);
  }
}

void Reducer::On(const ClearFlag& action) {
  const bool is_edited = state_.dialogs.popup == Popup::kFlag;
  state_.dialogs.popup = Popup::kNone;
  ModelWork* const work = is_edited ? WorkOf(state_.dialogs.flag.model.get()) : WorkInView();
  if (work == nullptr) {
    return;
  }
  ForgetFlagDraft(*work->model, action.head);
  if (RemoveFlag(&work->flags, action.head)) {
    StoreFlags(work);
  }
}

void Reducer::On(const UndoFlag& /*action*/) {
  ModelWork* const work = WorkInView();
  if (work != nullptr && Undo(&work->flags)) {
    StoreFlags(work);
  }
}

void Reducer::On(const RedoFlag& /*action*/) {
  ModelWork* const work = WorkInView();
  if (work != nullptr && Redo(&work->flags)) {
    StoreFlags(work);
  }
}

}  // namespace headscope
