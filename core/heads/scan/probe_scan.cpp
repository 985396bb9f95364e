#include "core/heads/scan/probe_scan.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/check.h"
#include "core/base/digest.h"
#include "core/heads/effect/token_losses.h"
#include "core/heads/probe/target.h"
#include "core/io/annotated_text.h"
#include "core/io/json.h"
#include "core/io/text_file.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kTaskRuns = 2;  // with either word as the answer

Result<ProbeCorpus> ReadChosen(const Model& model,
                               const ChosenProbe& chosen,
                               const fs::path& probes,
                               const std::stop_token& stop) {
  if (chosen.kind == ProbeKind::kFile) {
    return ReadProbe(model, ReadVocabulary(model), chosen.file, stop);
  }
  const std::vector<std::string> texts = ReadProbeTexts(probes);
  return MakeRetrieval(model, {.texts = texts}, stop);
}

void AddAnnotation(const AnnotatedSentence& sentence, Digest* digest) {
  for (const AnnotatedWord& word : sentence.words) {
    digest->Add(word.form);
    digest->Add(static_cast<std::uint64_t>(word.head));
    digest->Add(word.relation);
  }
  for (const Mention& mention : sentence.mentions) {
    for (const auto place : {mention.first, mention.last, mention.head}) {
      digest->Add(static_cast<std::uint64_t>(place));
    }
    digest->Add(mention.entity);
  }
}

// "{"right": 7, "texts": 10}"
std::optional<TaskResult> ReadTask(const fs::path& path, std::int64_t texts) {
  const Result<std::string> text = ReadTextFile(path);
  const auto document = text ? JsonDocument::Parse(*text, path.string()) : PassOn(text.error());
  const auto json = document ? JsonObject::Root(*document) : PassOn(document.error());
  if (!json) {
    return std::nullopt;
  }
  const auto of = json->Integer("texts", texts, texts);
  const auto right = json->Integer("right", 0, texts);
  return of && right ? std::optional(TaskResult{.right = *right, .texts = *of}) : std::nullopt;
}

fs::path TaskFile(fs::path kept) {
  return kept.replace_extension(".task");
}

}  // namespace

std::string ContentsDigest(const ProbeCorpus& corpus) {
  Digest digest;
  for (const ProbeSequence& sequence : corpus.sequences) {
    digest.Add(static_cast<std::uint64_t>(sequence.ids.size()));
    for (std::size_t i = 0; i < sequence.ids.size(); ++i) {
      digest.Add(static_cast<std::uint64_t>(sequence.ids[i]));
      digest.Add(static_cast<std::uint64_t>(sequence.word[i]));
      digest.Add(static_cast<std::uint64_t>(sequence.special[i] + 2 * sequence.separator[i]));
    }
    if (sequence.annotation != nullptr) {
      AddAnnotation(*sequence.annotation, &digest);
    }
    for (const HiddenToken& hidden : sequence.hidden) {
      for (const auto place : {hidden.query, hidden.key, hidden.other}) {
        digest.Add(static_cast<std::uint64_t>(place));
      }
    }
  }
  return digest.Text();
}

ProbeScan::ProbeScan(Forward* forward, const ChosenProbe& chosen, const ProbePlaces& places)
    : forward_(forward), chosen_(chosen), places_(places) {}
ProbeScan::~ProbeScan() = default;

Result<std::unique_ptr<ProbeScan>> ProbeScan::Make(Forward* forward,
                                                   const ChosenProbe& chosen,
                                                   const ProbePlaces& places,
                                                   const std::stop_token& stop) {
  HEADSCOPE_CHECK(chosen.kind != ProbeKind::kBundled, "the bundled probe has a scan of its own");
  std::unique_ptr<ProbeScan> scan(new ProbeScan(forward, chosen, places));
  const Model& model = forward->model();
  HEADSCOPE_TRY(scan->corpus_, ReadChosen(model, chosen, places.sources.probes, stop));
  scan->part_.about = DescribeScan(model, scan->corpus_);
  scan->part_.about.batches = 1;
  scan->targets_ = TargetsOfScan(model, scan->corpus_, &scan->part_.about);
  scan->crew_ = std::make_unique<ScanCrew>(forward);
  HEADSCOPE_TRY(scan->part_.about.no_copies, scan->crew_->WhyNoEffects(stop));
  scan->words_ = CountWords(scan->corpus_);
  scan->batches_ = CutBatches(scan->corpus_);
  for (const ScanBatch& batch : scan->batches_) {
    scan->total_ += TokensOf(scan->corpus_, batch) * (scan->asks_task() ? 1 + kTaskRuns : 1);
  }
  scan->FindKept();
  scan->is_kept_ = scan->is_whole();
  return scan;
}

bool ProbeScan::has_task() const {
  return !asks_task() || !why_no_task_.empty() || task_.texts == std::ssize(corpus_.sequences);
}

void ProbeScan::FindKept() {
  if (places_.kept.empty()) {
    return;
  }
  const ScanAbout& about = part_.about;
  kept_ = places_.kept /
          fmt::format("{}-probe-{}.scan", about.fingerprint.substr(0, 32), ContentsDigest(corpus_));
  Result<ScanPart> part = ReadPart(kept_);
  if (!part || !part->is_whole()) {
    return;
  }
  // The same texts in a file of another name are the same.
  ScanAbout asked = about;
  asked.probe = part->about.probe;
  asked.notes = part->about.notes;
  if (!(part->about == asked)) {
    return;
  }
  part_.done = std::move(part->done);
  next_ = batches_.size();
  has_weights_ = true;
  for (const ScanBatch& batch : batches_) {
    done_ += TokensOf(corpus_, batch);
  }
  if (const auto task = asks_task() ? ReadTask(TaskFile(kept_), about.sequences) : std::nullopt) {
    task_ = *task;
    done_ = total_;
  }
}

Status ProbeScan::Step(const std::stop_token& stop) {
  if (is_whole()) {
    return {};
  }
  const auto start = std::chrono::steady_clock::now();
  if (!has_batches()) {
    HEADSCOPE_TRY(StepBatches(stop));
  } else if (!has_weights_) {
    BatchSums weights;
    HEADSCOPE_TRY(AddWeightMeans(forward_, places_.sources, stop, &weights));
    part_.done[0].Add(weights);
    has_weights_ = true;
  } else {
    HEADSCOPE_TRY(StepTask(stop));
  }
  spent_ += std::chrono::steady_clock::now() - start;
  if (is_whole()) {
    done_ = total_;
    Keep();
  }
  return {};
}

Status ProbeScan::StepBatches(const std::stop_token& stop) {
  const ScanTools tools{
      .counts = &words_, .measures = true, .sequences = true, .targets = targets()};
  HEADSCOPE_TRY(const auto ran,
                crew_->RunSome(corpus_,
                               tools,
                               {.effects = true, .norms = true},
                               std::span(batches_).subspan(next_),
                               stop,
                               0,
                               &part_));
  done_ += ran.tokens;
  next_ += ran.count;
  return {};
}

Status ProbeScan::StepTask(const std::stop_token& stop) {
  const auto refuse = [this](const Error& error) -> Status {
    if (error.code == ErrorCode::kCancelled) {
      return PassOn(error);
    }
    why_no_task_ = error.message;
    return {};
  };
  if (losses_ == nullptr) {
    auto losses = TokenLosses::Make(forward_, stop);
    if (!losses) {
      return refuse(losses.error());
    }
    losses_ = std::move(*losses);
  }
  const ProbeSequence& text = corpus_.sequences[static_cast<std::size_t>(task_.texts)];
  const Result<bool> prefers = PrefersHidden(losses_.get(), text, stop);
  if (!prefers) {
    return refuse(prefers.error());
  }
  ++task_.texts;
  task_.right += *prefers ? 1 : 0;
  done_ += kTaskRuns * text.tokens();
  return {};
}

void ProbeScan::Keep() const {
  if (kept_.empty() || !part_.done.at(0).why_not.empty()) {
    return;  // a file could not be read, which may be mended
  }
  KeepPart(part_, kept_);
  if (asks_task() && why_no_task_.empty()) {
    KeepFile(TaskFile(kept_),
             fmt::format("{{\"right\": {}, \"texts\": {}}}\n", task_.right, task_.texts));
  }
}

HeadScanReport ProbeScan::Report() const {
  HeadScanReport report;
  report.probe = chosen_;
  report.why_no_repeats = "these are texts of another probe";
  report.all_sentences = part_.about.sequences;
  for (const ScanBatch& batch : std::span(batches_).first(next_)) {
    report.sequences_done += std::ssize(batch);
  }
  report.done = done_;
  report.total = total_;
  report.seconds = std::chrono::duration<double>(spent_).count();
  report.is_kept = is_kept_;
  report.is_measured = is_whole();
  report.notes = corpus_.notes;
  if (asks_task()) {
    report.task = task_;
    report.why_no_task = why_no_task_;
  }
  if (part_.done.empty()) {
    return report;
  }
  ScoreReport scores = ScoresSoFar();
  std::vector<ScoreReport> more = std::exchange(scores.more, {});
  for (ScoreReport& of_part : more) {
    report.more.push_back(report);
    report.more.back().more.clear();
    report.more.back().sentences.emplace().report = std::move(of_part);
  }
  report.sentences.emplace().report = std::move(scores);
  return report;
}

ScoreReport ProbeScan::ScoresSoFar() const {
  const BatchSums& sums = part_.done.at(0);
  if (is_whole()) {
    ScoreReport scores = MakeReport(part_.about, sums);
    if (targets() == nullptr) {
      scores.more.clear();  // parts that are not scanned; no_targets says why
    }
    if (asks_task()) {
      scores.about.notes.push_back(TaskWords(task_, why_no_task_));
    }
    return scores;
  }
  // What is decided of a part of the texts would be decided anew after each batch.
  ScoreReport scores{.about = part_.about, .scores = ScoresOf(part_.about, sums), .suggested = {}};
  for (std::size_t part = 0; part < sums.more.size(); ++part) {
    const ScanAbout about = AboutPart(part_.about, part);
    scores.more.push_back(
        {.about = about, .scores = ScoresOf(about, sums.more[part]), .suggested = {}});
  }
  return scores;
}

}  // namespace headscope
