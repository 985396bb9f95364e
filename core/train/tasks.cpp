#include "core/train/tasks.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/base/parse_number.h"
#include "core/io/text_file.h"

namespace headscope {
namespace {

constexpr std::int64_t kBars = 4;
constexpr std::int64_t kMarks = 4;
constexpr std::int64_t kMixtureFrame = 4;  // begin mark, opener, closer, the opener's name
constexpr std::int64_t kLeastScoredPeriod = 4;

// What a stream of draws is for; streams of different purposes and steps have nothing in common.
enum class DrawPurpose : std::uint64_t { kTraining = 1, kHeldOut = 2 };

std::uint64_t SeedOf(std::uint64_t seed, DrawPurpose purpose, std::uint64_t step) {
  std::uint64_t mixed = seed;
  for (const std::uint64_t part : {static_cast<std::uint64_t>(purpose), step}) {
    mixed += 0x9E3779B97F4A7C15ULL + part;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBULL;
    mixed ^= mixed >> 31U;
  }
  return mixed;
}

bool IsScoredPeriod(std::int64_t period) {
  return std::ranges::find(kScoredPeriods, period) != std::end(kScoredPeriods);
}

std::vector<std::int64_t> DrawnPeriods(const TrainPeriods& periods) {
  std::vector<std::int64_t> drawn;
  for (std::int64_t period = periods.least; period <= periods.most; ++period) {
    if (!IsScoredPeriod(period)) {
      drawn.push_back(period);
    }
  }
  return drawn;
}

std::vector<std::int32_t> SymbolsFrom(std::int32_t first, std::int64_t vocabulary) {
  std::vector<std::int32_t> symbols(
      static_cast<std::size_t>(std::max<std::int64_t>(0, vocabulary - first)));
  std::iota(symbols.begin(), symbols.end(), first);
  return symbols;
}

// Puts a draw of distinct symbols first.
void ShuffleFirst(std::int64_t count, std::span<std::int32_t> symbols, RandomStream* random) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    std::swap(symbols[i], symbols[i + random->Below(symbols.size() - i)]);
  }
}

std::int64_t DrawPeriod(std::span<const std::int64_t> periods, RandomStream* random) {
  return periods[random->Below(periods.size())];
}

// A row and the kinds of its ids, where they are told apart.
struct MixtureRow {
  std::vector<std::int32_t> ids;
  std::vector<TargetKind> kinds;
  void Add(std::int32_t id, TargetKind kind = TargetKind::kNone) {
    ids.push_back(id);
    kinds.push_back(kind);
  }
};

// Tokens of a row that its copies of the block share, the last one cut off.
std::int64_t BlockTokens(std::int64_t context) {
  return context + 1 - kMixtureFrame - 2 * kBars - 3 * kMarks;
}

MixtureRow MakeMixtureRow(const TrainSettings& settings,
                          std::span<const std::int64_t> periods,
                          RandomStream* random) {
  enum class Part { kBlock, kMark, kBar };
  const std::int64_t period = DrawPeriod(periods, random);
  std::int64_t left = BlockTokens(settings.shape.context);
  std::vector<std::int32_t> symbols = SymbolsFrom(kFirstMixtureSymbol, settings.shape.vocabulary);
  ShuffleFirst(period + kMarks + 1, symbols, random);
  std::size_t next = 0;
  const auto take = [&] { return symbols[next++]; };
  const std::vector<std::int32_t> block(symbols.begin(), symbols.begin() + period);
  next += static_cast<std::size_t>(period);
  const std::int32_t after_bar = take();
  std::vector<Part> parts(static_cast<std::size_t>((left + period - 1) / period), Part::kBlock);
  parts.insert(parts.end(), kMarks, Part::kMark);
  parts.insert(parts.end(), kBars, Part::kBar);
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    std::swap(parts[i], parts[i + random->Below(parts.size() - i)]);
  }
  const std::int32_t opener = kFirstOpener + static_cast<std::int32_t>(random->Below(kOpeners));
  MixtureRow row;
  row.Add(0);
  row.Add(opener);
  std::int64_t bars = 0;
  for (const Part part : parts) {
    if (part == Part::kMark) {
      const std::int32_t again = take();
      row.Add(again);
      row.Add(kAgainMark);
      row.Add(again, TargetKind::kMark);
    } else if (part == Part::kBar) {
      row.Add(kBar);
      row.Add(after_bar, bars++ > 0 ? TargetKind::kBar : TargetKind::kNone);
    } else {
      // Nothing foretells that a block begins.
      const std::int64_t taken = std::min(period, left);
      for (std::int64_t i = 0; i < taken; ++i) {
        const bool is_copy = left < BlockTokens(settings.shape.context) && i > 0;
        row.Add(block[static_cast<std::size_t>(i)],
                is_copy ? TargetKind::kCopy : TargetKind::kNone);
      }
      left -= taken;
    }
  }
  row.Add(kCloser);
  row.Add(opener, TargetKind::kCloser);
  return row;
}

TrainBatch MakeMixture(const TrainSettings& settings, std::int64_t rows, RandomStream* random) {
  const std::vector<std::int64_t> periods = DrawnPeriods(settings.periods);
  TrainBatch batch;
  for (std::int64_t i = 0; i < rows; ++i) {
    const MixtureRow row = MakeMixtureRow(settings, periods, random);
    AddTrainRow(row.ids, &batch);
    batch.kinds.insert(batch.kinds.end(), row.kinds.begin() + 1, row.kinds.end());
  }
  return batch;
}

TrainBatch MakeCopies(const TrainSettings& settings, RandomStream* random) {
  const std::vector<std::int64_t> periods = DrawnPeriods(settings.periods);
  std::vector<std::int32_t> symbols = SymbolsFrom(1, settings.shape.vocabulary);
  TrainBatch batch;
  for (std::int64_t i = 0; i < settings.batch; ++i) {
    const std::int64_t period = DrawPeriod(periods, random);
    ShuffleFirst(period, symbols, random);
    std::vector<std::int32_t> row = {0};
    for (std::int64_t place = 0; place < settings.shape.context; ++place) {
      row.push_back(symbols[static_cast<std::size_t>(place % period)]);
    }
    AddTrainRow(row, &batch);
  }
  return batch;
}

Status RefusePeriods(const TrainSettings& settings, const std::string& why) {
  return Fail(
      ErrorCode::kInput,
      fmt::format("--periods {}-{}: {}", settings.periods.least, settings.periods.most, why));
}

Result<std::vector<std::int32_t>> ParseRow(std::string_view line, const TrainShape& shape) {
  std::vector<std::int32_t> row;
  while (true) {
    const std::size_t comma = line.find(',');
    std::string_view word = line.substr(0, comma);
    word.remove_prefix(std::min(word.find_first_not_of(' '), word.size()));
    word = word.substr(0, word.find_last_not_of(' ') + 1);
    const auto id = ParseAs<std::int32_t>(word);
    if (!id || *id < 0 || *id >= shape.vocabulary) {
      return Fail(ErrorCode::kInput,
                  fmt::format("\"{}\" is no id from 0 to {}", word, shape.vocabulary - 1));
    }
    row.push_back(*id);
    if (comma == std::string_view::npos) {
      break;
    }
    line.remove_prefix(comma + 1);
  }
  if (std::ssize(row) < 2 || std::ssize(row) > shape.context + 1) {
    return Fail(ErrorCode::kInput,
                fmt::format("{} ids, expected 2 to {} (--context, and the last one's target)",
                            row.size(),
                            shape.context + 1));
  }
  return row;
}

}  // namespace

void AddTrainRow(const std::vector<std::int32_t>& row, TrainBatch* batch) {
  batch->lengths.push_back(std::ssize(row) - 1);
  batch->ids.insert(batch->ids.end(), row.begin(), row.end() - 1);
  batch->targets.insert(batch->targets.end(), row.begin() + 1, row.end());
}

TrainBatch MakeTrainBatch(const TrainSettings& settings, std::int64_t step) {
  RandomStream random(
      SeedOf(settings.seed, DrawPurpose::kTraining, static_cast<std::uint64_t>(step)));
  return settings.task == TrainTask::kCopy ? MakeCopies(settings, &random)
                                           : MakeMixture(settings, settings.batch, &random);
}

TrainBatch MakeHeldOut(const TrainSettings& settings, std::int64_t rows) {
  RandomStream random(SeedOf(settings.seed, DrawPurpose::kHeldOut, 0));
  return MakeMixture(settings, rows, &random);
}

std::vector<ScoredRepeats> MakeScoredRepeats(const TrainSettings& settings) {
  constexpr std::uint64_t kProbeSeed = 1'000'003;
  const bool is_copy = settings.task == TrainTask::kCopy;
  const std::int64_t vocabulary = settings.shape.vocabulary;
  std::vector<std::int32_t> symbols = SymbolsFrom(is_copy ? 1 : kFirstMixtureSymbol, vocabulary);
  const std::int64_t count = std::ssize(symbols);
  std::vector<ScoredRepeats> made;
  for (const std::int64_t wanted : kScoredPeriods) {
    const std::int64_t period = std::min(wanted, count);
    if (period < kLeastScoredPeriod || 1 + 2 * period > settings.shape.context ||
        (!made.empty() && made.back().period == period)) {
      continue;
    }
    RandomStream random(kProbeSeed + static_cast<std::uint64_t>(period));
    ScoredRepeats repeats{.period = period, .rows = {}};
    for (std::int64_t i = 0; i < kScoredSequences; ++i) {
      ShuffleFirst(period, symbols, &random);
      std::vector<std::int32_t> row = {0};
      for (int copy = 0; copy < 2; ++copy) {
        row.insert(row.end(), symbols.begin(), symbols.begin() + period);
      }
      repeats.rows.push_back(std::move(row));
      if (count >= 2 * period) {
        // `score` draws a control here.
        std::vector<std::int32_t> rest(symbols.begin() + period, symbols.end());
        ShuffleFirst(period, rest, &random);
      }
    }
    made.push_back(std::move(repeats));
  }
  return made;
}

Status CheckTask(const TrainSettings& settings) {
  const auto [least, most] = settings.periods;
  const TrainShape& shape = settings.shape;
  if (least < 2 || most < least) {
    return RefusePeriods(settings, "expected two numbers from 2 on, the smaller one first");
  }
  if (DrawnPeriods(settings.periods).empty()) {
    return RefusePeriods(settings, "10 and 20 are kept for measuring; give another");
  }
  if (settings.task == TrainTask::kCopy) {
    if (most > shape.vocabulary - 1) {
      return RefusePeriods(
          settings,
          fmt::format("a block has distinct symbols, and --vocabulary {} has {} beside the begin "
                      "mark; give shorter ones",
                      shape.vocabulary,
                      shape.vocabulary - 1));
    }
    if (most >= shape.context) {
      return RefusePeriods(settings,
                           fmt::format("a --context of {} never repeats the longest block; give "
                                       "shorter ones",
                                       shape.context));
    }
    return {};
  }
  if (BlockTokens(shape.context) < 2 * most) {
    return Fail(ErrorCode::kInput,
                fmt::format("--task mixture: blocks of up to {} symbols need a --context of {} at "
                            "least, found {}",
                            most,
                            shape.context + 2 * most - BlockTokens(shape.context),
                            shape.context));
  }
  const std::int64_t needed = kFirstMixtureSymbol + most + kMarks + 1;
  if (shape.vocabulary < needed) {
    return Fail(ErrorCode::kInput,
                fmt::format("--task mixture: blocks of up to {} symbols need a --vocabulary of {} "
                            "at least, found {}",
                            most,
                            needed,
                            shape.vocabulary));
  }
  return {};
}

Result<std::vector<std::vector<std::int32_t>>> ReadTrainRows(const std::filesystem::path& path,
                                                             const TrainShape& shape) {
  HEADSCOPE_TRY(const std::string text, ReadTextFile(path));
  std::vector<std::vector<std::int32_t>> rows;
  std::string_view left = text;
  for (std::int64_t number = 1; !left.empty(); ++number) {
    const std::size_t end = left.find('\n');
    std::string_view line = left.substr(0, end);
    left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
    line = line.substr(0, line.find_last_not_of(" \r\t") + 1);
    if (line.empty()) {
      continue;
    }
    Result<std::vector<std::int32_t>> row = ParseRow(line, shape);
    if (!row) {
      return Fail(row.error().code,
                  fmt::format("{}:{}: {}", path.string(), number, row.error().message));
    }
    rows.push_back(std::move(*row));
  }
  if (rows.empty()) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: no rows, expected ids separated by commas, one row a line",
                            path.string()));
  }
  return rows;
}

}  // namespace headscope
