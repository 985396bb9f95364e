// Side B of a comparison, run on the worker beside what is open.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

#include "core/attention/row_divergence.h"
#include "core/compare/compared_pair.h"
#include "core/compare/pair_maps.h"
#include "core/figure/attention_export.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/worker/worker_harness.h"

namespace headscope {
namespace {

using test::Harness;
using test::kProbe;
using test::Only;

const std::filesystem::path kModels = test::SourceFolder() / "assets/models";

// Side A as the window has it: what an AttendRequest of `text` gave.
CompareJob SideA(Harness* harness, const std::filesystem::path& model, const InputText& input) {
  harness->Wait(harness->Submit(OpenModelRequest{model}));
  AttendRequest attend;
  attend.input = input;
  const auto events = harness->Wait(harness->Submit(attend));
  CompareJob job;
  for (const LayerReady& ready : Only<LayerReady>(events)) {
    if (job.layers.empty() || ready.layer->part() == job.layers.front()->part()) {
      job.layers.push_back(ready.layer);
    }
  }
  REQUIRE_FALSE(job.layers.empty());
  job.queries = Only<Tokenized>(events).front().encoding;
  job.keys = job.queries;
  job.input = input;
  job.name = "A";
  return job;
}

InputText Text(const std::string& text) {
  InputText input;
  input.text = text;
  return input;
}

std::shared_ptr<const ComparedPair> Compared(Harness* harness, const CompareJob& job) {
  const auto events = harness->Wait(harness->Submit(job));
  for (const Failed& failed : Only<Failed>(events)) {
    FAIL(failed.error.message);
  }
  const auto found = Only<SidesCompared>(events);
  REQUIRE(found.size() == 1);
  return found.front().pair;
}

std::string Refusal(Harness* harness, const CompareJob& job) {
  const auto failed = Only<Failed>(harness->Wait(harness->Submit(job)));
  REQUIRE(failed.size() == 1);
  return failed.front().error.message;
}

const std::string kText = "the old sailor told the old sailor a story";

TEST_CASE("the same model as side B is 0 apart everywhere, each head beside itself",
          "[worker][compare]") {
  Harness harness;
  CompareJob job = SideA(&harness, kProbe, Text(kText));
  job.other.model = kProbe;
  const auto pair = Compared(&harness, job);
  CHECK(pair->b_has_model);
  CHECK(pair->bytes_b > 0);
  REQUIRE(pair->comparison.layers.size() == job.layers.size());
  for (const LayerComparison& layer : pair->comparison.layers) {
    for (const HeadPair& heads : layer.pairs) {
      CHECK(heads.b == heads.a);
      CHECK(heads.divergence == 0.0);
    }
  }
  // What was open stays open, and side B's model is kept for the next text.
  const auto again = harness.Wait(harness.Submit(job));
  CHECK(Only<SidesCompared>(again).size() == 1);
  AttendRequest attend;
  attend.input = Text(kText);
  CHECK(Only<Finished>(harness.Wait(harness.Submit(attend))).size() == 1);
  CHECK(Only<Finished>(harness.Wait(harness.Submit(CompareJob{}))).size() == 1);
}

TEST_CASE("another head count and another checkpoint stand as side B", "[worker][compare]") {
  Harness harness;
  CompareJob job = SideA(&harness, kModels / "copy-h4", Text(kText));
  job.other.model = kModels / "copy-h2";
  const auto heads = Compared(&harness, job);
  CHECK(heads->comparison.layers.front().heads_a == 4);
  CHECK(heads->comparison.layers.front().heads_b == 2);
  CHECK(heads->comparison.layers.front().pairs.size() == 2);
  CHECK(heads->comparison.b == "copy-h2");
  job.other.model = kModels / "copy-h4" / "step-400";
  const auto step = Compared(&harness, job);
  CHECK(step->comparison.b == "copy-h4/step-400");
  const auto largest = LargestOf(step->comparison);
  REQUIRE(largest.has_value());
  CHECK(*largest->pair.divergence > 0.0);
}

// What a single hidden token got is one key still, so that rows which see two shown keys lie as far
// apart as before.
TEST_CASE("a hidden token stays a key of the rows that are compared", "[worker][compare]") {
  Harness harness;
  CompareJob job = SideA(&harness, kModels / "copy-h4", Text(kText));
  job.other.model = kModels / "copy-h4" / "step-400";
  const auto whole = Compared(&harness, job);
  job.look.hides_first = true;
  const auto seen = Compared(&harness, job);
  CHECK(seen->tokens_a == whole->tokens_a - 1);
  CHECK(seen->queries.size() == whole->queries.size() - 1);
  CHECK(seen->comparison.notes.front().find("Hidden: the first token") == 0);
  for (std::size_t i = 0; i < whole->comparison.layers.size(); ++i) {
    const LayerComparison& all = whole->comparison.layers[i];
    const LayerComparison& less = seen->comparison.layers[i];
    REQUIRE(less.num_rows == all.num_rows - 1);  // the second row sees one key that is shown
    const LayerAttention& a = *whole->LayerA(all.layer);
    const LayerAttention& b = *whole->LayerB(all.layer);
    std::vector<float> p(static_cast<std::size_t>(a.shape().keys));
    std::vector<float> q(p.size());
    for (std::int64_t head = 0; head < all.heads_a; ++head) {
      a.Row(head, 1, p);
      b.Row(head, 1, q);
      const double gone = RowDivergence(p.data(), q.data(), std::ssize(p));
      const double expected =
          (all.Divergence(head, head) * static_cast<double>(all.num_rows) - gone) /
          static_cast<double>(less.num_rows);
      CHECK(less.Divergence(head, head) == Approx(expected).margin(1e-6));
    }
  }
}

TEST_CASE("a layer of side A cut into other heads stands as side B", "[worker][compare]") {
  Harness harness;
  CompareJob job = SideA(&harness, kModels / "copy-h4", Text(kText));
  job.other.cut_heads = 4;
  job.other.cut_layer = 1;
  const auto trained = Compared(&harness, job);
  REQUIRE(trained->comparison.layers.size() == 1);
  for (const HeadPair& heads : trained->comparison.layers.front().pairs) {
    CHECK(heads.b == heads.a);
    CHECK(*heads.divergence < 1e-6);
  }
  job.other.cut_heads = 2;
  const auto halved = Compared(&harness, job);
  CHECK(halved->comparison.b == "L1 cut into 2 heads");
  CHECK(halved->comparison.layers.front().layer == 1);
  CHECK(halved->comparison.layers.front().heads_b == 2);
  CHECK_FALSE(halved->b_has_model);
}

TEST_CASE("another sentence is read by the open model, and its words are matched",
          "[worker][compare]") {
  Harness harness;
  CompareJob job = SideA(&harness, kProbe, Text("the old sailor told a story"));
  job.other.input = Text("the old island told a story");
  const auto exchanged = Compared(&harness, job);
  CHECK_FALSE(exchanged->b_has_model);
  CHECK(exchanged->queries.only_a + exchanged->queries.only_b == 0);
  job.other.input = Text("the sailor told a story");
  const auto left_out = Compared(&harness, job);
  CHECK(left_out->queries.only_a > 0);
  CHECK(left_out->queries.only_b == 0);
  bool is_said = false;
  for (const std::string& note : left_out->comparison.notes) {
    is_said = is_said || note.find("A alone has") != std::string::npos;
  }
  CHECK(is_said);
}

bool IsSaid(const ComparedPair& pair, const std::string& words) {
  return std::ranges::any_of(pair.comparison.notes, [&](const std::string& note) {
    return note.find(words) != std::string::npos;
  });
}

TEST_CASE("attention from a file stands as side B, as it was written", "[worker][compare]") {
  const test::TempFolder folder;
  Harness harness;
  CompareJob job = SideA(&harness, kModels / "gpt-h4", Text(kText));
  const auto path = folder / "maps.safetensors";
  REQUIRE(WriteAttention(path,
                         {.layers = job.layers,
                          .encoding = *job.queries,
                          .model = "gpt-h4",
                          .family = "gpt2",
                          .precision = "f32"},
                         {}));
  job.other.model = path;
  const auto same = Compared(&harness, job);
  CHECK_FALSE(same->b_has_model);
  REQUIRE(same->comparison.layers.size() == job.layers.size());
  for (const LayerComparison& layer : same->comparison.layers) {
    for (const HeadPair& heads : layer.pairs) {
      CHECK(heads.b == heads.a);
      CHECK(*heads.divergence < 1e-9);
    }
  }
  // Beside another model: as far apart as the models are.
  CompareJob eight = SideA(&harness, kModels / "gpt-h8", Text(kText));
  eight.other.model = kModels / "gpt-h4";
  const auto models = Compared(&harness, eight);
  eight.other.model = path;
  const auto file = Compared(&harness, eight);
  REQUIRE(file->comparison.layers.size() == models->comparison.layers.size());
  for (std::size_t i = 0; i < file->comparison.layers.size(); ++i) {
    const std::vector<double>& by_file = file->comparison.layers[i].divergences;
    const std::vector<double>& by_model = models->comparison.layers[i].divergences;
    REQUIRE(by_file.size() == by_model.size());
    for (std::size_t at = 0; at < by_file.size(); ++at) {
      CHECK(std::abs(by_file[at] - by_model[at]) < 1e-6);
    }
  }
  // The file has its own text: the words that both have are matched.
  CompareJob other = SideA(&harness, kModels / "gpt-h4", Text("the old captain told a story"));
  other.other.model = path;
  CHECK(IsSaid(*Compared(&harness, other), "The texts differ"));
}

TEST_CASE("two models with tokenizers of their own meet at words, and that is said",
          "[worker][compare]") {
  Harness harness;
  CompareJob job = SideA(&harness, kProbe, Text(kText));
  job.other.model = kModels / "gpt-h4";
  const auto pair = Compared(&harness, job);
  CHECK(pair->tokens_a != pair->tokens_b);
  CHECK(pair->comparison.queries.is_by_words());
  CHECK(pair->comparison.queries.displays ==
        std::vector<std::string>{
            "the", "old", "sailor", "told", "the", "old", "sailor", "a", "story"});
  CHECK(IsSaid(*pair, "so words are compared"));
}

TEST_CASE("the maps of a pair are those of its heads", "[worker][compare]") {
  Harness harness;
  CompareJob job = SideA(&harness, kProbe, Text(kText));
  job.other.model = kProbe;
  const auto pair = Compared(&harness, job);
  const auto events =
      harness.Wait(harness.Submit(PairMapsJob{.pair = pair, .layer = 1, .a = 0, .b = 2}));
  const auto ready = Only<PairMapsReady>(events);
  REQUIRE(ready.size() == 1);
  const PairMaps& maps = *ready.front().maps;
  REQUIRE(maps.rows == std::ssize(job.queries->tokens));
  std::vector<float> row(static_cast<std::size_t>(maps.cols));
  pair->LayerB(1)->Row(2, maps.rows - 1, row);
  for (std::size_t i = 0; i < row.size(); ++i) {
    const float cell = maps.b[static_cast<std::size_t>((maps.rows - 1) * maps.cols) + i];
    CHECK((cell == row[i] || (cell == kMasked && row[i] == 0.0F)));
  }
}

TEST_CASE("what cannot stand as side B is said in a sentence, and side A stays",
          "[worker][compare]") {
  Harness harness;
  CompareJob job = SideA(&harness, kProbe, Text(kText));
  job.other.model = "/no/such/model";
  CHECK(Refusal(&harness, job).starts_with("side B: "));
  AttendRequest attend;
  attend.input = Text(kText);
  CHECK(Only<Finished>(harness.Wait(harness.Submit(attend))).size() == 1);
}

TEST_CASE("a comparison that is cancelled stops soon, and a new text ends it",
          "[worker][compare]") {
  Harness harness;
  std::string longer;
  for (int i = 0; i < 8; ++i) {
    longer += kText + " ";
  }
  CompareJob job = SideA(&harness, kModels / "gpt-h8", Text(longer));
  job.other.model = kModels / "gpt-h4";
  const RequestId id = harness.SubmitAndHold(job, 2);  // within its layers
  harness.Cancel(id);
  const auto start = std::chrono::steady_clock::now();
  harness.Release();
  const auto events = harness.Wait(id);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  REQUIRE(Only<Failed>(events).size() == 1);
  CHECK(Only<Failed>(events).front().error.code == ErrorCode::kCancelled);
  CHECK(Only<SidesCompared>(events).empty());
  CHECK(took.count() < 500.0);  // 50 ms on a quiet machine
  const RequestId second = harness.SubmitAndHold(job, 2);
  AttendRequest attend;
  attend.input = Text(kText);
  const RequestId text = harness.Submit(attend);
  harness.Release();
  CHECK(Only<Failed>(harness.Wait(second)).size() == 1);
  CHECK(Only<Finished>(harness.Wait(text)).size() == 1);
}

}  // namespace
}  // namespace headscope
