#include "core/heads/scan/crew.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "core/compute/backend.h"
#include "core/heads/effect/copy_effect.h"
#include "core/heads/probe/probe.h"
#include "core/heads/scan/part.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"

namespace headscope {
namespace {

constexpr ScanShown kShown{.effects = true, .norms = true};

struct CrewFixture {
  std::shared_ptr<const Model> model = *Model::Open(test::SourceFolder() / "assets/models/english");
  std::unique_ptr<Backend> backend = std::move(*MakeOnednnBackend({.threads = 3}));
  Forward forward{model, backend.get()};
  ProbeCorpus corpus = *MakeRepeats(*model, ReadVocabulary(*model), {.sequences = 6});
  std::vector<ScanBatch> batches = CutBatches(corpus, 64);
  ScanTools tools{.measures = true, .sequences = true};
};

Status KeepNone(std::size_t /*batch*/, BatchSums /*sums*/) {
  return {};
}

}  // namespace

TEST_CASE("batches side by side add up to what they do one after another", "[heads][crew]") {
  CrewFixture fixture;
  REQUIRE(fixture.batches.size() > 6);
  ScanCrew crew(&fixture.forward);
  CHECK(crew.size() == 3);
  const auto why = crew.WhyNoEffects({});
  REQUIRE(why);
  CHECK(why->empty());
  std::vector<BatchSums> found(fixture.batches.size());
  const auto keep = [&found](std::size_t batch, BatchSums sums) -> Status {
    found.at(batch) = std::move(sums);
    return {};
  };
  REQUIRE(crew.Run(fixture.corpus, fixture.tools, kShown, fixture.batches, keep, {}));

  const auto one = MakeOnednnBackend({.threads = 1});
  Forward forward(fixture.model, one->get());
  const auto effect = CopyEffect::Make(&forward, {});
  OutputNorms norms(&forward);
  ScanTools tools = fixture.tools;
  tools.effect = effect->get();
  tools.norms = &norms;
  for (std::size_t batch = 0; batch < fixture.batches.size(); ++batch) {
    const auto sums = RunBatch(&forward, fixture.corpus, tools, fixture.batches[batch], {});
    REQUIRE(sums);
    INFO(batch);
    CHECK(BatchText(0, found[batch]) == BatchText(0, *sums));
  }
}

TEST_CASE("a backend of one thread runs batches on it, in their order", "[heads][crew]") {
  CrewFixture fixture;
  const auto one = MakeOnednnBackend({.threads = 1});
  Forward forward(fixture.model, one->get());
  ScanCrew crew(&forward);
  CHECK(crew.size() == 1);
  std::vector<std::size_t> kept;
  const auto keep = [&](std::size_t batch, const BatchSums& /*sums*/) -> Status {
    kept.push_back(batch);
    return {};
  };
  REQUIRE(crew.Run(fixture.corpus, fixture.tools, {}, fixture.batches, keep, {}));
  REQUIRE(kept.size() == fixture.batches.size());
  CHECK(std::ranges::is_sorted(kept));
}

TEST_CASE("where a batch cannot be kept no more are begun, and the crew goes on afterwards",
          "[heads][crew]") {
  CrewFixture fixture;
  ScanCrew crew(&fixture.forward);
  std::size_t kept = 0;
  const auto refuse = [&](std::size_t /*batch*/, const BatchSums& /*sums*/) -> Status {
    ++kept;
    return kept < 2 ? Status() : Fail(ErrorCode::kIo, "the disk is full");
  };
  const Status refused = crew.Run(fixture.corpus, fixture.tools, {}, fixture.batches, refuse, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "the disk is full");
  CHECK(kept == 2);

  const auto give_up = [](std::size_t /*batch*/, const BatchSums& /*sums*/) -> Status {
    throw std::runtime_error("no more");
  };
  CHECK_THROWS_WITH(crew.Run(fixture.corpus, fixture.tools, {}, fixture.batches, give_up, {}),
                    "no more");
  CHECK(crew.Run(fixture.corpus, fixture.tools, {}, fixture.batches, KeepNone, {}));
}

TEST_CASE("a crew that is stopped says so, and goes on afterwards", "[heads][crew]") {
  CrewFixture fixture;
  ScanCrew crew(&fixture.forward);
  std::stop_source stop;
  std::size_t kept = 0;
  const auto keep = [&](std::size_t /*batch*/, const BatchSums& /*sums*/) -> Status {
    ++kept;
    stop.request_stop();
    return {};
  };
  const Status stopped =
      crew.Run(fixture.corpus, fixture.tools, kShown, fixture.batches, keep, stop.get_token());
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().code == ErrorCode::kCancelled);
  CHECK(kept < fixture.batches.size());
  CHECK(crew.Run(fixture.corpus, fixture.tools, kShown, fixture.batches, KeepNone, {}));
}

TEST_CASE("a crew has nothing to do with no batches", "[heads][crew]") {
  CrewFixture fixture;
  ScanCrew crew(&fixture.forward);
  CHECK(crew.Run(fixture.corpus, fixture.tools, {}, {}, KeepNone, {}));
}

}  // namespace headscope
