#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "core/base/random.h"
#include "core/heads/probe/probe.h"

namespace headscope {
namespace {

constexpr std::size_t kFrequentIds = 50;

// Returns ids that occur in the texts, except the most frequent ones, bytes and specials.
std::vector<std::int32_t> IdsOfTexts(const Model& model,
                                     const VocabularyFacts& vocabulary,
                                     std::span<const std::string> texts) {
  std::map<std::int32_t, std::int64_t> counts;
  for (const std::string& text : texts) {
    if (const auto encoding = model.tokenizer()->Encode(text, {.pair = {}, .stop = {}})) {
      for (const Token& token : encoding->tokens) {
        ++counts[token.id];
      }
    }
  }
  std::vector<std::pair<std::int64_t, std::int32_t>> by_count;
  for (const auto& [id, count] : counts) {
    const auto place = static_cast<std::size_t>(id);
    if (id >= 0 && place < vocabulary.special.size() && vocabulary.special[place] == 0 &&
        vocabulary.byte[place] == 0) {
      by_count.emplace_back(-count, id);
    }
  }
  std::ranges::sort(by_count);
  std::vector<std::int32_t> ids;
  for (std::size_t i = kFrequentIds; i < by_count.size(); ++i) {
    ids.push_back(by_count[i].second);
  }
  std::ranges::sort(ids);
  return ids;
}

std::vector<std::int32_t> PlainIds(const VocabularyFacts& vocabulary) {
  std::vector<std::int32_t> ids;
  for (std::size_t id = 0; id < vocabulary.special.size(); ++id) {
    if (vocabulary.special[id] == 0) {
      ids.push_back(static_cast<std::int32_t>(id));
    }
  }
  return ids;
}

// Returns the first `count` of a shuffle.
std::vector<std::int32_t> DrawDistinct(std::int64_t count,
                                       std::vector<std::int32_t>* ids,
                                       RandomStream* random) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    std::swap((*ids)[i], (*ids)[i + random->Below(ids->size() - i)]);
  }
  return {ids->begin(), ids->begin() + count};
}

ProbeSequence Repeat(const VocabularyFacts& vocabulary,
                     std::span<const std::int32_t> first,
                     std::span<const std::int32_t> second) {
  ProbeSequence sequence;
  sequence.ids = vocabulary.begin;
  sequence.ids.insert(sequence.ids.end(), first.begin(), first.end());
  sequence.ids.insert(sequence.ids.end(), second.begin(), second.end());
  std::int32_t word = 0;
  for (const std::int32_t id : sequence.ids) {
    const auto place = static_cast<std::size_t>(id);
    sequence.special.push_back(vocabulary.special[place]);
    sequence.separator.push_back(vocabulary.separator[place]);
    sequence.word.push_back(vocabulary.special[place] != 0 ? -1 : word++);
  }
  return sequence;
}

}  // namespace

Result<ProbeCorpus> MakeRepeats(const Model& model,
                                const VocabularyFacts& vocabulary,
                                const RepeatSettings& settings) {
  ProbeCorpus corpus{.probe = "repeats", .draw = "uniform", .groups = {}, .sequences = {}};
  corpus.seed = settings.seed;
  std::vector<std::int32_t> ids = PlainIds(vocabulary);
  const auto largest = static_cast<std::size_t>(2 * kRepeatPeriods[2]);
  if (settings.from_texts && model.tokenizer() != nullptr) {
    std::vector<std::int32_t> drawn = IdsOfTexts(model, vocabulary, settings.texts);
    if (drawn.size() >= largest) {
      ids = std::move(drawn);
      corpus.draw = "text";
    }
  }
  const auto count = static_cast<std::int64_t>(ids.size());
  if (count < kLeastPeriod) {
    return Fail(ErrorCode::kInput,
                fmt::format("repeats need {} different tokens at least, and the model's vocabulary "
                            "has {} that mark no text; give a probe file",
                            kLeastPeriod,
                            count));
  }
  const std::int64_t begin = std::ssize(vocabulary.begin);
  for (const std::int64_t wanted : kRepeatPeriods) {
    const std::int64_t period = std::min(wanted, count);
    const std::string name = std::to_string(period);
    if (std::ranges::find(corpus.groups, name) != corpus.groups.end()) {
      continue;
    }
    if (begin + 2 * period > model.description().positions) {
      corpus.notes.push_back(
          fmt::format("period {} takes {} tokens, and the model reads {}: left out",
                      period,
                      begin + 2 * period,
                      model.description().positions));
      continue;
    }
    if (period < wanted) {
      corpus.notes.push_back(
          fmt::format("the vocabulary has {} tokens to draw from: period {} in place of {}",
                      count,
                      period,
                      wanted));
    }
    RandomStream random(settings.seed * 1'000'003 + static_cast<std::uint64_t>(period));
    for (std::int64_t i = 0; i < settings.sequences; ++i) {
      const std::vector<std::int32_t> block = DrawDistinct(period, &ids, &random);
      corpus.sequences.push_back(Repeat(vocabulary, block, block));
      corpus.sequences.back().group = corpus.groups.size();
      if (settings.controls && count >= 2 * period) {
        // Tokens that are not in the first block: the next ones in the shuffle.
        std::vector<std::int32_t> rest(ids.begin() + period, ids.end());
        const std::vector<std::int32_t> other = DrawDistinct(period, &rest, &random);
        corpus.sequences.push_back(Repeat(vocabulary, block, other));
        corpus.sequences.back().group = corpus.groups.size();
        corpus.sequences.back().is_control = true;
      }
    }
    corpus.groups.push_back(name);
  }
  if (corpus.groups.empty()) {
    return Fail(ErrorCode::kInput,
                fmt::format("repeats need {} positions at least, and the model reads {}; give a "
                            "probe file with shorter texts",
                            begin + 2 * kRepeatPeriods[0],
                            model.description().positions));
  }
  return corpus;
}

}  // namespace headscope
