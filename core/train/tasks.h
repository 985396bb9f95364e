// What a network is trained on: rows of ids made by a task, or read from a file.
//
// A batch is a function of the seed and the step alone: a run that goes on has the batches that it
// would have had, and runs that differ in the number of heads alone see the same ones.
//
// Errors   kInput: a task that does not fit the sizes; a file with ids that the vocabulary lacks,
//          rows that are too short or too long; kIo.
// Source   docs/reference.md, "train".
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/train/settings.h"

namespace headscope {

inline constexpr std::int32_t kNoTarget = -1;

// The ids of the mixture's marks; symbols begin after them. 0 is the begin mark.
inline constexpr std::int32_t kFirstOpener = 1;
inline constexpr std::int32_t kOpeners = 3;
inline constexpr std::int32_t kAgainMark = 4;  // after it the token before it comes again
inline constexpr std::int32_t kBar = 5;        // after it comes what followed the last one
inline constexpr std::int32_t kCloser = 6;     // after it comes the opener
inline constexpr std::int32_t kFirstMixtureSymbol = 7;

// The kinds of targets that the mixture's accuracy is told of.
enum class TargetKind : std::uint8_t { kCopy, kMark, kBar, kCloser, kNone };
inline constexpr std::array<std::string_view, 4> kTargetKindNames = {
    "copy", "mark", "bar", "closer"};

// Rows one after another; each row has its own length.
struct TrainBatch {
  std::vector<std::int64_t> lengths;
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> targets;  // the id that comes next, or kNoTarget
  std::vector<TargetKind> kinds;      // of each target; empty: none is told apart
};

// Adds a row of ids, whose last one is a target only.
void AddTrainRow(const std::vector<std::int32_t>& row, TrainBatch* batch);

// The batch of a step, from 0.
[[nodiscard]] TrainBatch MakeTrainBatch(const TrainSettings& settings, std::int64_t step);

// `rows` rows of the mixture that are never trained on.
[[nodiscard]] TrainBatch MakeHeldOut(const TrainSettings& settings, std::int64_t rows);

// Repeats that scores are measured on: the begin mark and a block of distinct symbols, twice, as
// `score` draws them with the seed 1 (of the mixture's, symbols alone). Periods that the context has
// no room for are left out; a vocabulary with fewer symbols gives their number.
struct ScoredRepeats {
  std::int64_t period = 0;
  std::vector<std::vector<std::int32_t>> rows;
};
[[nodiscard]] std::vector<ScoredRepeats> MakeScoredRepeats(const TrainSettings& settings);
inline constexpr std::int64_t kScoredSequences = 10;

[[nodiscard]] Status CheckTask(const TrainSettings& settings);

// Reads rows of ids, one a line, separated by commas.
[[nodiscard]] Result<std::vector<std::vector<std::int32_t>>> ReadTrainRows(
    const std::filesystem::path& path, const TrainShape& shape);

}  // namespace headscope
