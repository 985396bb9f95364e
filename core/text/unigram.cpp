#include "core/text/unigram.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/base/stop.h"
#include "core/text/piece_trie.h"
#include "core/text/unicode.h"
#include "core/text/wordwise_model.h"

namespace headscope::text {
namespace {

// An unknown character scores this much worse than the worst piece.
constexpr double kUnknownPenalty = 10.0;
// SentencePiece's score for user-defined pieces, per byte after the first. Other scores are
// logarithms, below zero, so a user-defined piece nearly always wins.
constexpr double kUserBonusPerByte = 0.1;

struct UnigramOptions {
  PieceTrie found;             // the pieces to search for
  std::vector<double> scores;  // by id
  double unknown_score = 0.0;
  bool is_single = false;  // sums are float32
};

// The best way to reach a position: the piece that ends there, and where it begins.
struct Step {
  double score = 0.0;
  std::uint32_t begin = 0;
  std::int32_t id = kUnreached;
  static constexpr std::int32_t kUnreached = -2;
};
constexpr std::int32_t kUnknown = -1;

class Unigram : public WordwiseModel {
 public:
  Unigram(Vocabulary vocabulary, const ScoredPieces& pieces, UnigramOptions options)
      : WordwiseModel(std::move(vocabulary)),
        options_(std::move(options)),
        bytes_(pieces.byte_fallback ? ByteIds(vocabulary_) : ByteIds()) {
    unknown_id_ = pieces.unknown_id;
    markers_.byte_fallback = pieces.byte_fallback;
  }

  Status TokenizeWord(const std::string& word,
                      const std::stop_token& stop,
                      std::vector<Hit>& hits) const override {
    std::vector<Step> steps(word.size() + 1);
    HEADSCOPE_TRY(FindBest(word, stop, steps));
    std::vector<Hit> found;
    for (std::size_t end = word.size(); end > 0;) {
      const Step& step = steps[end];
      // Adjacent unknown characters form one piece.
      const bool is_unknown = step.id == kUnknown || step.id == unknown_id_;
      if (is_unknown && !found.empty() && found.back().id == kUnknown) {
        found.back().begin = step.begin;
      } else {
        found.push_back(
            {is_unknown ? kUnknown : step.id, step.begin, static_cast<std::uint32_t>(end)});
      }
      end = step.begin;
    }
    for (auto hit = found.rbegin(); hit != found.rend(); ++hit) {
      if (hit->id != kUnknown) {
        hits.push_back(*hit);
        continue;
      }
      HEADSCOPE_TRY(SpellUnknown(word, *hit, hits));
    }
    return {};
  }

 private:
  Status FindBest(const std::string& word,
                  const std::stop_token& stop,
                  std::vector<Step>& steps) const {
    const auto offer = [&](std::size_t begin, std::size_t end, std::int32_t id, double own) {
      const double sum = steps[begin].score + own;
      const double score = options_.is_single ? static_cast<double>(static_cast<float>(sum)) : sum;
      Step& step = steps[end];
      if (step.id == Step::kUnreached || score > step.score) {
        step = {score, static_cast<std::uint32_t>(begin), id};
      }
    };
    std::size_t num_characters = 0;
    for (std::size_t begin = 0; begin < word.size();) {
      if (++num_characters % kStepsBetweenPolls == 0) {
        HEADSCOPE_TRY(CheckStop(stop));
      }
      std::size_t next = begin;
      NextCharacter(word, next);
      bool has_character = false;
      options_.found.ForEachPrefix(word, begin, [&](std::size_t end, std::int32_t id) {
        offer(begin, end, id, options_.scores[static_cast<std::size_t>(id)]);
        has_character = has_character || end == next;
      });
      if (!has_character) {
        offer(begin, next, kUnknown, options_.unknown_score);
      }
      begin = next;
    }
    return {};
  }

  Status SpellUnknown(const std::string& word, const Hit& unknown, std::vector<Hit>& hits) const {
    const std::string_view text =
        std::string_view(word).substr(unknown.begin, unknown.end - unknown.begin);
    // Adjacent unknown characters may spell a piece that scored too badly by itself.
    if (const std::optional<std::int32_t> id =
            options_.is_single ? std::nullopt : vocabulary_.Id(text)) {
      hits.push_back({*id, unknown.begin, unknown.end});
      return {};
    }
    if (bytes_.Spell(text, unknown.begin, unknown.end, hits)) {
      return {};
    }
    if (!unknown_id_) {
      return Fail(
          ErrorCode::kInput,
          fmt::format("the vocabulary has no pieces for {} and no unknown piece", Quoted(text)));
    }
    hits.push_back({*unknown_id_, unknown.begin, unknown.end});
    return {};
  }

  UnigramOptions options_;
  ByteIds bytes_;
};

using Made = Result<std::unique_ptr<const TokenModel>>;

// Returns the value that the tokenizers library reads from the shortest decimal form of `score`:
// its JSON reader divides the digits by a power of ten, which is off by the last bit now and then,
// and that decides between ways to split a text with equal scores.
double AsLibraryReads(double score) {
  constexpr int kMaxExactPower = 22;
  std::array<char, 32> buffer{};  // "d.ddde-xx"
  const auto written = std::to_chars(
      buffer.data(), buffer.data() + buffer.size(), std::abs(score), std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data()));
  const std::size_t mark = text.find('e');
  if (mark == std::string_view::npos || mark + 1 >= text.size()) {
    return score;  // not finite
  }
  int exponent = 0;
  std::from_chars(text.data() + mark + (text[mark + 1] == '+' ? 2 : 1), written.ptr, exponent);
  std::uint64_t digits = 0;
  for (const char c : text.substr(0, mark)) {
    digits = c == '.' ? digits : digits * 10 + static_cast<std::uint64_t>(c - '0');
  }
  exponent -= mark > 1 ? static_cast<int>(mark) - 2 : 0;  // digits after the point
  if (exponent > 0 || exponent < -kMaxExactPower) {
    return score;
  }
  const double read = static_cast<double>(digits) / std::pow(10.0, -exponent);
  return std::signbit(score) ? -read : read;
}

// Reads [["piece", score], ...].
Status ParsePieces(const JsonArray& list, const std::stop_token& stop, ScoredPieces& result) {
  StopPoll poll(stop);
  for (const JsonValue element : list) {
    HEADSCOPE_TRY(poll.Check());
    const std::optional<JsonArray> pair = element.Array();
    const bool is_pair = pair && pair->size() == 2;
    const auto text = is_pair ? pair->front().Text() : std::nullopt;
    const auto score = is_pair ? pair->back().Number() : std::nullopt;
    if (!text || !score) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: piece {} of \"vocab\" is not a text with its score",
                              result.name,
                              result.pieces.size()));
    }
    ScoredPiece piece;
    piece.text = *text;
    piece.score = AsLibraryReads(*score);
    result.pieces.push_back(piece);
  }
  return {};
}

Made MakeUnigram(const ScoredPieces& pieces, bool is_single, const std::stop_token& stop) {
  HEADSCOPE_TRY(auto vocabulary, pieces.MakeVocabulary(stop));
  UnigramOptions options;
  options.is_single = is_single;
  std::vector<PieceTrie::Entry> found;
  auto least = static_cast<double>(std::numeric_limits<float>::max());
  for (std::size_t id = 0; id < pieces.pieces.size(); ++id) {
    const ScoredPiece& piece = pieces.pieces[id];
    const bool is_user_defined = piece.type == PieceType::kUserDefined;
    if (is_user_defined || piece.type == PieceType::kNormal) {
      found.emplace_back(piece.text, static_cast<std::int32_t>(id));
    }
    if (piece.type == PieceType::kNormal) {
      least = std::min(least, piece.score);
    }
    options.scores.push_back(is_user_defined ? kUserBonusPerByte *
                                                   (static_cast<double>(piece.text.size()) - 1.0)
                                             : piece.score);
  }
  HEADSCOPE_TRY(options.found, PieceTrie::Make(std::move(found), stop));
  const double unknown = least - kUnknownPenalty;
  options.unknown_score = is_single ? static_cast<double>(static_cast<float>(unknown)) : unknown;
  return std::make_unique<Unigram>(std::move(vocabulary), pieces, std::move(options));
}

}  // namespace

Made ParseUnigram(const JsonObject& model, const std::stop_token& stop) {
  ScoredPieces pieces;
  pieces.name = model.name();
  HEADSCOPE_TRY(const auto list, model.Array("vocab"));
  HEADSCOPE_TRY(pieces.byte_fallback, model.Boolean("byte_fallback", false));
  HEADSCOPE_TRY(const auto unknown, model.Integer("unk_id", 0, kMaxId, 0));
  if (!list) {
    return Fail(ErrorCode::kFormat, fmt::format("{}: \"vocab\" is missing", model.name()));
  }
  HEADSCOPE_TRY(ParsePieces(*list, stop, pieces));
  if (model.Has("unk_id")) {
    pieces.unknown_id = static_cast<std::int32_t>(unknown);
  }
  return MakeUnigram(pieces, false, stop);
}

Made MakeSentenceUnigram(const ScoredPieces& pieces, const std::stop_token& stop) {
  return MakeUnigram(pieces, true, stop);
}

}  // namespace headscope::text
