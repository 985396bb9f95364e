#include "app/state/inspect/next_words.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "core/base/hundredths.h"

namespace headscope {

NextWords WordsOfNext(const NextWord& word) {
  const PredictedRow& row = word.prediction.rows.front();
  NextWords words{.title = !word.prediction.is_masked ? "The next word"
                           : word.is_masked_here      ? "The word here, masked"
                                                      : "The word here",
                  .told = {},
                  .lines = {}};
  if (row.next) {
    words.told = fmt::format("{}: {}, rank {}, loss {:.2f}",
                             word.actual,
                             PercentText(row.next->probability),
                             row.next->rank,
                             row.next->loss);
  }
  const double most = row.top.empty() ? 1.0 : row.top.front().probability;
  for (std::size_t i = 0; i < row.top.size(); ++i) {
    const LikelyWord& likely = row.top[i];
    words.lines.push_back({.token = word.top[i],
                           .number = PercentText(likely.probability),
                           .logit = fmt::format("{:.2f}", likely.logit),
                           .length = static_cast<float>(likely.probability / most),
                           .is_actual = row.next && row.next->id == likely.id});
  }
  return words;
}

namespace {

// Lines of the largest shares, made by `line_of` their places, and what is left.
template <typename LineOf>
ShareLines LargestOf(std::span<const double> shares, std::size_t most, const LineOf& line_of) {
  std::vector<std::size_t> order(shares.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, std::ranges::greater(), [&](std::size_t i) { return std::abs(shares[i]); });
  const double largest = order.empty() ? 1.0 : std::max(std::abs(shares[order.front()]), 1e-9);
  ShareLines made;
  double rest = 0.0;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const double share = shares[order[place]];
    if (place >= most) {
      rest += share;
      continue;
    }
    ShareLine& line = made.lines.emplace_back(line_of(order[place]));
    line.number = SignedHundredths(share);
    line.length = static_cast<float>(share / largest);
  }
  if (order.size() > most) {
    made.rest = fmt::format("{} more, together {}", order.size() - most, SignedHundredths(rest));
  }
  return made;
}

}  // namespace

ShareLines PartLines(const NextWord& word, std::size_t most) {
  if (!word.prediction.shares) {
    return {};
  }
  const LogitShares& split = *word.prediction.shares;
  std::vector<double> shares;
  for (const SharePart& part : split.parts) {
    shares.push_back(part.share);
  }
  return LargestOf(shares, most, [&](std::size_t i) {
    const SharePart& part = split.parts[i];
    ShareLine line{.name = part.Name(), .number = {}};
    if (!split.question.against) {
      line.about = fmt::format("{} more than in the mean logit of the vocabulary",
                               SignedHundredths(part.above_mean));
    }
    if (part.kind == SharePart::Kind::kHead) {
      line.head = HeadIndex{part.layer.layer, part.head, part.layer.part};
    } else if (part.kind == SharePart::Kind::kMlp) {
      line.mlp = part.layer;
    }
    return line;
  });
}

std::optional<ShareLines> KeyLines(const NextWord& word,
                                   HeadIndex head,
                                   const Encoding& keys,
                                   std::size_t most) {
  if (!word.prediction.shares) {
    return std::nullopt;
  }
  const auto found = word.prediction.shares->keys.find(head);
  if (found == word.prediction.shares->keys.end() || found->second.size() != keys.tokens.size()) {
    return std::nullopt;
  }
  return LargestOf(found->second, most, [](std::size_t key) {
    return ShareLine{.name = {}, .number = {}, .key = static_cast<std::int64_t>(key)};
  });
}

std::string SumWords(const LogitShares& shares) {
  return fmt::format("sum {:.2f}, {} {:.2f} ({})",
                     shares.sum,
                     shares.question.against ? "lead" : "logit",
                     shares.logit,
                     ResidualWords(shares));
}

std::optional<double> ShareOf(const NextWord& word, HeadIndex head) {
  const auto& shares = word.prediction.shares;
  const SharePart* part = shares ? shares->Find(head) : nullptr;
  return part != nullptr ? std::optional(part->share) : std::nullopt;
}

std::vector<double> SharesOfHeads(const NextWord& word) {
  std::vector<double> shares(word.heads.count(), 0.0);
  if (!word.prediction.shares) {
    return shares;
  }
  for (const SharePart& part : word.prediction.shares->parts) {
    const bool is_shown = part.kind == SharePart::Kind::kHead && part.layer.part == word.heads.part;
    if (is_shown) {
      const HeadIndex head{part.layer.layer, part.head, part.layer.part};
      shares.at(word.heads.PlaceOf(head)) = part.share;
    }
  }
  return shares;
}

double LargestShare(const NextWord& word) {
  double largest = 0.0;
  for (const double share : SharesOfHeads(word)) {
    largest = std::max(largest, std::abs(share));
  }
  return largest;
}

std::string MostWords(const NextWord& word) {
  if (!word.prediction.shares) {
    return "";
  }
  const std::vector<double> shares = SharesOfHeads(word);
  const auto most =
      std::ranges::max_element(shares, {}, [](double share) { return std::abs(share); });
  if (most == shares.end()) {
    return "";
  }
  const HeadIndex head = word.heads.At(static_cast<std::size_t>(most - shares.begin()));
  return fmt::format("most: {}, {}; red up, blue down", HeadName(head), SignedHundredths(*most));
}

std::string ShareWords(const NextWord& word, HeadIndex head) {
  const auto share = ShareOf(word, head);
  const bool is_lead = word.prediction.shares && word.prediction.shares->question.against;
  return share ? fmt::format("{}: {} of the {}",
                             HeadName(head),
                             SignedHundredths(*share),
                             is_lead ? "lead" : "logit")
               : HeadName(head);
}

std::vector<LensLine> LensOf(const NextWord& word) {
  constexpr std::size_t kInLine = 3;
  std::vector<LensLine> lines;
  for (std::size_t i = 0; i < word.prediction.lens.size() && i < word.lens.size(); ++i) {
    const LensLayer& layer = word.prediction.lens[i];
    LensLine& line = lines.emplace_back();
    line.layer = LayerName({word.heads.part, layer.layer});
    line.words = fmt::format("after {}, the stream itself would say:", line.layer);
    for (std::size_t place = 0; place < layer.top.size(); ++place) {
      const std::string percent = PercentText(layer.top[place].probability);
      if (place < kInLine) {
        line.likeliest.push_back(
            {.token = word.lens[i][place],
             .number = percent,
             .length = static_cast<float>(layer.top[place].probability),
             .is_actual = word.prediction.rows.front().next &&
                          word.prediction.rows.front().next->id == layer.top[place].id});
      }
      line.words += fmt::format("\n{} {}", word.lens[i][place], percent);
    }
  }
  return lines;
}

}  // namespace headscope
