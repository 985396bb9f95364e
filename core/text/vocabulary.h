// Maps pieces to ids and back.
//
// Units    ids in [0, 2^31), possibly with gaps. If a piece is given twice, its last id counts, as
//          in the tokenizers library; the earlier id still maps to the piece.
// Errors   kIo (Read); kFormat: an id out of range, too many pieces; kCancelled.
// Threads  immutable after Parse; any thread reads.
// Cost     about 100 bytes per piece, whatever the ids are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/base/error.h"
#include "core/io/json.h"

namespace headscope::text {

inline constexpr std::int64_t kMaxId = 0x7FFFFFFF;

class Vocabulary {
 public:
  static constexpr std::size_t kMaxPieces = 4'000'000;
  static constexpr std::size_t kMaxPieceBytes = 1024;  // for models that search a text for pieces

  Vocabulary() = default;
  ~Vocabulary() = default;
  Vocabulary(const Vocabulary&) = delete;
  Vocabulary& operator=(const Vocabulary&) = delete;
  Vocabulary(Vocabulary&&) noexcept = default;
  Vocabulary& operator=(Vocabulary&&) noexcept = default;

  // Parses {"piece": id, ...}.
  [[nodiscard]] static Result<Vocabulary> Parse(const JsonObject& object,
                                                const std::stop_token& stop);

  // Reads a vocab.json, such an object of at most kMaxTokenizerBytes.
  [[nodiscard]] static Result<Vocabulary> Read(const std::filesystem::path& path,
                                               const std::stop_token& stop);

  // Reads the "vocab" of a model in tokenizer.json.
  [[nodiscard]] static Result<Vocabulary> OfModel(const JsonObject& model,
                                                  const std::stop_token& stop);

  [[nodiscard]] Status Add(std::string_view piece, std::int64_t id, const std::string& name);

  [[nodiscard]] std::optional<std::int32_t> Id(std::string_view piece) const;
  // Returns null if there is no such id.
  [[nodiscard]] const std::string* Piece(std::int32_t id) const;
  // Fails if a piece is longer than kMaxPieceBytes.
  [[nodiscard]] Status CheckLengths(const std::string& name) const;
  // One past the largest id.
  [[nodiscard]] std::int64_t end_id() const { return end_id_; }
  // The number of different pieces.
  [[nodiscard]] std::size_t size() const { return ids_.size(); }

  // Calls `visit(piece, id)` for all, in no particular order.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (const auto& [piece, id] : ids_) {
      visit(piece, id);
    }
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> ids_;
  std::unordered_map<std::int32_t, const std::string*> pieces_;  // keys of ids_: they do not move
  std::int64_t end_id_ = 0;
};

}  // namespace headscope::text
