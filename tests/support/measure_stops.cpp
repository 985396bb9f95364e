// How long a running request takes to stop when something newer is asked for.
//
//   measure_stops MODEL TOKENS TIMES [SEED]
//   measure_stops MODEL FILE|retrieval TIMES [SEED]
//   measure_stops MODEL patch|control|evidence TIMES [SEED]
//
// The second form scans texts in place of that, and cancels each scan; the third patches the outputs
// of all heads between two texts of 32 tokens, measures what other heads cost a text of 128 tokens, or
// the bundled pairs' evidence for roles.
//
// Asks for the attention of TOKENS random tokens, TIMES times, and replaces each request at a
// random moment of its run. Half of them find the model freshly opened, so that packing of weights
// is met too. Prints wall time to the end of the old request, and the processor time that this
// process used meanwhile: on a machine that others use, the second is what the program itself
// needs.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "core/base/random.h"
#include "core/worker/compute_worker.h"

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;

double Milliseconds(Clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

double CpuMilliseconds() {
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

class Program {
 public:
  Program(std::string model, std::int64_t tokens, const ChosenProbe& probe, std::uint64_t seed)
      : model_(std::move(model)), tokens_(tokens), probe_(probe), random_(seed) {}
  void AskInstead(std::string cause) { cause_ = std::move(cause); }

  RequestId Submit(Request request) {
    worker_.Submit(++last_, std::move(request));
    return last_;
  }
  RequestId Open() { return Submit(OpenModelRequest{model_}); }

  RequestId Attend(std::int64_t tokens) {
    AttendRequest request;
    for (std::int64_t i = 0; i < tokens; ++i) {
      request.input.ids.push_back(static_cast<std::int32_t>(random_.Below(vocabulary_)));
    }
    return Submit(std::move(request));
  }

  [[nodiscard]] bool scans() const { return probe_.kind != ProbeKind::kBundled; }
  RequestId Patch() {
    AttendRequest attend;
    for (std::int64_t i = 0; i < 32; ++i) {
      attend.input.ids.push_back(static_cast<std::int32_t>(random_.Below(vocabulary_)));
    }
    PatchJob patch{.corrupted = attend.input};
    std::swap(patch.corrupted.ids[1], patch.corrupted.ids[2]);
    Wait(Submit(std::move(attend)));
    return Submit(std::move(patch));
  }
  RequestId Control() {
    Wait(Attend(std::min<std::int64_t>(128, positions_)));
    return Submit(HeadControlJob{.off = {.heads = {{0, 0}}}});
  }
  RequestId Ask() {
    if (cause_ == "patch") {
      return Patch();
    }
    if (cause_ == "control") {
      return Control();
    }
    if (cause_ == "evidence") {
      return Submit(EvidenceJob{.pairs = "assets/probes/names.tsv"});
    }
    if (!scans()) {
      return Attend(tokens_);
    }
    return Submit(ProbeScanJob{.probe = probe_,
                               .asked = last_,
                               .probes = "assets/probes",
                               .token_maps = "assets/token_maps.txt",
                               .kept = {}});
  }
  RequestId Replace(RequestId old) {
    if (scans() || !cause_.empty()) {
      worker_.Cancel(old);
      return old;
    }
    return Attend(1);
  }

  // Whether it was finished (true) or cancelled; says what failed.
  bool Wait(RequestId id) {
    while (true) {
      for (const Event& event : worker_.Drain()) {
        if (const auto* opened = std::get_if<ModelOpened>(&event.what)) {
          vocabulary_ = static_cast<std::uint64_t>(opened->model->description().vocabulary);
          positions_ = opened->model->description().positions;
        }
        if (event.request != id) {
          continue;
        }
        if (const auto* failed = std::get_if<Failed>(&event.what)) {
          if (failed->error.code != ErrorCode::kCancelled) {
            std::fprintf(stderr, "%s\n", failed->error.message.c_str());
            std::exit(1);
          }
          return false;
        }
        if (std::holds_alternative<Finished>(event.what)) {
          return true;
        }
      }
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }

  int Run(int times) {
    Wait(Open());
    const auto begin = Clock::now();
    Wait(Ask());
    const double whole = Milliseconds(Clock::now() - begin);
    std::printf("one run: %.0f ms\n", whole);
    std::vector<double> wall;
    std::vector<double> cpu;
    for (int i = 0; i < times; ++i) {
      if (i % 2 == 0) {
        Wait(Open());
      }
      const RequestId old = Ask();
      const double moment = random_.Uniform() * whole;
      std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(moment));
      const double cpu_before = CpuMilliseconds();
      const auto before = Clock::now();
      const RequestId next = Replace(old);
      if (Wait(old)) {
        --i;  // it was done before it could be stopped
        if (next != old) {
          Wait(next);
        }
        continue;
      }
      wall.push_back(Milliseconds(Clock::now() - before));
      cpu.push_back(CpuMilliseconds() - cpu_before);
      std::printf("stopped at %7.0f ms%s: %6.1f ms wall, %6.1f ms processor\n",
                  moment,
                  i % 2 == 0 ? ", freshly opened" : "",
                  wall.back(),
                  cpu.back());
      if (next != old) {
        Wait(next);
      }
    }
    std::sort(wall.begin(), wall.end());
    std::sort(cpu.begin(), cpu.end());
    std::printf("wall: median %.1f, worst %.1f ms; processor: median %.1f, worst %.1f ms\n",
                wall[wall.size() / 2],
                wall.back(),
                cpu[cpu.size() / 2],
                cpu.back());
    return 0;
  }

 private:
  std::string model_;
  std::int64_t tokens_;
  ChosenProbe probe_;
  std::string cause_;  // "patch", "control", "evidence"; empty: none of them
  std::int64_t positions_ = 1;
  std::uint64_t vocabulary_ = 1;
  RandomStream random_;
  RequestId last_ = 0;
  ComputeWorker worker_{[](Precision precision) { return MakeOnednnBackend(precision); }, [] {}};
};

}  // namespace

int MeasureStops(const std::string& model, const std::string& what, int times, std::uint64_t seed) {
  const std::int64_t tokens = std::atoll(what.c_str());
  ChosenProbe probe;
  if (what == "patch" || what == "control" || what == "evidence") {
    Program program(model, tokens, probe, seed);
    program.AskInstead(what);
    return program.Run(times);
  }
  if (tokens < 1) {
    probe = what == "retrieval" ? ChosenProbe{.kind = ProbeKind::kRetrieval}
                                : ChosenProbe{ProbeKind::kFile, what};
  }
  return Program(model, tokens, probe, seed).Run(times);
}

}  // namespace headscope

int main(int argc, char** argv) {
  const int times = argc > 3 ? std::atoi(argv[3]) : 0;
  if (times < 1) {
    std::fprintf(stderr,
                 "measure_stops MODEL TOKENS|FILE|retrieval|patch|control|evidence TIMES [SEED]\n");
    return 2;
  }
  const std::uint64_t seed = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 1;
  return headscope::MeasureStops(argv[1], argv[2], times, seed);
}
