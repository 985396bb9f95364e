// Session files: loading, refusing, storing.
#include <fmt/format.h>

#include "app/state/reducer_parts.h"

namespace headscope {

void Reducer::On(const OpenSession& action) {
  ClearNotice(ErrorPlace::kSession);
  state_.session.loading = true;
  effects_.push_back(LoadSessionFile{action.path});
}

// The session that belongs to the model that is open: a file of its own among the sessions.
void Reducer::LoadOwnSession() {
  ClearNotice(ErrorPlace::kSession);
  state_.flags = FlagSheet{};
  state_.session = SessionPlace{};
  if (state_.sessions_folder.empty()) {
    return;
  }
  state_.session.path =
      state_.sessions_folder / SessionFileName(state_.model->name, state_.model->fingerprint);
  effects_.push_back(LoadSessionFile{state_.session.path});
}

void Reducer::On(const SessionLoaded& action) {
  const bool own = !state_.session.loading;
  if (own && action.path != state_.session.path) {
    return;  // of a model that is no longer open
  }
  state_.session.loading = false;
  if (own) {
    if (!action.session) {
      state_.session.writable = false;
      Notify(ErrorPlace::kSession, action.session.error().message);
    } else if (*action.session) {
      TakeSession(**action.session);
    } else {
      state_.session.writable = true;
    }
    return;
  }

  const std::optional<DeferredStart> start = std::exchange(state_.deferred_start, std::nullopt);
  if (!action.session) {
    Notify(ErrorPlace::kSession, action.session.error().message);
    if (start) {
      state_.session.path = action.path;
      state_.session.chosen = true;
      state_.session.writable = false;  // what the person named is neither read nor replaced
      On(Start{
          .model = start->model, .input = start->input, .session = {}, .screen = state_.screen});
    }
    return;
  }
  if (!*action.session && !start) {
    Notify(ErrorPlace::kSession,
           fmt::format("{}: no such session file", action.path.filename().string()));
    return;
  }
  state_.session = SessionPlace{};
  state_.session.path = action.path;
  state_.session.chosen = true;
  if (!*action.session) {  // a new one, to be written at that place
    state_.session.writable = true;
    On(Start{.model = start->model, .input = start->input, .session = {}, .screen = state_.screen});
    return;
  }
  const SessionFile& session = **action.session;
  InputText input{.text = session.text, .pair = {}, .ids = {}};
  if (!session.pair.empty()) {
    input.pair = session.pair;
  }
  if (!session.target.empty()) {
    input.target = session.target;
  }
  state_.session.arriving = session;
  const bool names_model = start && !start->model.empty();
  const bool has_input = start && start->input;
  OpenModel(names_model ? start->model : std::filesystem::path(session.model_path),
            has_input ? *start->input : input);
}

// Flags belong to one model: those of another are neither shown nor written over.
void Reducer::TakeSession(const SessionFile& session) {
  state_.flags = FlagSheet{};
  if (!session.model_fingerprint.empty() && state_.model != nullptr &&
      session.model_fingerprint != state_.model->fingerprint) {
    state_.session.writable = false;
    Notify(ErrorPlace::kSession,
           fmt::format("{}: its flags belong to the model {} with other weights, and {} is open; "
                       "open that model, or start another session file",
                       state_.session.path.filename().string(),
                       session.model_name,
                       state_.model->name));
    return;
  }
  if (state_.session.chosen) {
    state_.arriving_head = {session.selected_layer, session.selected_head, session.selected_part};
  }
  state_.flags.flags = session.flags;
  for (HeadFlag& flag : state_.flags.flags) {
    if (flag.part == ModelPart::kWhole) {  // of a version that knew the encoder only
      flag.part = PartsOf(*state_.model).front().part;
    }
  }
  state_.session.unknown_json = session.unknown_json;
  state_.session.writable = true;
  state_.session.saved = true;
}

void Reducer::StoreFlags() {
  state_.session.saved = false;
  if (state_.session.writable && !state_.session.path.empty() && state_.model != nullptr) {
    effects_.push_back(StoreSession{state_.session.path, SessionOf(state_)});
  }
}

void Reducer::On(const SessionStored& action) {
  if (action.path != state_.session.path) {
    return;
  }
  if (action.status) {
    state_.session.saved = true;
    ClearNotice(ErrorPlace::kSession);
  } else {
    Notify(ErrorPlace::kSession, action.status.error().message);
  }
}

void Reducer::On(const CloseWindow& /*action*/) {
  // Text and selection go along with flags, or into a file that was asked for.
  if (!state_.flags.flags.empty() || state_.session.chosen || state_.session.saved) {
    StoreFlags();
  }
  effects_.push_back(Quit{});
}

}  // namespace headscope
