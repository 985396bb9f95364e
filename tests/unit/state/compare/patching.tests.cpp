#include "app/state/compare/patching.h"

#include <algorithm>
#include <string>
#include <vector>

#include "app/state/compare/compared.h"
#include "app/state/work_under_way.h"
#include "tests/support/catch.h"
#include "tests/unit/state/compare/compare_stub.h"
#include "tests/unit/state/compare/patch_stub.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

constexpr ScreenKind kPatchScreen{.id = "compare", .compares = true};

ComparedSide OtherText(const std::string& text = "d e f") {
  ComparedSide side;
  side.input.emplace().text = text;
  return side;
}

struct PatchDriver : StateDriver {
  // Two texts of 6 tokens, compared; patching is shown and not yet answered.
  void Show(const ComparedSide& other = OtherText()) {
    ShowSomething();
    Do(SetScreen{&kPatchScreen});
    Do(CompareWith{other});
    AnswerCompared();
    Look([](PatchLook& look) { look.is_shown = true; });
  }
  void AnswerCompared(std::int64_t tokens_b = 6) {
    ComparedPair pair = *StubPair(state);
    pair.tokens_b = tokens_b;
    const RequestId id = state.compare.request;
    Event(id, SidesCompared{std::make_shared<const ComparedPair>(std::move(pair))});
    Event(id, Finished{});
  }
  template <typename Edit>
  void Look(const Edit& edit) {
    PatchLook look = state.compare.patch_look;
    edit(look);
    Do(SetPatchLook{look});
  }
  void AnswerPatch(PatchWhat what) {
    const RequestId id = patching().request;
    Event(id, TextsPatched{StubPatched(what)});
    Event(id, Finished{});
  }
  void AnswerPatches() {
    while (const RequestId id = patching().request) {
      Event(id, TextsPatched{StubAnswer(*LastRequest<PatchJob>())});
      Event(id, Finished{});
    }
  }
  [[nodiscard]] const PatchingState& patching() const { return state.compare.patching; }
  [[nodiscard]] int asked() const { return CountRequests<PatchJob>(); }
};

TEST_CASE("two texts of one model are patched once the choice is made: heads, then layers",
          "[state][patching]") {
  PatchDriver driver;
  driver.ShowSomething();
  driver.Do(SetScreen{&kPatchScreen});
  driver.Do(CompareWith{OtherText()});
  driver.AnswerCompared();
  CHECK(driver.asked() == 0);
  driver.Look([](PatchLook& look) { look.is_shown = true; });
  REQUIRE(driver.asked() == 1);
  const PatchJob* job = driver.LastRequest<PatchJob>();
  CHECK(job->what == PatchWhat::kOutput);
  CHECK(job->direction == PatchDirection::kDenoise);
  CHECK(job->corrupted.text == "d e f");
  CHECK((job->right.empty() && job->wrong.empty() && !job->row));
  CHECK(PatchedHeads(driver.state).patched == nullptr);
  driver.AnswerPatch(PatchWhat::kOutput);
  REQUIRE(driver.asked() == 2);
  CHECK(driver.LastRequest<PatchJob>()->what == PatchWhat::kStream);
  driver.AnswerPatch(PatchWhat::kStream);
  CHECK(driver.asked() == 2);
  CHECK(driver.patching().request == 0);
  CHECK_FALSE(PatchedHeads(driver.state).is_old);

  SECTION("what was answered once is not asked again") {
    driver.Look([](PatchLook& look) { look.of_heads = PatchWhat::kKeys; });
    CHECK(driver.asked() == 3);
    CHECK(driver.LastRequest<PatchJob>()->what == PatchWhat::kKeys);
    driver.AnswerPatch(PatchWhat::kKeys);
    driver.Look([](PatchLook& look) { look.of_heads = PatchWhat::kOutput; });
    CHECK(driver.asked() == 3);
  }
  SECTION("other tokens, another row and the other direction are asked for; the old map stays") {
    driver.Look([](PatchLook& look) {
      look.right = "Anna";
      look.row = 3;
      look.direction = PatchDirection::kNoise;
    });
    REQUIRE(driver.asked() == 3);
    job = driver.LastRequest<PatchJob>();
    CHECK(job->right == "Anna");
    CHECK(job->row == 3);
    CHECK(job->direction == PatchDirection::kNoise);
    CHECK(PatchedHeads(driver.state).is_old);
    driver.Look([](PatchLook& look) { look.row = 6; });  // the text has no such row
    CHECK_FALSE(driver.LastRequest<PatchJob>()->row.has_value());
  }
  SECTION("a head stands beside itself, whatever it was matched with") {
    CHECK(ComparedAt(driver.state, {1, 2}).other == 2);
    driver.Look([](PatchLook& look) { look.is_shown = false; });
    CHECK(ComparedAt(driver.state, {1, 2}).other == 1);
  }
  SECTION("other texts begin anew with their own tokens") {
    driver.Look([](PatchLook& look) { look.wrong = "Anna"; });
    driver.Do(CompareWith{OtherText("g h i")});
    CHECK(driver.state.compare.patch_look.wrong.empty());
    driver.AnswerCompared();
    CHECK(driver.LastRequest<PatchJob>()->corrupted.text == "g h i");
  }
}

TEST_CASE("what cannot be patched says why, and is not asked for", "[state][patching]") {
  PatchDriver driver;
  SECTION("another model") {
    driver.Show({.model = "/models/beta"});
    CHECK(WhyNotPatched(driver.state).find("in one model") != std::string::npos);
  }
  SECTION("one text") {
    driver.Show(ComparedSide{});
    CHECK(WhyNotPatched(driver.state).find("two texts") != std::string::npos);
  }
  SECTION("bfloat16") {
    driver.ShowSomething();
    driver.Do(SetScreen{&kPatchScreen});
    driver.state.shown.precision = Precision::kBf16;
    driver.Do(CompareWith{OtherText()});
    driver.Look([](PatchLook& look) { look.is_shown = true; });
    CHECK(WhyNotPatched(driver.state).find("bfloat16") != std::string::npos);
  }
  SECTION("other numbers of tokens") {
    driver.ShowSomething();
    driver.Do(SetScreen{&kPatchScreen});
    driver.Do(CompareWith{OtherText()});
    driver.AnswerCompared(7);
    driver.Look([](PatchLook& look) { look.is_shown = true; });
    CHECK(WhyNotPatched(driver.state).find("A has 6 and B 7") != std::string::npos);
  }
  CHECK(driver.asked() == 0);
  CHECK_FALSE(PatchPairNow(driver.state).has_value());
}

TEST_CASE("a fault is said once, until something else is asked", "[state][patching]") {
  PatchDriver driver;
  driver.Show();
  driver.Event(driver.patching().request, Failed{{ErrorCode::kInput, "not one token"}});
  CHECK(driver.patching().fault == "not one token");
  CHECK(driver.patching().fault_of == PatchPairNow(driver.state));
  CHECK(driver.asked() == 1);  // nor are the layers, which would fail alike
  driver.Look([](PatchLook& look) { look.right = "Anna"; });
  CHECK(driver.asked() == 2);
  CHECK(driver.patching().fault_of != PatchPairNow(driver.state));
}

TEST_CASE("what a person stops waits for a person", "[state][patching]") {
  PatchDriver driver;
  driver.Show();
  driver.Event(driver.patching().request, Failed{{ErrorCode::kCancelled, "stopped"}});
  CHECK(driver.asked() == 1);
  CHECK(WaitsToPatch(driver.state, *HeadsToPatch(driver.state)));
  driver.Do(PatchNow);
  CHECK(driver.asked() == 2);
  CHECK_FALSE(WaitsToPatch(driver.state, *HeadsToPatch(driver.state)));
}

TEST_CASE("what takes long begins when a person says so", "[state][patching]") {
  PatchDriver driver;
  driver.ShowSomething();
  ModelInfo large = *driver.state.model;
  large.description.model_dim = 65536;
  const auto model = std::make_shared<const ModelInfo>(std::move(large));
  driver.state.model = model;
  driver.state.shown.model = model;
  driver.Do(SetScreen{&kPatchScreen});
  driver.Do(CompareWith{OtherText()});
  driver.AnswerCompared();
  driver.Look([](PatchLook& look) { look.is_shown = true; });
  CHECK(PatchRuns(driver.state, *HeadsToPatch(driver.state)) == 12);
  CHECK(PatchRuns(driver.state, *LayersToPatch(driver.state)) == 18);
  CHECK(driver.asked() == 0);
  driver.Do(PatchNow);
  CHECK(driver.asked() == 1);
}

TEST_CASE("one row of heads alone is asked for, is told, and layers stay as they are",
          "[state][patching]") {
  PatchDriver driver;
  driver.Show();
  driver.AnswerPatches();
  const int asked = driver.asked();
  driver.Look([](PatchLook& look) { look.at = 3; });
  REQUIRE(driver.asked() == asked + 1);
  CHECK(driver.LastRequest<PatchJob>()->at == 3);
  CHECK(PatchedHeads(driver.state).patched == nullptr);  // of all rows is no older answer of one
  driver.AnswerPatches();
  CHECK(driver.asked() == asked + 1);
  CHECK(PatchedHeads(driver.state).patched->at == 3);
  CHECK(PatchTaken(PatchWhat::kOutput, PatchDirection::kDenoise, 3) ==
        "B is run with a head's output, in row 3 alone, taken from A");
  CHECK(PatchTaken(PatchWhat::kPattern, PatchDirection::kDenoise, 3).find(",,") ==
        std::string::npos);
  CHECK(PatchRowNames(driver.state)[1] == "1 Mary / John");
  // Along paths all rows are sent; a row that the text no longer has is none.
  driver.Look([](PatchLook& look) { look.paths.is_shown = true; });
  CHECK_FALSE(PatchedRow(driver.state));
  CHECK_FALSE(driver.LastRequest<PatchJob>()->at);
  driver.Look([](PatchLook& look) {
    look.paths.is_shown = false;
    look.at = 6;
  });
  CHECK_FALSE(PatchedRow(driver.state));
  // A file's pairs have rows of their own.
  driver.AnswerPatches();
  driver.Do(PatchPairsOf{"/tmp/names.tsv"});
  CHECK(driver.LastRequest<PatchJob>()->at == 6);
}

TEST_CASE("direct effects are asked of every head before the receivers", "[state][patching]") {
  PatchDriver driver;
  driver.Show();
  driver.AnswerPatches();
  driver.Look([](PatchLook& look) { look.paths.is_shown = true; });
  REQUIRE(driver.LastRequest<PatchJob>()->paths.has_value());
  CHECK(driver.LastRequest<PatchJob>()->paths->to.empty());  // the logits at first
  CHECK(driver.LastRequest<PatchJob>()->paths->from.size() == 12);
  driver.AnswerPatches();
  const int asked = driver.asked();

  SECTION(
      "without a head in which they arrive nothing is asked, and the sentence says what to do") {
    driver.Look([](PatchLook& look) { look.paths.input = HeadInput::kKeys; });
    CHECK(driver.asked() == asked);
    CHECK(WhyNoSenders(driver.state).find("keys") != std::string::npos);
    CHECK(PatchedHeads(driver.state).patched == nullptr);
    driver.Look([](PatchLook& look) {
      look.paths.to = {{0, 1}, {7, 1}};
    });  // nothing is before them
    CHECK(driver.asked() == asked);
  }
  SECTION("heads of earlier layers send, and nothing else") {
    driver.Look([](PatchLook& look) {
      look.paths.input = HeadInput::kValues;
      look.paths.to = {{1, 2}, {2, 0}};
      look.paths.freezes_mlps = true;
    });
    REQUIRE(driver.asked() == asked + 1);
    const PatchPaths& paths = *driver.LastRequest<PatchJob>()->paths;
    CHECK(paths.from == std::vector<HeadIndex>{{0, 0}, {0, 1}, {0, 2}, {0, 3}});
    CHECK(paths.to ==
          std::vector<HeadReading>{{{1, 2}, HeadInput::kValues}, {{2, 0}, HeadInput::kValues}});
    CHECK(paths.freezes_mlps);
    driver.AnswerPatches();
    const auto patched = PatchedHeads(driver.state).patched;
    CHECK(PlaceOfHead(*patched, {0, 3}).has_value());
    CHECK_FALSE(PlaceOfHead(*patched, {1, 0}).has_value());
    CHECK(PathMeaning(*patched->paths, PatchDirection::kNoise).find("the values of L1H2, L2H0") !=
          std::string::npos);
    const EffectMap map = EffectMapOf(*patched, {ModelPart::kWhole, 3, 4}, "a", "b");
    CHECK(map.title == "Direct effect on the values of L1H2, L2H0");
    CHECK(map.caption.find("MLPs too") != std::string::npos);
    CHECK_FALSE(map.values[4].has_value());
  }
  SECTION("back to outputs, what was answered is there") {
    driver.Look([](PatchLook& look) { look.paths.is_shown = false; });
    CHECK(driver.asked() == asked);
    CHECK_FALSE(PatchedHeads(driver.state).is_old);
    CHECK(PatchedHeads(driver.state).patched->heads.size() == 12);
  }
}

TEST_CASE("a path between two heads opens with its receiver, and its sender looked at",
          "[state][patching]") {
  PatchDriver driver;
  driver.ShowSomething();
  driver.Do(SetScreen{&kPatchScreen});
  driver.Do(PatchPath{{0, 3}, {{2, 1}, HeadInput::kQueries}});
  CHECK(driver.state.selection.head == HeadIndex{0, 3});
  CHECK(driver.state.selection.head_locked);
  CHECK(driver.asked() == 0);  // there is one text
  driver.Do(CompareWith{OtherText()});
  driver.AnswerCompared();
  REQUIRE(driver.asked() == 1);
  const PatchJob& job = *driver.LastRequest<PatchJob>();
  CHECK(job.direction == PatchDirection::kNoise);
  CHECK(job.paths->to == std::vector<HeadReading>{{{2, 1}, HeadInput::kQueries}});
  CHECK(job.paths->from.size() == 8);
}

TEST_CASE("a file of pairs takes the place of the two texts", "[state][patching]") {
  PatchDriver driver;
  driver.Show();
  driver.AnswerPatches();
  const int asked = driver.asked();
  driver.Do(PatchPairsOf{"/tmp/names.tsv"});
  REQUIRE(driver.asked() == asked + 1);
  CHECK(driver.LastRequest<PatchJob>()->pairs == "/tmp/names.tsv");
  CHECK(PatchedHeads(driver.state).is_old);  // what was there stays
  const RequestId id = driver.patching().request;
  const PatchJob job = *driver.LastRequest<PatchJob>();

  SECTION("with errors, and the pairs in which the sign came back") {
    driver.AnswerPatches();
    const auto patched = PatchedHeads(driver.state).patched;
    REQUIRE(patched->file == "names.tsv");
    CHECK(PatchMetricName(*patched) == "right over wrong, mean of 4 pairs");
    CHECK(PatchShareText(*patched, 11) == "+0.90 ± 0.05");
    CHECK(
        PatchShareWords(*patched, 11) ==
        "L2H3: +0.90 ± 0.05 of the difference comes back; the mean lead of 4 pairs goes from -1.00 to "
        "+2.60; its sign comes back in 3 pairs");
    const EffectMap map = EffectMapOf(*patched, {ModelPart::kWhole, 3, 4}, "a", "b");
    CHECK(map.caption.starts_with("Over 4 pairs of names.tsv"));
    CHECK(map.errors == std::vector<double>(12, 0.05));
    // Another thing is asked of the file, the layers of the two texts are not asked again.
    driver.Look([](PatchLook& look) { look.of_heads = PatchWhat::kKeys; });
    CHECK(driver.asked() == asked + 2);
    CHECK(driver.LastRequest<PatchJob>()->pairs == "/tmp/names.tsv");
    driver.Do(PatchPairsOf{});
    CHECK(PatchedHeads(driver.state).patched == nullptr);  // keys of the two texts are asked for
    CHECK(driver.LastRequest<PatchJob>()->pairs.empty());
  }
  SECTION("stopped, it says of how many pairs it is, and waits") {
    driver.Event(id, TextsPatched{StubAnswer(job, 3)});
    driver.Event(id, Failed{{ErrorCode::kCancelled, "stopped"}});
    CHECK(driver.asked() == asked + 1);
    const auto patched = PatchedHeads(driver.state).patched;
    CHECK(PatchPairsText(*patched) == "the first 3 of 4 pairs");
    CHECK_FALSE(PatchedHeads(driver.state).is_old);
    CHECK(WaitsToPatch(driver.state, *HeadsToPatch(driver.state)));
    REQUIRE(HeadsToDraw(driver.state) != nullptr);
    CHECK(EffectMapOf(*patched, {ModelPart::kWhole, 3, 4}, "a", "b")
              .caption.find("the first 3 of 4 pairs") != std::string::npos);
    driver.Do(PatchNow);
    CHECK(driver.asked() == asked + 2);
  }
  SECTION("one that cannot be read is told, and what was there stays") {
    driver.Event(id, Failed{{ErrorCode::kFormat, "/tmp/names.tsv: line 3: expected 4 cells"}});
    CHECK(driver.patching().file_fault.find("line 3") != std::string::npos);
    CHECK(driver.state.compare.patch_look.file.path.empty());
    CHECK_FALSE(PatchedHeads(driver.state).is_old);
    CHECK(PatchedHeads(driver.state).patched->right.name == "Mary");
    CHECK(driver.asked() == asked + 1);
    driver.Do(PatchPairsOf{"/tmp/names.tsv"});  // mended: it is read anew
    CHECK(driver.patching().file_fault.empty());
    CHECK(driver.asked() == asked + 2);
    driver.AnswerPatches();
    // A second bad file leaves the first in view.
    driver.Do(PatchPairsOf{"/tmp/bad.tsv"});
    driver.Event(driver.patching().request, Failed{{ErrorCode::kFormat, "/tmp/bad.tsv: line 1"}});
    CHECK(driver.state.compare.patch_look.file.path == "/tmp/names.tsv");
    CHECK(PatchedHeads(driver.state).patched->file == "names.tsv");
  }
}

TEST_CASE("the words tell the metric, the shares and what they mean", "[state][patching]") {
  const auto heads = StubPatched(PatchWhat::kOutput);
  CHECK(PatchMetricName(*heads) == "“Mary” over “John” after “to”");
  CHECK(PatchMetricWords(*heads) == "A +3.00, B -1.00");
  CHECK(PatchShareWords(*heads, 11) ==
        "L2H3: +0.90 of the difference comes back; the lead of “Mary” goes from -1.00 to +2.60");
  const auto noised = StubPatched(PatchWhat::kOutput, PatchDirection::kNoise);
  CHECK(PatchShareWords(*noised, 11) ==
        "L2H3: +0.90 of the difference is lost; the lead of “Mary” goes from +3.00 to -0.60");
  const auto layers = StubPatched(PatchWhat::kMlp);
  CHECK(PatchThing(*layers, 7) == "L1 at “Mary / John”");
  CHECK(LargestPatches(*heads, ModelPart::kWhole, 3) == std::vector<std::size_t>{11, 10, 9});
  CHECK(LargestPatches(*heads, ModelPart::kDecoder, 3).empty());
  CHECK(PlaceOfHead(*heads, {1, 2}) == 6);
  CHECK_FALSE(PlaceOfHead(*heads, {3, 0}).has_value());
  CHECK(PatchShareText(-0.4321) == "-0.43");
  CHECK(PatchShareText(0.00012) == "+1e-04");
  CHECK(PatchShareText(0.0) == "0.00");
  CHECK(PatchShareText(-0.0) == "0.00");
  for (const PatchWhat what : {PatchWhat::kPattern, PatchWhat::kStream}) {
    CHECK(PatchMeaning(what, PatchDirection::kDenoise) !=
          PatchMeaning(what, PatchDirection::kNoise));
  }
}

}  // namespace
}  // namespace headscope::test
