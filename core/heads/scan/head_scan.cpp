#include "core/heads/scan/head_scan.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "core/base/stop.h"
#include "core/heads/decide/relations.h"
#include "core/heads/probe/choice.h"
#include "core/heads/probe/target.h"

namespace headscope {
namespace {

constexpr std::int64_t kStepTokens = 256;
constexpr const char* kSentences = "probes.conllu";

// 0, 1/2, 1/4, 3/4, 1/8, ...: places that are spread evenly however many are taken.
double Spread(std::size_t place) {
  double sum = 0.0;
  for (double part = 0.5; place > 0; place /= 2, part /= 2.0) {
    sum += place % 2 == 1 ? part : 0.0;
  }
  return sum;
}

// How the files that are kept of a model begin.
std::string KeptName(std::string_view fingerprint) {
  return fmt::format("{}-", fingerprint.substr(0, 32));
}

// Short and long texts by turns.
std::vector<ScanBatch> InTurns(std::vector<ScanBatch> batches) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    order.emplace_back(Spread(i), i);
  }
  std::ranges::sort(order);
  // What stands at place i of the order is taken i-th in turns of the lengths.
  std::vector<std::size_t> turn(batches.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    turn[order[i].second] = i;
  }
  std::vector<ScanBatch> in_turns;
  in_turns.reserve(turn.size());
  for (const std::size_t i : turn) {
    in_turns.push_back(std::move(batches[i]));
  }
  return in_turns;
}

void AddMeasured(const BatchSums& measured, BatchSums* all) {
  // What both have read of the words is the scan's.
  for (const auto& [id, means] : measured.means) {
    all->means.try_emplace(id, means);
  }
  all->head_pairs = measured.head_pairs;
  all->key_writers = measured.key_writers;
  all->why_not = measured.why_not;
  for (std::size_t part = 0; part < std::min(all->more.size(), measured.more.size()); ++part) {
    AddMeasured(measured.more[part], &all->more[part]);
  }
}

// `measured`: null where it is not whole. Of each part of the model.
std::vector<ProbeScores> ScoresOfPart(const ScanPart& part,
                                      std::size_t batches,
                                      std::size_t next,
                                      const BatchSums* measured) {
  // A twin counts once it is whole.
  const auto twins = static_cast<std::int64_t>(next / batches) - 1;
  ScanPart done{.about = part.about, .done = {}};
  done.about.twins = std::clamp<std::int64_t>(twins, 0, part.about.twins);
  const BatchSums& own = part.done.at(0);
  TwinScores best;
  std::vector<ProbeScores> scores(1 + own.more.size());
  for (std::int64_t twin = 1; twin <= done.about.twins; ++twin) {
    const BatchSums& sums = part.done.at(twin);
    scores[0].twins.push_back(ScoresOf(part.about, sums));
    for (std::size_t i = 0; i < sums.more.size(); ++i) {
      scores[1 + i].twins.push_back(ScoresOf(AboutPart(part.about, i), sums.more[i]));
    }
    RaiseToTwin(part.about, sums, &best);
  }
  BatchSums all = own;
  if (measured != nullptr) {
    AddMeasured(*measured, &all);
  }
  scores[0].report = MakeReport(done.about, all, best);
  for (std::size_t i = 0; i < own.more.size(); ++i) {
    scores[1 + i].report = std::move(scores[0].report.more[i]);
  }
  scores[0].report.more.clear();
  return scores;
}

}  // namespace

const HeadScanReport& HeadScanReport::Of(ModelPart part) const {
  for (const HeadScanReport& other : more) {
    const auto probes = other.Probes();
    if (!probes.empty() && probes.front()->report.about.heads.part == part) {
      return other;
    }
  }
  return *this;
}

std::vector<const ProbeScores*> HeadScanReport::Probes() const {
  std::vector<const ProbeScores*> probes;
  for (const auto* const scores : {&sentences, &repeats}) {
    if (*scores) {
      probes.push_back(&**scores);
    }
  }
  return probes;
}

bool HasKeptScans(const std::filesystem::path& kept, std::string_view fingerprint) {
  std::error_code error;
  for (auto file = std::filesystem::directory_iterator(kept, error);
       !error && file != std::filesystem::directory_iterator();
       file.increment(error)) {
    if (file->path().filename().string().starts_with(KeptName(fingerprint))) {
      return true;
    }
  }
  return false;
}

Result<std::unique_ptr<HeadScan>> HeadScan::Make(Forward* forward,
                                                 const HeadScanSettings& settings,
                                                 const std::filesystem::path& probes,
                                                 const std::filesystem::path& kept,
                                                 const std::stop_token& stop) {
  std::unique_ptr<HeadScan> scan(new HeadScan(forward, settings));
  const Model& model = forward->model();
  scan->crew_ = std::make_unique<ScanCrew>(forward);
  HEADSCOPE_TRY(scan->why_no_effects_, scan->crew_->WhyNoEffects(stop));
  const VocabularyFacts vocabulary = ReadVocabulary(model);
  const std::vector<std::string> texts = ReadProbeTexts(probes);
  RepeatSettings repeats;
  repeats.sequences = settings.repeats;
  repeats.texts = texts;
  const auto begin = [&](Result<ProbeCorpus> corpus) -> Result<Half> {
    HEADSCOPE_TRY(corpus);
    return scan->Begin(std::move(*corpus), kept);
  };
  scan->Take(
      begin(MakeRepeats(model, vocabulary, repeats)), &scan->repeats_, &scan->why_no_repeats_);
  Result<ProbeCorpus> read = ReadProbe(model, vocabulary, probes / kSentences, stop);
  if (const Status known = read ? KeepKnown(&*read) : Status{}; !known) {
    read = PassOn(known.error());
  }
  if (read) {
    scan->all_sentences_ = std::ssize(read->sequences);
    KeepSome(settings.sentences, &*read);
  }
  scan->Take(begin(std::move(read)), &scan->sentences_, &scan->why_no_sentences_);
  HEADSCOPE_TRY(CheckStop(stop));
  if (!scan->repeats_ && !scan->sentences_) {
    return Fail(ErrorCode::kInput, scan->why_no_repeats_);
  }
  scan->is_kept_ = scan->is_whole();
  return scan;
}

Result<HeadScan::Half> HeadScan::Begin(ProbeCorpus corpus,
                                       const std::filesystem::path& kept) const {
  Half half;
  half.corpus = std::move(corpus);
  half.part.about = DescribeScan(forward_->model(), half.corpus);
  half.part.about.twins = settings_.twins;
  half.part.about.batches = 1;
  half.targets = TargetsOfScan(forward_->model(), half.corpus, &half.part.about);
  if (half.corpus.is_repeats()) {
    half.part.about.no_copies = why_no_effects_;
  } else {
    half.words = CountWords(half.corpus);
    half.part.about.no_copies = "measured on repeats";
  }
  half.batches = InTurns(CutBatches(half.corpus, kStepTokens));
  if (!kept.empty()) {
    const ScanAbout& about = half.part.about;
    half.kept = kept / fmt::format("{}{}-{}.scan",
                                   KeptName(about.fingerprint),
                                   about.draw.empty() ? "sentences" : "repeats",
                                   about.corpus);
    if (Result<ScanPart> part = ReadPart(half.kept)) {
      // Takes as many of its twins as are asked for; the rest is still to be done.
      ScanAbout asked = about;
      asked.twins = part->about.twins;
      if (part->about == asked && part->is_whole() && !part->done.at(0).sequences.empty()) {
        std::erase_if(part->done, [&](const auto& each) { return each.first > about.twins; });
        half.part.done = std::move(part->done);
        half.next = half.batches.size() * half.part.done.size();
      }
    }
  }
  BeginMeasures(kept, &half);
  return half;
}

void HeadScan::Take(Result<Half> half, std::optional<Half>* to, std::string* why_not) {
  if (!half) {
    *why_not = half.error().message;
    return;
  }
  *to = std::move(*half);
  for (const ScanBatch& batch : (*to)->batches) {
    const std::int64_t tokens = TokensOf((*to)->corpus, batch);
    total_ += (1 + settings_.twins) * tokens;
    done_ += std::ssize((*to)->part.done) * tokens;
  }
}

// The one of which less is done; a twin begins once both are done with the one before.
HeadScan::Half* HeadScan::Next() {
  Half* next = nullptr;
  std::pair least(static_cast<std::size_t>(1 + settings_.twins),
                  0.0);  // runs, part of the next one
  for (std::optional<Half>* half : {&sentences_, &repeats_}) {
    if (!*half) {
      continue;
    }
    const std::size_t batches = (*half)->batches.size();
    const std::pair done(
        (*half)->next / batches,
        static_cast<double>((*half)->next % batches) / static_cast<double>(batches));
    if (done < least) {
      least = done;
      next = &**half;
    }
  }
  return next;
}

Status HeadScan::StepTwin(std::int64_t twin, const std::stop_token& stop) {
  if (twin == twin_) {
    return {};
  }
  twin_crew_ = nullptr;  // one twin at a time is in memory
  twin_ = 0;
  HEADSCOPE_TRY(twin_crew_, TwinCrew::Make(*forward_, 1 + static_cast<std::uint64_t>(twin), stop));
  twin_ = twin;
  return {};
}

Status HeadScan::Step(const std::stop_token& stop) {
  Half* const half = Next();
  if (half == nullptr) {
    return {};
  }
  const auto start = std::chrono::steady_clock::now();
  const std::size_t first = half->next % half->batches.size();
  const auto twin = static_cast<std::int64_t>(half->next / half->batches.size());
  ScanTools tools{.targets = TargetsOf(*half)};
  ScanShown shown;
  ScanCrew* crew = crew_.get();
  if (twin > 0) {
    HEADSCOPE_TRY(StepTwin(twin, stop));
    crew = &twin_crew_->crew;
  } else {
    tools.counts = &half->words;
    tools.sequences = true;
    shown = {.effects = half->corpus.is_repeats(), .norms = !half->corpus.is_repeats()};
  }
  HEADSCOPE_TRY(const auto ran,
                crew->RunSome(half->corpus,
                              tools,
                              shown,
                              std::span(half->batches).subspan(first),
                              stop,
                              twin,
                              &half->part));
  done_ += ran.tokens;
  half->next += ran.count;
  spent_ += std::chrono::steady_clock::now() - start;
  if (half->next == half->batches.size() * static_cast<std::size_t>(1 + settings_.twins)) {
    KeepPart(half->part, half->kept);
  }
  return {};
}

HeadScanReport HeadScan::Report() const {
  HeadScanReport report;
  report.settings = settings_;
  report.why_no_repeats = why_no_repeats_;
  report.why_no_sentences = why_no_sentences_;
  report.all_sentences = all_sentences_;
  report.done = done_;
  report.total = total_;
  report.seconds = std::chrono::duration<double>(spent_).count();
  report.is_kept = is_kept_;
  report.is_measured = is_measured();
  std::vector<HeadScanReport> parts = {report};
  for (const auto& [half, to] : {std::pair(&repeats_, &HeadScanReport::repeats),
                                 std::pair(&sentences_, &HeadScanReport::sentences)}) {
    if (*half && !(*half)->part.done.empty()) {
      const MeasuredPart& measured = (*half)->measured;
      std::vector<ProbeScores> scores =
          ScoresOfPart((*half)->part,
                       (*half)->batches.size(),
                       (*half)->next,
                       measured.is_whole ? &measured.part.done.at(0) : nullptr);
      parts.resize(std::max(parts.size(), scores.size()), report);
      for (std::size_t part = 0; part < scores.size(); ++part) {
        parts[part].*to = std::move(scores[part]);
      }
    }
  }
  report = std::move(parts.front());
  report.more.assign(std::make_move_iterator(parts.begin() + 1),
                     std::make_move_iterator(parts.end()));
  return report;
}

}  // namespace headscope
