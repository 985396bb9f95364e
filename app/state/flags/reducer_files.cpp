// Files of flags: exporting, importing, labelling blind, comparing; saving a scan.
#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/state/flags/files.h"
#include "app/state/heads/own_probe.h"
#include "app/state/reducer_class.h"
#include "core/base/home_path.h"

namespace headscope {
namespace {

// So many files are remembered to merge with, besides those whose flags are suggestions.
constexpr std::ptrdiff_t kMostShared = 12;

void KeepNewest(std::vector<SharedFlags>* shared) {
  const auto is_own = [](const SharedFlags& one) { return one.by != SharedBy::kOtherModel; };
  while (std::ranges::count_if(*shared, is_own) > kMostShared) {
    shared->erase(std::ranges::find_if(*shared, is_own));
  }
}

SharedFlags SharedOf(const FlagFile& file, const std::filesystem::path& path, SharedBy by) {
  return {.id = file.id,
          .by = by,
          .file = path.filename().string(),
          .author = file.author,
          .date = file.date,
          .model_name = file.model_name,
          .flags = file.flags};
}

std::size_t IndexOf(FlagFileUse side) {
  return side == FlagFileUse::kSecond ? 1 : 0;
}

// A table by hand says no colours.
FlagFile Coloured(FlagFile file) {
  for (HeadFlag& flag : file.flags) {
    if (flag.colour.empty() && !flag.role.empty()) {
      flag.colour = RoleColour(flag.role);
    }
  }
  return file;
}

}  // namespace

void EditPath(const std::string& path, SaveDraft* draft) {
  draft->path = path;
  draft->ask_overwrite = false;
  draft->done.clear();
  draft->fault.clear();
}

void TakeAnswer(const std::string& done, const Result<bool>& written, SaveDraft* draft) {
  draft->is_writing = false;
  if (!written) {
    draft->fault = written.error().message;
  } else if (*written) {
    draft->done = done;
  } else {
    draft->ask_overwrite = true;
  }
}

void Reducer::OpenFlagExport() {
  const ModelInfo* const model = ShownModel(state_);
  SaveDraft& draft = state_.flag_files.exporting;
  const bool is_csv = std::filesystem::path(draft.path).extension() == ".csv";
  const std::string name = fmt::format(
      "{}-flags{}", model != nullptr ? model->name : "headscope", is_csv ? ".csv" : ".json");
  EditPath((state_.exports_folder / name).string(), &draft);
}

void EditFlagExport::Do(Reducer* reducer) const {
  EditPath(path, &reducer->state().flag_files.exporting);
}

void StartFlagExport::Do(Reducer* reducer) const {
  const ModelWork* const work = reducer->WorkInView();
  SaveDraft& draft = reducer->state().flag_files.exporting;
  if (work == nullptr || draft.is_writing) {
    return;
  }
  EditPath(std::string(draft.path), &draft);
  draft.is_writing = true;
  reducer->Emit(WriteFlags{.path = ExpandHome(draft.path),
                           .file = FlagFileOf(reducer->state(), *work),
                           .overwrite = overwrite});
}

// What is written is what both have, whoever changes it next. Blind labelling ends with it.
void FlagsExported::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  TakeAnswer(path.string(), written, &state.flag_files.exporting);
  if (!written || !*written) {
    return;
  }
  for (ModelWork& work : state.works) {
    if (work.model->fingerprint == file.model_fingerprint) {
      work.flags.shared.push_back(SharedOf(file, path, SharedBy::kExport));
      KeepNewest(&work.flags.shared);
      reducer->StoreFlags(&work);
    }
  }
  if (file.is_blind) {
    state.flag_files.is_blind = false;
  }
}

void ImportFlags::Do(Reducer* reducer) const {
  const ModelWork* const work = reducer->WorkInView();
  if (work == nullptr) {
    reducer->Notify(ErrorPlace::kFlags,
                    fmt::format("{}: flags are of a model; open it first, then import them.",
                                path.filename().string()));
    return;
  }
  reducer->state().flag_files.importing = {
      .path = path, .model = work->model, .file = nullptr, .fault = {}, .takes_theirs = {}};
  reducer->state().dialogs.popup = Popup::kFlagImport;
  reducer->Emit(ReadFlags{.path = path, .use = FlagFileUse::kImport});
}

void FlagFileRead::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  const auto take = [this](auto* to) {
    if (file) {
      to->file = std::make_shared<const FlagFile>(Coloured(*file));
    } else {
      to->fault = file.error().message;
    }
  };
  if (use == FlagFileUse::kImport) {
    if (state.flag_files.importing.path == path) {
      take(&state.flag_files.importing);
    }
    return;
  }
  AgreementSide& side = state.flag_files.agreement.at(IndexOf(use));
  if (ExpandHome(side.path) == path) {  // no other was chosen since
    take(&side);
  }
}

void DecideConflict::Do(Reducer* reducer) const {
  FlagImportDraft& draft = reducer->state().flag_files.importing;
  for (const FlagConflict& conflict : PlanImport(reducer->state()).merge.conflicts) {
    if (!head || *head == conflict.head) {
      draft.takes_theirs[conflict.head] = takes_theirs;
    }
  }
}

void TakeFlagImport(Reducer* reducer) {
  AppState& state = reducer->state();
  const ImportPlan plan = PlanImport(state);
  FlagImportDraft& draft = state.flag_files.importing;
  ModelWork* const work = reducer->WorkOf(draft.model.get());
  if (!plan.can_take() || draft.file == nullptr || work == nullptr) {
    return;  // the dialog says why
  }
  std::vector<HeadIndex> theirs;
  for (const auto& [head, takes_theirs] : draft.takes_theirs) {
    if (takes_theirs) {
      theirs.push_back(head);
    }
  }
  if (draft.is_other_window) {
    reducer->TakeOtherWindow(ChangesOf(plan.merge, theirs), work);
    return;
  }
  SharedFlags shared = SharedOf(
      *draft.file, draft.path, plan.is_other_model ? SharedBy::kOtherModel : SharedBy::kImport);
  if (plan.is_other_model) {
    shared.flags = plan.suggested;
    ForgetShared(&work->flags, shared.id);  // it may come again
  }
  TakeImport(&work->flags, ChangesOf(plan.merge, theirs), shared);
  KeepNewest(&work->flags.shared);
  reducer->StoreFlags(work);
  draft = {};
  state.dialogs.popup = Popup::kNone;
}

void ForgetOtherModel::Do(Reducer* reducer) const {
  ModelWork* const work = reducer->WorkInView();
  if (work != nullptr && ForgetShared(&work->flags, id)) {
    reducer->StoreFlags(work);
  }
}

void EditAgreement::Do(Reducer* reducer) const {
  reducer->state().flag_files.agreement.at(IndexOf(side)) = {
      .path = path, .file = nullptr, .fault = {}};
  if (!path.empty()) {
    reducer->Emit(ReadFlags{.path = ExpandHome(path), .use = side});
  }
}

void Reducer::OpenScanSave() {
  const ModelInfo* const model = ShownModel(state_);
  const std::string name = fmt::format("{}-scan.txt", model != nullptr ? model->name : "headscope");
  EditPath((state_.exports_folder / name).string(), &state_.flag_files.saving_scan);
}

void EditScanSave::Do(Reducer* reducer) const {
  EditPath(path, &reducer->state().flag_files.saving_scan);
}

void SaveScan::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  SaveDraft& draft = state.flag_files.saving_scan;
  std::shared_ptr<const HeadScanReport> report = ShownScan(state);
  if (report == nullptr || !report->is_whole() || draft.is_writing) {
    return;
  }
  const bool is_own = report->probe.kind != ProbeKind::kBundled;
  const ModelInfo& model = is_own ? *state.probe_scan.of : *state.scan.of;
  EditPath(std::string(draft.path), &draft);
  draft.is_writing = true;
  reducer->Emit(WriteScan{.path = ExpandHome(draft.path),
                          .report = std::move(report),
                          .model = model.folder.string(),
                          .overwrite = overwrite});
}

void ScanSaved::Do(Reducer* reducer) const {
  TakeAnswer(done, written, &reducer->state().flag_files.saving_scan);
}

}  // namespace headscope
