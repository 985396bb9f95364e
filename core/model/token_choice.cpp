#include "core/model/token_choice.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>

namespace headscope {
namespace {

using Span = std::span<const std::int32_t>;

constexpr float kNever = -std::numeric_limits<float>::infinity();

bool IsOf(std::int32_t id, std::span<const float> scores) {
  return id >= 0 && id < std::ssize(scores);
}

float& At(std::span<float> scores, std::int32_t id) {
  return scores[static_cast<std::size_t>(id)];
}

void Forbid(Span ids, std::span<float> scores) {
  for (const std::int32_t id : ids) {
    if (IsOf(id, scores)) {
      At(scores, id) = kNever;
    }
  }
}

// Allows only these tokens.
void Force(Span ids, std::span<float> scores) {
  std::ranges::fill(scores, kNever);
  for (const std::int32_t id : ids) {
    if (IsOf(id, scores)) {
      At(scores, id) = 0.0F;
    }
  }
}

bool EndsWith(Span text, Span ending) {
  return ending.size() <= text.size() && std::ranges::equal(text.last(ending.size()), ending);
}

// Penalises each token once, however often it occurs.
void Penalise(Span ids, float penalty, std::span<float> scores) {
  std::vector<std::int32_t> own(ids.begin(), ids.end());
  std::ranges::sort(own);
  own.erase(std::unique(own.begin(), own.end()), own.end());
  for (const std::int32_t id : own) {
    if (IsOf(id, scores)) {
      float& score = At(scores, id);
      score = score < 0.0F ? score * penalty : score / penalty;
    }
  }
}

// Forbids the tokens that follow the last `count` - 1 tokens of `made` in `earlier`.
void ForbidRepeats(Span earlier, Span made, std::int64_t count, std::span<float> scores) {
  const auto before = static_cast<std::size_t>(count - 1);
  if (made.size() < before) {
    return;
  }
  const Span ending = made.last(before);
  for (std::size_t at = 0; at + before < earlier.size(); ++at) {
    if (std::ranges::equal(earlier.subspan(at, before), ending)) {
      Forbid(earlier.subspan(at + before, 1), scores);
    }
  }
}

void AddBiases(const TokenChoice& choice, Span made, std::span<float> scores) {
  std::vector<float> sums(scores.size(), 0.0F);
  for (const auto& [sequence, bias] : choice.biases) {
    if (!sequence.empty() && IsOf(sequence.back(), scores) &&
        EndsWith(made, Span(sequence).first(sequence.size() - 1))) {
      At(sums, sequence.back()) += bias;
    }
  }
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i] += sums[i];
  }
}

void ForbidBanned(const TokenChoice& choice, Span made, std::span<float> scores) {
  for (const TokenChoice::Ids& sequence : choice.banned) {
    const bool is_end =
        sequence.size() == 1 && std::ranges::find(choice.ends, sequence[0]) != choice.ends.end();
    if (!sequence.empty() && !is_end && EndsWith(made, Span(sequence).first(sequence.size() - 1))) {
      Forbid(Span(sequence).last(1), scores);
    }
  }
}

void DecayLength(const TokenChoice& choice, std::int64_t length, std::span<float> scores) {
  const std::int64_t late = length - choice.decay->after - 1;
  if (late <= 0) {
    return;
  }
  const auto growth =
      static_cast<float>(std::pow(choice.decay->factor, static_cast<double>(late)) - 1.0);
  for (const std::int32_t id : choice.ends) {
    if (IsOf(id, scores) && std::isfinite(At(scores, id))) {
      At(scores, id) += std::abs(At(scores, id)) * growth;
    }
  }
}

}  // namespace

// The order is the one of transformers' list of processors.
void Adjust(const TokenChoice& choice, const TextSoFar& text, std::span<float> scores) {
  const std::int64_t length = std::ssize(text.made);
  if (!choice.biases.empty()) {
    AddBiases(choice, text.made, scores);
  }
  if (choice.source_penalty != 1.0) {
    Penalise(text.source, static_cast<float>(1.0 / choice.source_penalty), scores);
  }
  if (choice.repetition_penalty != 1.0) {
    Penalise(text.made, static_cast<float>(choice.repetition_penalty), scores);
  }
  if (choice.unrepeated > 0) {
    ForbidRepeats(text.made, text.made, choice.unrepeated, scores);
  }
  if (choice.source_unrepeated > 0) {
    ForbidRepeats(text.source, text.made, choice.source_unrepeated, scores);
  }
  ForbidBanned(choice, text.made, scores);
  if (length < choice.least) {
    Forbid(choice.ends, scores);
  }
  if (choice.first_id && length == 1) {
    Force(Span(&*choice.first_id, 1), scores);
  }
  if (!choice.last_ids.empty() && choice.most && length == *choice.most - 1) {
    Force(choice.last_ids, scores);
  }
  if (choice.decay) {
    DecayLength(choice, length, scores);
  }
  Forbid(choice.suppressed, scores);
  if (length == (choice.first_id ? 2 : 1)) {
    Forbid(choice.suppressed_first, scores);
  }
}

}  // namespace headscope
