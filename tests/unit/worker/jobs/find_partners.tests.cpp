// Composition partners on the worker.
#include "core/worker/job.h"
#include "tests/support/catch.h"
#include "tests/unit/worker/worker_harness.h"

namespace headscope {
namespace {

using test::Harness;
using test::kProbe;
using test::Only;

TEST_CASE("partners are of the open model, and of a head that it has", "[worker][partners]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const auto found = Only<PartnersFound>(harness.Wait(harness.Submit(PartnersJob{.head = {1, 0}})));
  REQUIRE(found.size() == 1);
  CHECK(found[0].partners->reads.size() == 12);
  CHECK(found[0].partners->read_by.empty());
  const auto refused = Only<Failed>(harness.Wait(harness.Submit(PartnersJob{.head = {2, 0}})));
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].error.code == ErrorCode::kInput);
}

}  // namespace
}  // namespace headscope
