// What a model says after each row of a text: how likely the token was that came, and the likeliest.
//
// Units    losses in nats.
// Errors   the word layer's; kCancelled.
// Threads  the backend's.
// Cost     the vocabulary for each row, in chunks of rows: no more of it is ever held.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/causes/likely_words.h"

namespace headscope {

class WordLayer;

struct RowSaid {
  std::optional<ActualWord> next;  // none: nothing came
  LikelyWord likeliest;
  friend bool operator==(const RowSaid&, const RowSaid&) = default;
};

struct TextLosses {
  std::vector<RowSaid> rows;
  std::optional<double> loss;  // mean over the rows that have one
};

struct NamedLosses {
  TextLosses losses;
  std::vector<std::string> likeliest;  // of each row, as people read it
};

// What was said of a token, by the row before it; null: nothing was.
[[nodiscard]] const RowSaid* SaidOfToken(const NamedLosses* losses, std::size_t token);

// `states` [n, d] are the last ones of a text of these ids, of a model that says the next token.
[[nodiscard]] Result<TextLosses> LossesOf(const WordLayer& words,
                                          std::span<const float> states,
                                          std::span<const std::int32_t> ids,
                                          const std::stop_token& stop);

}  // namespace headscope
