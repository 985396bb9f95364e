// How soon maps follow when heads of a text are switched off.
//
//   measure_off MODEL TOKENS TIMES [SEED]
//
// Attends to TOKENS random tokens with all thumbnails, as the window does for a new text. Then takes a
// head of the first layer away (the worst case: all layers after it are computed anew), then another
// one beside it, then one of the layer before the last, then cuts a key of the first head for all
// rows, and waits each time until the maps of the last layer are there. Prints medians over TIMES texts
// in milliseconds, and each over the median of attending.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/worker/compute_worker.h"

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;

class Switches {
 public:
  explicit Switches(std::uint64_t seed) : random_(seed) {}

  void Open(const std::string& model) { Milliseconds(OpenModelRequest{model}); }

  void Run(std::int64_t tokens) {
    AttendRequest attend;
    for (std::int64_t i = 0; i < tokens; ++i) {
      attend.input.ids.push_back(static_cast<std::int32_t>(random_.Below(vocabulary_)));
    }
    Note(0, Milliseconds(std::move(attend)));
    const std::int64_t before_last = std::max<std::int64_t>(0, layers_ - 2);
    const std::vector<HeadsOff> asked = {
        {.heads = {{0, 0}}},
        {.heads = {{0, 0}, {0, heads_ - 1}}, .replacement = Replacement::kTextMean},
        {.heads = {{before_last, 0}}},
        {.edges = {{{0, 0}, 0, {}}}}};
    for (std::size_t i = 0; i < asked.size(); ++i) {
      Note(i + 1, Milliseconds(HeadsOffJob{.off = asked[i]}));
    }
  }

  void Print() {
    const char* const names[] = {"attend with maps",
                                 "first head of the first layer off",
                                 "two of them, at the text's mean",
                                 "a head before the last layer off",
                                 "a key of a first head cut for all rows"};
    double attend = 0.0;
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      std::sort(taken_[i].begin(), taken_[i].end());
      const double median = taken_[i][taken_[i].size() / 2];
      attend = i == 0 ? median : attend;
      std::printf("%-40s %8.2f ms  %5.2f of attending\n", names[i], median, median / attend);
    }
  }

 private:
  void Note(std::size_t what, double milliseconds) {
    taken_.resize(std::max(taken_.size(), what + 1));
    taken_[what].push_back(milliseconds);
  }

  // From the request to the last layer that it publishes, by the worker's own clock: it wakes once for
  // each event, and a thread that waits for events may come later. Of one without layers to its end.
  double Milliseconds(Request request) {
    const RequestId id = ++last_;
    const auto begin = Clock::now();
    std::size_t maps = 0;  // of all events
    bool has_maps = false;
    worker_.Submit(id, std::move(request));
    while (true) {
      for (const Event& event : worker_.Drain()) {
        const std::size_t place = drained_++;
        if (const auto* opened = std::get_if<ModelOpened>(&event.what)) {
          vocabulary_ = static_cast<std::uint64_t>(opened->model->description().vocabulary);
          layers_ = opened->model->description().layers;
          heads_ = opened->model->description().heads;
        }
        if (event.request != id) {
          continue;
        }
        if (const auto* failed = std::get_if<Failed>(&event.what)) {
          std::fprintf(stderr, "%s\n", failed->error.message.c_str());
          std::exit(1);
        }
        if (std::holds_alternative<LayerReady>(event.what)) {
          maps = place;
          has_maps = true;
        }
        if (std::holds_alternative<Finished>(event.what)) {
          const Clock::time_point end = WokenAt(has_maps ? maps : place);
          return std::chrono::duration<double, std::milli>(end - begin).count();
        }
      }
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

  Clock::time_point WokenAt(std::size_t event) {
    while (true) {
      {
        const std::scoped_lock lock(mutex_);
        if (event < woken_.size()) {
          return woken_[event];
        }
      }
      std::this_thread::yield();
    }
  }

  RandomStream random_;
  std::uint64_t vocabulary_ = 1;
  std::int64_t layers_ = 1;
  std::int64_t heads_ = 1;
  RequestId last_ = 0;
  std::vector<std::vector<double>> taken_;
  std::size_t drained_ = 0;
  std::mutex mutex_;
  std::vector<Clock::time_point> woken_;  // by event
  ComputeWorker worker_{[](Precision precision) { return MakeOnednnBackend(precision); },
                        [this] {
                          const std::scoped_lock lock(mutex_);
                          woken_.push_back(Clock::now());
                        }};
};

}  // namespace
}  // namespace headscope

int main(int argc, char** argv) {
  const long tokens = argc > 3 ? std::atol(argv[2]) : 0;
  const int times = argc > 3 ? std::atoi(argv[3]) : 0;
  if (tokens < 2 || times < 1) {
    std::fprintf(stderr, "measure_off MODEL TOKENS TIMES [SEED]\n");
    return 2;
  }
  headscope::Switches switches(argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 1);
  switches.Open(argv[1]);
  for (int i = 0; i < times; ++i) {
    switches.Run(tokens);
  }
  switches.Print();
  return 0;
}
