// A vocabulary whose pieces have scores and types, as trained by SentencePiece.
//
// Shapes   a piece's id is its index in the list.
// Errors   kFormat: duplicate pieces, too many or too long ones; scores that are not numbers; ids
//          beyond the list; kCancelled.
#pragma once

#include <algorithm>
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
  kUnused = 5,       // intermediate steps, never in the result
  kByte = 6,
};

struct ScoredPiece {
  std::string_view text;
  double score = 0.0;
  PieceType type = PieceType::kNormal;
};

struct ScoredPieces {
  std::string name;  // the file's, for messages
  std::vector<ScoredPiece> pieces;
  std::optional<std::int32_t> unknown_id;
  bool byte_fallback = false;  // "<0xE2>" stands for a byte of unknown text

  // Checks all pieces; the vocabulary keeps its own copy of the texts.
  [[nodiscard]] Result<Vocabulary> MakeVocabulary(const std::stop_token& stop) const;
};

// Whether SentencePiece's models search the text for pieces of this type; the others only have ids.
[[nodiscard]] inline bool IsFoundInText(PieceType type) {
  return type == PieceType::kNormal || type == PieceType::kUserDefined ||
         type == PieceType::kUnused;
}

// The ids of "<0x00>" to "<0xFF>".
class ByteIds {
 public:
  ByteIds() { ids_.fill(-1); }
  explicit ByteIds(const Vocabulary& vocabulary);
  // Returns -1 if the vocabulary lacks it.
  [[nodiscard]] std::int32_t operator[](char byte) const {
    return ids_[static_cast<unsigned char>(byte)];
  }
  // Appends one item per byte of `text`, which is at [begin, end) of its word; bytes of a prefix or
  // suffix have no source there. Returns false if the vocabulary lacks one of the bytes.
  template <typename Item>
  [[nodiscard]] bool Spell(std::string_view text,
                           std::uint32_t begin,
                           std::uint32_t end,
                           std::vector<Item>& items) const {
    if (!std::ranges::all_of(text, [this](char byte) { return (*this)[byte] >= 0; })) {
      return false;
    }
    for (const char byte : text) {
      const std::uint32_t next = std::min(begin + 1, end);
      items.push_back({(*this)[byte], begin, next});
      begin = next;
    }
    return true;
  }

 private:
  std::array<std::int32_t, 256> ids_{};
};

}  // namespace headscope::text
