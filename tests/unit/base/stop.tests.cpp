#include "core/base/stop.h"

#include "tests/support/catch.h"

namespace headscope {
namespace {

TEST_CASE("CheckStop fails as cancelled once a stop was asked for", "[base][stop]") {
  std::stop_source source;
  CHECK(CheckStop(source.get_token()));
  CHECK(CheckStop({}));
  source.request_stop();
  const Status stopped = CheckStop(source.get_token());
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().code == ErrorCode::kCancelled);
}

TEST_CASE("a poll looks once in so many calls", "[base][stop]") {
  std::stop_source source;
  source.request_stop();
  StopPoll poll(source.get_token(), 4);
  for (int call = 1; call <= 12; ++call) {
    CHECK(poll.Check().has_value() == (call % 4 != 0));
  }
}

TEST_CASE("a watch is called at each look of its thread, and can stop the work", "[base][stop]") {
  std::stop_source source;
  int looks = 0;
  {
    const StopWatch watch([&] {
      if (++looks == 3) {
        source.request_stop();
      }
    });
    CHECK(CheckStop(source.get_token()));
    {
      int inner = 0;
      const StopWatch other([&inner] { ++inner; });
      CHECK(CheckStop(source.get_token()));
      CHECK(inner == 1);
    }
    CHECK(CheckStop(source.get_token()));
    CHECK_FALSE(CheckStop(source.get_token()));
  }
  CHECK(looks == 3);
  CHECK_FALSE(CheckStop(source.get_token()));
  CHECK(looks == 3);
}

}  // namespace
}  // namespace headscope
