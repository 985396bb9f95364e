#include "core/text/sentence_bpe.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/base/stop.h"
#include "core/text/joiner.h"
#include "core/text/piece_trie.h"
#include "core/text/unicode.h"
#include "core/text/wordwise_model.h"

namespace headscope::text {
namespace {

// Returns ranks by id: the best score has rank 0, equal scores have equal ranks.
std::vector<std::uint32_t> RanksOf(const std::vector<ScoredPiece>& pieces) {
  std::vector<std::uint32_t> order(pieces.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return pieces[a].score > pieces[b].score;
  });
  std::vector<std::uint32_t> ranks(pieces.size());
  for (std::size_t i = 1; i < order.size(); ++i) {
    const bool is_equal = pieces[order[i]].score == pieces[order[i - 1]].score;
    ranks[order[i]] = ranks[order[i - 1]] + (is_equal ? 0U : 1U);
  }
  return ranks;
}

class SentenceBpe : public WordwiseModel {
 public:
  // `user_defined` are the pieces of that type.
  SentenceBpe(Vocabulary vocabulary, const ScoredPieces& pieces, PieceTrie user_defined)
      : WordwiseModel(std::move(vocabulary)),
        ranks_(RanksOf(pieces.pieces)),
        user_defined_(std::move(user_defined)),
        bytes_(pieces.byte_fallback ? ByteIds(vocabulary_) : ByteIds()) {
    unknown_id_ = pieces.unknown_id;
    markers_.byte_fallback = pieces.byte_fallback;
    for (const ScoredPiece& piece : pieces.pieces) {
      types_.push_back(piece.type);
      longest_ = std::max(longest_, piece.text.size());
      has_unused_ = has_unused_ || piece.type == PieceType::kUnused;
    }
    if (!has_unused_) {
      CutAtMarkers();
    }
  }

  Status TokenizeWord(const std::string& word,
                      const std::stop_token& stop,
                      std::vector<Hit>& hits) const override {
    std::vector<Symbol> symbols = Spell(word);
    Halves halves;
    HEADSCOPE_TRY(JoinSymbols(symbols, stop, [&](const Symbol& left, const Symbol& right) {
      return Find(word, left, right, halves);
    }));
    for (const Symbol& symbol : symbols) {
      if (!symbol.is_gone) {
        HEADSCOPE_TRY(Emit(word, symbol, halves, hits));
      }
    }
    return {};
  }

 private:
  // Where kUnused pieces were joined: the length of the left half.
  using Halves = std::unordered_map<std::string_view, std::uint32_t>;

  [[nodiscard]] std::int32_t FoundId(std::string_view text) const {
    const std::optional<std::int32_t> id =
        text.size() <= longest_ ? vocabulary_.Id(text) : std::nullopt;
    return id && IsFoundInText(types_[static_cast<std::size_t>(*id)]) ? *id : Symbol::kNone;
  }

  [[nodiscard]] std::vector<Symbol> Spell(const std::string& word) const {
    std::vector<Symbol> symbols;
    for (std::size_t begin = 0; begin < word.size();) {
      auto [end, id] = user_defined_.Longest(word, begin);
      const bool is_fixed = id >= 0;
      if (!is_fixed) {
        NextCharacter(word, end);
        id = FoundId(std::string_view(word).substr(begin, end - begin));
      }
      symbols.push_back({.id = id,
                         .begin = static_cast<std::uint32_t>(begin),
                         .end = static_cast<std::uint32_t>(end),
                         .is_fixed = is_fixed});
      begin = end;
    }
    return symbols;
  }

  std::optional<Join> Find(std::string_view word,
                           const Symbol& left,
                           const Symbol& right,
                           Halves& halves) const {
    if (left.is_fixed || right.is_fixed) {
      return std::nullopt;
    }
    const std::string_view both = word.substr(left.begin, right.end - left.begin);
    const std::int32_t id = FoundId(both);
    if (id == Symbol::kNone) {
      return std::nullopt;
    }
    if (has_unused_ && types_[static_cast<std::size_t>(id)] == PieceType::kUnused) {
      halves[both] = left.end - left.begin;
    }
    return Join{ranks_[static_cast<std::size_t>(id)], id};
  }

  Status Emit(std::string_view word,
              const Symbol& symbol,
              const Halves& halves,
              std::vector<Hit>& hits) const {
    const std::string_view text = word.substr(symbol.begin, symbol.end - symbol.begin);
    if (symbol.id != Symbol::kNone) {
      const auto half = halves.find(text);
      if (half == halves.end()) {
        hits.push_back({symbol.id, symbol.begin, symbol.end});
        return {};
      }
      // The recursion is as deep as the piece is long, which Vocabulary::CheckLengths bounds.
      const std::uint32_t middle = symbol.begin + half->second;
      const std::array<std::pair<std::uint32_t, std::uint32_t>, 2> parts = {
          {{symbol.begin, middle}, {middle, symbol.end}}};
      for (const auto& [begin, end] : parts) {
        const Symbol part{
            .id = FoundId(word.substr(begin, end - begin)), .begin = begin, .end = end};
        HEADSCOPE_TRY(Emit(word, part, halves, hits));
      }
      return {};
    }
    if (bytes_.Spell(text, symbol.begin, symbol.end, hits)) {
      return {};
    }
    if (!unknown_id_) {
      return Fail(ErrorCode::kInput,
                  fmt::format("the vocabulary has neither the character {} nor an unknown piece",
                              Quoted(text)));
    }
    // Adjacent unknown characters form one piece.
    if (!hits.empty() && hits.back().id == *unknown_id_ && hits.back().end == symbol.begin) {
      hits.back().end = symbol.end;
    } else {
      hits.push_back({*unknown_id_, symbol.begin, symbol.end});
    }
    return {};
  }

  std::vector<PieceType> types_;      // by id
  std::vector<std::uint32_t> ranks_;  // by id
  PieceTrie user_defined_;
  ByteIds bytes_;
  std::size_t longest_ = 0;
  bool has_unused_ = false;
};

}  // namespace

Result<std::unique_ptr<const TokenModel>> MakeSentenceBpe(const ScoredPieces& pieces,
                                                          const std::stop_token& stop) {
  HEADSCOPE_TRY(auto vocabulary, pieces.MakeVocabulary(stop));
  std::vector<PieceTrie::Entry> user_defined;
  for (std::size_t id = 0; id < pieces.pieces.size(); ++id) {
    if (pieces.pieces[id].type == PieceType::kUserDefined) {
      user_defined.emplace_back(pieces.pieces[id].text, static_cast<std::int32_t>(id));
    }
  }
  HEADSCOPE_TRY(auto trie, PieceTrie::Make(std::move(user_defined), stop));
  HEADSCOPE_TRY(CheckStop(stop));
  return std::make_unique<SentenceBpe>(std::move(vocabulary), pieces, std::move(trie));
}

}  // namespace headscope::text
