#include "core/heads/effect/norm_means.h"

#include <algorithm>

namespace headscope {
namespace {

// Adds shares, summed over the rows of a text.
void AddShares(std::span<const double> shares,
               std::span<const double> chances,
               std::int64_t rows,
               HeadMeans* means) {
  means->resize(shares.size());
  for (std::size_t head = 0; head < shares.size() && rows > 0; ++head) {
    (*means)[head].AddText(shares[head], chances[head], 0.0, static_cast<double>(rows));
  }
}

}  // namespace

std::vector<NormText> NormTextsOf(const ProbeCorpus& corpus,
                                  std::span<const std::size_t> places,
                                  bool is_causal) {
  std::vector<NormText> texts;
  for (const std::size_t place : places) {
    const ProbeSequence& sequence = corpus.sequences[place];
    NormText text;
    for (const std::uint8_t special : sequence.special) {
      text.counts.push_back(special == 0 && !sequence.is_control);
    }
    text.is_separator.assign(sequence.separator.begin(), sequence.separator.end());
    // As in the separator metric: the first token's share is a number of its own.
    text.is_separator.front() = text.is_separator.front() && !is_causal;
    texts.push_back(std::move(text));
  }
  return texts;
}

void AddNorms(const NormSums& sums, std::int64_t heads, MeanTotals* means) {
  if (sums.rows == 0) {
    return;
  }
  HeadMeans& outputs = (*means)["output_norm"];
  outputs.resize(sums.output.size());
  const std::vector<double> relative = RelativeNorms(sums.output, heads);
  const auto rows = static_cast<double>(sums.rows);
  for (std::size_t head = 0; head < outputs.size(); ++head) {
    // The error is that of the texts' own ratios; the norms themselves grow from text to text.
    AddMembers({.sum = sums.output[head],
                .chance = rows,
                .control = 0.0,
                .rows = rows,
                .texts = 1.0,
                .mean = relative[head],
                .mean_square = relative[head] * relative[head]},
               &outputs[head]);
  }
  const bool has_separators =
      std::ranges::any_of(sums.separator_chance, [](double chance) { return chance > 0.0; });
  if (has_separators) {
    AddShares(sums.separator_share, sums.separator_chance, sums.rows, &(*means)["separator_norm"]);
  }
  AddShares(sums.first_share, sums.first_chance, sums.first_rows, &(*means)["first_token_norm"]);
}

}  // namespace headscope
