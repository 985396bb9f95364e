#include "app/state/inspect/two_texts.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace headscope {
namespace {

double SumOver(const std::vector<float>& values, const std::vector<std::int64_t>& tokens) {
  double sum = 0.0;
  for (const std::int64_t token : tokens) {
    sum += static_cast<double>(values[static_cast<std::size_t>(token)]);
  }
  return sum;
}

}  // namespace

std::optional<TwoTexts> TwoTextsOf(const Encoding& text) {
  const bool is_pair = std::ranges::any_of(
      text.tokens, [](const Token& token) { return token.segment == 1 && !token.special; });
  TwoTexts two;
  bool is_behind = false;  // a separator that has words before it
  for (std::size_t i = 0; i < text.tokens.size(); ++i) {
    const Token& token = text.tokens[i];
    if (token.special) {
      is_behind = is_behind || !two.a.empty();
      continue;
    }
    const bool is_b = is_pair ? token.segment == 1 : is_behind;
    (is_b ? two.b : two.a).push_back(static_cast<std::int64_t>(i));
  }
  return two.a.empty() || two.b.empty() ? std::nullopt : std::optional(std::move(two));
}

std::string SharesOfTexts(const TwoTexts& texts, const TextShades& shades, bool by_key) {
  const auto last = std::max(texts.a.back(), texts.b.back());
  if (last >= static_cast<std::int64_t>(shades.values.size())) {
    return "";
  }
  const double a = SumOver(shades.values, texts.a);
  const double b = SumOver(shades.values, texts.b);
  if (by_key) {
    return fmt::format("Text A: {:.3f} from each of its rows; text B: {:.3f} (means).",
                       a / static_cast<double>(texts.a.size()),
                       b / static_cast<double>(texts.b.size()));
  }
  const double all = shades.sum > 0.0 ? shades.sum : 1.0;
  return fmt::format(
      "Of the sum, {:.1f} % is on text A, {:.1f} % on text B, {:.1f} % on special tokens.",
      100.0 * a / all,
      100.0 * b / all,
      100.0 * std::max(0.0, shades.sum - a - b) / all);
}

}  // namespace headscope
