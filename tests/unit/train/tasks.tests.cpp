#include "core/train/tasks.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/atomic_file.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

// The ids of a row with its last target.
std::vector<std::int32_t> RowOf(const TrainBatch& batch, std::size_t row) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < row; ++i) {
    begin += static_cast<std::size_t>(batch.lengths[i]);
  }
  const auto length = static_cast<std::size_t>(batch.lengths[row]);
  std::vector<std::int32_t> ids(batch.ids.begin() + static_cast<std::ptrdiff_t>(begin),
                                batch.ids.begin() + static_cast<std::ptrdiff_t>(begin + length));
  ids.push_back(batch.targets[begin + length - 1]);
  return ids;
}

std::size_t PeriodOf(const std::vector<std::int32_t>& row) {
  std::size_t period = 1;
  while (period + 1 < row.size() && row[period + 1] != row[1]) {
    ++period;
  }
  return period;
}

TrainSettings MixtureSettings() {
  TrainSettings settings{.task = TrainTask::kMixture};
  settings.periods = UsualPeriods(settings.task, settings.shape);
  return settings;
}

TEST_CASE("a copy row is a block of distinct symbols again and again, of a new length each time",
          "[train]") {
  const TrainSettings settings;
  std::set<std::size_t> periods;
  for (std::int64_t step = 0; step < 40; ++step) {
    const TrainBatch batch = MakeTrainBatch(settings, step);
    REQUIRE(std::ssize(batch.lengths) == settings.batch);
    for (std::size_t i = 0; i < batch.lengths.size(); ++i) {
      REQUIRE(batch.lengths[i] == settings.shape.context);
      const std::vector<std::int32_t> row = RowOf(batch, i);
      REQUIRE(row[0] == 0);
      const std::size_t period = PeriodOf(row);
      periods.insert(period);
      CHECK(
          std::set(row.begin() + 1, row.begin() + 1 + static_cast<std::ptrdiff_t>(period)).size() ==
          period);
      for (std::size_t place = 1; place < row.size(); ++place) {
        REQUIRE((row[place] >= 1 && row[place] < settings.shape.vocabulary));
        REQUIRE((place <= period || row[place] == row[place - period]));
      }
    }
  }
  CHECK(*periods.begin() == 8);
  CHECK(*periods.rbegin() == 50);
  CHECK(periods.size() == 41);  // all from 8 to 50 but 10 and 20
  CHECK((!periods.contains(10) && !periods.contains(20)));
}

TEST_CASE("a batch depends on the seed and the step alone", "[train]") {
  for (TrainSettings settings : {TrainSettings(), MixtureSettings()}) {
    const std::vector<std::int32_t> ids = MakeTrainBatch(settings, 7).ids;
    settings.shape.heads = 8;
    CHECK(MakeTrainBatch(settings, 7).ids == ids);
    CHECK(MakeTrainBatch(settings, 8).ids != ids);
    settings.seed = 2;
    CHECK(MakeTrainBatch(settings, 7).ids != ids);
  }
}

TEST_CASE("every target of the mixture that is told apart can be told from what came before",
          "[train]") {
  const TrainSettings settings = MixtureSettings();
  REQUIRE(CheckTrainSettings(settings));
  std::map<TargetKind, int> counts;
  for (std::int64_t step = 0; step < 20; ++step) {
    const TrainBatch batch = MakeTrainBatch(settings, step);
    REQUIRE(batch.kinds.size() == batch.targets.size());
    for (std::size_t i = 0; i < batch.lengths.size(); ++i) {
      const std::vector<std::int32_t> row = RowOf(batch, i);
      REQUIRE(row.size() == 81);
      CHECK((row[1] >= kFirstOpener && row[1] < kFirstOpener + kOpeners));
      CHECK(row[79] == kCloser);
      std::int32_t after_bar = -1;
      for (std::size_t q = 0; q + 1 < row.size(); ++q) {
        const TargetKind kind = batch.kinds[i * 80 + q];
        const std::int32_t next = row[q + 1];
        ++counts[kind];
        if (kind == TargetKind::kMark) {
          CHECK(row[q] == kAgainMark);
          CHECK(next == row[q - 1]);
        } else if (kind == TargetKind::kBar) {
          CHECK(row[q] == kBar);
          CHECK(next == after_bar);
        } else if (kind == TargetKind::kCloser) {
          CHECK(row[q] == kCloser);
          CHECK(next == row[1]);
        } else if (kind == TargetKind::kCopy) {
          const auto earlier =
              std::find(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(q), row[q]);
          REQUIRE(earlier != row.begin() + static_cast<std::ptrdiff_t>(q));
          CHECK(next == *(earlier + 1));
        }
        after_bar = row[q] == kBar ? next : after_bar;
      }
    }
  }
  const int rows = 20 * 16;
  CHECK(counts[TargetKind::kMark] == 4 * rows);
  CHECK(counts[TargetKind::kBar] == 3 * rows);
  CHECK(counts[TargetKind::kCloser] == rows);
  CHECK(counts[TargetKind::kCopy] > 20 * rows);
}

TEST_CASE("rows that are held out are none of those that are trained on", "[train]") {
  const TrainSettings settings = MixtureSettings();
  const TrainBatch held_out = MakeHeldOut(settings, 16);
  for (std::int64_t step = 0; step < 50; ++step) {
    CHECK(MakeTrainBatch(settings, step).ids != held_out.ids);
  }
}

TEST_CASE("scored repeats are blocks of 10 and 20, smaller where there are fewer symbols",
          "[train]") {
  TrainSettings settings;
  std::vector<ScoredRepeats> made = MakeScoredRepeats(settings);
  REQUIRE(made.size() == 2);
  CHECK((made[0].period == 10 && made[1].period == 20));
  for (const ScoredRepeats& one : made) {
    REQUIRE(std::ssize(one.rows) == kScoredSequences);
    for (const std::vector<std::int32_t>& row : one.rows) {
      CHECK(std::ssize(row) == 1 + 2 * one.period);
      CHECK(std::ssize(std::set(row.begin(), row.end())) == 1 + one.period);
    }
  }
  settings.shape.vocabulary = 9;
  made = MakeScoredRepeats(settings);
  REQUIRE(made.size() == 1);
  CHECK(made[0].period == 8);
  settings.shape.context = 12;
  CHECK(MakeScoredRepeats(settings).empty());
}

TEST_CASE("knobs that do not fit together are refused in one sentence", "[train]") {
  const auto refused = [](auto change) {
    TrainSettings settings;
    change(&settings);
    const Status status = CheckTrainSettings(settings);
    return status ? std::string() : status.error().message;
  };
  CHECK(refused([](TrainSettings*) {}).empty());
  CHECK(refused([](TrainSettings* s) {
          s->periods = {10, 10};
        }).find("10 and 20") != std::string::npos);
  CHECK(refused([](TrainSettings* s) {
          s->periods = {8, 64};
        }).find("--vocabulary 64") != std::string::npos);
  CHECK(refused([](TrainSettings* s) { s->shape.context = 50; }).find("--context of 50") !=
        std::string::npos);
  CHECK(refused([](TrainSettings* s) { s->start.noise = 0.1; }).find("--alike") !=
        std::string::npos);
  CHECK(!refused([](TrainSettings* s) { s->start = {.alike = true, .ones = true}; }).empty());
  CHECK(!refused([](TrainSettings* s) { s->rate = 0.0; }).empty());
  CHECK(!refused([](TrainSettings* s) { s->shape.heads = 0; }).empty());
  CHECK(!refused([](TrainSettings* s) { s->batch = 4000; }).empty());
  CHECK(!refused([](TrainSettings* s) {
           s->shape.model_dim = 9;
           s->shape.fixed_positions = true;
         }).empty());
  const auto mixture = [](TrainSettings* s) {
    s->task = TrainTask::kMixture;
    s->periods = {8, 19};
  };
  CHECK(refused(mixture).empty());
  CHECK(refused([&](TrainSettings* s) {
          mixture(s);
          s->shape.vocabulary = 30;
        }).find("--vocabulary of 31") != std::string::npos);
  CHECK(refused([&](TrainSettings* s) {
          mixture(s);
          s->shape.context = 60;
        }).find("--context of 61") != std::string::npos);
}

TEST_CASE("the smallest sizes that the mixture takes are enough", "[train]") {
  TrainSettings settings{.task = TrainTask::kMixture, .periods = {8, 19}};
  settings.shape.vocabulary = 31;
  settings.shape.context = 61;
  REQUIRE(CheckTrainSettings(settings));
  for (std::int64_t step = 0; step < 20; ++step) {
    for (const std::int64_t length : MakeTrainBatch(settings, step).lengths) {
      CHECK(length == 61);
    }
  }
}

TEST_CASE("usual periods fit the sizes", "[train]") {
  CHECK(UsualPeriods(TrainTask::kCopy, {}) == TrainPeriods{8, 50});
  CHECK(UsualPeriods(TrainTask::kCopy, {.vocabulary = 6}) == TrainPeriods{5, 5});
  CHECK(UsualPeriods(TrainTask::kCopy, {.context = 24}) == TrainPeriods{8, 15});
  CHECK(UsualPeriods(TrainTask::kMixture, {}) == TrainPeriods{8, 19});
}

TEST_CASE("the rate warms up in a straight line and stays", "[train]") {
  const TrainSettings settings;
  CHECK(RateAt(settings, 1) == Approx(3e-5));
  CHECK(RateAt(settings, 50) == Approx(1.5e-3));
  CHECK(RateAt(settings, 100) == 3e-3);
  CHECK(RateAt(settings, 5000) == 3e-3);
}

TEST_CASE("rows of ids are read in order, and what is wrong is named with its line", "[train]") {
  const test::TempFolder folder;
  const TrainShape shape{.vocabulary = 8, .context = 4};
  const auto read = [&](const std::string& text) {
    REQUIRE(WriteFileAtomically(folder.path() / "a.ids", text));
    return ReadTrainRows(folder.path() / "a.ids", shape);
  };
  const auto rows = read("0,1, 2\r\n\n7,7,7,7,7\n");
  REQUIRE(rows);
  CHECK(*rows == std::vector<std::vector<std::int32_t>>{{0, 1, 2}, {7, 7, 7, 7, 7}});
  CHECK(read("0,1\n0,8\n").error().message.find("a.ids:2: \"8\"") != std::string::npos);
  CHECK(read("0,x\n").error().message.find("\"x\"") != std::string::npos);
  CHECK(read("3\n").error().message.find("1 ids, expected 2 to 5") != std::string::npos);
  CHECK(read("0,1,2,3,4,5\n").error().message.find("6 ids") != std::string::npos);
  CHECK(read("\n").error().message.find("no rows") != std::string::npos);
}

}  // namespace
}  // namespace headscope
