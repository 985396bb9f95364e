#include "core/heads/probe_input.h"

#include <algorithm>

#include "core/model/config.h"
#include "tests/support/catch.h"
#include "tests/support/tiny_model.h"

namespace headscope {

TEST_CASE("texts side by side keep their segments, those without one have 0", "[heads]") {
  const ProbeSequence plain{.ids = {5, 6}};
  const ProbeSequence pair{.ids = {7, 8}, .segment_ids = {0, 1}};
  const auto of = [](std::vector<const ProbeSequence*> texts) { return InputOf(texts); };
  CHECK(of({&plain, &plain}).segment_ids.empty());
  CHECK(of({&plain, &plain}).ids == std::vector<std::int32_t>{5, 6, 5, 6});
  CHECK(of({&pair}).texts == 1);
  CHECK(of({&pair}).segment_ids == std::vector<std::int32_t>{0, 1});
  const ForwardInput mixed = of({&plain, &pair, &plain});
  CHECK(mixed.texts == 3);
  CHECK(mixed.ids == std::vector<std::int32_t>{5, 6, 7, 8, 5, 6});
  CHECK(mixed.segment_ids == std::vector<std::int32_t>{0, 0, 0, 1, 0, 0});
  const auto bert = std::ranges::find(AllFamilies(), "bert", &Family::id);
  CHECK(CheckInput(test::TinyModel((*bert)->example).description, mixed));
}

}  // namespace headscope
