// Opening models and texts.
#include <algorithm>
#include <utility>

#include "app/files/assets.h"
#include "app/state/reducer_class.h"
#include "app/state/text/samples.h"
#include "app/state/text/typed_ids.h"
#include "app/state/work_under_way.h"
#include "core/base/sentence.h"

namespace headscope {
namespace {

InputText InputOf(const Sample& sample) {
  return {.text = sample.text, .pair = sample.pair, .ids = {}};
}

std::string AllNotes(const AttentionFile& file) {
  std::string notes;
  for (const std::string& note : file.notes()) {
    notes += (notes.empty() ? "" : "; ") + note;
  }
  return Ended(notes);
}

const ModelChoice* BundledModel(std::string_view name, const AppState& state) {
  const auto found = std::find_if(state.bundled_models.begin(),
                                  state.bundled_models.end(),
                                  [name](const ModelChoice& model) { return model.name == name; });
  return found != state.bundled_models.end() ? &*found : nullptr;
}

bool NeedsIds(const AppState& state) {
  return state.model != nullptr && state.model->reads_ids_alone();
}

void TakeInput(const InputText& input, Reducer* reducer) {
  AppState& state = reducer->state();
  state.input = input;
  state.typed_ids = input.ids.empty() ? "" : IdsInWords(input.ids);
  state.typed_target_ids = input.target_ids.empty() ? "" : IdsInWords(input.target_ids);
}

// Words of one model's sample may be strange to another: a text that nobody typed gives way to the
// one that was chosen for the model.
void UseOwnSample(Reducer* reducer) {
  AppState& state = reducer->state();
  const ModelInfo& model = *state.model;
  if (!state.text_made_for || !model.reads_tokens() ||
      AreOfOneFamily(*state.text_made_for, model.name)) {
    return;
  }
  if (const Sample* sample = SampleFor(state.samples, model.name)) {
    TakeInput(InputOf(*sample), reducer);
    state.text_made_for = sample->model;
    state.arriving_sample = *sample;
  }
}

// Ids stand in their box as they were typed, so that a comma can follow; what is no id is told, and
// the picture stays.
std::optional<std::vector<std::int32_t>> TakeIds(const std::string& text, Reducer* reducer) {
  auto ids = ParseIds(text);
  if (ids && !ids->empty()) {
    return std::move(*ids);
  }
  reducer->ClearNotice(ErrorPlace::kText);
  if (!ids) {
    reducer->Notify(ErrorPlace::kText, ids.error().message);
  }
  return std::nullopt;
}

void BeginAttending(Reducer* reducer) {
  AppState& state = reducer->state();
  reducer->ClearNotice(ErrorPlace::kFile);
  reducer->ClearNotice(ErrorPlace::kOffer);
  if (AwaitsChoice(state)) {
    state.pending = Attendance{};
    // Nothing stands for another model; ids that are taken away to type others do not end a picture.
    if (state.shown.model != state.model || !NeedsIds(state)) {
      state.shown = Attendance{};
    }
    return;
  }
  if (state.model->file != nullptr && !state.model->file->notes().empty()) {
    reducer->Notify(ErrorPlace::kFile, AllNotes(*state.model->file));
  }
  state.pending = Attendance{};
  state.pending.input = state.input;
  state.pending.model = state.model;
  state.pending.precision = state.precision;
  std::int64_t layers = 0;
  for (const PartHeads& shape : PartsOf(*state.model)) {
    layers += shape.end_layer();
  }
  state.pending.layers.resize(static_cast<std::size_t>(layers));
  state.pending.Begin(reducer->Send(AttendRequest{
      .input = state.input, .precision = state.precision, .opening = state.model->opening}));
}

ModelWork& WorkFor(const std::shared_ptr<const ModelInfo>& model, Reducer* reducer) {
  AppState& state = reducer->state();
  const auto found = std::ranges::find(state.works, model, &ModelWork::model);
  return found != state.works.end()
             ? *found
             : state.works.emplace_back(
                   ModelWork{.model = model, .opened_with = {}, .flags = {}, .session = {}});
}

// A model that is opened again is the one that was: its picture, its flags and its session stay.
bool TakeOver(const std::shared_ptr<const ModelInfo>& model, Reducer* reducer) {
  AppState& state = reducer->state();
  const auto found = std::ranges::find_if(
      state.works, [&model](const ModelWork& work) { return IsSameModel(*work.model, *model); });
  if (found == state.works.end()) {
    return false;
  }
  const std::shared_ptr<const ModelInfo> before = std::exchange(found->model, model);
  for (std::shared_ptr<const ModelInfo>* const each : {&state.shown.model,
                                                       &state.counts.wanted_of.model,
                                                       &state.counts.source_of.model,
                                                       &state.dialogs.flag.model}) {
    if (*each == before) {
      *each = model;
    }
  }
  return true;
}

}  // namespace

bool IsSameModel(const ModelInfo& a, const ModelInfo& b) {
  return !a.fingerprint.empty() && a.fingerprint == b.fingerprint && a.file == b.file &&
         PartsOf(a) == PartsOf(b);
}

void LibraryFound::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  state.bundled_models = bundled;
  state.cached_models = cached;
  state.recent_models = recent;
  state.samples = samples;
  state.sessions_folder = sessions_folder;
  state.exports_folder = exports_folder;
  state.files_folder = home;
  state.probes_folder = probes;
  state.scans_folder = scans;
  LookAtModels look;
  for (const auto* list : {&recent, &cached, &bundled}) {
    for (const ModelChoice& model : *list) {
      look.folders.push_back(model.folder);
    }
  }
  if (!look.folders.empty()) {
    reducer->Emit(std::move(look));
  }
}

void ModelsLookedAt::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  for (auto* list : {&state.recent_models, &state.cached_models, &state.bundled_models}) {
    for (ModelChoice& model : *list) {
      const auto found = std::ranges::find(
          about, model.folder, &std::pair<std::filesystem::path, std::string>::first);
      model.about = found == about.end() ? model.about : found->second;
    }
  }
}

void Start::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  state.screen = screen;
  if (!session.empty()) {
    state.deferred_start =
        DeferredStart{.model = model, .input = input, .names_screen = names_screen};
    OpenSession{session}.Do(reducer);
    return;
  }
  std::optional<InputText> first = input;
  if (first) {
    state.text_made_for.reset();
  } else {
    state.text_made_for = "";  // the model that opens has a sample of its own
    first = state.samples.empty() ? InputText{} : InputOf(state.samples.front());
  }
  if (!model.empty()) {
    OpenModelRequest request = how;
    request.folder = model;
    reducer->OpenModel(std::move(request), first);
  } else if (const ModelChoice* bundled = BundledModel(kDefaultModel, state)) {
    reducer->OpenModel(bundled->folder, first);
  } else if (!state.bundled_models.empty()) {
    reducer->OpenModel(state.bundled_models.front().folder, first);
  } else {
    TakeInput(*first, reducer);  // no model: the screen says how to open one
  }
}

void OpenFolder::Do(Reducer* reducer) const {
  reducer->state().dialogs.popup = Popup::kNone;
  reducer->OpenModel(OpenModelRequest{.folder = folder, .options = options}, std::nullopt);
}

void UseEmbeddings(Reducer* reducer) {
  const EmbeddingsDraft draft = reducer->state().dialogs.embeddings;
  reducer->state().dialogs.popup = Popup::kNone;
  InputText input;
  input.embeddings = draft.queries;
  input.key_embeddings = draft.keys;
  input.value_embeddings = draft.values;
  SetInput{std::move(input)}.Do(reducer);
}

void Reducer::OpenModel(const std::filesystem::path& folder, std::optional<InputText> input) {
  OpenModel(OpenModelRequest{.folder = folder}, std::move(input));
}

void Reducer::OpenModel(OpenModelRequest request, std::optional<InputText> input) {
  ClearNotice(ErrorPlace::kModel);
  state_.restoring_model = false;
  state_.arriving_head.reset();
  state_.arriving_view.reset();
  state_.writing = {};
  state_.opening_folder = request.folder;
  // A session that waits for its model waits for no other, unless it was named at the start.
  if (state_.model != nullptr && state_.arriving_session && state_.arriving_session->session &&
      state_.arriving_session->session->model_path != request.folder) {
    state_.arriving_session.reset();
  }
  if (input) {
    TakeInput(*input, this);
  }
  state_.opening_with = request;
  state_.opening.Begin(Send(std::move(request)));
}

void EditText::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  InputText input{.text = text, .pair = state.input.pair, .ids = {}};
  input.target = state.input.target;
  input.target_ids = state.input.target_ids;
  input.first_tokens = state.input.first_tokens;
  std::string typed;
  if (IsOfIds(text) || (NeedsIds(state) && !text.empty())) {
    typed = text;
    auto ids = TakeIds(text, reducer);
    if (!ids) {
      state.typed_ids = typed;
      state.text_made_for.reset();
      return;
    }
    input.text.clear();
    input.pair.reset();
    input.ids = std::move(*ids);
  }
  const std::string typed_target = state.typed_target_ids;
  SetInput{std::move(input)}.Do(reducer);
  state.typed_ids = typed;
  state.typed_target_ids = typed_target;
  if (text.empty()) {
    state.text_made_for = "";  // nothing is given any more
  }
}

void EditPair::Do(Reducer* reducer) const {
  InputText input = reducer->state().input;
  input.pair = text.empty() ? std::nullopt : std::optional(text);
  SetInput{std::move(input)}.Do(reducer);
}

void EditTarget::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  InputText input = state.input;
  input.target = text.empty() ? std::nullopt : std::optional(text);
  input.target_ids.clear();
  std::string typed;
  if (IsOfIds(text) || (NeedsIds(state) && !text.empty())) {
    typed = text;
    auto ids = TakeIds(text, reducer);
    if (!ids) {
      state.typed_target_ids = typed;
      return;
    }
    input.target.reset();
    input.target_ids = std::move(*ids);
  }
  const std::string typed_source = state.typed_ids;
  SetInput{std::move(input)}.Do(reducer);
  state.typed_ids = typed_source;
  state.typed_target_ids = typed;
}

void ChooseSample::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  if (index < state.samples.size()) {
    const Sample sample = state.samples[index];
    const ModelChoice* needed = sample.only_model ? BundledModel(sample.model, state) : nullptr;
    if (needed != nullptr && (state.model == nullptr || state.model->name != sample.model)) {
      OpenFolder{needed->folder}.Do(reducer);
      TakeInput(InputOf(sample), reducer);
    } else {
      SetInput{InputOf(sample)}.Do(reducer);
    }
    state.arriving_sample = sample;
    if (!sample.model.empty()) {
      state.text_made_for = sample.model;
    }
  }
}

void SetInput::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  state.arriving_sample.reset();
  state.writing = {};
  state.text_made_for.reset();
  if (state.dialogs.popup == Popup::kSamples) {
    state.dialogs.popup = Popup::kNone;
  }
  if (state.model != nullptr && state.model->file != nullptr && state.opening_folder.empty()) {
    reducer->Notify(ErrorPlace::kText,
                    "Attention from a file has its own tokens; open a model to run another text.");
    return;
  }
  if (NeedsIds(state) && state.opening_folder.empty() && input.ids.empty() && !input.text.empty()) {
    reducer->Notify(ErrorPlace::kText, ReadsNoTextWords(*state.model));
    return;
  }
  TakeInput(input, reducer);
  reducer->ClearNotice(ErrorPlace::kText);
  if (state.model != nullptr && state.opening_folder.empty()) {
    BeginAttending(reducer);
  }
}

void UseFirstTokens(Reducer* reducer) {
  AppState& state = reducer->state();
  if (state.model == nullptr || !state.opening_folder.empty()) {
    return;
  }
  reducer->ClearNotice(ErrorPlace::kText);
  state.input.first_tokens = state.model->description.positions;
  BeginAttending(reducer);
}

void SetPrecision::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  if (precision == state.precision) {
    return;
  }
  if (const Status can = CheckPrecision(precision); !can) {
    reducer->Notify(ErrorPlace::kModel, can.error().message);
    return;
  }
  state.precision = precision;
  if (state.model != nullptr && state.opening_folder.empty()) {
    BeginAttending(reducer);
  }
}

void CancelWork(Reducer* reducer) {
  reducer->state().writing.tokens = 0;
  StopMaking(reducer);
  for (const WorkUnderWay& work : AllWork(reducer->state())) {
    if (work.is_long) {
      reducer->Stop(work.request);
    }
  }
}

void StopWork::Do(Reducer* reducer) const {
  for (const WorkUnderWay& work : AllWork(reducer->state())) {
    if (work.is_long && work.request == request) {
      reducer->Stop(request);
    }
  }
}

void DismissNotice::Do(Reducer* reducer) const {
  reducer->ClearNotice(place);
}

void ReportError::Do(Reducer* reducer) const {
  reducer->Notify(place, sentence);
}

void ModelReady::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  if (request != state.opening.request || state.opening_folder.empty()) {
    return;
  }
  state.opening.request = 0;
  state.opening_folder.clear();
  const bool is_first = state.model == nullptr;
  const bool was_cut_to_fit = !is_first && state.input.first_tokens > 0 &&
                              state.input.first_tokens == state.model->description.positions;
  const bool was_known = TakeOver(model, reducer);
  state.model = model;
  reducer->ClearNotice(ErrorPlace::kModelNote);
  if (const std::string& note = model->description.note; !note.empty()) {
    reducer->Notify(ErrorPlace::kModelNote, note);
  }
  state.counts.wanted.reset();
  if (std::exchange(state.restoring_model, false) && was_known) {
    UseOwnSample(reducer);
    if (state.input != state.shown.input || state.shown.model != state.model ||
        state.precision != state.shown.precision) {
      BeginAttending(reducer);
    }
    return;
  }
  reducer->UseWholeScan();
  ModelWork& work = WorkFor(model, reducer);
  work.opened_with = state.opening_with;
  reducer->Emit(RememberModel{model->folder});
  std::erase_if(state.recent_models,
                [&](const ModelChoice& choice) { return choice.folder == model->folder; });
  state.recent_models.insert(state.recent_models.begin(), ModelChoice{model->name, model->folder});
  reducer->Emit(LookAtModels{{model->folder}});
  const std::optional<ArrivingSession> arriving =
      std::exchange(state.arriving_session, std::nullopt);
  // A target typed for the model before; one that came with this model is refused with a sentence.
  if (!model->has_decoder() && (!is_first || (arriving && arriving->session))) {
    state.input.target.reset();
    state.input.target_ids.clear();
    state.typed_target_ids.clear();
  }
  if (arriving) {
    if (work.session.store_again) {  // of the file that is left, whose answer nobody will read
      reducer->Emit(StoreSession{work.session.path, work.session.known, SessionOf(state, work)});
    }
    work.session = SessionPlace{};
    work.session.path = arriving->path;
    work.session.chosen = true;
    work.session.writable = arriving->writable;
    if (arriving->session) {
      reducer->TakeSession(&work, *arriving->session);
    }
    if (arriving->keeps_screen && state.arriving_view) {
      state.arriving_view->screen.clear();
    }
  } else if (!was_known) {
    reducer->LoadOwnSession(&work);
  }
  UseOwnSample(reducer);
  if (was_cut_to_fit && state.input.first_tokens > 0) {
    state.input.first_tokens = model->description.positions;
  }
  BeginAttending(reducer);
}

ModelWork* Reducer::WorkOf(const ModelInfo* model) {
  const auto found = std::ranges::find_if(
      state_.works, [model](const ModelWork& work) { return work.model.get() == model; });
  return model != nullptr && found != state_.works.end() ? &*found : nullptr;
}

ModelWork* Reducer::WorkInView() {
  return WorkOf(ShownModel(state_));
}

void Reducer::ForgetWorks() {
  const bool edits_flag = state_.dialogs.popup == Popup::kFlag;
  std::erase_if(state_.works, [&](const ModelWork& work) {
    return work.model != state_.model && work.model != state_.shown.model &&
           work.model != state_.pending.model && !work.session.storing &&
           !(edits_flag && work.model == state_.dialogs.flag.model);
  });
}

}  // namespace headscope
