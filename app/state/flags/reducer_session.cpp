// Session files: loading, refusing, storing.
#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/state/flags/files.h"
#include "app/state/reducer_class.h"
#include "app/state/text/typed_ids.h"
#include "core/base/counted.h"
#include "core/base/home_path.h"
#include "core/heads/flags/session_merge.h"

namespace headscope {
namespace {

// Those of heads that the model has are shown; the others wait in the file.
void ShareFlags(const std::vector<HeadFlag>& flags, ModelWork* work) {
  work->flags.flags.clear();
  work->session.elsewhere.clear();
  for (HeadFlag flag : flags) {
    if (flag.part == ModelPart::kWhole) {  // of a version that knew the encoder only
      flag.part = PartsOf(*work->model).front().part;
    }
    const bool is_there = HasHead(*work->model, HeadOf(flag));
    (is_there ? work->flags.flags : work->session.elsewhere).push_back(std::move(flag));
  }
}

// In the order of heads; each once.
std::vector<HeadIndex> DifferentHeads(const SessionFile& a, const SessionFile& b) {
  std::vector<HeadIndex> heads;
  for (const auto& [from, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    for (const HeadFlag& flag : from->flags) {
      const HeadIndex head = HeadOf(flag);
      if (std::ranges::find(other->flags, flag) == other->flags.end() &&
          std::ranges::find(heads, head) == heads.end()) {
        heads.push_back(head);
      }
    }
  }
  std::ranges::sort(heads);
  return heads;
}

void QuitOnceStored(Reducer* reducer) {
  const bool stores = std::ranges::any_of(
      reducer->state().works, [](const ModelWork& work) { return work.session.storing; });
  if (reducer->state().closing && !stores) {
    reducer->Emit(Quit{});
  }
}

// A flag of mine and one of another window: which stays is a person's to say. Until then the file has
// theirs.
void AskAboutOtherWindow(const SessionFile& theirs,
                         const std::vector<HeadIndex>& heads,
                         ModelWork* work,
                         Reducer* reducer) {
  AppState& state = reducer->state();
  if (state.dialogs.popup != Popup::kNone) {
    reducer->Notify(
        ErrorPlace::kShared,
        fmt::format("Another window flagged {} differently; the next flag asks which one stays.",
                    NamesOf(heads)));
    return;
  }
  FlagFile file;
  file.model_name = work->model->name;
  file.model_fingerprint = work->model->fingerprint;
  file.flags = WithFlagsOf({}, theirs, heads).flags;
  state.flag_files.importing = {.path = work->session.path,
                                .model = work->model,
                                .file = std::make_shared<const FlagFile>(std::move(file)),
                                .fault = {},
                                .takes_theirs = {},
                                .is_other_window = true};
  state.dialogs.popup = Popup::kFlagImport;
  state.closing = false;
}

void OwnSessionLoaded(const SessionLoaded& action, Reducer* reducer) {
  for (ModelWork& work : reducer->state().works) {
    if (work.session.path != action.path || work.session.chosen) {
      continue;  // of a model that is no longer open
    }
    if (!action.session) {
      work.session.writable = false;
      reducer->Notify(ErrorPlace::kSession, action.session.error().message);
      continue;
    }
    const std::vector<HeadFlag> set_meanwhile = std::move(work.flags.flags);
    if (*action.session) {
      reducer->TakeSession(&work, **action.session);
    } else {
      work.flags = FlagSheet{};
      work.session.writable = true;
    }
    if (work.session.writable && !set_meanwhile.empty()) {
      for (const HeadFlag& flag : set_meanwhile) {
        SetFlag(&work.flags, flag);
      }
      reducer->StoreFlags(&work);
    }
  }
}

}  // namespace

void OpenSession::Do(Reducer* reducer) const {
  reducer->ClearNotice(ErrorPlace::kSession);
  reducer->state().loading_session = path;
  reducer->Emit(LoadSessionFile{path});
}

// The session that belongs to a model: a file of its own among the sessions.
void Reducer::LoadOwnSession(ModelWork* work) {
  ClearNotice(ErrorPlace::kSession);
  if (state_.sessions_folder.empty()) {
    return;
  }
  work->session.path =
      state_.sessions_folder / SessionFileName(work->model->name, work->model->fingerprint);
  Emit(LoadSessionFile{work->session.path});
}

void SessionLoaded::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  if (path != state.loading_session) {
    OwnSessionLoaded(*this, reducer);
    return;
  }
  state.loading_session.clear();
  const std::optional<DeferredStart> start = std::exchange(state.deferred_start, std::nullopt);
  const auto begin = [&] {  // without the session
    Start{.model = start->model, .input = start->input, .session = {}, .screen = state.screen}.Do(
        reducer);
  };
  if (!session) {
    reducer->Notify(ErrorPlace::kSession, session.error().message);
    if (start) {
      // What the person named is neither read nor replaced.
      state.arriving_session =
          ArrivingSession{.path = path, .writable = false, .session = std::nullopt};
      begin();
    }
    return;
  }
  if (!*session && !start) {
    reducer->Notify(ErrorPlace::kSession,
                    fmt::format("{}: no such session file", path.filename().string()));
    return;
  }
  state.arriving_session = ArrivingSession{.path = path,
                                           .writable = true,
                                           .session = *session,
                                           .keeps_screen = start && start->names_screen};
  if (!*session) {  // a new one, to be written at that place
    begin();
    return;
  }
  const SessionFile& loaded = **session;
  const InputText input = InputOfTexts(loaded.text, loaded.pair, loaded.target);
  const bool names_model = start && !start->model.empty();
  const bool has_input = start && start->input;
  const std::filesystem::path model =
      names_model ? start->model : std::filesystem::path(loaded.model_path);
  state.arriving_session->session->model_path = model.string();
  state.text_made_for.reset();
  reducer->OpenModel(model, has_input ? *start->input : input);
}

// Flags belong to one model: those of another are neither shown nor written over.
void Reducer::TakeSession(ModelWork* work, const SessionFile& session) {
  work->flags = FlagSheet{};
  SessionPlace& place = work->session;
  if (!session.model_fingerprint.empty() && session.model_fingerprint != work->model->fingerprint) {
    place.writable = false;
    Notify(ErrorPlace::kSession,
           fmt::format("{}: its flags belong to the model {} with other weights, and {} is open; "
                       "open that model, or start another session file",
                       place.path.filename().string(),
                       session.model_name,
                       work->model->name));
    return;
  }
  place.known = session;
  place.writable = true;
  place.saved = true;
  work->flags.shared = session.shared;
  ShareFlags(session.flags, work);
  if (place.chosen && !session.view_json.empty()) {
    Result<SessionView> view = ReadSessionView(session.view_json, place.path.filename().string());
    if (view) {
      state_.arriving_view = std::move(*view);
    } else {
      Notify(ErrorPlace::kSession,
             view.error().message + "; its model, text and flags are open, shown as before");
    }
  }
  if (place.chosen) {
    state_.arriving_head = {session.selected_layer, session.selected_head, session.selected_part};
  }
  if (!place.elsewhere.empty()) {
    std::vector<HeadIndex> heads;
    std::ranges::transform(place.elsewhere, std::back_inserter(heads), [](const HeadFlag& flag) {
      return HeadOf(flag);
    });
    Notify(ErrorPlace::kFlags,
           fmt::format("{} flags {}, and {} has {}. These flags stay in the file; they are not "
                       "shown.",
                       place.path.filename().string(),
                       NamesOf(heads),
                       work->model->name,
                       HeadsWords(*work->model)));
  }
}

// One store after another: the next one builds on what the one before left in the file.
void Reducer::StoreFlags(ModelWork* work) {
  SessionPlace& place = work->session;
  place.saved = false;
  if (!place.writable || place.path.empty()) {
    return;
  }
  place.store_again = place.storing;
  if (!place.storing) {
    place.storing = true;
    Emit(StoreSession{place.path, place.known, SessionOf(state_, *work)});
  }
}

// The file holds what this window changed and what other windows did: theirs is shown from now on.
void SessionStored::Do(Reducer* reducer) const {
  for (ModelWork& work : reducer->state().works) {
    if (path != work.session.path) {
      continue;
    }
    work.session.storing = false;
    const bool again = std::exchange(work.session.store_again, false);
    if (!written) {
      reducer->Notify(ErrorPlace::kSession, written.error().message);
      if (again) {
        reducer->StoreFlags(&work);
      }
      continue;
    }
    const SessionFile now = SessionOf(reducer->state(), work);
    std::vector<HeadIndex> asked = conflicts;
    std::ranges::copy(HeadsInConflict(sent, now, *written), std::back_inserter(asked));
    std::vector<HeadIndex> taken = DifferentHeads(sent, *written);
    std::erase_if(
        taken, [&asked](HeadIndex head) { return std::ranges::find(asked, head) != asked.end(); });
    // Those that are asked about stay on screen as they are, and are in conflict until a person has
    // decided.
    const SessionFile merged = MergeSessions(WithFlagsOf(sent, *written, asked), now, *written);
    work.flags.shared = merged.shared;
    ShareFlags(merged.flags, &work);
    work.session.known = WithFlagsOf(*written, work.session.known, asked);
    work.session.saved = asked.empty();
    reducer->ClearNotice(ErrorPlace::kSession);
    reducer->ClearNotice(ErrorPlace::kShared);
    if (!taken.empty()) {
      reducer->Notify(
          ErrorPlace::kShared,
          fmt::format("Another window changed {} in {}. Its flags and yours are both kept, and "
                      "shown here from now on.",
                      NamesOf(taken),
                      work.session.path.filename().string()));
    }
    if (again) {
      reducer->StoreFlags(&work);
    } else if (!asked.empty()) {
      AskAboutOtherWindow(*written, asked, &work, reducer);
    }
  }
  QuitOnceStored(reducer);
}

// What the other window says is known from now on, so that what differs is this window's doing.
void Reducer::TakeOtherWindow(const std::vector<FlagChange>& changes, ModelWork* work) {
  FlagImportDraft& draft = state_.flag_files.importing;
  std::vector<HeadIndex> heads;
  for (const auto& [head, ignored] : draft.takes_theirs) {
    heads.push_back(head);
  }
  SessionFile theirs;
  theirs.flags = draft.file->flags;
  work->session.known = WithFlagsOf(work->session.known, theirs, heads);
  TakeImport(&work->flags, changes, std::nullopt);
  draft = {};
  state_.dialogs.popup = Popup::kNone;
  StoreFlags(work);
}

// What the session's model and text do not have is left out.
void Reducer::TakeView(const SessionView& view) {
  const ModelInfo* const model = ShownModel(state_);
  const Attendance& shown = state_.shown;
  if (model == nullptr) {
    return;
  }
  ViewPlace place = view.place;
  const ScreenKind* const screen =
      state_.find_screen != nullptr ? state_.find_screen(view.screen) : nullptr;
  place.screen = screen != nullptr ? screen : state_.screen;
  place.kept = view.keeps_head ? std::optional(state_.selection.head) : std::nullopt;
  place.edges_of = {shown.encoding, shown.target};
  const auto tokens = [](const std::shared_ptr<const Encoding>& text) {
    return text != nullptr ? std::ssize(text->tokens) : std::ptrdiff_t{0};
  };
  const auto most = std::max(tokens(shown.encoding), tokens(shown.target));
  const auto is_beyond = [most](std::int64_t token) { return token >= most; };
  std::erase_if(place.off.heads, [model](HeadIndex head) { return !HasHead(*model, head); });
  std::erase_if(place.off.edges, [&](const CutEdge& edge) {
    return !HasHead(*model, edge.head) || is_beyond(edge.key) || is_beyond(edge.row.value_or(0));
  });
  place.head.words.of = shown.encoding;
  std::erase_if(place.head.words.tokens,
                [&](std::int64_t token) { return token >= tokens(shown.encoding); });
  std::erase_if(place.tokens.hidden,
                [&](std::int64_t token) { return token >= tokens(shown.encoding); });
  GoToPlace(place);
  state_.token_look.hidden = place.tokens.hidden;
  if (view.other) {
    state_.compare.other.reset();  // what was compared before is forgotten
    CompareWith{*view.other}.Do(this);
  }
  PatchLook& patching = state_.compare.patch_look;
  patching = view.patching;
  if (!patching.file.path.empty()) {
    patching.file.asked = ++state_.compare.patching.files_asked;
  }
  state_.split_tokens = view.split;
  if (view.training) {
    TakeTraining(*view.training, this);
  }
  if (const std::size_t left_out = TakeRemembered(view.figures, &state_); left_out > 0) {
    Notify(ErrorPlace::kFigures,
           fmt::format("{} of the session found no room: {} are kept, which is the most. "
                       "Export them, remove some in Figures, and open the session again.",
                       Counted(static_cast<std::int64_t>(left_out), "figure"),
                       kMostKeptFigures));
  }
  std::erase_if(patching.paths.to, [model](HeadIndex head) { return !HasHead(*model, head); });
  for (auto* const row : {&patching.row, &patching.at}) {
    if (is_beyond(row->value_or(0))) {
      row->reset();
    }
  }
  if (view.point) {
    state_.selection.row = view.point->query;
    if (view.point->key) {
      state_.selection.point = view.point;
      state_.selection.point_locked = true;
    }
  }
}

void Reducer::OpenSessions() {
  const ModelInfo* const model = ShownModel(state_);
  const std::string name =
      fmt::format("{}-session.json", model != nullptr ? model->name : "headscope");
  EditPath((state_.sessions_folder / name).string(), &state_.flag_files.saving_session);
  Emit(ListSessions{state_.sessions_folder});
}

void EditSessionSave::Do(Reducer* reducer) const {
  EditPath(path, &reducer->state().flag_files.saving_session);
}

void SaveSessionAs::Do(Reducer* reducer) const {
  const ModelWork* const work = reducer->WorkInView();
  SaveDraft& draft = reducer->state().flag_files.saving_session;
  if (work == nullptr || draft.is_writing || draft.path.empty()) {
    return;
  }
  EditPath(std::string(draft.path), &draft);
  draft.is_writing = true;
  reducer->Emit(SaveSessionFile{.path = ExpandHome(draft.path),
                                .session = SessionOf(reducer->state(), *work),
                                .overwrite = overwrite});
}

// From now on the session is this file.
void SessionSaved::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  TakeAnswer(path.string(), written, &state.flag_files.saving_session);
  if (!written || !*written) {
    return;
  }
  reducer->Emit(ListSessions{state.sessions_folder});
  for (ModelWork& work : state.works) {
    if (work.model->fingerprint != session.model_fingerprint) {
      continue;
    }
    SessionPlace& place = work.session;
    place = {.path = path,
             .chosen = true,
             .writable = true,
             .saved = true,
             .known = session,
             .elsewhere = std::move(place.elsewhere)};
    reducer->StoreFlags(&work);  // what was flagged while it was written
  }
}

void SessionsListed::Do(Reducer* reducer) const {
  reducer->state().flag_files.sessions = list;
}

void CloseWindow(Reducer* reducer) {
  AppState& state = reducer->state();
  if (std::exchange(state.closing, true)) {
    return;  // said again
  }
  if (state.flag_files.importing.is_other_window && state.dialogs.popup == Popup::kFlagImport) {
    reducer->Emit(Quit{});  // asked, and not answered: the file has the other window's
    return;
  }
  // Text and selection go along with flags, or into a file that was asked for.
  for (ModelWork& work : state.works) {
    if (!work.flags.flags.empty() || work.session.chosen || work.session.saved) {
      reducer->StoreFlags(&work);
    }
  }
  QuitOnceStored(reducer);
}

}  // namespace headscope
