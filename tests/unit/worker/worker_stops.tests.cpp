// Requests that are cancelled or replaced: while they wait, and in the middle of their work.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <thread>

#include "core/base/random.h"
#include "tests/unit/worker/worker_harness.h"

namespace headscope {
namespace {

using test::Ends;
using test::Harness;
using test::Ids;
using test::kBart;
using test::kProbe;
using test::Only;

// Tokens, the first layer, how far it is: more follows.
constexpr int kFirstLayer = 3;

void CheckCancelled(const std::vector<Event>& events) {
  REQUIRE(!events.empty());
  CHECK(Only<Finished>(events).empty());
  const auto failed = Only<Failed>(events);
  REQUIRE(failed.size() == 1);
  CHECK(failed[0].error.code == ErrorCode::kCancelled);
  CHECK(std::holds_alternative<Failed>(events.back().what));
}

// Two tiles of the first layer's first head, small enough for the probe's texts.
MapRequest TwoTiles(const std::shared_ptr<const LayerAttention>& layer) {
  return {.map = {layer, 0}, .tiles = {{0, 0, 0}, {1, 0, 0}}};
}

TEST_CASE("a running text that is cancelled ends as cancelled before it is done",
          "[worker][worker]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const RequestId id = harness.SubmitAndHold(Ids({5, 6, 7, 5}), kFirstLayer);
  CHECK_FALSE(harness.Idle());
  harness.Cancel(id);
  harness.Release();
  const auto events = harness.Wait(id);
  CheckCancelled(events);
  CHECK(Only<LayerReady>(events).size() == 1);  // of two
  // What it left behind does no harm.
  CHECK(Only<LayerReady>(harness.Wait(harness.Submit(Ids({5, 6, 7, 5})))).size() == 2);
}

TEST_CASE("a running text that is replaced ends as cancelled before it is done, the newer is done",
          "[worker][worker]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const RequestId old = harness.SubmitAndHold(Ids({5, 6, 7, 5}), kFirstLayer);
  const RequestId queued = harness.Submit(Ids({1, 2}));
  const RequestId newest = harness.Submit(Ids({9, 8, 7}));
  harness.Release();
  const auto done = harness.Wait(newest);
  CHECK(std::holds_alternative<Finished>(done.back().what));
  CHECK(Only<LayerReady>(done).size() == 2);
  const auto replaced = harness.Wait(old);
  CheckCancelled(replaced);
  CHECK(Only<LayerReady>(replaced).size() == 1);
  const auto never = harness.Wait(queued);
  CheckCancelled(never);
  CHECK(never.size() == 1);
}

TEST_CASE("a target that is being generated stops when it is cancelled", "[worker][worker]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kBart}));
  // The encoder's tokens, its two layers and how far they are, "the target".
  const RequestId id = harness.SubmitAndHold(Ids({5, 6, 7, 5}), 6);
  harness.Cancel(id);
  harness.Release();
  const auto events = harness.Wait(id);
  CheckCancelled(events);
  CHECK(Only<LayerReady>(events).size() == 2);
  CHECK(Only<Tokenized>(events).size() == 1);  // no target
}

TEST_CASE("tiles that are no longer wanted are not made", "[worker][worker]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const auto layers = Only<LayerReady>(harness.Wait(harness.Submit(Ids({5, 6, 7, 5}))));
  const bool is_replaced = GENERATE(false, true);
  const RequestId id = harness.SubmitAndHold(TwoTiles(layers[0].layer), 1);
  if (is_replaced) {
    const RequestId newer = harness.Submit(TwoTiles(layers[1].layer));
    harness.Release();
    CHECK(Only<TileReady>(harness.Wait(newer)).size() == 2);
  } else {
    harness.Cancel(id);
    harness.Release();
  }
  const auto events = harness.Wait(id);
  CheckCancelled(events);
  CHECK(Only<TileReady>(events).size() == 1);
}

TEST_CASE("tiles between two layers stop by themselves, the text goes on", "[worker][worker]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const auto layers = Only<LayerReady>(harness.Wait(harness.Submit(Ids({1, 2, 3}))));
  const RequestId text = harness.SubmitAndHold(Ids({5, 6, 7, 5}), kFirstLayer);
  // Queued now, they run as soon as the worker goes on.
  const RequestId tiles = harness.Submit(TwoTiles(layers[0].layer));
  harness.Release();
  const auto made = harness.Wait(tiles);
  CHECK(std::holds_alternative<Finished>(made.back().what));
  CHECK(Only<TileReady>(made).size() == 2);
  CHECK(std::holds_alternative<Finished>(harness.Wait(text).back().what));
  const auto place = [&](RequestId id) {
    const auto& events = harness.events();
    return std::find_if(events.begin(), events.end(), [id](const Event& event) {
      return event.request == id && Ends(event);
    });
  };
  CHECK(place(tiles) < place(text));

  const RequestId other = harness.SubmitAndHold(Ids({5, 6, 7, 8}), kFirstLayer);
  const RequestId after = harness.Submit(TwoTiles(layers[0].layer));
  harness.Cancel(other);
  harness.Release();
  CheckCancelled(harness.Wait(other));
  CHECK(Only<TileReady>(harness.Wait(after)).size() == 2);
  CHECK(place(other) < place(after));
}

TEST_CASE("a queued request that is cancelled ends once, as cancelled, and never ran",
          "[worker][worker]") {
  Harness harness;
  const RequestId open = harness.SubmitAndHold(OpenModelRequest{kProbe}, 1);
  const RequestId id = harness.Submit(Ids({1, 2, 3}));
  harness.Cancel(id);
  harness.Cancel(id);
  harness.Release();
  CHECK(std::holds_alternative<Finished>(harness.Wait(open).back().what));
  const auto events = harness.Wait(id);
  CheckCancelled(events);
  CHECK(events.size() == 1);
  harness.Cancel(id);  // long over
  CHECK(std::holds_alternative<Finished>(harness.Wait(harness.Submit(Ids({1}))).back().what));
  CHECK(std::ranges::count_if(harness.events(),
                              [id](const Event& event) { return event.request == id; }) == 1);
}

TEST_CASE("a split of another text is replaced with the text", "[worker][worker]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  harness.Wait(harness.Submit(Ids({5, 6, 7, 5})));
  SplitJob job;
  job.split.head_counts = {1, 2};
  const RequestId held = harness.SubmitAndHold(Ids({1, 2, 3}), kFirstLayer);
  const RequestId split = harness.Submit(job);
  const RequestId text = harness.Submit(Ids({9, 8, 7, 6, 5}));
  harness.Release();
  CheckCancelled(harness.Wait(held));
  CheckCancelled(harness.Wait(split));
  CHECK(std::holds_alternative<Finished>(harness.Wait(text).back().what));
  const auto ready = Only<SplitReady>(harness.Wait(harness.Submit(job)));
  REQUIRE(ready.size() == 4);  // the maps of two counts, then what is measured of them
  CHECK(ready[0].split->counts[0].attention->shape().queries == 5);
}

TEST_CASE("a worker that goes does not finish the text that runs", "[worker][worker]") {
  std::atomic<int> wakes = 0;
  int before = 0;
  {
    Harness harness(&wakes);
    harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
    harness.SubmitAndHold(Ids({5, 6, 7, 5}), kFirstLayer);
    before = wakes;
    harness.ReleaseSoon();
  }
  CHECK(wakes == before + 1);  // that it was stopped; neither the second layer nor the end
}

TEST_CASE("every request ends exactly once, whatever replaces it, and the newest is answered",
          "[worker][worker]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  RandomStream random(7);
  std::vector<RequestId> ids;
  for (int i = 0; i < 200; ++i) {
    std::vector<std::int32_t> tokens(1 + random.Below(20));
    for (std::int32_t& token : tokens) {
      token = static_cast<std::int32_t>(random.Below(50));
    }
    if (i % 50 == 0) {  // what comes while this one runs replaces it and each other
      ids.push_back(harness.SubmitAndHold(Ids(tokens), 1));
    } else if (i % 50 == 10) {
      harness.Release();
    }
    if (random.Below(4) == 0) {
      SplitJob job;
      job.split.head_counts = {1, 2};
      ids.push_back(harness.Submit(job));
    } else {
      ids.push_back(harness.Submit(Ids(tokens)));
    }
    if (random.Below(3) == 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(random.Below(3000)));
    }
  }
  const RequestId last = harness.Submit(Ids({9, 8, 7}));
  CHECK(std::holds_alternative<Finished>(harness.Wait(last).back().what));
  for (const RequestId id : ids) {
    harness.Wait(id);
  }
  std::map<RequestId, int> ends;
  int cancelled = 0;
  for (const Event& event : harness.events()) {
    ends[event.request] += Ends(event) ? 1 : 0;
    if (const auto* failed = std::get_if<Failed>(&event.what)) {
      INFO(failed->error.message);
      CHECK(failed->error.code == ErrorCode::kCancelled);
      ++cancelled;
    }
  }
  for (const auto& [id, count] : ends) {
    INFO("request " << id);
    CHECK(count == 1);
  }
  CHECK(cancelled >= 40);
  CHECK(harness.Idle());
}

}  // namespace
}  // namespace headscope
