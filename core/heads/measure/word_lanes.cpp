#include "core/heads/measure/word_lanes.h"

#include <algorithm>
#include <cmath>

#include "core/attention/lanes.h"
#include "core/compute/instruction_set.h"

namespace headscope {
namespace {

HEADSCOPE_BODY void AddRow(const float* row, std::int64_t count, float* to) {
  for (std::int64_t cell = 0; cell < count * kLanes; cell += kLanes) {
    StoreLanes(LoadLanes(to + cell) + LoadLanes(row + cell), to + cell);
  }
}

HEADSCOPE_BODY void AddWords(const float* row,
                             std::int64_t count,
                             std::span<const WordTokens> tokens,
                             float part,
                             float* to) {
  for (const WordTokens& keys : tokens) {
    if (keys.begin >= count) {
      break;
    }
    const std::int64_t end = std::min(keys.end, count);
    Lanes sum = LoadLanes(row + keys.begin * kLanes);
    for (std::int64_t key = keys.begin + 1; key < end; ++key) {
      sum += LoadLanes(row + key * kLanes);
    }
    float* const word = to + keys.word * kLanes;
    StoreLanes(LoadLanes(word) + part * sum, word);
  }
}

HEADSCOPE_BODY std::uint64_t Having(const std::int32_t* answers, std::int32_t word) {
  const LaneBits bits = {1, 2, 4, 8, 16, 32, 64, 128};
  const LaneBits own = reinterpret_cast<LaneBits>(LoadAs<LaneCounts>(answers) == word) & bits;
  const auto fours = own | __builtin_shufflevector(own, own, 4, 5, 6, 7, 0, 1, 2, 3);
  const auto twos = fours | __builtin_shufflevector(fours, fours, 2, 3, 0, 1, 6, 7, 4, 5);
  return twos[0] | twos[1];
}

HEADSCOPE_BODY void Liked(const WordMap& map, double* liked) {
  const std::size_t words = map.pieces.size();
  const std::size_t row = words * kLanes;
  for (std::size_t key = 0; key < words; ++key) {
    Doubles sum;
    const float* cell = map.cells + key * kLanes;
    for (std::size_t query = map.causal ? key + 1 : 0; query < words; ++query) {
      if (query != key && map.pieces[query] > 0) {  // else it is 0
        const double times = map.WeightOf(query);
        const Doubles own = InDouble(cell + query * row);
        sum.low += own.low * times;
        sum.high += own.high * times;
      }
    }
    StoreDoubles(sum, liked + key * kLanes);
  }
}

// Four heads of which other queries look at most.
struct Popular {
  HalfDoubles most;
  HalfMask word;
};

HEADSCOPE_BODY void Rank(HalfDoubles own, std::size_t word, Popular* best) {
  const HalfMask is_more = own > best->most;
  best->most = is_more ? own : best->most;
  best->word = is_more ? HalfMask{} + static_cast<std::int64_t>(word) : best->word;
}

HEADSCOPE_BODY void AnswerOf(const WordMap& map,
                             std::size_t query,
                             std::span<const std::size_t> among,
                             const double* liked,
                             const double* part_of,
                             WordAnswers* answers) {
  const float* const row = map.Row(query);
  const double times = map.WeightOf(query);
  Lanes most = Lanes{} - 1.0F;
  LaneCounts best = {};
  Popular low{HalfDoubles{} - HUGE_VAL, {}};
  Popular high = low;
  for (const std::size_t word : among) {
    const float* const cell = row + word * kLanes;
    const Lanes weight = LoadLanes(cell);
    const LaneCounts is_more = weight > most;
    most = is_more ? weight : most;
    best = is_more ? LaneCounts{} + static_cast<std::int32_t>(word) : best;
    const Doubles own = InDouble(cell);
    const Doubles all = LoadDoubles(liked + word * kLanes);
    Rank((all.low - times * own.low) * part_of[word], word, &low);
    Rank((all.high - times * own.high) * part_of[word], word, &high);
  }
  StoreLanes(best, answers->best);
  StoreLanes(__builtin_convertvector(low.word, HalfCounts), answers->popular);
  StoreLanes(__builtin_convertvector(high.word, HalfCounts), answers->popular + 4);
}

struct WordKernels {
  std::uint64_t (*having)(const std::int32_t* answers, std::int32_t word);
  void (*add_row)(const float* row, std::int64_t count, float* to);
  void (*add_words)(const float* row,
                    std::int64_t count,
                    std::span<const WordTokens> tokens,
                    float part,
                    float* to);
  void (*liked)(const WordMap& map, double* liked);
  void (*answer)(const WordMap& map,
                 std::size_t query,
                 std::span<const std::size_t> among,
                 const double* liked,
                 const double* part_of,
                 WordAnswers* answers);
};

// One of each for an instruction set.
// NOLINTBEGIN(bugprone-macro-parentheses): they are an attribute and parts of names
#define HEADSCOPE_WORD_KERNELS(name, target)                                          \
  target void AddRow##name(const float* row, std::int64_t count, float* to) {         \
    AddRow(row, count, to);                                                           \
  }                                                                                   \
  target void AddWords##name(const float* row,                                        \
                             std::int64_t count,                                      \
                             std::span<const WordTokens> tokens,                      \
                             float part,                                              \
                             float* to) {                                             \
    AddWords(row, count, tokens, part, to);                                           \
  }                                                                                   \
  target void Liked##name(const WordMap& map, double* liked) {                        \
    Liked(map, liked);                                                                \
  }                                                                                   \
  target void Answer##name(const WordMap& map,                                        \
                           std::size_t query,                                         \
                           std::span<const std::size_t> among,                        \
                           const double* liked,                                       \
                           const double* part_of,                                     \
                           WordAnswers* answers) {                                    \
    AnswerOf(map, query, among, liked, part_of, answers);                             \
  }                                                                                   \
  target std::uint64_t Having##name(const std::int32_t* answers, std::int32_t word) { \
    return Having(answers, word);                                                     \
  }                                                                                   \
  constexpr WordKernels kWords##name = {                                              \
      Having##name, AddRow##name, AddWords##name, Liked##name, Answer##name};
// NOLINTEND(bugprone-macro-parentheses)

HEADSCOPE_WORD_KERNELS(Plain, )
#if defined(__x86_64__)
HEADSCOPE_WORD_KERNELS(Avx2, HEADSCOPE_AVX2)
HEADSCOPE_WORD_KERNELS(Avx512, HEADSCOPE_AVX512)
#endif

const WordKernels& ChosenWords() {
#if defined(__x86_64__)
  static const WordKernels kChosen =
      UsableAvx512() ? kWordsAvx512 : (UsableAvx2() ? kWordsAvx2 : kWordsPlain);
  return kChosen;
#else
  return kWordsPlain;
#endif
}

}  // namespace

void AddLaneRow(const float* row, std::int64_t count, float* to) {
  ChosenWords().add_row(row, count, to);
}

void AddToWords(const float* row,
                std::int64_t count,
                std::span<const WordTokens> tokens,
                float part,
                float* to) {
  ChosenWords().add_words(row, count, tokens, part, to);
}

std::uint64_t HeadsWith(const std::int32_t (&answers)[kLanesOfGroup], std::int32_t word) {
  return ChosenWords().having(answers, word);
}

void SumLiked(const WordMap& map, double* liked) {
  ChosenWords().liked(map, liked);
}

void AnswerQuestion(const WordMap& map,
                    std::size_t query,
                    std::span<const std::size_t> among,
                    const double* liked,
                    std::span<const double> part_of,
                    WordAnswers* answers) {
  ChosenWords().answer(map, query, among, liked, part_of.data(), answers);
}

}  // namespace headscope
