#include "core/heads/scan/head_examples.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/attention/capture.h"
#include "core/base/check.h"
#include "core/base/stop.h"
#include "core/heads/measure/relation_words.h"
#include "core/heads/probe/input.h"
#include "core/heads/probe/target.h"
#include "core/io/annotated_text.h"

namespace headscope {
namespace {

constexpr std::size_t kMostTexts = 48;

// The places of the texts among which examples are looked for: evenly from all that are not controls.
std::vector<std::size_t> ExamplePlaces(const ProbeCorpus& corpus) {
  std::vector<std::size_t> all;
  for (std::size_t place = 0; place < corpus.sequences.size(); ++place) {
    if (!corpus.sequences[place].is_control) {
      all.push_back(place);
    }
  }
  if (all.size() <= kMostTexts) {
    return all;
  }
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < kMostTexts; ++i) {
    some.push_back(all[i * all.size() / kMostTexts]);
  }
  return some;
}

// The tokens of one word, each with those of the other words that it sees.
void AddWordRows(const ProbeSequence& text,
                 const AttentionRule& rule,
                 std::int32_t from,
                 const std::set<std::int32_t>& to,
                 TargetRows* rows) {
  std::vector<std::int32_t> keys;
  for (std::int64_t query = 0; query < text.tokens(); ++query) {
    if (text.annotated_word[static_cast<std::size_t>(query)] != from) {
      continue;
    }
    keys.clear();
    for (std::int64_t key = 0; key < text.tokens(); ++key) {
      if (to.contains(text.annotated_word[static_cast<std::size_t>(key)]) &&
          Sees(rule, text, query, key)) {
        keys.push_back(static_cast<std::int32_t>(key));
      }
    }
    if (!keys.empty()) {
      rows->Add(query, keys);
    }
  }
}

// Weights of pairs of tokens, added up over texts.
class PairWeights {
 public:
  // `keys`: what the keys are of.
  void Add(const ProbeSequence& text,
           const ProbeSequence& keys,
           const LayerAttention& layer,
           std::int64_t head) {
    const std::int64_t tokens = keys.tokens();
    std::vector<float> weights(static_cast<std::size_t>(tokens));
    for (std::int64_t query = 1; query < text.tokens(); ++query) {
      if (text.special[static_cast<std::size_t>(query)] != 0) {
        continue;
      }
      layer.Row(head, query, weights);
      const std::int64_t first = layer.rule().FirstVisible(query);
      const std::int64_t last = layer.rule().LastVisible(query, tokens);
      for (std::int64_t key = first; key < last; ++key) {
        auto& [sum, count] = pairs_[{text.ids[static_cast<std::size_t>(query)],
                                     keys.ids[static_cast<std::size_t>(key)]}];
        sum += static_cast<double>(weights[static_cast<std::size_t>(key)]);
        ++count;
      }
    }
  }

  [[nodiscard]] std::vector<TokenPair> Largest(const Model& model) const {
    std::vector<std::pair<double, std::pair<std::int32_t, std::int32_t>>> order;
    for (const auto& [ids, weight] : pairs_) {
      if (weight.second >= kFewestMeetings) {
        order.emplace_back(-weight.first, ids);
      }
    }
    std::ranges::sort(order);
    order.resize(std::min(order.size(), kMostPairs));
    std::vector<TokenPair> largest;
    for (const auto& [negative, ids] : order) {
      const std::int64_t count = pairs_.at(ids).second;
      const std::array both = {ids.first, ids.second};
      const Encoding told = model.tokenizer() != nullptr ? model.tokenizer()->Describe(both)
                                                         : DescribeAsNumbers(both);
      largest.push_back({.query = told.tokens[0].display,
                         .key = told.tokens[1].display,
                         .weight = -negative / static_cast<double>(count),
                         .count = count});
    }
    return largest;
  }

 private:
  static constexpr std::int64_t kFewestMeetings = 2;
  static constexpr std::size_t kMostPairs = 6;
  std::map<std::pair<std::int32_t, std::int32_t>, std::pair<double, std::int64_t>> pairs_;
};

}  // namespace

bool ExampleMeasure::Has(std::string_view id) {
  return FindMetric(id) != nullptr || HasWordCases(id);
}

ExampleMeasure::ExampleMeasure(std::string_view id) : metric_(FindMetric(id)) {
  HEADSCOPE_CHECK(Has(id), "a metric or a relation");
  if (metric_ == nullptr && id != kMentionsId) {
    const RelationOfId asked = ReadRelationId(id);
    relation_ = asked.relation;
    direction_ = asked.direction;
  }
}

// The tokens of the one word, each with the tokens of the other that it sees.
TargetRows ExampleMeasure::RelationRows(const ProbeSequence& text,
                                        const AttentionRule& rule) const {
  TargetRows rows;
  if (text.annotation == nullptr) {
    return rows;
  }
  const std::vector<AnnotatedWord>& words = text.annotation->words;
  for (std::size_t word = 0; word < words.size(); ++word) {
    if (words[word].relation == relation_ && words[word].head >= 0) {
      const auto [from, to] =
          WordsThatLook(direction_, static_cast<std::int64_t>(word), words[word].head);
      AddWordRows(
          text, rule, static_cast<std::int32_t>(from), {static_cast<std::int32_t>(to)}, &rows);
    }
  }
  return rows;
}

// The tokens of a mention's main word, each with those of the earlier ones of the same entity.
TargetRows ExampleMeasure::MentionRows(const ProbeSequence& text, const AttentionRule& rule) {
  TargetRows rows;
  if (text.annotation == nullptr) {
    return rows;
  }
  const std::vector<Mention>& mentions = text.annotation->mentions;
  std::map<std::int32_t, std::set<std::int32_t>> earlier;
  for (const Mention& mention : mentions) {
    for (const Mention& other : mentions) {
      if (other.entity == mention.entity && other.head < mention.head) {
        earlier[static_cast<std::int32_t>(mention.head)].insert(
            static_cast<std::int32_t>(other.head));
      }
    }
  }
  for (const auto& [word, others] : earlier) {
    AddWordRows(text, rule, word, others, &rows);
  }
  return rows;
}

TargetRows ExampleMeasure::TargetsOf(const ProbeSequence& text,
                                     const AttentionRule& rule,
                                     const ProbeSequence* source) const {
  if (metric_ == nullptr && source != nullptr) {
    return {};  // words are of one text
  }
  if (metric_ == nullptr) {
    return relation_.empty() ? MentionRows(text, rule) : RelationRows(text, rule);
  }
  if (source != nullptr) {
    return metric_->cross_targets ? metric_->cross_targets(text, *source) : TargetRows();
  }
  return metric_->targets ? metric_->targets(text, rule) : TargetRows();
}

ExampleMeasure::OnText ExampleMeasure::Of(const ProbeSequence& text,
                                          const LayerAttention& layer,
                                          std::int64_t head,
                                          const ProbeSequence* source) const {
  const AttentionRule& rule = layer.rule();
  const std::int64_t tokens = (source != nullptr ? *source : text).tokens();
  std::vector<float> weights(static_cast<std::size_t>(tokens));
  HeadLanes lanes;
  double sum = 0.0;
  std::int64_t count = 0;
  if (metric_ != nullptr && metric_->sum) {
    for (std::int64_t query = 1; query < text.tokens(); ++query) {
      if (text.special[static_cast<std::size_t>(query)] == 0) {
        layer.Row(head, query, weights);
        AttentionBlock block;
        block.head_end = 1;
        block.query_begin = query;
        block.query_end = query + 1;
        block.keys = tokens;
        block.weights = weights;
        lanes.Fill(block, rule, 0, query);
        LaneRow row = lanes.rows().front();
        row.query -=
            source != nullptr ? static_cast<std::int32_t>(query - PlaceInSource(query)) : 0;
        LanePeaks peaks = {};
        FindPeaks({&row, 1}, {&peaks, 1});
        LaneSums sums = {};
        metric_->sum({&row, 1}, {&peaks, 1}, sums);
        sum += sums[0];
        ++count;
      }
    }
  } else {
    // The same as in a scan: windows only mask keys.
    AttentionRule plain;
    plain.causal = rule.causal;
    const TargetRows rows = TargetsOf(text, plain, source);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const TargetRows::Row row = rows[i];
      if (!row.qualifies) {
        continue;
      }
      layer.Row(head, row.query, weights);
      for (const std::int32_t key : row.keys) {
        sum += static_cast<double>(weights[static_cast<std::size_t>(key)]);
      }
      ++count;
    }
  }
  return {count > 0 ? sum / static_cast<double>(count) : 0.0, count};
}

Result<HeadExamples> FindExamples(Forward* forward,
                                  const ProbeCorpus& corpus,
                                  const ProbeCorpus* targets,
                                  HeadIndex head,
                                  std::string_view metric,
                                  const std::stop_token& stop) {
  if (!ExampleMeasure::Has(metric)) {
    return Fail(ErrorCode::kInput,
                fmt::format("{} has no examples: single texts do not show it", metric));
  }
  if (HasTargetQueries(head.part) && targets == nullptr) {
    return Fail(ErrorCode::kInput, "the decoder reads no probe: there are no examples");
  }
  const ExampleMeasure measure(metric);
  CaptureOptions options{.first_layer = head.layer, .last_layer = head.layer};
  if (forward->model().description().decoder) {
    options.part = head.part;
  }
  std::vector<HeadExample> found;
  PairWeights pairs;
  FailingCases failing;
  for (const std::size_t place : ExamplePlaces(corpus)) {
    HEADSCOPE_TRY(CheckStop(stop));
    const ProbeSequence* const read = &corpus.sequences[place];
    ForwardInput input = InputOf(std::span(&read, 1));
    const ProbeSequence* text = read;  // whose rows are looked at
    if (HasTargetQueries(head.part)) {
      text = &targets->sequences[place];
      AddTargets(std::span(&text, 1), &input);
    }
    const ProbeSequence* const source = head.part == ModelPart::kCross ? read : nullptr;
    std::shared_ptr<const LayerAttention> layer;
    const auto take = [&layer](std::shared_ptr<const LayerAttention> made) -> Status {
      layer = std::move(made);
      return {};
    };
    HEADSCOPE_TRY(CaptureAttention(forward, input, options, take, stop));
    pairs.Add(*text, source != nullptr ? *source : *text, *layer, head.head);
    if (source == nullptr && HasWordCases(metric)) {
      failing.Add(*text, AnswersOf(*text, *layer, head.head, metric));
    }
    const ExampleMeasure::OnText on = measure.Of(*text, *layer, head.head, source);
    if (on.rows > 0) {
      found.push_back({text->text, std::move(layer), on.score, on.rows});
    }
  }
  if (found.empty()) {
    return Fail(ErrorCode::kInput, "no text of the probe asks for it");
  }
  std::ranges::stable_sort(found, std::ranges::greater{}, &HeadExample::score);
  if (found.size() > 3) {
    found = {found.front(), found[found.size() / 2], found.back()};
  }
  return HeadExamples{std::move(found), pairs.Largest(forward->model()), std::move(failing)};
}

}  // namespace headscope
