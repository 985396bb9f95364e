// What a scan costs beside its forward passes: the same texts, side by side in the same runs, through
// the same forward with nobody watching, to the depth that the scan goes.
//
//   measure_scan MODEL PROBE THREADS TIMES [SENTENCES]
//
// Both by turns, TIMES times. Prints wall time and processor time of each, and the medians of their
// ratios: on a machine that others use, the second is what the program itself needs. Where a scan runs
// texts side by side, each on a thread of its own (core/heads/scan/crew.h), so do the forwards, and
// once more one after another on all threads ("alone"). Last, what a scan needs besides: opening the
// model, reading the probe, the report.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "core/compute/backend.h"
#include "core/heads/probe/choice.h"
#include "core/heads/probe/input.h"
#include "core/heads/scan/crew.h"
#include "core/heads/scan/part.h"
#include "core/heads/scan/scan.h"
#include "core/heads/scan/score_report.h"

namespace headscope {
namespace {

struct Spent {
  double wall = 0.0;
  double cpu = 0.0;
};

double Seconds(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

template <typename Work>
Spent Time(const Work& work) {
  const Spent begin{Seconds(CLOCK_MONOTONIC), Seconds(CLOCK_PROCESS_CPUTIME_ID)};
  work();
  return {Seconds(CLOCK_MONOTONIC) - begin.wall, Seconds(CLOCK_PROCESS_CPUTIME_ID) - begin.cpu};
}

[[noreturn]] void Fail(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  std::exit(1);
}

template <typename Value>
Value Need(Result<Value> value) {
  if (!value) {
    Fail(value.error());
  }
  return std::move(*value);
}

// A run of texts of one length; to its end where what heads add is shown.
struct Run {
  std::vector<const ProbeSequence*> texts;
  bool to_end = false;
};

std::vector<Run> RunsOf(const ProbeCorpus& corpus,
                        const std::vector<ScanBatch>& batches,
                        bool shows) {
  std::vector<Run> runs;
  for (const ScanBatch& batch : batches) {
    for (std::size_t begin = 0; begin < batch.size();) {
      const std::int64_t length = corpus.sequences[batch[begin]].tokens();
      Run plain;
      Run shown{{}, true};
      std::size_t end = begin;
      while (end < batch.size() && corpus.sequences[batch[end]].tokens() == length &&
             (end == begin || static_cast<std::int64_t>(end - begin) * length < 1024)) {
        Run& to = shows && IsCopyText(corpus, batch[end]) ? shown : plain;
        to.texts.push_back(&corpus.sequences[batch[end]]);
        ++end;
        while (end < batch.size() && corpus.sequences[batch[end]].is_control) {
          to.texts.push_back(&corpus.sequences[batch[end]]);
          ++end;
        }
      }
      for (Run* run : {&plain, &shown}) {
        if (!run->texts.empty()) {
          runs.push_back(std::move(*run));
        }
      }
      begin = end;
    }
  }
  return runs;
}

class ToEnd : public LayerObserver {
 public:
  AttentionObserver* BeginLayer(LayerId /*layer*/) override { return nullptr; }
  bool WantsEnd() override { return true; }
};

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

int Main(int count, char** arguments) {
  if (count < 5) {
    std::fprintf(stderr, "measure_scan MODEL PROBE THREADS TIMES [SENTENCES] [both|bare|scan]\n");
    return 2;
  }
  std::shared_ptr<const Model> model;
  const Spent open = Time([&] { model = Need(Model::Open(arguments[1])); });
  ProbeCorpus corpus;
  const Spent read = Time([&] {
    const VocabularyFacts vocabulary = ReadVocabulary(*model);
    if (std::string(arguments[2]) == "repeats") {
      const auto texts = ReadProbeTexts("assets/probes");
      corpus = Need(MakeRepeats(*model, vocabulary, {.sequences = 20, .texts = texts}));
    } else {
      corpus = Need(ReadProbe(*model, vocabulary, arguments[2], {}));
    }
    if (count > 5 && std::atol(arguments[5]) > 0) {
      KeepSome(std::atol(arguments[5]), &corpus);
    }
  });
  const std::string which = count > 6 ? arguments[6] : "both";
  const auto backend = Need(MakeOnednnBackend({.threads = std::atoi(arguments[3])}));
  Forward forward(model, backend.get());
  const auto batches = CutBatches(corpus);
  ScanCrew crew(&forward);
  const bool has_effects = Need(crew.WhyNoEffects({})).empty();
  const WordCounts counts = CountWords(corpus);
  const ScanTools tools{.counts = &counts, .measures = true, .sequences = true};
  const auto runs = RunsOf(corpus, batches, has_effects || !model->description().decoder);
  std::int64_t tokens = 0;
  for (const ProbeSequence& sequence : corpus.sequences) {
    tokens += sequence.tokens();
  }
  ToEnd to_end;
  const auto run_one = [&](Forward* of, const Run& run) {
    const Status done = of->Run(
        InputOf(run.texts), model->description().layers - 1, run.to_end ? &to_end : nullptr, {});
    if (!done) {
      Fail(done.error());
    }
  };
  const auto alone = [&] {
    for (const Run& run : runs) {
      run_one(&forward, run);
    }
  };
  const auto bare = [&] {
    if (crew.size() == 1) {
      return alone();
    }
    std::atomic<std::size_t> next = 0;
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < crew.size(); ++i) {
      threads.emplace_back([&] {
        const auto own = Need(backend->MakeForThisThread());
        Forward of(model, own.get());
        for (std::size_t run = next++; run < runs.size(); run = next++) {
          run_one(&of, runs[run]);
        }
      });
    }
  };
  ScanPart part{.about = DescribeScan(*model, corpus), .done = {}};
  const auto scan = [&] {
    part.done.clear();
    const auto keep = [&](std::size_t batch, BatchSums sums) -> Status {
      part.done[static_cast<std::int64_t>(batch)] = std::move(sums);
      return {};
    };
    const Status done =
        crew.Run(corpus, tools, {.effects = true, .norms = true}, batches, keep, {});
    if (!done) {
      Fail(done.error());
    }
  };
  alone();  // weights are packed
  std::vector<Spent> of_bare;
  std::vector<Spent> of_alone;
  std::vector<Spent> of_scan;
  for (int i = 0; i < std::atoi(arguments[4]); ++i) {
    if (which != "scan") {
      of_bare.push_back(Time(bare));
    }
    if (which != "bare") {
      of_scan.push_back(Time(scan));
    }
    if (which == "both" && crew.size() > 1) {
      of_alone.push_back(Time(alone));
    }
  }
  std::string texts;
  Spent keep;
  Spent report;
  if (!part.done.empty()) {
    keep = Time([&] {
      for (const auto& [batch, sums] : part.done) {
        texts += BatchText(batch, sums);
      }
    });
    report = Time([&] {
      const auto made = MakeReport(part.about, Need(TotalOf(part)), {});
      texts += ReportJson(made);
    });
  }
  std::printf(
      "%zu texts, %lld tokens, %zu runs, %zu batches; open %.3f/%.3f read %.3f/%.3f keep %.3f/%.3f "
      "(%.1f MB) "
      "report %.3f/%.3f\n",
      corpus.sequences.size(),
      static_cast<long long>(tokens),
      runs.size(),
      batches.size(),
      open.wall,
      open.cpu,
      read.wall,
      read.cpu,
      keep.wall,
      keep.cpu,
      static_cast<double>(texts.size()) / 1e6,
      report.wall,
      report.cpu);
  std::vector<double> wall;
  std::vector<double> cpu;
  for (std::size_t i = 0; i < std::max(of_bare.size(), of_scan.size()); ++i) {
    const Spent a = i < of_bare.size() ? of_bare[i] : Spent{};
    const Spent b = i < of_scan.size() ? of_scan[i] : Spent{};
    std::printf("  bare %.3f wall %.3f cpu, scan %.3f wall %.3f cpu, ratio %.3f %.3f",
                a.wall,
                a.cpu,
                b.wall,
                b.cpu,
                b.wall / a.wall,
                b.cpu / a.cpu);
    if (i < of_alone.size()) {
      std::printf("; alone %.3f wall %.3f cpu, ratio %.3f %.3f",
                  of_alone[i].wall,
                  of_alone[i].cpu,
                  b.wall / of_alone[i].wall,
                  b.cpu / of_alone[i].cpu);
    }
    std::printf("\n");
    wall.push_back(b.wall / a.wall);
    cpu.push_back(b.cpu / a.cpu);
  }
  std::printf("median ratio: wall %.3f, processor %.3f\n", Median(wall), Median(cpu));
  return 0;
}

}  // namespace
}  // namespace headscope

int main(int count, char** arguments) {
  return headscope::Main(count, arguments);
}
