#include "core/heads/probe/retrieval.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/random.h"
#include "core/base/stop.h"
#include "core/model/model.h"

namespace headscope {
namespace {

constexpr std::array<std::string_view, 10> kPersons = {
    "Anna", "Tom", "Mary", "John", "Jane", "Peter", "Alice", "Henry", "Emma", "George"};
constexpr std::array<std::string_view, 10> kThings = {
    "letter", "key", "book", "ring", "coin", "map", "knife", "watch", "bottle", "lamp"};
constexpr std::array<std::string_view, 12> kPlaces = {"garden",
                                                      "kitchen",
                                                      "forest",
                                                      "church",
                                                      "river",
                                                      "cellar",
                                                      "tower",
                                                      "field",
                                                      "boat",
                                                      "school",
                                                      "chapel",
                                                      "barn"};
constexpr int kMostFailuresInARow = 40;

struct Fact {
  std::string_view person;
  std::string_view thing;
  std::string_view place;

  [[nodiscard]] std::string Sentence() const {
    return fmt::format("{} hid the {} in the {}.", person, thing, place);
  }
};

template <std::size_t kCount>
std::pair<std::string_view, std::string_view> DrawTwo(
    const std::array<std::string_view, kCount>& from, RandomStream* random) {
  const std::size_t one = random->Below(kCount);
  const std::size_t other = (one + 1 + random->Below(kCount - 1)) % kCount;
  return {from[one], from[other]};
}

// A range of the text, in bytes.
struct Bytes {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// Returns the tokens within the bytes and the blank before them.
std::vector<std::int32_t> TokensIn(const Encoding& encoding, Bytes bytes) {
  std::vector<std::int32_t> places;
  for (std::size_t i = 0; i < encoding.tokens.size(); ++i) {
    const Token& token = encoding.tokens[i];
    if (!token.special && token.end > bytes.begin && token.begin < bytes.end &&
        token.end <= bytes.end && token.begin + 1 >= bytes.begin) {
      places.push_back(static_cast<std::int32_t>(i));
    }
  }
  return places;
}

struct HiddenText {
  std::string text;
  Bytes hidden;  // the place in the sentence that is asked for
  Bytes other;   // in the other one
  Bytes answer;
};

HiddenText Hide(const Fact& asked,
                const Fact& other,
                std::span<const std::string> fillers,
                RandomStream* random) {
  HiddenText made;
  const auto add = [&made](const std::string& sentence) {
    made.text += (made.text.empty() ? "" : " ") + sentence;
  };
  const auto add_fact = [&](const Fact& fact) {
    add(fact.Sentence());
    const auto end = static_cast<std::int64_t>(made.text.size()) - 1;  // before the full stop
    return Bytes{end - static_cast<std::int64_t>(fact.place.size()), end};
  };
  // Each sentence goes somewhere among the fillers, in either order.
  const std::size_t gaps = fillers.size() + 1;
  const std::size_t asked_at = random->Below(gaps);
  const std::size_t other_at = random->Below(gaps);
  const bool is_asked_first = random->Below(2) == 0;
  for (std::size_t gap = 0; gap < gaps; ++gap) {
    if (gap == asked_at && is_asked_first) {
      made.hidden = add_fact(asked);
    }
    if (gap == other_at) {
      made.other = add_fact(other);
    }
    if (gap == asked_at && !is_asked_first) {
      made.hidden = add_fact(asked);
    }
    if (gap < fillers.size()) {
      add(fillers[gap]);
    }
  }
  add(fmt::format("Where did {} hide the {}?", asked.person, asked.thing));
  made.answer = add_fact(asked);
  return made;
}

// None: its words are tokenized differently in different places, or it is too long.
std::optional<ProbeSequence> SequenceOfHidden(const Model& model,
                                              const HiddenText& made,
                                              std::int64_t longest) {
  const auto encoding = model.tokenizer()->Encode(made.text, {.pair = {}, .stop = {}});
  if (!encoding || std::ssize(encoding->tokens) > longest) {
    return std::nullopt;
  }
  ProbeSequence sequence = SequenceOf(*encoding);
  const std::int64_t vocabulary = model.description().vocabulary;
  if (std::ranges::any_of(sequence.ids, [&](std::int32_t id) { return id >= vocabulary; })) {
    return std::nullopt;  // a tokenizer may belong to another model
  }
  sequence.text = made.text;
  const auto hidden = TokensIn(*encoding, made.hidden);
  const auto other = TokensIn(*encoding, made.other);
  const auto answer = TokensIn(*encoding, made.answer);
  const auto id = [&](std::int32_t place) { return sequence.ids[static_cast<std::size_t>(place)]; };
  if (hidden.empty() || hidden.size() != answer.size() || hidden.size() != other.size() ||
      answer.front() == 0 || !std::ranges::equal(hidden, answer, {}, id, id) ||
      std::ranges::equal(hidden, other, {}, id, id)) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < answer.size(); ++i) {
    sequence.hidden.push_back({.query = answer[i] - 1, .key = hidden[i], .other = other[i]});
  }
  return sequence;
}

}  // namespace

Result<ProbeCorpus> MakeRetrieval(const Model& model,
                                  const RetrievalSettings& settings,
                                  const std::stop_token& stop) {
  HEADSCOPE_TRY(CheckReadsText(model, "scan repeats: retrieval hides sentences in text"));
  const std::int64_t longest = std::min(settings.longest, model.description().positions);
  ProbeCorpus corpus{.probe = "retrieval", .draw = {}, .groups = {""}, .sequences = {}};
  corpus.seed = settings.seed;
  RandomStream random(settings.seed);
  std::int64_t fillers = 64;
  int failures = 0;  // in a row
  while (failures < kMostFailuresInARow && std::ssize(corpus.sequences) < settings.sequences) {
    HEADSCOPE_TRY(CheckStop(stop));
    const auto persons = DrawTwo(kPersons, &random);
    const auto things = DrawTwo(kThings, &random);
    const auto places = DrawTwo(kPlaces, &random);
    std::vector<std::string> among;
    for (std::int64_t i = 0; i < fillers && !settings.texts.empty(); ++i) {
      among.push_back(settings.texts[random.Below(settings.texts.size())]);
    }
    const HiddenText made = Hide({persons.first, things.first, places.first},
                                 {persons.second, things.second, places.second},
                                 among,
                                 &random);
    if (auto sequence = SequenceOfHidden(model, made, longest)) {
      corpus.sequences.push_back(std::move(*sequence));
      failures = 0;
      continue;
    }
    ++failures;
    if (corpus.sequences.empty()) {
      fillers = fillers * 3 / 4;  // down to what the model can read
    }
  }
  if (corpus.sequences.empty()) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: no text with a hidden sentence fits into the {} tokens that it "
                            "reads, with its words cut alike wherever they stand; scan repeats "
                            "instead",
                            model.name(),
                            longest));
  }
  if (std::ssize(corpus.sequences) < settings.sequences) {
    corpus.notes.push_back(
        fmt::format("{} of {} texts: the others were too long, or their words "
                    "were not cut alike wherever they stood",
                    corpus.sequences.size(),
                    settings.sequences));
  }
  return corpus;
}

}  // namespace headscope
