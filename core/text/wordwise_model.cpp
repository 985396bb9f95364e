#include "core/text/wordwise_model.h"

#include <algorithm>

namespace headscope::text {
namespace {

constexpr std::size_t kMaxCachedPieces = 65'536;
constexpr std::size_t kMaxCachedBytes = 64;
constexpr std::string_view kWordMarker = "▁";

// Returns where the next word after `begin` starts, or the end.
std::size_t NextWord(std::string_view text, std::size_t begin) {
  std::size_t at = begin;
  while (text.substr(at).starts_with(kWordMarker)) {
    at += kWordMarker.size();
  }
  return std::min(text.find(kWordMarker, at), text.size());
}

}  // namespace

void WordwiseModel::CutAtMarkers() {
  bool reaches_over = false;
  vocabulary_.ForEach([&](std::string_view piece, std::int32_t /*id*/) {
    reaches_over = reaches_over || NextWord(piece, 0) < piece.size();
  });
  cuts_at_markers_ = !reaches_over && vocabulary_.Id(kWordMarker).has_value();
}

Status WordwiseModel::Tokenize(const std::string& piece,
                               Cache& cache,
                               std::vector<Hit>& hits) const {
  std::string word;
  std::size_t steps = 0;
  for (std::size_t begin = 0; begin < piece.size();) {
    const std::size_t end = cuts_at_markers_ ? NextWord(piece, begin) : piece.size();
    word.assign(piece, begin, end - begin);
    if (++steps % kStepsBetweenPolls == 0) {
      HEADSCOPE_TRY(CheckStop(cache.stop));
    }
    std::vector<Hit> fresh;
    const auto known = cache.known.find(word);
    if (known == cache.known.end()) {
      HEADSCOPE_TRY(TokenizeWord(word, cache.stop, fresh));
    }
    for (const Hit& hit : known == cache.known.end() ? fresh : known->second) {
      hits.push_back({hit.id,
                      hit.begin + static_cast<std::uint32_t>(begin),
                      hit.end + static_cast<std::uint32_t>(begin)});
    }
    if (known == cache.known.end() && word.size() <= kMaxCachedBytes &&
        cache.known.size() < kMaxCachedPieces) {
      cache.known.emplace(word, std::move(fresh));
    }
    begin = end;
  }
  return {};
}

}  // namespace headscope::text
