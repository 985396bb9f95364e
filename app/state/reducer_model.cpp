// Opening models and texts.
#include <algorithm>
#include <utility>

#include "app/files/assets.h"
#include "app/state/reducer_class.h"
#include "app/state/text/samples.h"
#include "app/state/text/typed_ids.h"
#include "app/state/work_under_way.h"

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
  return notes + ".";
}

}  // namespace

bool IsSameModel(const ModelInfo& a, const ModelInfo& b) {
  return !a.fingerprint.empty() && a.fingerprint == b.fingerprint && a.file == b.file &&
         PartsOf(a) == PartsOf(b);
}

void Reducer::On(const LibraryFound& action) {
  state_.bundled_models = action.bundled;
  state_.cached_models = action.cached;
  state_.recent_models = action.recent;
  state_.samples = action.samples;
  state_.sessions_folder = action.sessions_folder;
  state_.exports_folder = action.exports_folder;
  state_.files_folder = action.home;
  state_.probes_folder = action.probes;
  state_.scans_folder = action.scans;
}

const ModelChoice* Reducer::BundledModel(std::string_view name) const {
  const auto found = std::find_if(state_.bundled_models.begin(),
                                  state_.bundled_models.end(),
                                  [name](const ModelChoice& model) { return model.name == name; });
  return found != state_.bundled_models.end() ? &*found : nullptr;
}

void Reducer::On(const Start& action) {
  state_.screen = action.screen;
  if (!action.session.empty()) {
    state_.deferred_start = DeferredStart{.model = action.model, .input = action.input};
    On(OpenSession{action.session});
    return;
  }
  std::optional<InputText> input = action.input;
  if (input) {
    state_.text_made_for.reset();
  } else {
    state_.text_made_for = "";  // the model that opens has a sample of its own
    input = state_.samples.empty() ? InputText{} : InputOf(state_.samples.front());
  }
  if (!action.model.empty()) {
    OpenModelRequest how = action.how;
    how.folder = action.model;
    OpenModel(std::move(how), input);
  } else if (const ModelChoice* bundled = BundledModel(kDefaultModel)) {
    OpenModel(bundled->folder, input);
  } else if (!state_.bundled_models.empty()) {
    OpenModel(state_.bundled_models.front().folder, input);
  } else {
    TakeInput(*input);  // no model: the screen says how to open one
  }
}

void Reducer::On(const OpenFolder& action) {
  state_.dialogs.popup = Popup::kNone;
  OpenModel(OpenModelRequest{.folder = action.folder, .options = action.options}, std::nullopt);
}

void Reducer::On(const EditEmbeddings& action) {
  state_.dialogs.embeddings = action.draft;
}

void Reducer::On(const UseEmbeddings& /*action*/) {
  const EmbeddingsDraft draft = state_.dialogs.embeddings;
  state_.dialogs.popup = Popup::kNone;
  InputText input;
  input.embeddings = draft.queries;
  input.key_embeddings = draft.keys;
  input.value_embeddings = draft.values;
  On(SetInput{std::move(input)});
}

void Reducer::AskForHeadCount(const HeadCountNeeded& needed) {
  state_.opening.request = 0;
  state_.opening_folder.clear();
  state_.dialogs.head_count = needed;
  state_.dialogs.popup = Popup::kHeadCount;
}

void Reducer::OpenModel(const std::filesystem::path& folder, std::optional<InputText> input) {
  OpenModel(OpenModelRequest{.folder = folder}, std::move(input));
}

void Reducer::OpenModel(OpenModelRequest request, std::optional<InputText> input) {
  ClearNotice(ErrorPlace::kModel);
  state_.restoring_model = false;
  state_.arriving_head.reset();
  state_.opening_folder = request.folder;
  // A session that waits for its model waits for no other, unless it was named at the start.
  if (state_.model != nullptr && state_.arriving_session && state_.arriving_session->session &&
      state_.arriving_session->session->model_path != request.folder) {
    state_.arriving_session.reset();
  }
  if (input) {
    TakeInput(*input);
  }
  state_.opening_with = request;
  state_.opening.Begin(Send(std::move(request)));
}

// Ids stand in their box as they were typed, so that a comma can follow; what is no id is told, and
// the picture stays.
std::optional<std::vector<std::int32_t>> Reducer::TakeIds(const std::string& text) {
  auto ids = ParseIds(text);
  if (ids && !ids->empty()) {
    return std::move(*ids);
  }
  ClearNotice(ErrorPlace::kText);
  if (!ids) {
    Notify(ErrorPlace::kText, ids.error().message);
  }
  return std::nullopt;
}

bool Reducer::NeedsIds() const {
  return state_.model != nullptr && state_.model->reads_ids_alone();
}

void Reducer::On(const EditText& action) {
  InputText input{.text = action.text, .pair = state_.input.pair, .ids = {}};
  input.target = state_.input.target;
  input.target_ids = state_.input.target_ids;
  input.first_tokens = state_.input.first_tokens;
  std::string typed;
  if (IsOfIds(action.text) || (NeedsIds() && !action.text.empty())) {
    typed = action.text;
    auto ids = TakeIds(action.text);
    if (!ids) {
      state_.typed_ids = typed;
      state_.text_made_for.reset();
      return;
    }
    input.text.clear();
    input.pair.reset();
    input.ids = std::move(*ids);
  }
  const std::string typed_target = state_.typed_target_ids;
  On(SetInput{std::move(input)});
  state_.typed_ids = typed;
  state_.typed_target_ids = typed_target;
  if (action.text.empty()) {
    state_.text_made_for = "";  // nothing is given any more
  }
}

void Reducer::On(const EditPair& action) {
  InputText input = state_.input;
  input.pair = action.text.empty() ? std::nullopt : std::optional(action.text);
  On(SetInput{std::move(input)});
}

void Reducer::On(const EditTarget& action) {
  InputText input = state_.input;
  input.target = action.text.empty() ? std::nullopt : std::optional(action.text);
  input.target_ids.clear();
  std::string typed;
  if (IsOfIds(action.text) || (NeedsIds() && !action.text.empty())) {
    typed = action.text;
    auto ids = TakeIds(action.text);
    if (!ids) {
      state_.typed_target_ids = typed;
      return;
    }
    input.target.reset();
    input.target_ids = std::move(*ids);
  }
  const std::string typed_source = state_.typed_ids;
  On(SetInput{std::move(input)});
  state_.typed_ids = typed_source;
  state_.typed_target_ids = typed;
}

void Reducer::On(const ChooseSample& action) {
  if (action.index < state_.samples.size()) {
    const Sample sample = state_.samples[action.index];
    const ModelChoice* needed = sample.only_model ? BundledModel(sample.model) : nullptr;
    if (needed != nullptr && (state_.model == nullptr || state_.model->name != sample.model)) {
      On(OpenFolder{needed->folder});
      TakeInput(InputOf(sample));
    } else {
      On(SetInput{InputOf(sample)});
    }
    state_.arriving_sample = sample;
    if (!sample.model.empty()) {
      state_.text_made_for = sample.model;
    }
  }
}

// Words of one model's sample may be strange to another: a text that nobody typed gives way to the
// one that was chosen for the model.
void Reducer::UseOwnSample() {
  const ModelInfo& model = *state_.model;
  if (!state_.text_made_for || model.file != nullptr || model.reads_embeddings() ||
      AreOfOneFamily(*state_.text_made_for, model.name)) {
    return;
  }
  if (const Sample* sample = SampleFor(state_.samples, model.name)) {
    TakeInput(InputOf(*sample));
    state_.text_made_for = sample->model;
    state_.arriving_sample = *sample;
  }
}

void Reducer::TakeInput(const InputText& input) {
  state_.input = input;
  state_.typed_ids = input.ids.empty() ? "" : IdsInWords(input.ids);
  state_.typed_target_ids = input.target_ids.empty() ? "" : IdsInWords(input.target_ids);
}

void Reducer::On(const SetInput& action) {
  state_.arriving_sample.reset();
  state_.text_made_for.reset();
  if (state_.dialogs.popup == Popup::kSamples) {
    state_.dialogs.popup = Popup::kNone;
  }
  if (state_.model != nullptr && state_.model->file != nullptr && state_.opening_folder.empty()) {
    Notify(ErrorPlace::kText,
           "Attention from a file has its own tokens; open a model to run another text.");
    return;
  }
  if (NeedsIds() && state_.opening_folder.empty() && action.input.ids.empty() &&
      !action.input.text.empty()) {
    Notify(ErrorPlace::kText, ReadsNoTextWords(*state_.model));
    return;
  }
  TakeInput(action.input);
  ClearNotice(ErrorPlace::kText);
  if (state_.model != nullptr && state_.opening_folder.empty()) {
    BeginAttending();
  }
}

void Reducer::On(const UseFirstTokens& /*action*/) {
  if (state_.model == nullptr || !state_.opening_folder.empty()) {
    return;
  }
  ClearNotice(ErrorPlace::kText);
  state_.input.first_tokens = state_.model->description.positions;
  BeginAttending();
}

void Reducer::BeginAttending() {
  ClearNotice(ErrorPlace::kFile);
  ClearNotice(ErrorPlace::kOffer);
  if (AwaitsChoice(state_)) {
    state_.pending = Attendance{};
    // Nothing stands for another model; ids that are taken away to type others do not end a picture.
    if (state_.shown.model != state_.model || !NeedsIds()) {
      state_.shown = Attendance{};
    }
    return;
  }
  if (state_.model->file != nullptr && !state_.model->file->notes().empty()) {
    Notify(ErrorPlace::kFile, AllNotes(*state_.model->file));
  }
  state_.pending = Attendance{};
  state_.pending.input = state_.input;
  state_.pending.model = state_.model;
  state_.pending.precision = state_.precision;
  std::int64_t layers = 0;
  for (const PartHeads& shape : PartsOf(*state_.model)) {
    layers += shape.end_layer();
  }
  state_.pending.layers.resize(static_cast<std::size_t>(layers));
  state_.pending.Begin(Send(AttendRequest{
      .input = state_.input, .precision = state_.precision, .opening = state_.model->opening}));
}

void Reducer::On(const SetPrecision& action) {
  if (action.precision == state_.precision) {
    return;
  }
  if (const Status can = CheckPrecision(action.precision); !can) {
    Notify(ErrorPlace::kModel, can.error().message);
    return;
  }
  state_.precision = action.precision;
  if (state_.model != nullptr && state_.opening_folder.empty()) {
    BeginAttending();
  }
}

void Reducer::On(const CancelWork& /*action*/) {
  for (const WorkUnderWay& work : AllWork(state_)) {
    if (work.is_long) {
      Stop(work.request);
    }
  }
}

void Reducer::On(const DismissNotice& action) {
  ClearNotice(action.place);
}

void Reducer::On(const ReportError& action) {
  Notify(action.place, action.sentence);
}

void Reducer::On(const ModelReady& action) {
  if (action.request != state_.opening.request || state_.opening_folder.empty()) {
    return;
  }
  state_.opening.request = 0;
  state_.opening_folder.clear();
  const bool is_first = state_.model == nullptr;
  const bool was_cut_to_fit = !is_first && state_.input.first_tokens > 0 &&
                              state_.input.first_tokens == state_.model->description.positions;
  const bool was_known = TakeOver(action.model);
  state_.model = action.model;
  ClearNotice(ErrorPlace::kModelNote);
  if (const std::string& note = action.model->description.note; !note.empty()) {
    Notify(ErrorPlace::kModelNote, note);
  }
  state_.counts.wanted.reset();
  if (std::exchange(state_.restoring_model, false) && was_known) {
    UseOwnSample();
    if (state_.input != state_.shown.input || state_.shown.model != state_.model ||
        state_.precision != state_.shown.precision) {
      BeginAttending();
    }
    return;
  }
  UseWholeScan();
  ModelWork& work = WorkFor(action.model);
  work.opened_with = state_.opening_with;
  effects_.push_back(RememberModel{action.model->folder});
  std::erase_if(state_.recent_models,
                [&](const ModelChoice& choice) { return choice.folder == action.model->folder; });
  state_.recent_models.insert(state_.recent_models.begin(),
                              ModelChoice{action.model->name, action.model->folder});
  const std::optional<ArrivingSession> arriving =
      std::exchange(state_.arriving_session, std::nullopt);
  // A target typed for the model before; one that came with this model is refused with a sentence.
  if (!action.model->has_decoder() && (!is_first || (arriving && arriving->session))) {
    state_.input.target.reset();
    state_.input.target_ids.clear();
    state_.typed_target_ids.clear();
  }
  if (arriving) {
    if (work.session.store_again) {  // of the file that is left, whose answer nobody will read
      effects_.push_back(
          StoreSession{work.session.path, work.session.known, SessionOf(state_, work)});
    }
    work.session = SessionPlace{};
    work.session.path = arriving->path;
    work.session.chosen = true;
    work.session.writable = arriving->writable;
    if (arriving->session) {
      TakeSession(&work, *arriving->session);
    }
  } else if (!was_known) {
    LoadOwnSession(&work);
  }
  UseOwnSample();
  if (was_cut_to_fit && state_.input.first_tokens > 0) {
    state_.input.first_tokens = action.model->description.positions;
  }
  BeginAttending();
}

ModelWork* Reducer::WorkOf(const ModelInfo* model) {
  const auto found = std::ranges::find_if(
      state_.works, [model](const ModelWork& work) { return work.model.get() == model; });
  return model != nullptr && found != state_.works.end() ? &*found : nullptr;
}

ModelWork& Reducer::WorkFor(const std::shared_ptr<const ModelInfo>& model) {
  const auto found = std::ranges::find(state_.works, model, &ModelWork::model);
  return found != state_.works.end()
             ? *found
             : state_.works.emplace_back(
                   ModelWork{.model = model, .opened_with = {}, .flags = {}, .session = {}});
}

ModelWork* Reducer::WorkInView() {
  return WorkOf(ShownModel(state_));
}

// A model that is opened again is the one that was: its picture, its flags and its session stay.
bool Reducer::TakeOver(const std::shared_ptr<const ModelInfo>& model) {
  const auto found = std::ranges::find_if(
      state_.works, [&model](const ModelWork& work) { return IsSameModel(*work.model, *model); });
  if (found == state_.works.end()) {
    return false;
  }
  const std::shared_ptr<const ModelInfo> before = std::exchange(found->model, model);
  for (std::shared_ptr<const ModelInfo>* const each : {&state_.shown.model,
                                                       &state_.counts.wanted_of.model,
                                                       &state_.counts.source_of.model,
                                                       &state_.dialogs.flag.model}) {
    if (*each == before) {
      *each = model;
    }
  }
  return true;
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
