#include "core/attention/weight_rows.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/attention/row_entropy.h"
#include "core/attention/row_shape.h"
#include "core/base/random.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"

namespace headscope {

using test::Near;

TEST_CASE("Rows of a head at once have the peaks, entropies and distances of each row",
          "[attention][shape]") {
  RandomStream random(3);
  for (int draw = 0; draw < 60; ++draw) {
    // Rows of a block, as causal models and windows leave them; what is not theirs is large.
    const auto keys = static_cast<std::int64_t>(1 + random.Below(70));
    const bool has_steps = draw % 3 == 0;  // so that many cells are equal
    std::vector<float> cells(static_cast<std::size_t>(5 * keys), 7.0F);
    std::vector<RowPlace> places;
    double entropies = 0.0;
    double distances = 0.0;
    for (std::int64_t row = 0; row < 5; ++row) {
      const auto first = static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(keys)));
      const auto count =
          static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(keys - first + 1)));
      places.push_back({row * keys + first,
                        static_cast<std::int32_t>(count),
                        static_cast<std::int32_t>(random.Below(80)) - 5});
      const auto own = std::span(cells).subspan(static_cast<std::size_t>(row * keys + first),
                                                static_cast<std::size_t>(count));
      for (float& cell : own) {
        const double drawn = random.Uniform();
        cell = static_cast<float>(has_steps ? std::floor(drawn * 4.0) / 4.0 : drawn * drawn);
      }
      entropies += RowEntropyReference(own);
      for (std::int64_t i = 0; i < count; ++i) {
        distances += static_cast<double>(own[static_cast<std::size_t>(i)]) *
                     static_cast<double>(std::abs(places.back().query - i));
      }
    }
    const WeightRows rows{cells, places};
    std::vector<Peak> peaks(5);
    FindPeaks(rows, peaks);
    for (std::size_t row = 0; row < 5; ++row) {
      const RowPlace& place = places[row];
      const auto own = std::span<const float>(cells).subspan(static_cast<std::size_t>(place.offset),
                                                             static_cast<std::size_t>(place.count));
      if (own.empty()) {
        CHECK(peaks[row].cell == -1);
        CHECK(peaks[row].equals == 0);
        continue;
      }
      const auto most = std::ranges::max_element(own);
      CHECK(peaks[row].most == *most);
      CHECK(peaks[row].cell == place.offset + (most - own.begin()));
      CHECK(peaks[row].equals == std::ranges::count(own, *most));
    }
    CHECK(SumOfEntropies(rows) == Near(entropies, 5e-6 * std::max(1.0, entropies)));
    CHECK(SumOfDistances(rows) == Near(distances, 1e-12 * (1.0 + distances)));
  }
}

TEST_CASE("A row without light is as large everywhere", "[attention][shape]") {
  const std::vector<float> cells(40, 0.0F);
  const std::vector<RowPlace> places = {{3, 20, 0}};
  Peak peak;
  FindPeaks({cells, places}, {&peak, 1});
  CHECK(peak.most == 0.0F);
  CHECK(peak.equals == 20);
  CHECK(peak.cell == 3);
  CHECK(SumOfEntropies({cells, places}) == 0.0);
  CHECK(SumOfDistances({cells, places}) == 0.0);
}

}  // namespace headscope
