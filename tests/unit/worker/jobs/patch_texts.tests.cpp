// Patching between the open text and another one, run on the worker.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/causes/likely_words.h"
#include "core/causes/patch_file.h"
#include "core/causes/patching.h"
#include "core/compute/backend.h"
#include "core/worker/job.h"
#include "core/worker/patched_texts.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
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
  const auto patched = PatchPairOf(
      &forward, pair, {.what = made.what, .direction = made.direction, .at = made.at}, {});
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

constexpr const char* kTwoPairs =
    "clean\tcorrupted\tright\twrong\n"
    "the old captain saw the dog and the old\tthe young woman saw the dog and the old\t captain\t woman\n"
    "the old captain saw the cat and the old\tthe young woman saw the cat and the old\t captain\t "
    "woman\n";

TEST_CASE("paths come from every head before the receivers, and from all of them together",
          "[worker][patch]") {
  Harness harness;
  Open(&harness);
  PatchJob job = Patch(PatchWhat::kOutput, PatchDirection::kNoise);
  job.paths = PatchPaths{.from = {}, .to = {{{1, 0}, HeadInput::kQueries}}};
  const auto made = Patched(&harness, job);
  CHECK(made->heads == std::vector<HeadIndex>{{0, 0}, {0, 1}, {0, 2}, {0, 3}});
  REQUIRE(made->paths.has_value());
  CHECK(made->paths->from == made->heads);
  REQUIRE(made->together.has_value());
  // The core's, one sender after another.
  const auto model = Model::Open(kCopies);
  const auto backend = MakeOnednnBackend(Precision::kF32, {.threads = 2});
  Forward forward(*model, backend->get());
  PatchPair pair;
  pair.clean.ids = kClean;
  pair.corrupted.ids = kCorrupted;
  pair.right = made->right.id;
  pair.wrong = made->wrong.id;
  pair.row = made->row;
  const auto core =
      PatchPairOf(&forward, pair, {.direction = job.direction, .paths = made->paths}, {});
  REQUIRE(core.has_value());
  std::vector<double> all = made->metrics;
  all.push_back(*made->together);
  CHECK(all == core->metrics);
  // To the logits every head sends.
  job.paths->to.clear();
  CHECK(Patched(&harness, job)->heads.size() == 8);
  job.paths->to = {{{0, 1}, HeadInput::kKeys}};
  CHECK_THAT(WhyNotPatched(&harness, job), Says("no head is before"));
}

TEST_CASE("paths lead from the encoder into the decoder's cross-attention", "[worker][patch]") {
  Harness harness;
  Open(&harness, kBart);
  PatchJob job = Patch(PatchWhat::kOutput, PatchDirection::kNoise);
  job.row = 0;
  job.paths = PatchPaths{.from = {}, .to = {{{0, 0, ModelPart::kCross}, HeadInput::kValues}}};
  const auto made = Patched(&harness, job);
  REQUIRE_FALSE(made->heads.empty());
  CHECK(std::ranges::all_of(made->heads,
                            [](HeadIndex head) { return head.part == ModelPart::kEncoder; }));
  job.paths->to.push_back({{0, 0, ModelPart::kCross}, HeadInput::kQueries});
  CHECK_THAT(WhyNotPatched(&harness, job), Says("ask for them apart"));
}

TEST_CASE("one row of heads alone is taken over, and said", "[worker][patch]") {
  Harness harness;
  Open(&harness);
  for (const PatchWhat what : {PatchWhat::kOutput, PatchWhat::kPattern, PatchWhat::kKeys}) {
    PatchJob job = Patch(what);
    job.at = 4;
    const auto made = Patched(&harness, job);
    CHECK(made->at == 4);
    CHECK(RowTakenWords(*made) == "row 4 alone (“b6 / b5”)");
    CHECK(made->metrics == CorePatched(*made).metrics);
    CHECK(made->metrics != Patched(&harness, Patch(what))->metrics);
    const EffectMap map = EffectMapOf(*made, {ModelPart::kWhole, 2, 4}, "a", "b");
    CHECK_THAT(map.title, Says(", row 4"));
    CHECK_THAT(map.caption, Says("Taken over: row 4 alone"));
  }
  PatchJob beyond = Patch(PatchWhat::kOutput);
  beyond.at = 11;
  CHECK_THAT(WhyNotPatched(&harness, beyond), Says("the texts have the rows 0 to 10"));
}

TEST_CASE("over a file of pairs scores are ratios of means, with errors", "[worker][patch]") {
  const test::TempFolder folder;
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{test::SourceFolder() / "assets/models/english"}));
  AttendRequest attend;
  attend.input.text = "the old captain";
  harness.Wait(harness.Submit(attend));
  PatchJob job;
  job.pairs = folder.Write("pairs.tsv", kTwoPairs);
  const auto both = Patched(&harness, job);
  CHECK(both->file == "pairs.tsv");
  CHECK(both->pairs == 2);
  REQUIRE(both->scores.size() == both->heads.size());
  REQUIRE(both->scores[0].error.has_value());
  // Of each alone, by files of one line.
  const std::string lines = kTwoPairs;
  const std::size_t second = lines.find("the old", lines.find("the cat") - 20);
  const std::size_t first = lines.find('\n') + 1;
  const auto alone = [&](const std::string& line) {
    PatchJob one = job;
    one.pairs = folder.Write("pairs.tsv", line);
    return Patched(&harness, one);
  };
  const auto dog = alone(lines.substr(first, second - first));
  const auto cat = alone(lines.substr(second));
  CHECK_FALSE(dog->scores[0].error.has_value());
  for (std::size_t i = 0; i < both->heads.size(); ++i) {
    CHECK(both->metrics[i] == Approx((dog->metrics[i] + cat->metrics[i]) / 2.0).margin(1e-9));
    const double ratio = (dog->metrics[i] - dog->base() + cat->metrics[i] - cat->base()) /
                         (dog->source() - dog->base() + cat->source() - cat->base());
    CHECK(both->ScoreOf(both->metrics[i]) == Approx(ratio).margin(1e-9));
    CHECK(both->scores[i].score == Approx(ratio).margin(1e-9));
  }
  job.pairs = folder.Write("pairs.tsv", kTwoPairs);
  job.direction = PatchDirection::kNoise;
  job.paths = PatchPaths{.from = {}, .to = {}};
  const auto paths = Patched(&harness, job);
  CHECK(paths->together.has_value());
  CHECK(paths->scores.size() == paths->heads.size());
}

TEST_CASE("a file of pairs that cannot be read is told with its line, before anything is run",
          "[worker][patch]") {
  const test::TempFolder folder;
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{test::SourceFolder() / "assets/models/english"}));
  AttendRequest attend;
  attend.input.text = "the old captain";
  harness.Wait(harness.Submit(attend));
  PatchJob job;
  const auto why = [&](const std::string& added) {
    job.pairs = folder.Write("pairs.tsv", kTwoPairs + added);
    const auto events = harness.Wait(harness.Submit(job));
    CHECK(Only<TextsPatched>(events).empty());
    const auto failed = Only<Failed>(events);
    REQUIRE(failed.size() == 1);
    return failed.front().error.message;
  };
  CHECK_THAT(why("the old\tthe young\n"), Says("pairs.tsv: line 4: expected 4 cells"));
  CHECK_THAT(why("the old captain\tthe captain\t captain\t woman\n"), Says("pairs.tsv: line 4: "));
  CHECK_THAT(why("the old\tthe young\t old captain\t woman\n"), Says("line 4: "));
  CHECK_THAT(why("the old\tthe young\t captain\t captain\n"),
             Says("line 4: right and wrong are both"));
  job.at = 11;
  CHECK_THAT(why("the old\tthe young\t captain\t woman\n"), Says("line 2: row 11"));
  job.at.reset();
  job.pairs = folder / "none.tsv";
  CHECK_THAT(WhyNotPatched(&harness, job), Says("none.tsv"));
}

TEST_CASE("pairs are stopped between runs, and those that are done were told", "[worker][patch]") {
  const test::TempFolder folder;
  std::string lines;
  for (int i = 0; i < 400; ++i) {
    lines += std::string(kTwoPairs).substr(std::string(kTwoPairs).find('\n') + 1);
  }
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{test::SourceFolder() / "assets/models/english"}));
  AttendRequest attend;
  attend.input.text = "the old captain";
  harness.Wait(harness.Submit(attend));
  PatchJob job;
  job.pairs = folder.Write("pairs.tsv", lines);
  const RequestId id = harness.SubmitAndHold(job, 40);
  harness.Cancel(id);
  harness.Release();
  const auto events = harness.Wait(id);
  const auto failed = Only<Failed>(events);
  REQUIRE(failed.size() == 1);
  CHECK(failed.front().error.code == ErrorCode::kCancelled);
  const auto progress = Only<Progress>(events);
  REQUIRE_FALSE(progress.empty());
  CHECK(progress.front().what == "patching: pair 1 of 800");
  CHECK(progress.front().total == 800);
}

TEST_CASE("pairs that were stopped go on where they were, to the same numbers", "[worker][patch]") {
  const test::TempFolder folder;
  const std::string text = kTwoPairs;
  std::string lines;
  for (int i = 0; i < 12; ++i) {
    lines += text.substr(text.find('\n') + 1);
  }
  PatchJob job;
  job.pairs = folder.Write("pairs.tsv", lines);
  AttendRequest attend;
  attend.input.text = "the old captain";
  const auto open = [&](Harness* harness) {
    harness->Wait(
        harness->Submit(OpenModelRequest{test::SourceFolder() / "assets/models/english"}));
    harness->Wait(harness->Submit(attend));
  };
  Harness harness;
  open(&harness);
  const auto whole = Patched(&harness, job);
  job.kept = folder / "kept";
  const RequestId id = harness.SubmitAndHold(job, 40);
  harness.Cancel(id);
  harness.Release();
  const auto stopped = harness.Wait(id);
  const std::int64_t said = Only<Progress>(stopped).back().done;
  // The command line's file.
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(job.kept)) {
    files.push_back(file.path());
  }
  REQUIRE(files.size() == 1);
  const auto part = ReadPatchPart(files.front());
  REQUIRE(part.has_value());
  const std::int64_t done = std::ssize(part->done);
  REQUIRE((done > 0 && done < 24));
  CHECK((done == said || done == said + 1));  // a pair's last run is said before the pair is kept
  CHECK(part->about.num_pairs == 24);
  CHECK(part->about.things.size() == whole->heads.size());
  // Another window goes on, and begins with what is there.
  Harness other;
  open(&other);
  const auto events = other.Wait(other.Submit(job));
  CHECK(Only<Progress>(events).front().done == done);
  const auto told = Only<TextsPatched>(events);
  REQUIRE_FALSE(told.empty());
  CHECK(told.front().patched->pairs == done);
  CHECK(told.back().patched->is_whole());
  CHECK(told.back().patched->metrics == whole->metrics);
  CHECK(told.back().patched->clean == whole->clean);
  for (std::size_t i = 0; i < whole->scores.size(); ++i) {
    CHECK(told.back().patched->scores[i].error == whole->scores[i].error);
  }
  CHECK(std::filesystem::is_empty(job.kept));
  // What is damaged is done again.
  std::ofstream(files.front()) << "nothing of ours";
  CHECK(Patched(&other, job)->metrics == whole->metrics);
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
