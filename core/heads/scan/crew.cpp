#include "core/heads/scan/crew.h"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/heads/effect/copy_effect.h"
#include "core/model/twin.h"

namespace headscope {
namespace {

constexpr std::int64_t kMostBytesOfLanes = std::int64_t{256} << 20;

std::size_t SizeFor(const Forward& forward) {
  const std::int64_t threads = forward.backend().threads();
  const auto bytes = static_cast<std::int64_t>(sizeof(float)) * forward.model().parameters();
  return bytes <= kMostBytesOfLanes / threads ? static_cast<std::size_t>(threads) : 1;
}

// What Run is asked for.
struct Work {
  const ProbeCorpus& corpus;
  const ScanTools& tools;
  ScanShown shown;
  std::span<const ScanBatch> batches;
  std::stop_token stop;
};

}  // namespace

// What one thread runs batches with.
struct ScanCrew::Hand {
  Forward& forward;
  std::unique_ptr<CopyEffect> effect = nullptr;  // made when it is first asked for
  std::string why_no_effect = {};
  std::unique_ptr<OutputNorms> norms = nullptr;  // likewise; not of a model of two stacks

  Status MakeEffect(const std::stop_token& stop) {
    if (effect != nullptr || !why_no_effect.empty()) {
      return {};
    }
    auto made = CopyEffect::Make(&forward, stop);
    if (made) {
      effect = std::move(*made);
    } else if (made.error().code == ErrorCode::kCancelled) {
      return PassOn(made.error());
    } else {
      why_no_effect = made.error().message;
    }
    return {};
  }

  Result<BatchSums> Run(const Work& work, std::size_t batch) {
    ScanTools tools = work.tools;
    if (work.shown.effects) {
      HEADSCOPE_TRY(MakeEffect(work.stop));
      tools.effect = effect.get();
    }
    if (work.shown.norms && !forward.model().description().decoder) {
      norms = norms != nullptr ? std::move(norms) : std::make_unique<OutputNorms>(&forward);
      tools.norms = norms.get();
    }
    return RunBatch(&forward, work.corpus, tools, work.batches[batch], work.stop);
  }
};

// Threads that run batches, each with a forward and a backend that live and die on it.
class ScanCrew::Lanes {
 public:
  // Starts as many as the system gives; the forward outlives this.
  Lanes(const Forward& forward, std::size_t count) : forward_(forward) {
    try {
      for (std::size_t i = 0; i < count; ++i) {
        threads_.emplace_back([this] { Live(); });
      }
    } catch (const std::system_error&) {
      // It has no more of them.
    }
  }
  ~Lanes() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    to_do_.notify_all();
  }
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  [[nodiscard]] std::size_t size() const { return threads_.size(); }

  Status Run(const Work& work, const Keep& keep) {
    std::unique_lock lock(mutex_);
    work_ = &work;
    next_ = 0;
    to_do_.notify_all();
    Status status;  // of the batch that stands first
    std::size_t failed = work.batches.size();
    std::exception_ptr thrown;
    while (running_ > 0 || next_ < work.batches.size() || !done_.empty()) {
      has_done_.wait(lock, [this] { return !done_.empty(); });
      Done one = std::move(done_.front());
      done_.pop_front();
      lock.unlock();
      Status kept;
      if (!one.thrown && !one.sums) {
        kept = PassOn(one.sums.error());
      } else if (!one.thrown && status && !thrown) {
        try {
          kept = keep(one.batch, std::move(*one.sums));
        } catch (...) {
          one.thrown = std::current_exception();
        }
      }
      thrown = thrown != nullptr ? thrown : one.thrown;
      lock.lock();
      if (!kept && one.batch < failed) {
        status = kept;
        failed = one.batch;
      }
      if (!kept || thrown) {
        next_ = work.batches.size();
      }
    }
    work_ = nullptr;
    if (thrown) {
      std::rethrow_exception(thrown);
    }
    return status;
  }

 private:
  struct Done {
    std::size_t batch = 0;
    Result<BatchSums> sums;
    std::exception_ptr thrown;
  };
  struct Own {  // of a lane
    std::unique_ptr<Backend> backend;
    std::unique_ptr<Forward> forward;
    std::unique_ptr<Hand> hand;
  };

  void Live() {
    Own own;
    std::unique_lock lock(mutex_);
    while (true) {
      to_do_.wait(
          lock, [this] { return is_over_ || (work_ != nullptr && next_ < work_->batches.size()); });
      if (is_over_) {
        return;
      }
      const Work& work = *work_;
      Done done{.batch = next_++, .sums = BatchSums(), .thrown = nullptr};
      ++running_;
      lock.unlock();
      try {
        done.sums = RunOne(work, done.batch, &own);
      } catch (...) {
        done.thrown = std::current_exception();
      }
      lock.lock();
      --running_;
      done_.push_back(std::move(done));
      has_done_.notify_one();
    }
  }

  Result<BatchSums> RunOne(const Work& work, std::size_t batch, Own* own) const {
    if (own->hand == nullptr) {
      HEADSCOPE_TRY(own->backend, forward_.backend().MakeForThisThread());
      own->forward = std::make_unique<Forward>(forward_.shared_model(), own->backend.get());
      own->hand.reset(new Hand{*own->forward});
    }
    return own->hand->Run(work, batch);
  }

  const Forward& forward_;
  std::mutex mutex_;  // of what follows
  std::condition_variable to_do_;
  std::condition_variable has_done_;
  const Work* work_ = nullptr;  // null: none is asked for
  std::size_t next_ = 0;        // batch
  std::size_t running_ = 0;
  std::deque<Done> done_;
  bool is_over_ = false;
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

ScanCrew::ScanCrew(Forward* forward)
    : forward_(*forward), size_(SizeFor(*forward)), own_(new Hand{*forward}) {}
ScanCrew::~ScanCrew() = default;

Result<std::string> ScanCrew::WhyNoEffects(const std::stop_token& stop) {
  HEADSCOPE_TRY(own_->MakeEffect(stop));
  return own_->why_no_effect;
}

Status ScanCrew::Run(const ProbeCorpus& corpus,
                     const ScanTools& tools,
                     ScanShown shown,
                     std::span<const ScanBatch> batches,
                     const Keep& keep,
                     const std::stop_token& stop) {
  const Work work{corpus, tools, shown, batches, stop};
  if (size_ > 1 && lanes_ == nullptr) {
    lanes_ = std::make_unique<Lanes>(forward_, size_);
  }
  if (lanes_ != nullptr && lanes_->size() > 0) {
    return lanes_->Run(work, keep);
  }
  for (std::size_t batch = 0; batch < batches.size(); ++batch) {
    HEADSCOPE_TRY(auto sums, own_->Run(work, batch));
    HEADSCOPE_TRY(keep(batch, std::move(sums)));
  }
  return {};
}

Result<RanBatches> ScanCrew::RunSome(const ProbeCorpus& corpus,
                                     const ScanTools& tools,
                                     ScanShown shown,
                                     std::span<const ScanBatch> left,
                                     const std::stop_token& stop,
                                     std::int64_t to,
                                     ScanPart* part) {
  RanBatches ran{.count = std::min(size_, left.size())};
  std::vector<BatchSums> all(ran.count);
  const auto keep = [&](std::size_t batch, BatchSums sums) -> Status {
    all[batch] = std::move(sums);
    ran.tokens += TokensOf(corpus, left[batch]);
    return {};
  };
  HEADSCOPE_TRY(Run(corpus, tools, shown, left.first(ran.count), keep, stop));
  for (const BatchSums& sums : all) {
    part->done[to].Add(sums);
  }
  return ran;
}

Result<std::unique_ptr<TwinCrew>> TwinCrew::Make(const Forward& forward,
                                                 std::uint64_t seed,
                                                 const std::stop_token& stop) {
  HEADSCOPE_TRY(auto model, MakeTwin(forward.shared_model(), seed, stop));
  return std::make_unique<TwinCrew>(std::move(model), &forward.backend());
}

}  // namespace headscope
