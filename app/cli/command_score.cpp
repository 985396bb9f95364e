#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/patch_output.h"
#include "app/files/assets.h"
#include "core/base/atomic_file.h"
#include "core/base/parse_number.h"
#include "core/base/quote.h"
#include "core/heads/effect/ablation.h"
#include "core/heads/probe/choice.h"
#include "core/heads/probe/retrieval.h"
#include "core/heads/probe/target.h"
#include "core/heads/scan/crew.h"
#include "core/heads/scan/part.h"
#include "core/heads/scan/progress.h"
#include "core/heads/scan/retrieval_task.h"
#include "core/heads/scan/score_report.h"
#include "core/heads/scan/weight_means.h"
#include "core/worker/numbers_of_model.h"

namespace headscope {
namespace {

struct Shard {
  std::int64_t index = 0;
  std::int64_t count = 1;
};

CommandResult<Shard> ReadShard(const Options& options) {
  if (!options.shard) {
    return Shard();
  }
  const std::string_view text = *options.shard;
  const std::size_t slash = text.find('/');
  const auto index = ParseAs<std::int64_t>(text.substr(0, slash));
  const auto count = ParseAs<std::int64_t>(slash != text.npos ? text.substr(slash + 1) : "");
  if (!index || !count || *index < 0 || *index >= *count) {
    return Usage(fmt::format("--shard: {} is not a share I/N with I from 0 to N - 1",
                             Quoted(*options.shard)));
  }
  return Shard{*index, *count};
}

CommandStatus CheckScoreOptions(const Options& options) {
  if (options.draw != "text" && options.draw != "uniform") {
    return Usage(fmt::format("--draw: {} is not text or uniform", Quoted(options.draw)));
  }
  constexpr std::int64_t kMostSequences = 100'000;
  if (options.sequences < 1 || options.sequences > kMostSequences) {
    return Usage(fmt::format("--sequences: expected 1 to {}", kMostSequences));
  }
  if (options.sentences &&
      (*options.sentences < 0 || options.probe == "repeats" || options.probe == "retrieval")) {
    return Usage("--sentences: expected 0 or more, and a --probe that is a file");
  }
  if (options.across && options.shard) {
    return Usage("--across goes without --shard: it is measured on the whole probe");
  }
  if (options.ablate && options.shard) {
    return Usage("--ablate goes without --shard: it is measured on the whole probe");
  }
  constexpr std::int64_t kMostTwins = 1000;
  if (options.twins < 0 || options.twins > kMostTwins) {
    return Usage(fmt::format("--twins: expected 0 to {}", kMostTwins));
  }
  return {};
}

Result<ProbeCorpus> ReadCorpus(const Options& options, const Model& model) {
  const VocabularyFacts vocabulary = ReadVocabulary(model);
  Result<ProbeCorpus> corpus;
  if (options.probe == "repeats") {
    const std::vector<std::string> texts = ReadProbeTexts(AssetsFolder() / "probes");
    RepeatSettings settings;
    settings.sequences = options.sequences;
    settings.from_texts = options.draw == "text";
    settings.texts = texts;
    settings.seed = options.seed.value_or(settings.seed);
    corpus = MakeRepeats(model, vocabulary, settings);
  } else if (options.probe == "retrieval") {
    const std::vector<std::string> texts = ReadProbeTexts(AssetsFolder() / "probes");
    RetrievalSettings settings{.sequences = options.sequences, .texts = texts};
    settings.seed = options.seed.value_or(settings.seed);
    corpus = MakeRetrieval(model, settings, {});
  } else {
    corpus = ReadProbe(model, vocabulary, options.probe, {});
    if (corpus && options.sentences) {
      HEADSCOPE_TRY(KeepKnown(&*corpus));
      KeepSome(*options.sentences, &*corpus);
    }
    if (corpus) {
      corpus->seed = options.seed.value_or(corpus->seed);
    }
  }
  return corpus;
}

std::string TaskNote(Forward* forward, const ProbeCorpus& corpus) {
  const Result<TaskResult> task = DoesTask(forward, corpus, {});
  return TaskWords(task.value_or(TaskResult{}), task ? "" : task.error().message);
}

// A progress line that is rewritten in place on the terminal.
class ProgressLine {
 public:
  ProgressLine() = default;
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() {
    if (is_terminal_) {
      fmt::print(stderr, "\r\033[K");
    }
  }
  void Show(const std::string& text) const {
    if (is_terminal_) {
      fmt::print(stderr, "\r\033[K{}", text);
    }
  }

 private:
  bool is_terminal_ = isatty(STDERR_FILENO) == 1;
};

Status WriteScores(const std::filesystem::path& out,
                   const ScanPart& part,
                   const std::optional<ModelNumbers>& numbers = {},
                   std::span<const HeadAblation> ablations = {}) {
  HEADSCOPE_TRY(const auto total, TotalOf(part));
  HEADSCOPE_TRY(const auto twins, TwinScoresOf(part));
  ScoreReport report = MakeReport(part.about, total, twins);
  report.numbers = numbers;
  return WriteReport(out, report, ablations);
}

}  // namespace

CommandStatus RunScore(const Options& options) {
  HEADSCOPE_TRY(const auto shard, ReadShard(options));
  HEADSCOPE_TRY(CheckScoreOptions(options));
  HEADSCOPE_TRY(options.shard || options.ablate
                    ? CheckOutput(options, {".json"}, Figures::kNo)
                    : CheckOutput(options, {".json", ".csv"}, Figures::kNo));
  HEADSCOPE_TRY(const auto model, OpenModel(options));
  if (model->description().reads_embeddings()) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: an attention module reads embeddings, no text to scan; open a "
                            "model",
                            model->folder().string()));
  }
  std::vector<HeadIndex> to_ablate;
  if (options.ablate) {
    if (model->description().decoder) {
      return Usage(
          "--ablate: heads are taken away in models of one stack only, and this one has an encoder "
          "and a decoder; leave it out");
    }
    Result<std::vector<HeadIndex>> heads = ReadHeadList(*options.ablate, model->description());
    if (!heads) {
      return Usage("--ablate: " + heads.error().message);
    }
    to_ablate = std::move(*heads);
  }
  HEADSCOPE_TRY(const auto corpus, ReadCorpus(options, *model));
  SayTokenizerFault(*model);
  HEADSCOPE_TRY(auto backend, MakeBackend(options));
  Forward forward(model, backend.get());
  ScanPart part{.about = DescribeScan(*model, corpus), .done = {}};
  part.about.twins = options.twins;
  const std::optional<ProbeCorpus> targets = TargetsOfScan(*model, corpus, &part.about);
  const ProbeCorpus* const read_targets = targets ? &*targets : nullptr;
  for (const std::string& note : part.about.notes) {
    fmt::print(stderr, "headscope: note: {}\n", ValidUtf8(note));
  }
  HEADSCOPE_TRY(auto progress, ScanProgress::Open(options.out, options.resume, &part));
  ScanCrew crew(&forward);
  HEADSCOPE_TRY(part.about.no_copies, crew.WhyNoEffects({}));
  const WordCounts counts = CountWords(corpus);
  const ScanTools tools{
      .counts = &counts, .measures = true, .sequences = true, .targets = read_targets};
  const std::vector<ScanBatch> batches = CutBatches(corpus);
  const ProgressLine line;
  const ScanClock clock(part, shard.index, shard.count);
  const auto run =
      [&](ScanCrew* of, const ScanTools& with, ScanShown shown, std::int64_t first) -> Status {
    std::vector<std::int64_t> places;  // indices of the remaining ones
    std::vector<ScanBatch> left;
    for (std::int64_t batch = shard.index; batch < std::ssize(batches); batch += shard.count) {
      if (!part.done.contains(first + batch)) {
        places.push_back(first + batch);
        left.push_back(batches[static_cast<std::size_t>(batch)]);
      }
    }
    line.Show(clock.Words(part));
    const auto keep = [&](std::size_t batch, BatchSums sums) -> Status {
      if (places[batch] == 0) {
        // Numbers from the weights are in the first batch of a scan, whoever runs it.
        const MeasureSources sources{AssetsFolder() / "probes", AssetsFolder() / "token_maps.txt"};
        HEADSCOPE_TRY(AddWeightMeans(&forward, sources, {}, &sums));
      }
      HEADSCOPE_TRY(progress.Keep(places[batch], sums));
      part.done.insert_or_assign(places[batch], std::move(sums));
      line.Show(clock.Words(part));
      return {};
    };
    return of->Run(corpus, with, shown, left, keep, {});
  };
  const auto run_all = [&]() -> Status {
    HEADSCOPE_TRY(run(&crew, tools, {.effects = true, .norms = true}, 0));
    for (std::int64_t twin = 1; twin <= part.about.twins; ++twin) {
      HEADSCOPE_TRY(
          const auto of,
          TwinCrew::Make(forward, part.about.seed + static_cast<std::uint64_t>(twin), {}));
      HEADSCOPE_TRY(run(&of->crew, {.targets = read_targets}, {}, twin * part.about.batches));
    }
    return {};
  };
  HEADSCOPE_TRY(run_all());
  if (options.probe == "retrieval") {
    const std::string note = TaskNote(&forward, corpus);
    fmt::print(stderr, "headscope: note: {}\n", ValidUtf8(note));
    if (!options.shard) {  // parts must be the same on every machine, and it may be close
      part.about.notes.push_back(note);
    }
  }
  const auto write = [&]() -> Status {
    if (options.shard) {
      return WriteFileAtomically(options.out, PartText(part));
    }
    std::optional<ModelNumbers> numbers;
    if (options.across) {
      HEADSCOPE_TRY(numbers, NumbersOf(&forward, &corpus, {}));
    }
    if (to_ablate.empty()) {
      return WriteScores(options.out, part, numbers);
    }
    AblationSettings settings;
    settings.seed = part.about.seed;
    const auto begun = std::chrono::steady_clock::now();
    double before = 0.0;  // finished heads
    double last = 0.0;
    settings.on_part = [&](HeadIndex head, double done) {
      before += done < last ? 1.0 : 0.0;  // the next head begins
      last = done;
      const double share = (before + done) / static_cast<double>(to_ablate.size());
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun;
      line.Show(fmt::format(
          "without {}: {:.0f} % of all{}",
          HeadName(head),
          100.0 * share,
          share > 0.0 ? fmt::format(", {:.0f} s left", spent.count() / share * (1.0 - share))
                      : ""));
    };
    HEADSCOPE_TRY(const auto ablations,
                  AblateHeads(model, backend.get(), corpus, to_ablate, settings, {}));
    return WriteScores(options.out, part, numbers, ablations);
  };
  HEADSCOPE_TRY(write());
  progress.Remove();
  return {};
}

CommandStatus RunMerge(const Options& options) {
  HEADSCOPE_TRY(CheckOutput(options, {".json", ".csv"}, Figures::kNo));
  if (options.parts.empty()) {
    return Usage("no part is given: headscope merge PART.json ... --out FILE.json");
  }
  if (IsPatchPart(options.parts.front())) {
    return MergePatches(options);
  }
  std::optional<ScanPart> whole;
  for (const std::string& path : options.parts) {
    HEADSCOPE_TRY(auto part, ReadPart(path));
    if (!whole) {
      whole = std::move(part);
    } else {
      HEADSCOPE_TRY(MergePart(std::move(part), path, &*whole));
    }
  }
  HEADSCOPE_TRY(WriteScores(options.out, *whole));
  return {};
}

}  // namespace headscope
