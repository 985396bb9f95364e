// Runs that a window leaves on disk while it trains them: a folder for each, as headscope train writes it,
// with run.json beside, which says how far it was and how it ended.
//
// Errors   kIo; kInput: another program has the run; kFormat: nothing of it is whole. Sentences that name
//          the folder.
// Threads  any but the drawing one; a run belongs to the HeldRun that holds its lock, so that two windows
//          neither write nor remove the same one. The lock of a program that ends is released.
// Source   docs/reference.md, "Counts and Train".
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/file_lock.h"
#include "core/train/record.h"
#include "core/train/run.h"

namespace headscope {

inline constexpr std::size_t kMostKeptRuns = 8;
inline constexpr const char* kRunMarkFile = "run.json";

struct TrainPoint {
  std::int64_t step = 0;
  double loss = 0.0;  // the mean since the last point
};

// What run.json says.
struct RunMark {
  std::int64_t step = 0;
  bool is_closed = false;               // by a person
  std::string fault = {};               // why no step follows; empty: one does
  std::vector<TrainPoint> losses = {};  // its curve
};

[[nodiscard]] Status WriteRunMark(const std::filesystem::path& folder, const RunMark& mark);
[[nodiscard]] Result<RunMark> ReadRunMark(const std::filesystem::path& folder);

// The folder of a run, and the right to change it.
class HeldRun {
 public:
  // A new folder in the shelf, by that name or the name with a number.
  [[nodiscard]] static Result<HeldRun> Make(const std::filesystem::path& shelf,
                                            const std::string& name);
  // One that is there; waits so long for another window. Where nothing can be written, it is held without
  // a lock.
  [[nodiscard]] static Result<HeldRun> Take(
      const std::filesystem::path& folder,
      std::chrono::milliseconds patience = std::chrono::milliseconds(1000));

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::optional<FileLock> lock_;
};

enum class RunEnd { kUnderWay, kClosed, kFailed, kDone };  // kDone: by headscope train

// What is known of a run without its kept steps.
struct KeptRun {
  std::filesystem::path folder;
  TrainSettings settings = {};
  std::int64_t step = 0;   // of its newest whole state
  std::int64_t steps = 0;  // it is to do; 0: it has no end, as those of the window
  RunEnd end = RunEnd::kUnderWay;
  std::string failure = {};  // of kFailed
  std::string fault = {};    // of what is torn, in a sentence
  bool can_go_on = true;     // false: nothing of it is whole
};

// A run as it goes on.
struct WholeRun {
  KeptRun about;
  TrainState state;
  std::vector<TrainState> kept = {};  // by step, none after the state's
  std::vector<TrainLine> lines = {};
  std::vector<TrainPoint> losses = {};
};

// The shelf's runs that nobody has, the newest first. Half-written files that a killed program left
// behind in them are removed.
[[nodiscard]] std::vector<KeptRun> ListKeptRuns(const std::filesystem::path& shelf);
[[nodiscard]] Result<WholeRun> ReadWholeRun(const HeldRun& held);
// Removes a run that nobody has.
[[nodiscard]] Status DiscardKeptRun(const std::filesystem::path& folder);
// Removes the oldest runs beyond kMostKeptRuns, but none that somebody has.
void DiscardOldRuns(const std::filesystem::path& shelf);

}  // namespace headscope
