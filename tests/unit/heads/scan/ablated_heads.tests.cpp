#include "core/heads/scan/ablated_heads.h"

#include <algorithm>
#include <fstream>

#include "core/base/random.h"
#include "core/heads/effect/token_losses.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::Near;
using test::TempFolder;

struct AblatedModel {
  std::shared_ptr<const Model> model =
      test::TinyModel(R"({"model_type": "gpt2", "n_layer": 2, "n_head": 13, "n_embd": 52,
                          "n_positions": 32, "vocab_size": 40})")
          .Open();
  std::unique_ptr<Backend> backend = MakeReferenceBackend();
  ProbeCorpus corpus{.probe = "texts", .groups = {""}, .sequences = {}};
  mutable std::unique_ptr<HeadAblater> ablater = {};  // one for all that is measured

  AblatedModel() {
    RandomStream random(7);
    for (const std::size_t length : {6U, 9U, 9U}) {
      ProbeSequence sequence;
      for (std::size_t i = 0; i < length; ++i) {
        sequence.ids.push_back(static_cast<std::int32_t>(random.Below(40)));
      }
      sequence.special.assign(length, 0);
      corpus.sequences.push_back(std::move(sequence));
    }
  }
  [[nodiscard]] ScanAbout About() const { return DescribeScan(*model, corpus); }
  [[nodiscard]] AblatedHead Measure(HeadIndex head) const {
    if (ablater == nullptr) {
      auto made = HeadAblater::Make(model, backend.get(), corpus, {});
      REQUIRE(made);
      ablater = std::move(*made);
    }
    auto one = ablater->Measure({&head, 1}, {});
    REQUIRE(one);
    return std::move(one->front());
  }
};

}  // namespace

TEST_CASE("one head at a time gives what all at once give, its controls included",
          "[heads][ablation]") {
  const AblatedModel tiny;
  const HeadIndex head{1, 4};
  const auto at_once = AblateHeads(
      tiny.model, tiny.backend.get(), tiny.corpus, std::vector<HeadIndex>{head}, {}, {});
  REQUIRE(at_once);
  const HeadAblation& all = at_once->front();
  const std::vector<HeadIndex> others = DrawControls(head, 13, {});
  CHECK(std::ranges::equal(others, all.controls, {}, {}, &AblatedHead::head));
  REQUIRE(others.size() == 10);
  const AblatedHead own = tiny.Measure(head);
  CHECK(own.loss == Near(all.own.loss, 1e-9));
  CHECK(own.tokens == 5 + 8 + 8);
  CHECK(own.texts == 3);
  const AblatedHead control = tiny.Measure(others[6]);
  for (std::size_t kind = 0; kind < kAblationKinds.size(); ++kind) {
    CHECK(*own.changes[kind].change == Near(*all.own.changes[kind].change, 1e-9));
    CHECK(*own.changes[kind].error == Near(*all.own.changes[kind].error, 1e-9));
    CHECK(*control.changes[kind].change == Near(*all.controls[6].changes[kind].change, 1e-9));
  }
}

TEST_CASE("a layer of few heads has all others as controls, one of one head none",
          "[heads][ablation]") {
  CHECK(DrawControls({3, 1}, 4, {}).size() == 3);
  CHECK(DrawControls({3, 0}, 1, {}).empty());
}

TEST_CASE("heads that were ablated are found again, of the same model and texts alone",
          "[heads][ablation]") {
  const AblatedModel tiny;
  const TempFolder folder;
  const AblatedHead one = tiny.Measure({0, 3});
  AblatedHead without = tiny.Measure({1, 12});
  without.changes[2] = {{}, {}, "the maps are too large"};
  {
    AblatedHeads kept(tiny.About(), folder.path());
    CHECK(kept.Find({0, 3}) == nullptr);
    kept.Keep(one);
    kept.Keep(without);
    kept.Keep(one);  // again: there is one of it
  }
  const AblatedHeads again(tiny.About(), folder.path());
  REQUIRE(again.Find({0, 3}) != nullptr);
  CHECK(*again.Find({0, 3}) == one);
  REQUIRE(again.Find({1, 12}) != nullptr);
  CHECK(*again.Find({1, 12}) == without);
  CHECK(again.Find({1, 3}) == nullptr);
  CHECK(AblatedHeads(tiny.About(), {}).Find({0, 3}) == nullptr);

  SECTION("other texts have none") {
    AblatedModel other;
    other.corpus.sequences.pop_back();
    CHECK_FALSE(again.IsOf(other.About()));
    CHECK(AblatedHeads(other.About(), folder.path()).Find({0, 3}) == nullptr);
  }
  SECTION("a file that is damaged counts as none, and is written anew") {
    const auto file = std::filesystem::directory_iterator(folder.path())->path();
    std::string text = test::ReadText(file);
    SECTION("a number is none") {
      text.replace(text.find("\"loss\":") + 7, 1, "x");
    }
    SECTION("a head that the model has not") {
      text.replace(text.find("\"index\":3"), 9, "\"index\":13");
    }
    SECTION("of another model") {
      text.replace(text.find("\"fingerprint\":\"") + 15, 2, "zz");
    }
    SECTION("a newer format") {
      text.replace(text.find(":1,"), 3, ":2,");
    }
    std::ofstream(file, std::ios::trunc) << text;
    AblatedHeads damaged(tiny.About(), folder.path());
    CHECK(damaged.Find({0, 3}) == nullptr);
    damaged.Keep(one);
    CHECK(AblatedHeads(tiny.About(), folder.path()).Find({0, 3}) != nullptr);
  }
}

}  // namespace headscope
