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

void ForgetFlagDraft(const ModelInfo& model, HeadIndex head, Reducer* reducer) {
  std::erase_if(reducer->state().dialogs.unsaved_flags, [&](const FlagDraft& draft) {
    return draft.head == head && IsSameModel(*draft.model, model);
  });
}

// With the numbers of the scan that there is; those of a flag that stays the same role stay.
void GiveFlag(ModelWork* work,
              HeadIndex head,
              const std::string& role,
              const std::string& colour,
              const std::string& note,
              Reducer* reducer) {
  AppState& state = reducer->state();
  const HeadFlag* const before = FindEntry(work->flags, head);
  HeadFlag flag = before != nullptr ? *before : HeadFlag{};
  if (flag.role != role || flag.evidence.empty()) {
    const HeadScanReport* const report =
        ShownModel(state) == work->model.get() ? RolesInView(state) : nullptr;
    flag.evidence = report != nullptr ? EvidenceFor(*report, head, role) : "";
    const HeadSuggestions suggestions = SuggestionsInView(state);
    for (const Suggestion* one : suggestions.Of(head)) {
      if (one->role == role && !one->from.empty() && ShownModel(state) == work->model.get()) {
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
    flag.author = state.flag_files.author;
    flag.date = state.flag_files.day;
  }
  std::erase_if(flag.rejected, [&](const RejectedRole& other) { return other.role == role; });
  if (SetFlag(&work->flags, flag)) {
    reducer->StoreFlags(work);
  }
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

void EditFlag::Do(Reducer* reducer) const {
  Dialogs& dialogs = reducer->state().dialogs;
  std::shared_ptr<const ModelInfo> model = dialogs.flag.model;
  if (model == nullptr) {
    return;  // no editor was opened
  }
  dialogs.flag = draft;
  dialogs.flag.model = std::move(model);
  dialogs.flag.edited = true;
  dialogs.flag_error.clear();
  ForgetFlagDraft(*dialogs.flag.model, dialogs.flag.head, reducer);
  dialogs.unsaved_flags.push_back(dialogs.flag);
}

// To the model that the editor was opened for, whatever is on screen by now.
void SaveFlag(Reducer* reducer) {
  AppState& state = reducer->state();
  const FlagDraft draft = state.dialogs.flag;
  if (IsBlank(draft.role)) {
    state.dialogs.flag_error = kNoRole;
    return;
  }
  state.dialogs.popup = Popup::kNone;
  ModelWork* const work = reducer->WorkOf(draft.model.get());
  if (work == nullptr) {
    return;
  }
  ForgetFlagDraft(*work->model, draft.head, reducer);
  if (!HasHead(*work->model, draft.head)) {
    reducer->Notify(ErrorPlace::kFlags,
                    fmt::format("{} is not flagged: {} has no such head, it has {}.",
                                HeadName(draft.head),
                                work->model->name,
                                HeadsWords(*work->model)));
    return;
  }
  GiveFlag(work, draft.head, draft.role, draft.colour, draft.note, reducer);
}

void AcceptSuggestion::Do(Reducer* reducer) const {
  ModelWork* const work = reducer->WorkInView();
  if (work != nullptr && HasHead(*work->model, head)) {
    const HeadFlag* const before = FindFlag(work->flags, head);
    GiveFlag(work, head, role, RoleColour(role), before != nullptr ? before->note : "", reducer);
  }
}

void AskReject::Do(Reducer* reducer) const {
  reducer->state().dialogs.reject = {.head = head, .role = role, .reason = {}};
  reducer->state().dialogs.popup = Popup::kReject;
}

void RejectSuggestion(Reducer* reducer) {
  const RejectDraft draft = std::exchange(reducer->state().dialogs.reject, {});
  reducer->state().dialogs.popup = Popup::kNone;
  ModelWork* const work = reducer->WorkInView();
  if (work != nullptr && !draft.role.empty() && HasHead(*work->model, draft.head) &&
      RejectRole(&work->flags, draft.head, {draft.role, draft.reason})) {
    reducer->StoreFlags(work);
  }
}

void TakeBackReject::Do(Reducer* reducer) const {
  ModelWork* const work = reducer->WorkInView();
  if (work != nullptr && TakeBackRejection(&work->flags, head, role)) {
    reducer->StoreFlags(work);
  }
}

void DiscardFlagDraft(Reducer* reducer) {
  reducer->state().dialogs.popup = Popup::kNone;
  if (const FlagDraft draft = reducer->state().dialogs.flag; draft.model != nullptr) {
    ForgetFlagDraft(*draft.model, draft.head, reducer);
  }
}

void ClearFlag::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  const bool is_edited = state.dialogs.popup == Popup::kFlag;
  state.dialogs.popup = Popup::kNone;
  ModelWork* const work =
      is_edited ? reducer->WorkOf(state.dialogs.flag.model.get()) : reducer->WorkInView();
  if (work == nullptr) {
    return;
  }
  ForgetFlagDraft(*work->model, head, reducer);
  if (RemoveFlag(&work->flags, head)) {
    reducer->StoreFlags(work);
  }
}

void UndoFlag(Reducer* reducer) {
  ModelWork* const work = reducer->WorkInView();
  if (work != nullptr && Undo(&work->flags)) {
    reducer->StoreFlags(work);
  }
}

void RedoFlag(Reducer* reducer) {
  ModelWork* const work = reducer->WorkInView();
  if (work != nullptr && Redo(&work->flags)) {
    reducer->StoreFlags(work);
  }
}

}  // namespace headscope
