// The trained models that are bundled: they give what transformers gives, and their heads do what
// their cards say.
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/text/tokenizer.h"
#include "tests/golden/golden_file.h"
#include "tests/support/backends.h"
#include "tests/support/captured.h"
#include "tests/support/float_error.h"
#include "tests/support/folders.h"
#include "tests/support/not_run.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
using test::Must;

const fs::path kModels = test::SourceFolder() / "assets" / "models";
const fs::path kGolden = test::SourceFolder() / "tests" / "golden" / "data" / "bundled";
constexpr std::array kHeadCounts = {1, 2, 4, 8, 16};

// BOS and a block of distinct ids, twice.
ForwardInput Repeats(std::int64_t vocabulary, std::int64_t period, RandomStream* random) {
  std::vector<std::int32_t> block;
  while (static_cast<std::int64_t>(block.size()) < period) {
    const auto id =
        static_cast<std::int32_t>(1 + random->Below(static_cast<std::uint64_t>(vocabulary - 1)));
    if (std::find(block.begin(), block.end(), id) == block.end()) {
      block.push_back(id);
    }
  }
  ForwardInput input;
  input.ids.push_back(0);
  input.ids.insert(input.ids.end(), block.begin(), block.end());
  input.ids.insert(input.ids.end(), block.begin(), block.end());
  return input;
}

struct Best {
  double previous_token = 0.0;
  double induction = 0.0;
};

// The best head's mean weight on the previous token, and on what followed the first copy; each head
// counts by its least mean over the periods.
Best BestHeads(const fs::path& folder) {
  const std::shared_ptr<const Model> model = Must(Model::Open(folder));
  const std::unique_ptr<Backend> backend = Must(MakeOnednnBackend());
  constexpr int kSequences = 6;
  const auto heads =
      static_cast<std::size_t>(model->description().layers * model->description().heads);
  RandomStream random(5);
  std::vector<double> least_previous(heads, 1.0);
  std::vector<double> least_induction(heads, 1.0);
  for (const std::int64_t period : {10, 20}) {
    std::vector<double> previous(heads);
    std::vector<double> induction(heads);
    for (int sequence = 0; sequence < kSequences; ++sequence) {
      const ForwardInput input = Repeats(model->description().vocabulary, period, &random);
      const auto tokens = static_cast<std::int64_t>(input.ids.size());
      std::size_t at = 0;
      for (const auto& layer : test::CaptureAll(model, backend.get(), input)) {
        for (std::int64_t head = 0; head < layer->shape().heads; ++head, ++at) {
          const std::vector<float> map = test::MapOf(*layer, head);
          const auto weight = [&](std::int64_t query, std::int64_t key) {
            return static_cast<double>(map[static_cast<std::size_t>(query * tokens + key)]);
          };
          for (std::int64_t query = 1; query < tokens; ++query) {
            previous[at] += weight(query, query - 1);
            induction[at] += query > period ? weight(query, query - period + 1) : 0.0;
          }
        }
      }
    }
    for (std::size_t head = 0; head < heads; ++head) {
      const auto copies = static_cast<double>(kSequences * period);
      least_previous[head] = std::min(least_previous[head], previous[head] / (2.0 * copies));
      least_induction[head] = std::min(least_induction[head], induction[head] / copies);
    }
  }
  return {*std::max_element(least_previous.begin(), least_previous.end()),
          *std::max_element(least_induction.begin(), least_induction.end())};
}

}  // namespace

TEST_CASE("every bundled model tokenizes and attends as transformers does", "[golden][bundled]") {
  std::vector<std::pair<std::string, int>> names = {{"english", 8}};
  for (const char* family : {"gpt", "copy"}) {
    for (const int heads : kHeadCounts) {
      names.emplace_back(std::string(family) + "-h" + std::to_string(heads), heads);
    }
  }
  for (const auto& [name, heads] : names) {
    INFO(name);
    const WeightStore golden =
        Must(WeightStore::OpenSafetensors(kGolden / (name + ".safetensors")));
    const std::shared_ptr<const Model> model = Must(Model::Open(kModels / name));
    CHECK(model->description().heads == heads);
    REQUIRE(model->tokenizer() != nullptr);
    const Encoding encoding = Must(model->tokenizer()->Encode(golden.metadata().at("text"), {}));
    ForwardInput input;
    input.ids = test::ReadIds(golden, "token_ids");
    CHECK(encoding.Ids() == input.ids);
    const std::vector<float> expected = test::Values(test::Tensor(golden, "attention"));
    for (const auto& backend : test::AllBackends()) {
      INFO(backend->Description());
      const std::vector<float> made = test::AllMaps(test::CaptureAll(model, backend.get(), input));
      CHECK(test::LargestDifference(made, expected) < 1e-5);
    }
  }
}

TEST_CASE("every bundled model in bfloat16 is as near to transformers as eight bits allow",
          "[golden][bundled][bfloat16]") {
  if (test::HasNoBfloat16()) {
    return;
  }
  const std::unique_ptr<Backend> backend = Must(MakeOnednnBackend(Precision::kBf16));
  for (const char* name : {"english", "gpt-h1", "gpt-h8", "copy-h1", "copy-h4"}) {
    INFO(name);
    const WeightStore golden =
        Must(WeightStore::OpenSafetensors(kGolden / (std::string(name) + ".safetensors")));
    const std::shared_ptr<const Model> model = Must(Model::Open(kModels / name));
    ForwardInput input;
    input.ids = test::ReadIds(golden, "token_ids");
    const std::vector<float> expected = test::Values(test::Tensor(golden, "attention"));
    const auto bounds = test::FloatErrors(model, input, {}, Precision::kBf16);
    const test::Layers layers = test::CaptureAll(model, backend.get(), input);
    std::span<const float> rest = expected;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const std::vector<float> maps = test::AllMaps({layers[i]});
      INFO("layer " << i);
      CHECK(test::LargestDifference(maps, rest.first(maps.size())) <= bounds[i].maps + 1e-5);
      rest = rest.subspan(maps.size());
    }
    CHECK(rest.empty());
  }
}

TEST_CASE("bundled models of a family have the same number of parameters", "[golden][bundled]") {
  for (const char* family : {"gpt", "copy"}) {
    const std::int64_t first =
        Must(Model::Open(kModels / (std::string(family) + "-h1")))->parameters();
    for (const int heads : kHeadCounts) {
      CHECK(Must(Model::Open(kModels / (std::string(family) + "-h" + std::to_string(heads))))
                ->parameters() == first);
    }
  }
}

TEST_CASE("the copy family learned to copy, with periods it never saw", "[golden][bundled]") {
  for (const int heads : {1, 2, 4, 8}) {
    const Best best = BestHeads(kModels / ("copy-h" + std::to_string(heads)));
    INFO("h = " << heads);
    CHECK(best.induction >= 0.4);
    CHECK(best.previous_token >= 0.5);
  }
}

TEST_CASE("the English model steps back and does induction, with periods it never saw",
          "[golden][bundled]") {
  const Best best = BestHeads(kModels / "english");
  CHECK(best.induction >= 0.5);
  CHECK(best.previous_token >= 0.8);
}

TEST_CASE("before training no head has a role", "[golden][bundled]") {
  for (const char* name : {"copy-h1", "copy-h4", "copy-h16", "gpt-h1", "gpt-h8"}) {
    const Best best = BestHeads(kModels / name / "step-0");
    INFO(name);
    CHECK(best.induction < 0.4);
    CHECK(best.previous_token < 0.5);
  }
}

}  // namespace headscope
