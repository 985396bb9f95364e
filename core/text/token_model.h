// Turns one piece of text into ids: the trained part of a tokenizer.
//
// Units    Hit ranges are bytes of the piece, in order.
// Errors   kInput: the piece has text that the vocabulary lacks; kCancelled.
// Threads  immutable; any thread calls it, each with its own Cache.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/text/vocabulary.h"

namespace headscope::text {

struct Hit {
  std::int32_t id = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

// How pieces of the vocabulary mark where words begin and end, besides space markers.
struct PieceMarkers {
  bool byte_fallback = false;       // "<0xE2>" is a byte
  bool is_word_each = false;        // every piece is a whole word
  std::string continuation_prefix;  // "##": a piece without it begins a word
  std::string word_suffix;          // "</w>": a piece with it ends a word
  std::string unfinished_suffix;    // "@@": a piece without it ends a word
};

class TokenModel {
 public:
  virtual ~TokenModel() = default;
  TokenModel(const TokenModel&) = delete;
  TokenModel& operator=(const TokenModel&) = delete;

  // What one call of Encode remembers about the pieces it has seen.
  struct Cache {
    std::stop_token stop;
    std::unordered_map<std::string, std::vector<Hit>> known;
  };

  // Appends to `hits`.
  [[nodiscard]] virtual Status Tokenize(const std::string& piece,
                                        Cache& cache,
                                        std::vector<Hit>& hits) const = 0;

  [[nodiscard]] const Vocabulary& vocabulary() const { return vocabulary_; }
  // The token for text that the vocabulary lacks.
  [[nodiscard]] std::optional<std::int32_t> unknown_id() const { return unknown_id_; }
  [[nodiscard]] const PieceMarkers& markers() const { return markers_; }

 protected:
  explicit TokenModel(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}

  Vocabulary vocabulary_;
  std::optional<std::int32_t> unknown_id_;
  PieceMarkers markers_;
};

}  // namespace headscope::text
