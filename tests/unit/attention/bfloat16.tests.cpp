// Whole models with products in bfloat16, against what rounding their factors to eight bits must
// do.
#include "core/compute/precision.h"
#include "tests/support/float_error.h"
#include "tests/support/not_run.h"
#include "tests/support/random_input.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::LargestDifference;
using test::Layers;

std::unique_ptr<Backend> Made(Precision precision) {
  auto backend = MakeOnednnBackend(precision);
  REQUIRE(backend.has_value());
  return std::move(*backend);
}

}  // namespace

TEST_CASE("every family in bfloat16 is as far from the exact maps as eight bits put it",
          "[attention][families][bfloat16]") {
  if (test::HasNoBfloat16()) {
    return;
  }
  const auto rounded = Made(Precision::kBf16);
  const auto single = Made(Precision::kF32);
  const auto reference = MakeReferenceBackend();
  for (const Family* family : AllFamilies()) {
    const test::TinyModel tiny(family->example);
    const auto model = tiny.Open();
    ForwardInput input = test::RandomIds(tiny.description, 16, 8);
    if (tiny.description.decoder) {
      input.target_ids = test::RandomIds(*tiny.description.decoder, 7, 9).ids;
    }
    for (const ModelPart part : PartsOf(tiny.description)) {
      INFO(family->id << " " << PartName(part));
      const Layers exact = test::CaptureAll(model, reference.get(), input, true, part);
      const auto bounds = test::FloatErrors(model, input, part, Precision::kBf16);
      const auto of_float = test::FloatErrors(model, input, part);
      const Layers layers = test::CaptureAll(model, rounded.get(), input, true, part);
      const Layers plain = test::CaptureAll(model, single.get(), input, true, part);
      for (std::size_t i = 0; i < layers.size(); ++i) {
        INFO("layer " << i);
        CHECK(LargestDifference(test::AllMaps({layers[i]}), test::AllMaps({exact[i]})) <=
              bounds[i].maps);
        CHECK(LargestDifference(layers[i]->content().attention_output,
                                exact[i]->content().attention_output) <= bounds[i].outputs);
        // It is bfloat16: float32 is nearer.
        CHECK(LargestDifference(layers[i]->content().attention_output,
                                plain[i]->content().attention_output) > of_float[i].outputs);
      }
    }
  }
}

}  // namespace headscope
