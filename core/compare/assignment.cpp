#include "core/compare/assignment.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "core/base/check.h"
#include "core/base/stop.h"

namespace headscope {
namespace {

std::size_t At(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

// Costs with at most as many rows as columns, transposed if need be.
struct WideCosts {
  std::span<const double> costs;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  bool turned = false;

  [[nodiscard]] double operator()(std::int64_t row, std::int64_t col) const {
    return costs[At(turned ? col * rows + row : row * cols + col)];
  }
};

// Rows are added one by one; each takes the cheapest path of swaps to a free column. The potentials
// (what rows and columns have paid so far) keep every reduced cost at 0 or above.
class PathSearch {
 public:
  explicit PathSearch(const WideCosts& costs)
      : costs_(costs),
        row_paid_(At(costs.rows), 0.0),
        col_paid_(At(costs.cols), 0.0),
        row_of_(At(costs.cols), kUnmatched),
        before_(At(costs.cols)),
        distance_(At(costs.cols)),
        reached_(At(costs.cols)) {}

  void AddRow(std::int64_t row) {
    std::ranges::fill(distance_, std::numeric_limits<double>::infinity());
    reached_.assign(reached_.size(), false);
    std::int64_t from = row;
    std::int64_t through = kUnmatched;  // the column that `from` was matched to
    double travelled = 0.0;
    std::int64_t end = kUnmatched;
    while (end == kUnmatched) {
      std::int64_t nearest = kUnmatched;
      for (std::int64_t col = 0; col < costs_.cols; ++col) {
        if (reached_[At(col)]) {
          continue;
        }
        const double here =
            travelled + (costs_(from, col) - row_paid_[At(from)] - col_paid_[At(col)]);
        if (here < distance_[At(col)]) {
          distance_[At(col)] = here;
          before_[At(col)] = through;
        }
        const bool nearer = nearest == kUnmatched || distance_[At(col)] < distance_[At(nearest)];
        // Among equally near columns, a free one ends the path.
        const bool ends = nearest != kUnmatched && distance_[At(col)] == distance_[At(nearest)] &&
                          row_of_[At(col)] == kUnmatched && row_of_[At(nearest)] != kUnmatched;
        if (nearer || ends) {
          nearest = col;
        }
      }
      reached_[At(nearest)] = true;
      travelled = distance_[At(nearest)];
      if (row_of_[At(nearest)] == kUnmatched) {
        end = nearest;
      } else {
        through = nearest;
        from = row_of_[At(nearest)];
      }
    }
    Pay(row, travelled, end);
    Swap(row, end);
  }

  // Returns the column of each row.
  [[nodiscard]] std::vector<std::int64_t> ColumnOf() const {
    std::vector<std::int64_t> column(At(costs_.rows), kUnmatched);
    for (std::int64_t col = 0; col < costs_.cols; ++col) {
      if (row_of_[At(col)] != kUnmatched) {
        column[At(row_of_[At(col)])] = col;
      }
    }
    return column;
  }

 private:
  void Pay(std::int64_t row, double travelled, std::int64_t end) {
    row_paid_[At(row)] += travelled;
    for (std::int64_t col = 0; col < costs_.cols; ++col) {
      if (reached_[At(col)] && col != end) {
        const double rest = travelled - distance_[At(col)];
        row_paid_[At(row_of_[At(col)])] += rest;
        col_paid_[At(col)] -= rest;
      }
    }
  }

  void Swap(std::int64_t row, std::int64_t end) {
    std::int64_t col = end;
    while (before_[At(col)] != kUnmatched) {
      row_of_[At(col)] = row_of_[At(before_[At(col)])];
      col = before_[At(col)];
    }
    row_of_[At(col)] = row;
  }

  const WideCosts& costs_;
  std::vector<double> row_paid_;
  std::vector<double> col_paid_;
  std::vector<std::int64_t> row_of_;  // of each column
  std::vector<std::int64_t> before_;  // of each column: the previous one on the path
  std::vector<double> distance_;
  std::vector<bool> reached_;
};

double TotalOf(const WideCosts& costs, const std::vector<std::int64_t>& column) {
  double total = 0.0;
  for (std::int64_t row = 0; row < costs.rows; ++row) {
    total += costs(row, column[At(row)]);
  }
  return total;
}

}  // namespace

Result<std::vector<std::int64_t>> LeastAssignment(std::span<const double> costs,
                                                  std::int64_t rows,
                                                  std::int64_t cols,
                                                  const std::stop_token& stop) {
  HEADSCOPE_CHECK(rows >= 0 && cols >= 0 && std::ssize(costs) == rows * cols,
                  "there is a cost for each row and column");
  HEADSCOPE_CHECK(std::ranges::all_of(costs, [](double cost) { return std::isfinite(cost); }),
                  "costs are finite");
  const bool turned = rows > cols;
  const WideCosts wide{costs, std::min(rows, cols), std::max(rows, cols), turned};
  PathSearch search(wide);
  for (std::int64_t row = 0; row < wide.rows; ++row) {
    HEADSCOPE_TRY(CheckStop(stop));
    search.AddRow(row);
  }
  std::vector<std::int64_t> column = search.ColumnOf();
  std::vector<std::int64_t> in_place(At(wide.rows));
  std::iota(in_place.begin(), in_place.end(), std::int64_t{0});
  if (TotalOf(wide, in_place) <= TotalOf(wide, column)) {
    column = std::move(in_place);
  }
  if (!turned) {
    return column;
  }
  std::vector<std::int64_t> of_rows(At(rows), kUnmatched);
  for (std::int64_t col = 0; col < cols; ++col) {
    of_rows[At(column[At(col)])] = col;
  }
  return of_rows;
}

}  // namespace headscope
