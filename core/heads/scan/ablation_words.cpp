#include "core/heads/scan/ablation_words.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/grouped.h"

namespace headscope {
namespace {

constexpr std::string_view kRepeatsProbe = "repeats";

}  // namespace

std::string ChangeErrorText(const std::optional<double>& nats) {
  return nats ? fmt::format(" ± {:.3f}", *nats) : "";
}

std::string ChangeText(double nats) {
  return fmt::format("{:+.3f}", nats);
}

std::string AblatedTexts(const AblationReport& report) {
  const AblatedHead& own = report.own;
  return fmt::format("{}, {} predicted: with all heads the loss is {:.2f} nats a token.",
                     Counted(own.texts, report.probe == kRepeatsProbe ? "repeat" : "sentence"),
                     own.tokens == 1 ? "1 token" : Grouped(own.tokens) + " tokens",
                     own.loss);
}

std::string AblationWords(const AblationReport& report) {
  const AblatedHead::Change& own = report.own.changes.front();
  if (!own.change) {
    return "";
  }
  const bool is_clear = !own.error || std::abs(*own.change) >= 2.0 * *own.error;
  std::string words = "Where it gives nothing the loss ";
  if (is_clear) {
    words += fmt::format("{} by {:.3f}{} nats a token: ",
                         *own.change >= 0.0 ? "rises" : "falls",
                         std::abs(*own.change),
                         ChangeErrorText(own.error));
  } else {
    words += fmt::format("moves by {}{} nats a token, within two errors of 0: ",
                         ChangeText(*own.change),
                         ChangeErrorText(own.error));
  }
  if (report.controls.empty()) {
    return words + (report.is_whole() ? "the layer has no other head to hold it against."
                                      : "others of its layer follow.");
  }
  const auto as_much = std::ranges::count_if(report.controls, [&](const AblatedHead& other) {
    const auto& change = other.changes.front().change;
    return change && *change >= *own.change;
  });
  const auto others = std::ssize(report.controls);
  const std::string layer = fmt::format("of its layer{}", report.is_whole() ? "" : " so far");
  if (as_much == 0) {
    return words + (others == 1
                        ? fmt::format("more than without the only other {}.", layer)
                        : fmt::format("more than without any of {} others {}.", others, layer));
  }
  return words + fmt::format("without {} of {} {} it rises as much or more.",
                             as_much,
                             Counted(others, "other"),
                             layer);
}

AblationKindWords WordsOf(AblationKind kind) {
  switch (kind) {
    case AblationKind::kZero:
      return {"gives nothing", "It gives nothing at all, as if it had been cut out."};
    case AblationKind::kMean:
      return {"gives its mean",
              "It always gives what it gives on average: what depends on the text goes."};
    case AblationKind::kPattern:
      break;
  }
  return {"patterns kept",
          "It gives nothing, but later heads look where they looked: only what they read changes."};
}

}  // namespace headscope
