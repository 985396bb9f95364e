#include "core/compare/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "core/attention/row_divergence.h"
#include "core/base/check.h"
#include "core/base/counted.h"
#include "core/base/stop.h"
#include "core/base/thread_role.h"
#include "core/compare/assignment.h"
#include "core/compare/shared_rows.h"

namespace headscope {
namespace {

constexpr std::int64_t kCellsAtOnce = std::int64_t{1} << 22;  // over all heads of both

// Rows of every head of one side.
class RowsOfHeads {
 public:
  explicit RowsOfHeads(const SharedRows& source) : source_(source) {}

  Status Make(std::int64_t begin, std::int64_t end, const std::stop_token& stop) {
    rows_ = end - begin;
    weights_.resize(static_cast<std::size_t>(source_.heads() * rows_ * source_.cols()));
    const std::int64_t at_once = source_.RowsAtOnce();
    for (std::int64_t head = 0; head < source_.heads(); ++head) {
      for (std::int64_t from = begin; from < end; from += at_once) {
        HEADSCOPE_TRY(CheckStop(stop));
        const std::int64_t to = std::min(from + at_once, end);
        const std::int64_t place = head * rows_ + from - begin;
        source_.Make(head,
                     from,
                     to,
                     std::span<float>(weights_).subspan(
                         static_cast<std::size_t>(place * source_.cols()),
                         static_cast<std::size_t>((to - from) * source_.cols())));
      }
    }
    return {};
  }

  [[nodiscard]] const float* Row(std::int64_t head, std::int64_t row) const {
    return weights_.data() + (head * rows_ + row) * source_.cols();
  }

 private:
  const SharedRows& source_;
  std::int64_t rows_ = 0;
  std::vector<float> weights_;
};

// Adds up the rows of every pair of heads, each within the columns that either sees; rows that do
// not count are skipped.
Status AddBlock(const RowsOfHeads& a,
                const RowsOfHeads& b,
                const std::vector<ColumnSpan>& seen,
                const std::stop_token& stop,
                LayerComparison* layer) {
  const auto rows = std::ssize(seen);
  double* const sums = layer->divergences.data();
  const std::int64_t heads_a = layer->heads_a;
  const std::int64_t heads_b = layer->heads_b;
#pragma omp parallel for schedule(dynamic, 1) default(none) \
    shared(a, b, seen, stop, rows, sums, heads_a, heads_b)
  for (std::int64_t pair = 0; pair < heads_a * heads_b; ++pair) {
    for (std::int64_t row = 0; row < rows; ++row) {
      if (stop.stop_requested()) {
        break;
      }
      const ColumnSpan span = seen[static_cast<std::size_t>(row)];
      if (span.first < span.last) {
        sums[pair] += RowDivergence(a.Row(pair / heads_b, row) + span.first,
                                    b.Row(pair % heads_b, row) + span.first,
                                    span.last - span.first);
      }
    }
  }
  return CheckStop(stop);
}

// Empty if the row does not count.
ColumnSpan SeenByEither(const SharedRows& a, const SharedRows& b, std::int64_t row) {
  if (!a.SeesSeveral(row) || !b.SeesSeveral(row)) {
    return {};
  }
  const ColumnSpan one = a.Visible(row);
  const ColumnSpan two = b.Visible(row);
  return {std::min(one.first, two.first), std::max(one.last, two.last)};
}

Status Match(LayerComparison* layer, const std::stop_token& stop) {
  HEADSCOPE_TRY(const auto partner,
                LeastAssignment(layer->divergences, layer->heads_a, layer->heads_b, stop));
  for (std::int64_t head = 0; head < layer->heads_a; ++head) {
    const std::int64_t other = partner[static_cast<std::size_t>(head)];
    if (other == kUnmatched) {
      continue;
    }
    HeadPair pair{head, other, std::nullopt};
    if (layer->num_rows > 0) {
      pair.divergence = layer->Divergence(head, other);
    }
    layer->pairs.push_back(pair);
  }
  return {};
}

// Notes what one run has more of: once for all layers.
void SayUnequal(LayerSequence a, LayerSequence b, Comparison* result) {
  const std::size_t both = result->layers.size();
  if (a.size() != both || b.size() != both) {
    result->notes.push_back(fmt::format("A has {} and B {}; the {} that both have are compared.",
                                        Counted(a.size(), "layer"),
                                        b.size(),
                                        both));
  }
  const std::int64_t heads_a = a.front()->shape().heads;
  const std::int64_t heads_b = b.front()->shape().heads;
  if (heads_a != heads_b) {
    result->notes.push_back(
        fmt::format("A has {} in a layer and B {}; {} of {} have no partner in each layer.",
                    Counted(heads_a, "head"),
                    heads_b,
                    std::abs(heads_a - heads_b),
                    heads_a > heads_b ? "A's" : "B's"));
  }
}

}  // namespace

const std::shared_ptr<const LayerAttention>& FindLayer(LayerSequence layers, std::int64_t number) {
  static const std::shared_ptr<const LayerAttention> kNone;
  const auto found =
      std::ranges::find_if(layers, [&](const auto& layer) { return layer->layer() == number; });
  return found != layers.end() ? *found : kNone;
}

const HeadPair* LayerComparison::PairOf(std::int64_t a) const {
  const auto found = std::ranges::find(pairs, a, &HeadPair::a);
  return found == pairs.end() ? nullptr : &*found;
}

std::optional<double> LayerComparison::Mean() const {
  if (pairs.empty() || num_rows == 0) {
    return std::nullopt;
  }
  double sum = 0.0;
  for (const HeadPair& pair : pairs) {
    sum += *pair.divergence;
  }
  return sum / static_cast<double>(pairs.size());
}

std::vector<LargestDivergence> FurthestFirst(const Comparison& comparison) {
  std::vector<LargestDivergence> all;
  for (const LayerComparison& layer : comparison.layers) {
    for (const HeadPair& pair : layer.pairs) {
      if (pair.divergence) {
        all.push_back({layer.layer, pair});
      }
    }
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, [](const LargestDivergence& each) {
    return *each.pair.divergence;
  });
  return all;
}

std::optional<LargestDivergence> LargestOf(const Comparison& comparison) {
  const std::vector<LargestDivergence> all = FurthestFirst(comparison);
  return all.empty() ? std::nullopt : std::optional(all.front());
}

Result<LayerComparison> CompareLayer(const LayerAttention& a,
                                     const LayerAttention& b,
                                     const SharedAxis& queries,
                                     const SharedAxis& keys,
                                     const std::stop_token& stop) {
  CheckNotDrawing("comparing two layers");
  const bool has_rest = SharedRows::MayLack(a) || SharedRows::MayLack(b);
  const SharedRows of_a(a, queries, keys, Side::kA, has_rest);
  const SharedRows of_b(b, queries, keys, Side::kB, has_rest);
  LayerComparison layer;
  layer.layer = a.layer();
  layer.heads_a = of_a.heads();
  layer.heads_b = of_b.heads();
  layer.divergences.assign(static_cast<std::size_t>(layer.heads_a * layer.heads_b), 0.0);
  RowsOfHeads rows_a(of_a);
  RowsOfHeads rows_b(of_b);
  const std::int64_t cols = of_a.cols();
  const std::int64_t at_once =
      std::max<std::int64_t>(1, kCellsAtOnce / ((layer.heads_a + layer.heads_b) * cols));
  for (std::int64_t begin = 0; begin < of_a.rows(); begin += at_once) {
    const std::int64_t end = std::min(of_a.rows(), begin + at_once);
    std::vector<ColumnSpan> seen;
    for (std::int64_t row = begin; row < end; ++row) {
      seen.push_back(SeenByEither(of_a, of_b, row));
      layer.num_rows += seen.back().first < seen.back().last ? 1 : 0;
    }
    HEADSCOPE_TRY(rows_a.Make(begin, end, stop));
    HEADSCOPE_TRY(rows_b.Make(begin, end, stop));
    HEADSCOPE_TRY(AddBlock(rows_a, rows_b, seen, stop, &layer));
  }
  for (double& sum : layer.divergences) {
    sum /= static_cast<double>(std::max<std::int64_t>(1, layer.num_rows));
  }
  return layer;
}

Result<Comparison> CompareAttention(LayerSequence a,
                                    LayerSequence b,
                                    SharedAxis queries,
                                    SharedAxis keys,
                                    const CompareProgress& progress,
                                    const std::stop_token& stop) {
  std::vector<std::pair<const LayerAttention*, const LayerAttention*>> both;
  for (const auto& layer : a) {
    if (const auto& other = FindLayer(b, layer->layer())) {
      both.emplace_back(layer.get(), other.get());
    }
  }
  if (both.empty()) {
    return Fail(ErrorCode::kInput,
                "the two have no layer of the same number in common; nothing can be compared");
  }
  Comparison result;
  result.part_a = a.front()->part();
  result.part_b = b.front()->part();
  result.queries = std::move(queries);
  result.keys = std::move(keys);
  for (const auto& [one, two] : both) {
    HEADSCOPE_TRY(auto layer, CompareLayer(*one, *two, result.queries, result.keys, stop));
    HEADSCOPE_TRY(Match(&layer, stop));
    result.layers.push_back(std::move(layer));
    if (progress) {
      progress(std::ssize(result.layers), std::ssize(both));
    }
  }
  SayUnequal(a, b, &result);
  for (const SharedAxis* axis : {&result.queries, &result.keys}) {
    const bool is_new = std::ranges::find(result.notes, axis->note) == result.notes.end();
    if (!axis->note.empty() && is_new) {
      result.notes.push_back(axis->note);
    }
  }
  return result;
}

}  // namespace headscope
