// A vocabulary whose pieces have scores and kinds, as SentencePiece trains it.
//
// Shapes   a piece's place in the list is its id.
// Errors   kFormat: pieces given twice, too many or too long; scores that are no numbers; ids past
//          the list; kCancelled.
// Threads  plain values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/text/vocabulary.h"

namespace headscope::text {

enum class PieceType : std::uint8_t {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,  // found in the text before anything else
  kUnused = 5,       // never the result, but steps on the way
  kByte = 6,
};

struct ScoredPiece {
  std::string_view text;
  double score = 0.0;
  PieceType type = PieceType::kNormal;
};

struct ScoredPieces {
  std::string name;  // of the file: stands in messages
  std::vector<ScoredPiece> pieces;
  std::optional<std::int32_t> unknown_id;
  bool byte_fallback = false;  // "<0xE2>" spells a byte of what is unknown

  // Checks all; the vocabulary keeps its own copy of the texts.
  [[nodiscard]] Result<Vocabulary> MakeVocabulary(const std::stop_token& stop) const;
};

// Texts that SentencePiece's models look for; the others only have ids.
[[nodiscard]] inline bool IsFoundInText(PieceType type) {
  return type == PieceType::kNormal || type == PieceType::kUserDefined ||
         type == PieceType::kUnused;
}

// Ids of "<0x00>" to "<0xFF>".
class ByteIds {
 public:
  ByteIds() { ids_.fill(-1); }
  explicit ByteIds(const Vocabulary& vocabulary);
  // -1: the vocabulary lacks it.
  [[nodiscard]] std::int32_t operator[](char byte) const {
    return ids_[static_cast<unsigned char>(byte)];
  }
  [[nodiscard]] bool CanSpell(std::string_view text) const;

 private:
  std::array<std::int32_t, 256> ids_{};
};

}  // namespace headscope::text
