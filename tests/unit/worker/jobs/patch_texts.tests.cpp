// Patching between the open text and another one, run on the worker.
#include <algorithm>
#include <cmath>

#include "core/causes/likely_words.h"
#include "core/causes/patching.h"
#include "core/compute/backend.h"
#include "core/worker/job.h"
#include "core/worker/patched_texts.h"
#include "tests/support/catch.h"
#include "tests/unit/worker/worker_harness.h"

namespace headscope {
namespace {

using test::Harness;
using test::Ids;
using test::kBart;
using test::Only;
using test::Says;

const std::filesystem::path kCopies = test::SourceFolder() / "assets/models/copy-h4";
const std::vector<std::int32_t> kClean = {11, 12, 13, 14, 15, 16, 17, 18, 11, 12, 13};
const std::vector<std::int32_t> kCorrupted = {11, 12, 13, 15, 14, 16, 17, 18, 11, 12, 13};

InputText TextOf(const std::vector<std::int32_t>& ids) {
  InputText input;
  input.ids = ids;
  return input;
}

PatchJob Patch(PatchWhat what, PatchDirection direction = PatchDirection::kDenoise) {
  return {.corrupted = TextOf(kCorrupted), .what = what, .direction = direction};
}

void Open(Harness* harness, const std::filesystem::path& model = kCopies) {
  harness->Wait(harness->Submit(OpenModelRequest{model}));
  harness->Wait(harness->Submit(Ids(kClean)));
}

std::shared_ptr<const PatchedTexts> Patched(Harness* harness, const PatchJob& job) {
  const auto events = harness->Wait(harness->Submit(job));
  for (const Failed& failed : Only<Failed>(events)) {
    FAIL(failed.error.message);
  }
  const auto found = Only<TextsPatched>(events);
  REQUIRE_FALSE(found.empty());
  CHECK(found.back().patched->is_whole());
  return found.back().patched;
}

std::string WhyNotPatched(Harness* harness, const PatchJob& job) {
  const auto failed = Only<Failed>(harness->Wait(harness->Submit(job)));
  REQUIRE(failed.size() == 1);
  return failed.front().error.message;
}

// The same pair without the worker.
PatchedPair CorePatched(const PatchedTexts& made) {
  const auto model = Model::Open(kCopies);
  REQUIRE(model.has_value());
  const auto backend = MakeOnednnBackend(Precision::kF32, {.threads = 2});
  REQUIRE(backend.has_value());
  Forward forward(*model, backend->get());
  PatchPair pair;
  pair.clean.ids = kClean;
  pair.corrupted.ids = kCorrupted;
  pair.right = made.right.id;
  pair.wrong = made.wrong.id;
  pair.row = made.row;
  const auto patched =
      PatchPairOf(&forward, pair, {.what = made.what, .direction = made.direction}, {});
  REQUIRE(patched.has_value());
  return *patched;
}

TEST_CASE("the worker's patching is the command line's, for every thing and both directions",
          "[worker][patch]") {
  Harness harness;
  Open(&harness);
  for (const PatchWhat what : {PatchWhat::kOutput,
                               PatchWhat::kPattern,
                               PatchWhat::kQueries,
                               PatchWhat::kKeys,
                               PatchWhat::kValues,
                               PatchWhat::kStream,
                               PatchWhat::kMlp,
                               PatchWhat::kAttention}) {
    CAPTURE(PatchName(what));
    for (const PatchDirection direction : {PatchDirection::kDenoise, PatchDirection::kNoise}) {
      const auto made = Patched(&harness, Patch(what, direction));
      const PatchedPair core = CorePatched(*made);
      CHECK(made->metrics == core.metrics);
      CHECK(made->clean == core.clean);
      CHECK(made->corrupted == core.corrupted);
      const auto scores = ScoresOfPairs({&core, 1}, direction);
      REQUIRE(scores.has_value());
      for (std::size_t i = 0; i < scores->size(); ++i) {
        CHECK(made->ScoreOf(made->metrics[i]) == Approx((*scores)[i].score).margin(1e-9));
      }
    }
  }
}

TEST_CASE("without tokens of one's own, each text's likeliest at the last row is compared",
          "[worker][patch]") {
  Harness harness;
  Open(&harness);
  const auto made = Patched(&harness, Patch(PatchWhat::kOutput));
  CHECK(made->row == 10);
  CHECK(made->heads.size() == 8);
  // What followed the last token at first.
  CHECK(made->right.id == 14);
  CHECK(made->wrong.id == 15);
  CHECK(made->clean > 0.0);
  CHECK(made->corrupted < 0.0);
  // What is typed takes their place, at the row that is asked for.
  PatchJob own = Patch(PatchWhat::kStream);
  own.right = "#11";
  own.row = 7;
  const auto typed = Patched(&harness, own);
  CHECK(typed->right.id == 11);
  CHECK(typed->row == 7);
  REQUIRE(typed->positions.size() == 11);
  CHECK(typed->positions[3].find(" / ") != std::string::npos);
  CHECK(typed->positions[0].find(" / ") == std::string::npos);
  // The first tokens are the same in both, and nothing after the row is read there.
  for (std::int64_t layer = 0; layer < typed->layers; ++layer) {
    for (const std::size_t position : {0U, 2U, 8U, 10U}) {
      const auto place = static_cast<std::size_t>(layer) * 11 + position;
      CHECK(typed->ScoreOf(typed->metrics[place]) == Approx(0.0).margin(1e-5));
    }
  }
}

TEST_CASE("a word is read with the blank that nobody types", "[worker][patch]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{test::SourceFolder() / "assets/models/english"}));
  AttendRequest attend;
  attend.input.text = "The old captain gave the girl a map of the island, and the old";
  harness.Wait(harness.Submit(attend));
  PatchJob job;
  job.corrupted.text = "The old girl gave the captain a map of the island, and the old";
  // Both say "man" first: the second tells them apart.
  const auto unasked = Patched(&harness, job);
  CHECK(unasked->likely_clean.front().id == unasked->likely_corrupted.front().id);
  CHECK(unasked->right.name == "captain");
  CHECK(unasked->wrong.name == "girl");
  job.right = "captain";
  job.wrong = "woman";
  const auto made = Patched(&harness, job);
  CHECK(made->right.name == "captain");
  CHECK(made->wrong.name == "woman");
  CHECK(made->row_name == "old");
  CHECK(made->clean > made->corrupted);
  job.right = "captaingirl";
  CHECK_THAT(WhyNotPatched(&harness, job), Says("expected one token"));
}

TEST_CASE("an encoder-decoder's texts share the target", "[worker][patch]") {
  Harness harness;
  Open(&harness, kBart);
  PatchJob job = Patch(PatchWhat::kOutput);
  job.row = 0;
  const auto made = Patched(&harness, job);
  const auto is_of = [&](ModelPart part) {
    return std::ranges::any_of(made->heads, [&](HeadIndex head) { return head.part == part; });
  };
  CHECK((is_of(ModelPart::kEncoder) && is_of(ModelPart::kDecoder) && is_of(ModelPart::kCross)));
}

TEST_CASE("what cannot be patched is said in a sentence", "[worker][patch]") {
  Harness harness;
  CHECK_THAT(WhyNotPatched(&harness, Patch(PatchWhat::kOutput)), Says("open a model"));
  Open(&harness);
  PatchJob longer = Patch(PatchWhat::kOutput);
  longer.corrupted.ids.push_back(5);
  CHECK_THAT(WhyNotPatched(&harness, longer),
             Says("the clean text has 11 tokens and the corrupted one 12"));
  PatchJob beyond = Patch(PatchWhat::kOutput);
  beyond.row = 11;
  CHECK_THAT(WhyNotPatched(&harness, beyond), Says("rows 0 to 10"));
  PatchJob same = Patch(PatchWhat::kOutput);
  same.corrupted = TextOf(kClean);
  CHECK_THAT(WhyNotPatched(&harness, same), Says("there is no difference"));
  PatchJob one = Patch(PatchWhat::kOutput);
  one.right = "#11";
  one.wrong = "#11";
  CHECK_THAT(WhyNotPatched(&harness, one), Says("choose two tokens"));
  PatchJob unknown = Patch(PatchWhat::kOutput);
  unknown.wrong = "#100000";
  CHECK_THAT(WhyNotPatched(&harness, unknown), Says("expected an id from #0"));
}

TEST_CASE("patching is stopped between its runs", "[worker][patch]") {
  Harness harness;
  Open(&harness);
  const RequestId id = harness.SubmitAndHold(Patch(PatchWhat::kStream), 1);
  harness.Cancel(id);
  harness.Release();
  const auto failed = Only<Failed>(harness.Wait(id));
  REQUIRE(failed.size() == 1);
  CHECK(failed.front().error.code == ErrorCode::kCancelled);
}

}  // namespace
}  // namespace headscope
