#include "core/train/kept_runs.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/atomic_file.h"
#include "core/base/sweep.h"
#include "core/io/json.h"
#include "core/io/json_text.h"
#include "core/train/kept_state.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uint64_t kLargestMark = std::uint64_t{4} << 20U;
constexpr std::int64_t kMostOfSteps = std::int64_t{1} << 53U;
constexpr std::chrono::milliseconds kGlance{50};  // while another window looks at the run

// The run's folders, the newest first.
std::vector<fs::path> FoldersOf(const fs::path& shelf) {
  std::vector<std::pair<fs::file_time_type, fs::path>> found;
  std::error_code error;
  for (fs::directory_iterator entry(shelf, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (!entry->is_directory(ignored)) {
      continue;
    }
    fs::file_time_type time = fs::last_write_time(entry->path() / kTrainRecordFile, ignored);
    if (ignored) {
      time = fs::last_write_time(entry->path(), ignored);
    }
    found.emplace_back(time, entry->path());
  }
  std::ranges::sort(found, std::ranges::greater());
  std::vector<fs::path> folders;
  for (auto& [time, path] : found) {
    folders.push_back(std::move(path));
  }
  return folders;
}

// Whether a run has written anything into its folder.
bool HoldsAnything(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / kTrainRecordFile, error) ||
         fs::exists(folder / kTrainStateFile, error) || fs::exists(folder / "step-0", error);
}

// Of a run that only the caller has. The state stands in `found`.
KeptRun AboutRun(const fs::path& folder,
                 const FoundTrain& found,
                 const Result<TrainRecord>& record,
                 const Result<RunMark>& mark) {
  KeptRun run{.folder = folder};
  run.can_go_on = found.kept || record;
  if (!run.can_go_on) {
    run.fault = record.error().message;
    return run;
  }
  run.settings = found.kept ? found.kept->settings : record->settings;
  run.step = found.kept ? found.kept->state.step : 0;
  // Where headscope train went further, its own number of steps counts.
  if (mark && mark->step >= run.step) {
    run.failure = mark->fault;
    run.end = !mark->fault.empty() ? RunEnd::kFailed
              : mark->is_closed    ? RunEnd::kClosed
                                   : RunEnd::kUnderWay;
  } else {
    run.steps = run.settings.steps;
    run.end = run.step >= run.steps ? RunEnd::kDone : RunEnd::kUnderWay;
  }
  if (!found.faults.empty()) {
    run.fault = fmt::format("{}; the run goes on from {}",
                            found.faults.front(),
                            found.kept ? fmt::format("step {}, the last whole one", run.step)
                                       : std::string("its first weights: no step is whole"));
  } else if (!record) {
    run.fault = record.error().message + "; the numbers before are lost";
  }
  return run;
}

}  // namespace

Status WriteRunMark(const fs::path& folder, const RunMark& mark) {
  Json json = {{"step", mark.step},
               {"closed", mark.is_closed},
               {"fault", mark.fault.empty() ? Json(nullptr) : Json(mark.fault)},
               {"losses", Json::array()}};
  for (const TrainPoint& one : mark.losses) {
    json["losses"].push_back(Json::array({one.step, one.loss}));
  }
  return WriteFileAtomically(folder / kRunMarkFile, JsonText(json) + "\n");
}

Result<RunMark> ReadRunMark(const fs::path& folder) {
  HEADSCOPE_TRY(const auto document, JsonDocument::Read(folder / kRunMarkFile, kLargestMark));
  HEADSCOPE_TRY(const auto json, JsonObject::Root(document));
  RunMark mark;
  HEADSCOPE_TRY(mark.step, json.Integer("step", 0, kMostOfSteps));
  HEADSCOPE_TRY(mark.is_closed, json.Boolean("closed", false));
  HEADSCOPE_TRY(mark.fault, json.String("fault", ""));
  HEADSCOPE_TRY(const auto losses, json.Array("losses"));
  for (const JsonValue& value : losses.value_or(JsonArray())) {
    const JsonArray pair = value.Array().value_or(JsonArray());
    const auto step = pair.size() == 2 ? pair[0].Integer() : std::nullopt;
    const auto loss = pair.size() == 2 ? pair[1].Number() : std::nullopt;
    if (!step || !loss) {
      return Fail(
          ErrorCode::kFormat,
          fmt::format("{}: \"losses\" are not pairs of a step and a loss", document.name()));
    }
    mark.losses.push_back({*step, *loss});
  }
  return mark;
}

Result<HeldRun> HeldRun::Make(const fs::path& shelf, const std::string& name) {
  std::error_code error;
  fs::create_directories(shelf, error);
  for (int number = 1;; ++number) {
    HeldRun held;
    held.folder_ = shelf / (number == 1 ? name : fmt::format("{}-{}", name, number));
    const bool is_new = fs::create_directory(held.folder_, error);
    if (error) {
      return Fail(ErrorCode::kIo, fmt::format("{}: {}", held.folder_.string(), error.message()));
    }
    if (is_new) {
      HEADSCOPE_TRY(held.lock_, FileLock::TryTake(held.folder_ / kTrainRecordFile));
      if (held.lock_) {
        return held;
      }
    }
  }
}

Result<HeldRun> HeldRun::Take(const fs::path& folder, std::chrono::milliseconds patience) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return Fail(ErrorCode::kIo,
                fmt::format("{}: this run is gone; another window has discarded it, or it was "
                            "removed",
                            folder.string()));
  }
  HeldRun held;
  held.folder_ = folder;
  auto lock = FileLock::TryTake(folder / kTrainRecordFile, patience);
  if (lock && !*lock) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: another window or headscope train has this run; go on with it "
                            "there, or close it there first",
                            folder.string()));
  }
  if (lock) {
    held.lock_ = std::move(*lock);
  }
  return held;
}

std::vector<KeptRun> ListKeptRuns(const fs::path& shelf) {
  std::vector<KeptRun> runs;
  for (const fs::path& folder : FoldersOf(shelf)) {
    if (!HoldsAnything(folder)) {
      continue;
    }
    const Result<HeldRun> held = HeldRun::Take(folder, kGlance);
    if (held) {
      SweepTemporaryFiles(folder);
      for (const auto& [step, path] : KeptStepFolders(folder)) {
        SweepTemporaryFiles(path);
      }
      runs.push_back(
          AboutRun(folder, FindTrainState(folder), ReadTrainRecord(folder), ReadRunMark(folder)));
    }
  }
  return runs;
}

Result<WholeRun> ReadWholeRun(const HeldRun& held) {
  const fs::path& folder = held.folder();
  FoundTrain found = FindTrainState(folder);
  Result<TrainRecord> record = ReadTrainRecord(folder);
  Result<RunMark> mark = ReadRunMark(folder);
  WholeRun run{.about = AboutRun(folder, found, record, mark), .state = {}};
  if (!run.about.can_go_on) {
    return Fail(
        ErrorCode::kFormat,
        fmt::format("{}: nothing of this run is whole ({})", folder.string(), run.about.fault));
  }
  HEADSCOPE_TRY(const auto begun, TrainRun::Make(run.about.settings));
  run.state = found.kept ? std::move(found.kept->state) : begun.state();
  const std::int64_t step = run.state.step;
  for (const auto& [number, path] : KeptStepFolders(folder)) {
    if (number <= step) {
      if (Result<KeptTrain> kept = ReadTrainState(path); kept && kept->state.step == number) {
        run.kept.push_back(std::move(kept->state));
      }
    }
  }
  std::ranges::reverse(run.kept);
  // The first weights are drawn again where they are not there.
  if (run.kept.empty() || run.kept.front().step > 0) {
    run.kept.insert(run.kept.begin(), begun.state());
  }
  if (record) {
    std::ranges::copy_if(record->lines, std::back_inserter(run.lines), [&](const TrainLine& line) {
      return line.step <= step;
    });
  }
  if (mark) {
    std::ranges::copy_if(mark->losses,
                         std::back_inserter(run.losses),
                         [&](const TrainPoint& point) { return point.step <= step; });
  }
  return run;
}

Status DiscardKeptRun(const fs::path& folder) {
  HEADSCOPE_TRY(const HeldRun held, HeldRun::Take(folder, kGlance));
  std::error_code error;
  fs::remove_all(folder, error);
  return error ? Fail(ErrorCode::kIo, fmt::format("{}: {}", folder.string(), error.message()))
               : Status();
}

void DiscardOldRuns(const fs::path& shelf) {
  const std::vector<fs::path> folders = FoldersOf(shelf);
  for (std::size_t i = kMostKeptRuns; i < folders.size(); ++i) {
    // One that somebody has stays.
    static_cast<void>(DiscardKeptRun(folders[i]));
  }
}

}  // namespace headscope
