#include "core/attention/head_lanes.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/random.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"

namespace headscope {
namespace {

using test::Near;

struct Drawn {
  AttentionRule rule;
  AttentionBlock block;
  std::vector<float> weights;

  [[nodiscard]] float At(std::int64_t head, std::int64_t query, std::int64_t key) const {
    const std::int64_t rows = block.query_end - block.query_begin;
    const std::int64_t row = (head - block.head_begin) * rows + query - block.query_begin;
    return weights[static_cast<std::size_t>(row * block.keys + key)];
  }
};

std::int64_t Below(RandomStream* random, std::int64_t most) {
  return static_cast<std::int64_t>(random->Below(static_cast<std::uint64_t>(most)));
}

// A block of any heads and rows; `has_steps`: so that many cells are equal.
Drawn Draw(RandomStream* random, bool has_steps) {
  Drawn drawn;
  drawn.rule.causal = random->Below(2) == 0;
  drawn.rule.window = random->Below(3) == 0 ? 1 + Below(random, 9) : 0;
  AttentionBlock& block = drawn.block;
  block.head_begin = random->Below(2) == 0 ? 0 : Below(random, 12);
  block.head_end = block.head_begin + 1 + Below(random, 20);
  block.keys = 1 + Below(random, 70);
  block.query_begin = random->Below(2) == 0 ? 0 : Below(random, block.keys);
  block.query_end = block.query_begin + 1 + Below(random, block.keys - block.query_begin);
  for (std::int64_t head = block.head_begin; head < block.head_end; ++head) {
    for (std::int64_t query = block.query_begin; query < block.query_end; ++query) {
      const std::int64_t first = drawn.rule.FirstVisible(query);
      const std::int64_t last = drawn.rule.LastVisible(query, block.keys);
      for (std::int64_t key = 0; key < block.keys; ++key) {
        const double number = random->Uniform();
        const double weight = has_steps ? std::floor(number * 4.0) / 4.0 : number * number;
        drawn.weights.push_back(key >= first && key < last ? static_cast<float>(weight) : 0.0F);
      }
    }
  }
  block.weights = drawn.weights;
  return drawn;
}

// Holds what the kernels find of each group and head against plain loops in double.
class Checker : public LaneReader {
 public:
  Checker(const Drawn& drawn, RandomStream* random) : drawn_(drawn), random_(*random) {}

  void OnLanes(const HeadLanes& lanes) override {
    std::vector<LanePeaks> peaks(lanes.rows().size());
    FindPeaks(lanes.rows(), peaks);
    LaneSums entropies;
    LaneSums distances;
    SumEntropies(lanes.rows(), entropies);
    SumDistances(lanes.rows(), distances);
    std::vector<LaneCell> cells;
    for (int i = 0; i < 30; ++i) {
      const std::int64_t query =
          lanes.query_begin() + Below(&random_, lanes.query_end() - lanes.query_begin());
      cells.push_back({static_cast<std::int32_t>(query),
                       static_cast<std::int32_t>(Below(&random_, lanes.Count(query)))});
      LaneFound found;
      FindCells(lanes, peaks, cells, &found);
      for (std::int64_t lane = lanes.lane_begin(); lane < lanes.lane_end(); ++lane) {
        CheckCells(lanes, peaks, cells, found, lane);
      }
    }
    for (std::int64_t lane = 0; lane < kLanesOfGroup; ++lane) {
      if (lane >= lanes.lane_begin() && lane < lanes.lane_end()) {
        CheckHead(lanes, peaks, lane, entropies[lane], distances[lane]);
        ++heads_read_;
      } else {
        CHECK(entropies[lane] == 0.0);
        CHECK(distances[lane] == 0.0);
      }
    }
    rows_read_ += lanes.query_end() - lanes.query_begin();
  }

  std::int64_t heads_read_ = 0;
  std::int64_t rows_read_ = 0;

 private:
  void CheckCells(const HeadLanes& lanes,
                  const std::vector<LanePeaks>& peaks,
                  const std::vector<LaneCell>& cells,
                  const LaneFound& found,
                  std::int64_t lane) {
    double sum = 0.0;
    std::int32_t on_peaks = 0;
    for (const LaneCell& cell : cells) {
      sum += static_cast<double>(drawn_.At(lanes.group() + lane, cell.query, cell.key));
      const auto place = static_cast<std::size_t>(cell.query - lanes.query_begin());
      on_peaks += peaks[place].cell[lane] + lanes.rows()[place].first == cell.key ? 1 : 0;
    }
    CHECK(found.sums[lane] == Near(sum, 1e-13));
    CHECK(found.peaks[lane] == on_peaks);
  }

  void CheckHead(const HeadLanes& lanes,
                 const std::vector<LanePeaks>& peaks,
                 std::int64_t lane,
                 double entropies,
                 double distances) {
    double entropy = 0.0;
    double distance = 0.0;
    for (std::int64_t query = lanes.query_begin(); query < lanes.query_end(); ++query) {
      const std::int64_t first = drawn_.rule.FirstVisible(query);
      const std::int64_t last = drawn_.rule.LastVisible(query, drawn_.block.keys);
      std::vector<float> own;
      for (std::int64_t key = 0; key < last; ++key) {
        const float cell = drawn_.At(lanes.group() + lane, query, key);
        CHECK(lanes.Cells(query)[key * kLanesOfGroup + lane] == cell);
        const auto weight = static_cast<double>(cell);
        entropy -= weight > 0.0 ? weight * std::log(weight) : 0.0;
        distance += weight * static_cast<double>(std::abs(query - key));
        if (key >= first) {
          own.push_back(cell);
        }
      }
      const LanePeaks& peak = peaks[static_cast<std::size_t>(query - lanes.query_begin())];
      if (own.empty()) {
        CHECK(peak.cell[lane] == -1);
        CHECK(peak.equals[lane] == 0);
        continue;
      }
      const auto most = std::ranges::max_element(own);
      CHECK(peak.most[lane] == *most);
      CHECK(peak.cell[lane] == most - own.begin());
      CHECK(peak.equals[lane] == std::ranges::count(own, *most));
    }
    CHECK(entropies == Near(entropy, 3e-7 * std::max(1.0, entropy)));
    CHECK(distances == Near(distance, 1e-12 * (1.0 + distance)));
  }

  const Drawn& drawn_;
  RandomStream& random_;
};

}  // namespace

TEST_CASE("Rows of heads side by side are what plain loops find of each head",
          "[attention][lanes]") {
  RandomStream random(3);
  std::vector<HeadLanes> room;
  for (int draw = 0; draw < 150; ++draw) {
    const Drawn drawn = Draw(&random, draw % 3 == 0);
    INFO(drawn.block.head_begin << " to " << drawn.block.head_end << ", rows "
                                << drawn.block.query_begin << " to " << drawn.block.query_end
                                << " of " << drawn.block.keys);
    Checker checker(drawn, &random);
    // One thread: what is checked is written in one place.
    LaneReader* const reader = &checker;
    for (std::int64_t head = drawn.block.head_begin / kLanesOfGroup * kLanesOfGroup;
         head < drawn.block.head_end;
         head += kLanesOfGroup) {
      HeadLanes lanes;
      for (std::int64_t query = drawn.block.query_begin; query < drawn.block.query_end;
           query = lanes.query_end()) {
        lanes.Fill(drawn.block, drawn.rule, head, query);
        reader->OnLanes(lanes);
      }
    }
    CHECK(checker.heads_read_ >= drawn.block.head_end - drawn.block.head_begin);
  }
}

TEST_CASE("A block of heads side by side is read whole, some rows at a time",
          "[attention][lanes]") {
  // Longer than what goes into a cache at once.
  Drawn drawn;
  drawn.block.head_begin = 3;
  drawn.block.head_end = 18;
  drawn.block.query_end = 40;
  drawn.block.keys = 500;
  drawn.weights.assign(15 * 40 * 500, 0.25F);
  drawn.block.weights = drawn.weights;
  class Counter : public LaneReader {
   public:
    void OnLanes(const HeadLanes& lanes) override {
      std::int64_t& rows = rows_[static_cast<std::size_t>(lanes.group() / kLanesOfGroup)];
      is_in_order_ &= lanes.query_begin() == rows;
      rows = lanes.query_end();
      times_ += lanes.group() == 8 ? 1 : 0;
    }
    std::vector<std::int64_t> rows_ = {0, 0, 0};
    std::int64_t times_ = 0;
    bool is_in_order_ = true;
  };
  Counter counter;
  LaneReader* const reader = &counter;
  std::vector<HeadLanes> room;
  ReadInLanes(drawn.block, drawn.rule, {&reader, 1}, &room);
  CHECK(counter.rows_ == std::vector<std::int64_t>{40, 40, 40});
  CHECK(counter.times_ > 1);
  CHECK(counter.is_in_order_);
}

TEST_CASE("An even row has the entropy of its length, one cell has none", "[attention][lanes]") {
  for (const std::int64_t count : {1, 2, 33, 1000, 20000}) {
    Drawn drawn;
    drawn.block.head_end = 1;
    drawn.block.query_end = 1;
    drawn.block.keys = count;
    drawn.weights.assign(static_cast<std::size_t>(count), 1.0F / static_cast<float>(count));
    drawn.block.weights = drawn.weights;
    HeadLanes lanes;
    lanes.Fill(drawn.block, drawn.rule, 0, 0);
    LaneSums sums;
    SumEntropies(lanes.rows(), sums);
    CHECK(sums[0] == Near(std::log(static_cast<double>(count)), 2e-6));
    std::vector<LanePeaks> peaks(1);
    FindPeaks(lanes.rows(), peaks);
    CHECK(peaks[0].cell[0] == 0);
    CHECK(peaks[0].equals[0] == count);
  }
}

}  // namespace headscope
