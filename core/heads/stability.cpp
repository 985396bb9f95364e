#include "core/heads/stability.h"

#include <algorithm>
#include <map>

#include "core/base/random.h"

namespace headscope {
namespace {

constexpr std::uint64_t kBootstrapSeed = 1;

// [sentence][head]: cases in which it is right.
std::vector<std::vector<std::int32_t>> RightBySentence(const RelationCases& relation,
                                                       std::size_t heads) {
  std::map<std::int64_t, std::vector<std::int32_t>> by_sentence;
  for (const PairCase* pair : relation.cases) {
    auto& right = by_sentence[pair->sentence];
    right.resize(heads, 0);
    for (std::size_t head = 0; head < heads; ++head) {
      right[head] += BitOf(pair->right, head) ? 1 : 0;
    }
  }
  std::vector<std::vector<std::int32_t>> rows;
  for (auto& [sentence, right] : by_sentence) {
    rows.push_back(std::move(right));
  }
  return rows;
}

}  // namespace

std::vector<double> BootstrapShares(const RelationCases& relation, std::size_t heads) {
  const auto sentences = RightBySentence(relation, heads);
  std::vector<double> shares(heads, 0.0);
  RandomStream random(kBootstrapSeed);
  for (int draw = 0; draw < kBootstraps && !sentences.empty(); ++draw) {
    std::vector<std::int64_t> right(heads, 0);
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      const auto& sentence = sentences[random.Below(sentences.size())];
      for (std::size_t head = 0; head < heads; ++head) {
        right[head] += sentence[head];
      }
    }
    const std::int64_t most = *std::ranges::max_element(right);
    const auto equals = static_cast<double>(std::ranges::count(right, most));
    for (std::size_t head = 0; head < heads; ++head) {
      shares[head] += right[head] == most ? 1.0 / equals : 0.0;
    }
  }
  for (double& share : shares) {
    share /= kBootstraps;
  }
  return shares;
}

}  // namespace headscope
