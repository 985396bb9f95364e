#include <algorithm>
#include <utility>
#include <vector>

#include "core/session/job.h"
#include "tests/unit/session/worker_harness.h"

namespace headscope {
namespace {

using test::Ids;
using test::kBart;
using test::kProbe;

TEST_CASE("a model whose opening was cancelled is not open", "[session][worker]") {
  Opened opened([](Precision precision) { return MakeOnednnBackend(precision); });
  std::stop_source stop;
  std::vector<Event::What> said;
  const auto run = [&](const auto& request) {
    Job job{.opened = &opened, .publish = {}, .stop = stop.get_token()};
    job.publish = [&](Event::What what) {
      if (!stop.stop_requested()) {
        said.push_back(std::move(what));
      }
      return !stop.stop_requested();
    };
    return request.Run(&job);
  };
  REQUIRE(run(OpenModelRequest{kProbe}));
  REQUIRE(said.size() == 1);
  stop.request_stop();
  const Status cancelled = run(OpenModelRequest{kBart});
  REQUIRE_FALSE(cancelled);
  CHECK(cancelled.error().code == ErrorCode::kCancelled);
  stop = std::stop_source();
  REQUIRE(run(Ids({5, 6, 7})));
  CHECK(std::ranges::count_if(said, [](const auto& what) {
          return std::holds_alternative<LayerReady>(what);
        }) == 2);  // the probe's
}

}  // namespace
}  // namespace headscope
