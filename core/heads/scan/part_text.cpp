#include "core/heads/scan/part_text.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <span>

#include <fmt/format.h>

#include "core/base/parse_number.h"
#include "core/heads/measure/metric.h"
#include "core/io/json_text.h"

namespace headscope {
namespace {

constexpr std::int64_t kMostRows = std::int64_t{1} << 53U;

// Four bits a digit, the highest first.
template <typename Bits>
void AddDigits(Bits bits, std::string* text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (int shift = 8 * static_cast<int>(sizeof(bits)) - 4; shift >= 0; shift -= 4) {
    text->push_back(kDigits[bits >> static_cast<unsigned>(shift) & 0xFU]);
  }
}

void AddBits(const HeadBits& bits, std::string* text) {
  for (const std::uint64_t word : bits) {
    AddDigits(word, text);
  }
}

void AddNumbers(std::span<const float> numbers, std::string* text) {
  for (const float number : numbers) {
    AddDigits(std::bit_cast<std::uint32_t>(number), text);
  }
}

bool ReadNumbers(std::string_view text, std::vector<float>* numbers) {
  constexpr std::size_t kDigits = 8;
  for (; text.size() >= kDigits; text.remove_prefix(kDigits)) {
    const auto bits = ParseAs<std::uint32_t>(text.substr(0, kDigits), 16);
    if (!bits || !std::isfinite(std::bit_cast<float>(*bits))) {
      return false;
    }
    numbers->push_back(std::bit_cast<float>(*bits));
  }
  return text.empty();
}

// From `least` to below `end`; -1: it is no such number.
std::int64_t CountIn(const JsonValue& value, std::int64_t least, std::int64_t end) {
  const auto number = value.Integer();
  return number && *number >= least && *number < end ? *number : -1;
}

bool ReadMetric(const JsonValue& value, std::size_t heads, SequenceMeans::Metric* to) {
  const JsonArray entry = value.Array().value_or(JsonArray());
  if (entry.size() != 6) {
    return false;
  }
  const std::int64_t metric = CountIn(entry[0], 0, std::ssize(AllMetrics()));
  to->metric = static_cast<std::size_t>(metric);
  to->rows = CountIn(entry[1], 1, kMostRows);
  to->control_rows = CountIn(entry[4], 0, kMostRows);
  const auto is_of_heads = [&](const std::vector<float>& numbers) {
    return numbers.size() == 1 || numbers.size() == heads;
  };
  return metric >= 0 && to->rows > 0 && to->control_rows >= 0 &&
         ReadNumbers(entry[2].Text().value_or(""), &to->score) && to->score.size() == heads &&
         ReadNumbers(entry[3].Text().value_or(""), &to->control) &&
         (to->control_rows == 0 || is_of_heads(to->control)) &&
         ReadNumbers(entry[5].Text().value_or(""), &to->chance) && is_of_heads(to->chance);
}

}  // namespace

std::string PairsText(std::span<const PairCase> pairs) {
  std::string text = "[";
  std::map<std::string, std::string, std::less<>> names;  // as JSON has them
  for (const PairCase& pair : pairs) {
    std::string& name = names[pair.relation];
    if (name.empty()) {
      name = JsonText(pair.relation);
    }
    fmt::format_to(std::back_inserter(text),
                   "{}[{},{},{},{},{},{},{},\"",
                   text.size() > 1 ? "," : "",
                   pair.sentence,
                   name,
                   static_cast<int>(pair.direction),
                   pair.offset,
                   pair.candidates,
                   pair.rarest,
                   pair.pieces_or_nearest);
    AddBits(pair.right, &text);
    text += "\",\"";
    AddBits(pair.popular, &text);
    fmt::format_to(std::back_inserter(text), "\",{}]", pair.targets);
  }
  return text + "]";
}

std::string SequencesText(const KeptSequences& sequences) {
  std::string text = "[";
  for (const auto& one : sequences) {
    text += fmt::format("{}[{},{}", text.size() > 1 ? "," : "", one->place, one->group);
    for (const SequenceMeans::Metric& metric : one->metrics) {
      text += fmt::format(",[{},{},\"", metric.metric, metric.rows);
      AddNumbers(metric.score, &text);
      text += "\",\"";
      AddNumbers(metric.control, &text);
      text += fmt::format("\",{},\"", metric.control_rows);
      AddNumbers(metric.chance, &text);
      text += "\"]";
    }
    text += "]";
  }
  return text + "]";
}

bool ReadSequence(const JsonValue& value,
                  std::size_t groups,
                  std::size_t heads,
                  SequenceMeans* one) {
  const JsonArray parts = value.Array().value_or(JsonArray());
  if (parts.size() < 3) {
    return false;
  }
  const std::int64_t place = CountIn(parts[0], 0, kMostRows);
  const std::int64_t group = CountIn(parts[1], 0, static_cast<std::int64_t>(groups));
  one->place = static_cast<std::size_t>(place);
  one->group = static_cast<std::size_t>(group);
  return place >= 0 && group >= 0 &&
         std::ranges::all_of(std::span(parts).subspan(2), [&](const JsonValue& metric) {
           return ReadMetric(metric, heads, &one->metrics.emplace_back());
         });
}

}  // namespace headscope
