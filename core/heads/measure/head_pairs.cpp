#include "core/heads/measure/head_pairs.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "core/attention/row_divergence.h"
#include "core/attention/row_products.h"
#include "core/attention/worth_threads.h"
#include "core/base/check.h"
#include "core/base/eigenvalues.h"
#include "core/heads/measure/measure.h"

namespace headscope {
namespace {

std::size_t InLayer(std::size_t one, std::size_t two) {
  const auto [early, late] = std::minmax(one, two);
  return late * (late + 1) / 2 + early;
}

void AddEach(const std::vector<double>& from, std::vector<double>* to) {
  to->resize(std::max(to->size(), from.size()));
  for (std::size_t i = 0; i < from.size(); ++i) {
    (*to)[i] += from[i];
  }
}

constexpr std::int64_t kCellsAtOnce = 16;  // of a divergence
static_assert(kCellsAtOnce % kCellsOfProduct == 0);

// Rows with something to see, at most so many, spread evenly.
std::vector<std::int64_t> SpreadRows(const ProbeSequence& text) {
  std::vector<std::int64_t> all;
  for (std::int64_t query = 1; query < text.tokens(); ++query) {
    if (text.special[static_cast<std::size_t>(query)] == 0) {
      all.push_back(query);
    }
  }
  const std::int64_t count = std::ssize(all);
  const std::int64_t taken = std::min(count, PairReader::kRowsOfText);
  std::vector<std::int64_t> some;
  for (std::int64_t i = 0; i < taken; ++i) {
    some.push_back(all[static_cast<std::size_t>((2 * i + 1) * count / (2 * taken))]);
  }
  return some;
}

}  // namespace

std::size_t PairPlace(const HeadsOfScan& heads, std::size_t one, std::size_t two) {
  const auto width = static_cast<std::size_t>(heads.heads);
  HEADSCOPE_CHECK(one / width == two / width, "a pair is of one layer");
  return one / width * static_cast<std::size_t>(PairCount(heads.heads)) +
         InLayer(one % width, two % width);
}

void AddHeadPairs(const HeadPairs& from, HeadPairs* to) {
  to->rows += from.rows;
  AddEach(from.apart, &to->apart);
  AddEach(from.shared, &to->shared);
}

std::vector<NearestHead> NearestHeads(const HeadPairs& pairs, const HeadsOfScan& heads) {
  std::vector<NearestHead> nearest;
  const auto width = static_cast<std::size_t>(heads.heads);
  for (std::size_t head = 0; pairs.rows > 0.0 && width > 1 && head < heads.count(); ++head) {
    const std::size_t first = head / width * width;
    NearestHead best{.head = head, .divergence = HUGE_VAL};
    for (std::size_t other = first; other < first + width; ++other) {
      const double divergence = pairs.apart[PairPlace(heads, head, other)] / pairs.rows;
      if (other != head && divergence < best.divergence) {
        best = {.head = other, .divergence = divergence};
      }
    }
    nearest.push_back(best);
  }
  return nearest;
}

std::vector<double> EffectiveHeads(const HeadPairs& pairs, const HeadsOfScan& heads) {
  std::vector<double> effective;
  const std::int64_t width = heads.heads;
  for (std::int64_t layer = 0; pairs.rows > 0.0 && layer < heads.layers; ++layer) {
    const double* const shared = pairs.shared.data() + layer * PairCount(width);
    std::vector<double> products(static_cast<std::size_t>(width * width));
    for (std::int64_t one = 0; one < width; ++one) {
      for (std::int64_t two = 0; two <= one; ++two) {
        products[static_cast<std::size_t>(one * width + two)] =
            shared[InLayer(static_cast<std::size_t>(one), static_cast<std::size_t>(two))];
      }
    }
    effective.push_back(EffectiveCount(std::move(products), width));
  }
  return effective;
}

void AddPairMeans(const HeadPairs& pairs, const HeadsOfScan& heads, MeanTotals* means) {
  const std::vector<NearestHead> nearest = NearestHeads(pairs, heads);
  const std::vector<double> effective = EffectiveHeads(pairs, heads);
  if (nearest.empty()) {
    return;
  }
  HeadMeans& of_nearest = (*means)[kNearestHead];
  HeadMeans& of_layers = (*means)["effective_heads"];
  of_nearest.resize(heads.count());
  of_layers.resize(heads.count());
  for (std::size_t head = 0; head < heads.count(); ++head) {
    of_nearest[head].AddText(nearest[head].divergence * pairs.rows, 0.0, 0.0, pairs.rows);
    of_layers[head].AddText(effective[head / static_cast<std::size_t>(heads.heads)], 1.0, 0.0, 1.0);
  }
}

PairReader::PairReader(std::span<const ProbeSequence* const> texts,
                       std::int64_t layers,
                       std::int64_t heads,
                       std::int64_t keys)
    : texts_(texts),
      heads_{.layers = layers, .heads = heads},
      keys_(keys > 0 ? keys : texts.front()->tokens()),
      means_(heads_.count()) {
  for (const ProbeSequence* text : texts) {
    rows_.push_back(text->is_control ? std::vector<std::int64_t>() : SpreadRows(*text));
    sums_.rows += static_cast<double>(rows_.back().size());
  }
  sums_.apart.resize(static_cast<std::size_t>(layers * PairCount(heads)));
  sums_.shared.resize(sums_.apart.size());
}

AttentionObserver* PairReader::BeginLayer(LayerId layer) {
  layer_ = static_cast<std::size_t>(layer.layer);
  begun_ = 0;
  return this;
}

void PairReader::OnProjections(const AttentionProjections& projections) {
  HEADSCOPE_CHECK(begun_ < texts_.size() && projections.shape.heads == heads_.heads &&
                      projections.shape.keys == keys_,
                  "the texts that were announced are run");
  if (begun_ > 0) {
    FinishText();
  }
  rule_ = projections.rule;
  offsets_.clear();
  std::int64_t cells = 0;
  for (const std::int64_t query : rows_[begun_]) {
    offsets_.push_back(cells);
    cells += std::max<std::int64_t>(rule_.LastVisible(query, keys_) - rule_.FirstVisible(query), 0);
  }
  // Zeros after them add nothing, and whole steps are faster than a rest.
  stride_ = (cells + kCellsAtOnce - 1) / kCellsAtOnce * kCellsAtOnce;
  kept_.resize(static_cast<std::size_t>(heads_.heads * stride_));
  for (std::int64_t head = 0; head < heads_.heads; ++head) {
    std::fill(kept_.begin() + head * stride_ + cells, kept_.begin() + (head + 1) * stride_, 0.0F);
  }
  ++begun_;
}

void PairReader::OnBlock(const AttentionBlock& block) {
  const std::vector<std::int64_t>& rows = rows_[begun_ - 1];
  const std::int64_t length = block.query_end - block.query_begin;
  for (std::size_t place = 0; place < rows.size(); ++place) {
    const std::int64_t query = rows[place];
    const std::int64_t first = rule_.FirstVisible(query);
    const std::int64_t count = rule_.LastVisible(query, block.keys) - first;
    if (query < block.query_begin || query >= block.query_end || count <= 0) {
      continue;
    }
    for (std::int64_t head = block.head_begin; head < block.head_end; ++head) {
      const std::int64_t row = (head - block.head_begin) * length + query - block.query_begin;
      const float* const from = block.weights.data() + row * block.keys + first;
      float* const to = kept_.data() + head * stride_ + offsets_[place];
#pragma omp simd
      for (std::int64_t key = 0; key < count; ++key) {  // too short for a call
        to[key] = from[key];
      }
    }
  }
}

// Adds what the text that was begun last has shown.
void PairReader::FinishText() {
  const std::vector<std::int64_t>& rows = rows_[begun_ - 1];
  if (rows.empty()) {
    return;
  }
  const auto pairs = static_cast<std::size_t>(PairCount(heads_.heads));
  apart_.assign(pairs, 0.0);
  double* const shared = sums_.shared.data() + layer_ * pairs;
  const bool is_worth_threads = IsWorthThreads(static_cast<std::int64_t>(pairs) * stride_);
  logs_.resize(static_cast<std::size_t>(heads_.heads));
  for (std::int64_t head = 0; head < heads_.heads; ++head) {
    logs_[static_cast<std::size_t>(head)] = SumOfLogs(kept_.data() + head * stride_, stride_);
  }
  const RowsOfHeads all{kept_.data(), heads_.heads, stride_, stride_};
#pragma omp parallel for schedule(dynamic) if (is_worth_threads)
  for (std::int64_t one = 0; one < heads_.heads; ++one) {
    if (one % kRowsOfProduct == 0) {
      AddProducts(all, one, {shared, pairs});
    }
    for (std::int64_t two = 0; two <= one; ++two) {
      const std::size_t pair =
          InLayer(static_cast<std::size_t>(one), static_cast<std::size_t>(two));
      const float* const own = kept_.data() + one * stride_;
      const float* const other = kept_.data() + two * stride_;
      apart_[pair] += one == two ? 0.0
                                 : RowDivergence(own,
                                                 other,
                                                 stride_,
                                                 logs_[static_cast<std::size_t>(one)],
                                                 logs_[static_cast<std::size_t>(two)]);
    }
  }
  std::transform(apart_.begin(),
                 apart_.end(),
                 sums_.apart.begin() + static_cast<std::ptrdiff_t>(layer_ * pairs),
                 sums_.apart.begin() + static_cast<std::ptrdiff_t>(layer_ * pairs),
                 std::plus<>());
  const auto width = static_cast<std::size_t>(heads_.heads);
  for (std::size_t head = 0; width > 1 && head < width; ++head) {
    double sum = 0.0;
    for (std::size_t other = 0; other < width; ++other) {
      sum += apart_[InLayer(head, other)];
    }
    means_[layer_ * width + head].AddText(
        sum / static_cast<double>(width - 1), 0.0, 0.0, static_cast<double>(rows.size()));
  }
}

Status PairReader::EndLayer(LayerId /*layer*/) {
  FinishText();
  return {};
}

}  // namespace headscope
