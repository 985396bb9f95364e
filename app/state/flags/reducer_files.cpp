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

// What was typed last: a new path asks and tells anew.
void EditPath(const std::string& path, SaveDraft* draft) {
  draft->path = path;
  draft->ask_overwrite = false;
  draft->done.clear();
  draft->fault.clear();
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

}  // namespace

void Reducer::On(const DayIs& action) {
  state_.flag_files.day = action.day;
}

void Reducer::On(const SetAuthor& action) {
  state_.flag_files.author = action.author;
}

void Reducer::On(const LabelBlind& action) {
  state_.flag_files.is_blind = action.is_blind;
}

void Reducer::OpenFlagExport() {
  const ModelInfo* const model = ShownModel(state_);
  SaveDraft& draft = state_.flag_files.exporting;
  const bool is_csv = std::filesystem::path(draft.path).extension() == ".csv";
  const std::string name = fmt::format(
      "{}-flags{}", model != nullptr ? model->name : "headscope", is_csv ? ".csv" : ".json");
  EditPath((state_.exports_folder / name).string(), &draft);
}

void Reducer::On(const EditFlagExport& action) {
  EditPath(action.path, &state_.flag_files.exporting);
}

void Reducer::On(const StartFlagExport& action) {
  const ModelWork* const work = WorkInView();
  SaveDraft& draft = state_.flag_files.exporting;
  if (work == nullptr || draft.is_writing) {
    return;
  }
  EditPath(std::string(draft.path), &draft);
  draft.is_writing = true;
  effects_.push_back(WriteFlags{.path = ExpandHome(draft.path),
                                .file = FlagFileOf(state_, *work),
                                .overwrite = action.overwrite});
}

// What is written is what both have, whoever changes it next. Blind labelling ends with it.
void Reducer::On(const FlagsExported& action) {
  TakeAnswer(action.path.string(), action.written, &state_.flag_files.exporting);
  if (!action.written || !*action.written) {
    return;
  }
  for (ModelWork& work : state_.works) {
    if (work.model->fingerprint == action.file.model_fingerprint) {
      work.flags.shared.push_back(SharedOf(action.file, action.path, SharedBy::kExport));
      KeepNewest(&work.flags.shared);
      StoreFlags(&work);
    }
  }
  if (action.file.is_blind) {
    state_.flag_files.is_blind = false;
  }
}

void Reducer::On(const ImportFlags& action) {
  const ModelWork* const work = WorkInView();
  if (work == nullptr) {
    Notify(ErrorPlace::kFlags,
           fmt::format("{}: flags are of a model; open it first, then import them.",
                       action.path.filename().string()));
    return;
  }
  state_.flag_files.importing = {
      .path = action.path, .model = work->model, .file = nullptr, .fault = {}, .takes_theirs = {}};
  state_.dialogs.popup = Popup::kFlagImport;
  effects_.push_back(ReadFlags{.path = action.path, .use = FlagFileUse::kImport});
}

void Reducer::On(const FlagFileRead& action) {
  const auto take = [&action](auto* to) {
    if (action.file) {
      to->file = std::make_shared<const FlagFile>(Coloured(*action.file));
    } else {
      to->fault = action.file.error().message;
    }
  };
  if (action.use == FlagFileUse::kImport) {
    if (state_.flag_files.importing.path == action.path) {
      take(&state_.flag_files.importing);
    }
    return;
  }
  AgreementSide& side = state_.flag_files.agreement.at(IndexOf(action.use));
  if (ExpandHome(side.path) == action.path) {  // no other was chosen since
    take(&side);
  }
}

void Reducer::On(const DecideConflict& action) {
  FlagImportDraft& draft = state_.flag_files.importing;
  for (const FlagConflict& conflict : PlanImport(state_).merge.conflicts) {
    if (!action.head || *action.head == conflict.head) {
      draft.takes_theirs[conflict.head] = action.takes_theirs;
    }
  }
}

void Reducer::On(const TakeFlagImport& /*action*/) {
  const ImportPlan plan = PlanImport(state_);
  FlagImportDraft& draft = state_.flag_files.importing;
  ModelWork* const work = WorkOf(draft.model.get());
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
    TakeOtherWindow(ChangesOf(plan.merge, theirs), work);
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
  StoreFlags(work);
  draft = {};
  state_.dialogs.popup = Popup::kNone;
}

void Reducer::On(const ForgetOtherModel& action) {
  ModelWork* const work = WorkInView();
  if (work != nullptr && ForgetShared(&work->flags, action.id)) {
    StoreFlags(work);
  }
}

void Reducer::On(const EditAgreement& action) {
  AgreementSide& side = state_.flag_files.agreement.at(IndexOf(action.side));
  side = {.path = action.path, .file = nullptr, .fault = {}};
  if (!action.path.empty()) {
    effects_.push_back(ReadFlags{.path = ExpandHome(action.path), .use = action.side});
  }
}

void Reducer::OpenScanSave() {
  const ModelInfo* const model = ShownModel(state_);
  const std::string name = fmt::format("{}-scan.txt", model != nullptr ? model->name : "headscope");
  EditPath((state_.exports_folder / name).string(), &state_.flag_files.saving_scan);
}

void Reducer::On(const EditScanSave& action) {
  EditPath(action.path, &state_.flag_files.saving_scan);
}

void Reducer::On(const SaveScan& action) {
  SaveDraft& draft = state_.flag_files.saving_scan;
  std::shared_ptr<const HeadScanReport> report = ShownScan(state_);
  if (report == nullptr || !report->is_whole() || draft.is_writing) {
    return;
  }
  const bool is_own = report->probe.kind != ProbeKind::kBundled;
  const ModelInfo& model = is_own ? *state_.probe_scan.of : *state_.scan.of;
  EditPath(std::string(draft.path), &draft);
  draft.is_writing = true;
  effects_.push_back(WriteScan{.path = ExpandHome(draft.path),
                               .report = std::move(report),
                               .model = model.folder.string(),
                               .overwrite = action.overwrite});
}

void Reducer::On(const ScanSaved& action) {
  TakeAnswer(action.done, action.written, &state_.flag_files.saving_scan);
}

}  // namespace headscope
