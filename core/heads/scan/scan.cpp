#include "core/heads/scan/scan.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "core/heads/effect/norm_means.h"
#include "core/heads/measure/measure.h"
#include "core/heads/measure/row_reader.h"
#include "core/heads/probe/input.h"
#include "core/model/observer_list.h"

namespace headscope {
namespace {

constexpr std::int64_t kRunTokens = 1024;  // of texts side by side

// A sequence and its control.
std::size_t UnitSize(const ProbeCorpus& corpus, std::size_t sequence) {
  const bool has_control =
      sequence + 1 < corpus.sequences.size() && corpus.sequences[sequence + 1].is_control;
  return has_control ? 2 : 1;
}

std::vector<const ProbeSequence*> TextsOf(const ProbeCorpus& corpus,
                                          std::span<const std::size_t> places) {
  std::vector<const ProbeSequence*> texts;
  for (const std::size_t place : places) {
    texts.push_back(&corpus.sequences[place]);
  }
  return texts;
}

// Which of them are kept by themselves, of a part with so many heads.
std::vector<bool> KeepsOf(const ProbeCorpus& corpus,
                          std::span<const std::size_t> places,
                          const StackDescription& stack,
                          const ScanTools& tools) {
  std::vector<bool> keeps;
  for (const std::size_t place : places) {
    keeps.push_back(
        tools.sequences && !corpus.sequences[place].is_control &&
        KeepsSequence(corpus, place, static_cast<std::size_t>(stack.layers * stack.heads)));
  }
  return keeps;
}

// Readers of rows and of words, for which a block is laid out once.
class LaneReaders : public ObserverList {
 public:
  LaneReaders(std::vector<LayerObserver*> observers, std::vector<LaneReader*> readers)
      : ObserverList(std::move(observers)), readers_(std::move(readers)) {}

  void OnProjections(const AttentionProjections& projections) override {
    rule_ = projections.rule;
    ObserverList::OnProjections(projections);
  }
  void OnBlock(const AttentionBlock& block) override {
    ReadInLanes(block, rule_, readers_, &lanes_);
  }

 private:
  std::vector<LaneReader*> readers_;
  AttentionRule rule_;
  std::vector<HeadLanes> lanes_;
};

// What reads one part of the model in a run of texts of one length. `rows` is the corpus that its rows
// are of, and so are its keys but those of cross-attention, which `sources` has.
class PartReaders : public LayerObserver {
 public:
  PartReaders(ModelPart part,
              const StackDescription& stack,
              const ProbeCorpus& rows,
              std::span<const std::size_t> places,
              const ProbeCorpus* sources,
              const ScanTools& tools)
      : part_(part),
        places_(places.begin(), places.end()),
        texts_(TextsOf(rows, places)),
        sources_(sources != nullptr ? TextsOf(*sources, places)
                                    : std::vector<const ProbeSequence*>()),
        rows_(texts_,
              rows.groups.size(),
              stack.layers,
              stack.heads,
              sources_,
              KeepsOf(rows, places, stack, tools)) {
    if (sources == nullptr && tools.counts != nullptr && !tools.counts->empty()) {
      WordReader& words = words_.emplace(rows, places, *tools.counts, stack.layers, stack.heads);
      lanes_.emplace(std::vector<LayerObserver*>{&rows_, &words},
                     std::vector<LaneReader*>{&rows_, &words});
    }
    // Rows alone are laid out by their own reader.
    std::vector<LayerObserver*> readers = {lanes_ ? static_cast<LayerObserver*>(&*lanes_) : &rows_};
    const std::int64_t keys = (sources_.empty() ? texts_ : sources_).front()->tokens();
    for (const HeadMeasure& measure : AllMeasures()) {
      auto reader = tools.measures && measure.reader
                        ? measure.reader({texts_, stack.layers, stack.heads, keys})
                        : nullptr;
      if (reader != nullptr) {
        readers.push_back(reader.get());
        measures_.emplace_back(measure.id, std::move(reader));
      }
    }
    if (tools.measures && stack.heads >= 2 && stack.heads <= kMostPairedHeads) {
      readers.push_back(&pairs_.emplace(texts_, stack.layers, stack.heads, keys));
    }
    all_.emplace(std::move(readers));
  }

  AttentionObserver* BeginLayer(LayerId layer) override {
    return layer.part == part_ ? all_->BeginLayer(layer) : nullptr;
  }
  Status EndLayer(LayerId layer) override {
    return layer.part == part_ ? all_->EndLayer(layer) : Status();
  }

  // After the run.
  void AddTo(BatchSums* sums) {
    AddSums(rows_.sums(), &sums->rows);
    for (SequenceMeans& one : rows_.TakeSequences()) {
      one.place = places_[one.place];
      sums->sequences.push_back(std::make_shared<const SequenceMeans>(std::move(one)));
    }
    if (words_) {
      std::ranges::move(words_->TakeCases(), std::back_inserter(sums->pairs));
      if (words_->has_trees()) {
        words_->AddTreesTo(&sums->means["tree_score"]);
      }
    }
    for (const auto& [id, reader] : measures_) {
      reader->AddTo(&sums->means[id]);
    }
    if (pairs_) {
      AddHeadPairs(pairs_->sums(), &sums->head_pairs);
      AddMeans({{"layer_divergence", pairs_->means()}}, &sums->means);
    }
  }

 private:
  ModelPart part_;
  std::vector<std::size_t> places_;  // of the texts in their corpus
  std::vector<const ProbeSequence*> texts_;
  std::vector<const ProbeSequence*> sources_;  // empty: keys are of the texts
  RowReader rows_;
  std::optional<WordReader> words_;
  std::optional<LaneReaders> lanes_;
  std::vector<std::pair<std::string, std::unique_ptr<RunReader>>> measures_;
  std::optional<PairReader> pairs_;
  std::optional<ObserverList> all_;
};

// The runs of a batch, each of texts of one length.
class BatchRun {
 public:
  BatchRun(Forward* forward,
           const ProbeCorpus& corpus,
           const ScanTools& tools,
           const std::stop_token& stop)
      : forward_(*forward), corpus_(corpus), tools_(tools), stop_(stop) {}

  // Texts that show what heads add run separately: that takes the whole model, and more time.
  Status Run(std::span<const std::size_t> places) {
    std::vector<std::size_t> plain;
    std::vector<std::size_t> shown;
    const bool shows = tools_.effect != nullptr || tools_.norms != nullptr;
    for (std::size_t i = 0; i < places.size();) {
      std::vector<std::size_t>& to = shows && IsCopyText(corpus_, places[i]) ? shown : plain;
      const std::size_t end = i + UnitSize(corpus_, places[i]);
      for (; i < end; ++i) {
        to.push_back(places[i]);
      }
    }
    HEADSCOPE_TRY(RunSome(plain, false));
    return RunSome(shown, true);
  }

  Result<BatchSums> Take() {
    if (has_samples_) {
      HEADSCOPE_TRY(const auto ranks, tools_.effect->TestRanks({}, stop_));
      AddRanks(ranks, &sums_.copies);
    }
    return std::move(sums_);
  }

 private:
  Status RunSome(std::span<const std::size_t> places, bool shows) {
    if (places.empty()) {
      return {};
    }
    const ModelDescription& model = forward_.model().description();
    const ModelPart first = PartsOf(model).front();
    PartReaders own(first, model, corpus_, places, nullptr, tools_);
    std::vector<LayerObserver*> readers = {&own};
    if (shows && tools_.effect != nullptr) {
      tools_.effect->Begin(CopyTextsOf(corpus_, places), stop_);
      readers.push_back(tools_.effect);
    }
    if (shows && tools_.norms != nullptr) {
      const bool is_causal = model.layer.front().rule.causal;
      tools_.norms->Begin(NormTextsOf(corpus_, places, is_causal), stop_);
      readers.push_back(tools_.norms);
    }
    ForwardInput input = InputOf(TextsOf(corpus_, places));
    LayerId last{first, model.layers - 1};
    std::optional<PartReaders> decoder;
    std::optional<PartReaders> cross;
    if (tools_.targets != nullptr) {
      const ProbeCorpus& targets = *tools_.targets;
      const StackDescription& stack = *model.decoder;
      AddTargets(TextsOf(targets, places), &input);
      last = {ModelPart::kCross, stack.layers - 1};
      readers.push_back(
          &decoder.emplace(ModelPart::kDecoder, stack, targets, places, nullptr, tools_));
      readers.push_back(
          &cross.emplace(ModelPart::kCross, stack, targets, places, &corpus_, tools_));
    }
    if (tools_.beside != nullptr) {
      readers.push_back(tools_.beside);
    }
    ObserverList all(readers);
    HEADSCOPE_TRY(forward_.Run(input, last, &all, stop_));
    own.AddTo(&sums_);
    if (decoder) {
      sums_.more.resize(2);
      decoder->AddTo(&sums_.more[0]);
      cross->AddTo(&sums_.more[1]);
    }
    if (shows) {
      AddShown(places);
    }
    return {};
  }

  void AddShown(std::span<const std::size_t> places) {
    if (tools_.effect != nullptr) {
      has_samples_ = true;
      for (std::size_t text = 0; text < places.size(); ++text) {
        AddEffects(tools_.effect->Take(text), &sums_.copies);
      }
    }
    if (tools_.norms != nullptr) {
      for (const NormSums& text : tools_.norms->Take()) {
        AddNorms(text, forward_.model().description().heads, &sums_.means);
      }
    }
  }

  Forward& forward_;
  const ProbeCorpus& corpus_;
  const ScanTools& tools_;
  std::stop_token stop_;
  BatchSums sums_;
  bool has_samples_ = false;
};

}  // namespace

std::vector<ScanBatch> CutBatches(const ProbeCorpus& corpus, std::int64_t batch_tokens) {
  std::vector<std::size_t> units;
  for (std::size_t i = 0; i < corpus.sequences.size(); ++i) {
    if (!corpus.sequences[i].is_control) {
      units.push_back(i);
    }
  }
  std::ranges::stable_sort(
      units, {}, [&](std::size_t unit) { return corpus.sequences[unit].tokens(); });
  std::vector<ScanBatch> batches;
  std::int64_t tokens = batch_tokens;
  for (const std::size_t unit : units) {
    if (tokens >= batch_tokens) {
      batches.emplace_back();
      tokens = 0;
    }
    for (std::size_t i = unit; i < unit + UnitSize(corpus, unit); ++i) {
      batches.back().push_back(i);
      tokens += corpus.sequences[i].tokens();
    }
  }
  return batches;
}

std::int64_t TokensOf(const ProbeCorpus& corpus, const ScanBatch& batch) {
  std::int64_t tokens = 0;
  for (const std::size_t place : batch) {
    tokens += corpus.sequences[place].tokens();
  }
  return tokens;
}

Result<BatchSums> RunBatch(Forward* forward,
                           const ProbeCorpus& corpus,
                           const ScanTools& tools,
                           const ScanBatch& batch,
                           const std::stop_token& stop) {
  BatchRun run(forward, corpus, tools, stop);
  for (std::size_t begin = 0; begin < batch.size();) {
    const auto length_of = [&](std::size_t place) {
      const std::int64_t target =
          tools.targets != nullptr ? tools.targets->sequences[place].tokens() : 0;
      return std::pair(corpus.sequences[place].tokens(), target);
    };
    const auto [length, target_length] = length_of(batch[begin]);
    std::size_t end = begin;
    while (end < batch.size() && length_of(batch[end]) == std::pair(length, target_length) &&
           (end == begin || static_cast<std::int64_t>(end - begin) * length < kRunTokens)) {
      end += UnitSize(corpus, batch[end]);
    }
    HEADSCOPE_TRY(run.Run(std::span(batch).subspan(begin, end - begin)));
    begin = end;
  }
  return run.Take();
}

}  // namespace headscope
