#include "core/headcount/kept_heads.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "core/base/check.h"
#include "core/base/random.h"
#include "core/base/stop.h"
#include "core/compute/rows.h"

namespace headscope {
namespace {

double DotOf(const float* one, const float* other, std::size_t count) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < count; ++i) {
    sum += static_cast<double>(one[i]) * static_cast<double>(other[i]);
  }
  return sum;
}

// How many choices of `taken` out of `heads` there are, up to one more than kMostChoices.
std::int64_t CountChoices(std::int64_t heads, std::int64_t taken) {
  double count = 1.0;
  for (std::int64_t i = 0; i < taken && count <= kMostChoices; ++i) {
    count = std::round(count * static_cast<double>(heads - i) / static_cast<double>(i + 1));
  }
  return std::min(static_cast<std::int64_t>(count), kMostChoices + 1);
}

// The next choice in order; false after the last.
bool NextChoice(std::int64_t heads, std::vector<std::int64_t>* choice) {
  const std::int64_t taken = std::ssize(*choice);
  std::int64_t at = taken - 1;
  while (at >= 0 && (*choice)[static_cast<std::size_t>(at)] == heads - taken + at) {
    --at;
  }
  if (at < 0) {
    return false;
  }
  std::iota(choice->begin() + at, choice->end(), (*choice)[static_cast<std::size_t>(at)] + 1);
  return true;
}

}  // namespace

Result<std::vector<double>> GramOfOutput(Backend* backend,
                                         const Linear& output,
                                         const std::stop_token& stop) {
  const auto width = static_cast<std::size_t>(output.in());
  const auto out = static_cast<std::size_t>(output.out());
  // Rows of the identity give the weights' rows and the bias, a row of 0 the bias alone.
  std::vector<float> rows((width + 1) * width, 0.0F);
  for (std::size_t i = 0; i < width; ++i) {
    rows[i * width + i] = 1.0F;
  }
  HEADSCOPE_TRY(const auto in, MakeRows(backend, rows, output.in()));
  HEADSCOPE_TRY(auto made, Multiplied(backend, output, *in, stop));
  const float* const bias = made.data() + width * out;
  for (std::size_t i = 0; i < width * out; ++i) {
    made[i] -= bias[i % out];
  }
  std::vector<double> gram(width * width);
  for (std::size_t i = 0; i < width; ++i) {
    HEADSCOPE_TRY(CheckStop(stop));
    for (std::size_t j = 0; j <= i; ++j) {
      gram[i * width + j] = gram[j * width + i] =
          DotOf(made.data() + i * out, made.data() + j * out, out);
    }
  }
  return gram;
}

double KeptHeads::Lost(std::span<const std::int64_t> without) const {
  double square = 0.0;
  for (const std::int64_t one : without) {
    for (const std::int64_t other : without) {
      square += products[static_cast<std::size_t>(one * heads + other)];
    }
  }
  return output_square > 0.0 ? std::sqrt(std::max(0.0, square) / output_square) : 0.0;
}

Result<std::optional<KeptHeads>> KeptHeadsOf(std::span<const double> gram,
                                             std::span<const float> joined,
                                             std::span<const float> output,
                                             const std::vector<std::vector<std::int32_t>>& columns,
                                             const std::stop_token& stop) {
  const auto width =
      static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(gram.size()))));
  const std::int64_t heads = std::ssize(columns);
  constexpr std::int64_t kNobody = -1;
  std::vector<std::int64_t> owner(width, kNobody);
  for (std::int64_t head = 0; head < heads; ++head) {
    for (const std::int32_t column : columns[static_cast<std::size_t>(head)]) {
      std::int64_t& own = owner[static_cast<std::size_t>(column)];
      if (own != kNobody) {
        return std::optional<KeptHeads>();
      }
      own = head;
    }
  }
  KeptHeads kept{.heads = heads,
                 .products = std::vector<double>(static_cast<std::size_t>(heads * heads), 0.0)};
  for (const float value : output) {
    kept.output_square += static_cast<double>(value) * static_cast<double>(value);
  }
  // Column by column, so that a product of two is one run over memory.
  const std::size_t rows = joined.size() / width;
  std::vector<float> turned(joined.size());
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < width; ++column) {
      turned[column * rows + row] = joined[row * width + column];
    }
  }
  for (std::size_t i = 0; i < width; ++i) {
    HEADSCOPE_TRY(CheckStop(stop));
    for (std::size_t j = 0; owner[i] != kNobody && j < width; ++j) {
      if (owner[j] != kNobody && owner[j] <= owner[i]) {
        kept.products[static_cast<std::size_t>(owner[i] * heads + owner[j])] +=
            gram[i * width + j] * DotOf(turned.data() + i * rows, turned.data() + j * rows, rows);
      }
    }
  }
  for (std::int64_t one = 0; one < heads; ++one) {
    for (std::int64_t two = 0; two < one; ++two) {
      kept.products[static_cast<std::size_t>(two * heads + one)] =
          kept.products[static_cast<std::size_t>(one * heads + two)];
    }
  }
  return std::optional(std::move(kept));
}

OtherChoices LostByOthers(const KeptHeads& heads, std::int64_t without) {
  HEADSCOPE_CHECK(without >= 0 && without <= heads.heads, "no more heads than there are");
  OtherChoices others{.is_all = CountChoices(heads.heads, without) <= kMostChoices};
  std::vector<std::int64_t> all(static_cast<std::size_t>(heads.heads));
  std::iota(all.begin(), all.end(), 0);
  std::vector<std::int64_t> choice(all.begin(), all.begin() + without);
  RandomStream random(1);
  double sum = 0.0;
  for (bool more = true; more;) {
    if (!others.is_all) {
      for (std::size_t i = 0; i < choice.size(); ++i) {
        std::swap(all[i], all[i + static_cast<std::size_t>(random.Below(all.size() - i))]);
      }
      std::copy_n(all.begin(), without, choice.begin());
    }
    const double lost = heads.Lost(choice);
    others.least = others.choices == 0 ? lost : std::min(others.least, lost);
    others.most = std::max(others.most, lost);
    sum += lost;
    ++others.choices;
    more = others.is_all ? NextChoice(heads.heads, &choice) : others.choices < kMostChoices;
  }
  others.mean = sum / static_cast<double>(others.choices);
  return others;
}

}  // namespace headscope
