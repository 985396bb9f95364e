#include "app/state/flags/files.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/state/heads/own_probe.h"
#include "app/state/queries.h"

namespace headscope {
namespace {

// What one of the two says of heads, by what they are called.
struct Rater {
  std::string name;
  std::string fault;
  std::string fingerprint;
  std::vector<HeadFlag> flags;
  bool is_there = false;
};

Rater RaterOf(const AppState& state, const ModelInfo& model, std::size_t which) {
  const AgreementSide& side = state.flag_files.agreement.at(which);
  if (side.path.empty()) {
    const std::string& author = state.flag_files.author;
    return {.name = author.empty() ? "you" : author,
            .fault = {},
            .fingerprint = model.fingerprint,
            .flags = FlagsInView(state).flags,
            .is_there = which == 0};
  }
  Rater read{.name = std::filesystem::path(side.path).filename().string(),
             .fault = side.fault,
             .fingerprint = {},
             .flags = {},
             .is_there = side.file != nullptr};
  if (side.file != nullptr) {
    read.fingerprint = side.file->model_fingerprint;
    read.flags = side.file->flags;
    read.name = side.file->author.empty() ? read.name : side.file->author;
    if (!read.fingerprint.empty() && read.fingerprint != model.fingerprint) {
      read.fault = fmt::format("{} is of {}, and {} is open; open that model to compare them.",
                               std::filesystem::path(side.path).filename().string(),
                               side.file->model_name,
                               model.name);
    }
  }
  return read;
}

std::vector<HeadIndex> HeadsOf(const ModelInfo& model, const HeadScanReport* only) {
  std::vector<HeadIndex> heads;
  for (const PartHeads& part : PartsOf(model)) {
    for (const std::int64_t layer : part.layers) {
      for (std::int64_t head = 0; head < part.heads; ++head) {
        const HeadIndex index{layer, head, part.part};
        if (only == nullptr || IsScanned(*only, index)) {
          heads.push_back(index);
        }
      }
    }
  }
  return heads;
}

std::vector<std::string> Said(const std::vector<HeadIndex>& heads,
                              const std::vector<HeadFlag>& flags) {
  FlagSheet sheet;
  sheet.flags = flags;
  std::vector<std::string> said;
  std::ranges::transform(heads, std::back_inserter(said), [&sheet](HeadIndex head) {
    const HeadFlag* const flag = FindFlag(sheet, head);
    return flag != nullptr ? flag->role : std::string();
  });
  return said;
}

AgreementLine Compare(std::string who,
                      const std::vector<HeadIndex>& heads,
                      const std::vector<std::string>& first,
                      const std::vector<std::string>& second) {
  AgreementLine line{
      .who = std::move(who), .kappa = CohensKappa(first, second), .fault = {}, .unlike = {}};
  for (std::size_t i = 0; i < heads.size(); ++i) {
    if (first[i] != second[i]) {
      line.unlike.push_back(heads[i]);
    }
  }
  return line;
}

}  // namespace

FlagFile FlagFileOf(const AppState& state, const ModelWork& work) {
  FlagFile file;
  file.model_name = work.model->name;
  file.model_fingerprint = work.model->fingerprint;
  file.author = state.flag_files.author;
  file.date = state.flag_files.day;
  file.is_blind = state.flag_files.is_blind;
  if (const HeadScanReport* const report = RolesInView(state);
      report != nullptr && ShownModel(state) == work.model.get()) {
    file.scan = ProbeWords(*report);
  }
  for (const SharedFlags& shared : work.flags.shared) {
    if (shared.by == SharedBy::kImport) {
      file.from.push_back(shared.id);
    }
  }
  file.flags = work.flags.flags;
  return WithId(std::move(file));
}

std::string SavePathOf(const AppState& state, FileWanted wanted) {
  switch (wanted) {
    case FileWanted::kExportPlace:
      return state.dialogs.exporting.path;
    case FileWanted::kFlagsPlace:
      return state.flag_files.exporting.path;
    case FileWanted::kSessionPlace:
      return state.flag_files.saving_session.path;
    case FileWanted::kScanPlace:
      return state.flag_files.saving_scan.path;
    default:
      return "";
  }
}

ImportPlan PlanImport(const AppState& state) {
  ImportPlan plan;
  const FlagImportDraft& draft = state.flag_files.importing;
  const ModelWork* const work = WorkOf(state, draft.model.get());
  if (draft.file == nullptr || work == nullptr) {
    plan.fault = draft.file == nullptr ? draft.fault : "The model is no longer open.";
    return plan;
  }
  const FlagFile& file = *draft.file;
  const std::string name = draft.path.filename().string();
  plan.is_other_model =
      !file.model_fingerprint.empty() && file.model_fingerprint != work->model->fingerprint;
  if (plan.is_other_model) {
    for (const HeadFlag& flag : OnlyFlags(file.flags)) {
      if (HasHead(*work->model, HeadOf(flag))) {
        plan.suggested.push_back(flag);
      } else {
        ++plan.left_out;
      }
    }
    return plan;
  }
  if (const Status heads = CheckHeads(file, PartsOf(*work->model), name); !heads) {
    plan.fault = heads.error().message;
    return plan;
  }
  const std::vector<HeadFlag> base =
      draft.is_other_window ? work->session.known.flags : BaseOf(file, work->flags.shared);
  plan.has_base = !base.empty();
  plan.merge = MergeFlags(base, work->flags.flags, file.flags);
  plan.undecided = std::ranges::count_if(plan.merge.conflicts, [&draft](const FlagConflict& one) {
    return !draft.takes_theirs.contains(one.head);
  });
  return plan;
}

std::string FromWords(const std::string& author, const std::string& file, const std::string& day) {
  std::string words = author.empty() ? file : fmt::format("{} ({}", author, file);
  if (!day.empty()) {
    words += author.empty() ? fmt::format(" ({}", day) : ", " + day;
  }
  return author.empty() && day.empty() ? words : words + ")";
}

std::vector<AgreementLine> AgreementLines(const AppState& state) {
  const ModelInfo* const model = ShownModel(state);
  std::vector<AgreementLine> lines;
  if (model == nullptr) {
    return lines;
  }
  const Rater first = RaterOf(state, *model, 0);
  const Rater second = RaterOf(state, *model, 1);
  for (const Rater* const side : {&first, &second}) {
    if (!side->fault.empty()) {
      lines.push_back({.who = side->name, .kappa = {}, .fault = side->fault, .unlike = {}});
    }
  }
  if (!lines.empty()) {
    return lines;
  }
  if (first.is_there && second.is_there) {
    const std::vector<HeadIndex> heads = HeadsOf(*model, nullptr);
    lines.push_back(Compare(fmt::format("{} and {}", first.name, second.name),
                            heads,
                            Said(heads, first.flags),
                            Said(heads, second.flags)));
  }
  const HeadScanReport* const report = RolesInView(state);
  if (report == nullptr || CountScanned(*report) == 0) {
    return lines;
  }
  // The first of each head's, as the scan has them: what a person rejects stays a suggestion.
  const HeadSuggestions suggestions(report);
  const std::vector<HeadIndex> heads = HeadsOf(*model, report);
  std::vector<std::string> suggested;
  std::ranges::transform(heads, std::back_inserter(suggested), [&suggestions](HeadIndex head) {
    const auto& found = suggestions.Of(head);
    return found.empty() ? std::string() : found.front()->role;
  });
  for (const Rater* const side : {&first, &second}) {
    if (side->is_there) {
      lines.push_back(Compare(fmt::format("{} and the suggestions", side->name),
                              heads,
                              Said(heads, side->flags),
                              suggested));
    }
  }
  return lines;
}

std::string UnlikeWords(const AgreementLine& line) {
  return line.unlike.empty() ? "" : "unlike: " + NamesOf(line.unlike);
}

}  // namespace headscope
