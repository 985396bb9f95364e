#include "core/heads/scan/probe_scan.h"

#include <algorithm>
#include <fstream>

#include "core/compute/backend.h"
#include "core/heads/probe/target.h"
#include "core/heads/scan/head_examples.h"
#include "tests/support/catch.h"
#include "tests/support/copying_bart.h"
#include "tests/support/folders.h"
#include "tests/support/probe_files.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::GapTable;
using test::Says;

std::shared_ptr<const Model> OpenBundled(const char* name) {
  auto model = Model::Open(test::SourceFolder() / "assets/models" / name);
  REQUIRE(model);
  return *model;
}

struct OwnFixture {
  std::shared_ptr<const Model> model;
  std::unique_ptr<Backend> backend = std::move(*MakeOnednnBackend({.threads = 2}));
  Forward forward{model, backend.get()};
  test::TempFolder folder;
  test::TempFolder kept;
  MeasureSources sources{test::SourceFolder() / "assets/probes",
                         test::SourceFolder() / "assets/token_maps.txt"};

  explicit OwnFixture(std::shared_ptr<const Model> of = OpenBundled("probe"))
      : model(std::move(of)) {}

  Result<std::unique_ptr<ProbeScan>> Try(const ChosenProbe& chosen) {
    return ProbeScan::Make(&forward, chosen, {.sources = sources, .kept = kept.path()}, {});
  }
  std::unique_ptr<ProbeScan> Make(const ChosenProbe& chosen) {
    auto scan = Try(chosen);
    REQUIRE(scan);
    return std::move(*scan);
  }
  ChosenProbe File(const char* name, const std::string& text) const {
    return {ProbeKind::kFile, folder.Write(name, text)};
  }
};

void RunOwnToTheEnd(ProbeScan* scan) {
  while (!scan->is_whole()) {
    REQUIRE(scan->Step({}));
  }
}

// What `headscope score` does (app/cli/command_score.cpp), without shares and twins.
ScoreReport ByCommand(OwnFixture* fixture, const ProbeCorpus& corpus) {
  const auto effect = CopyEffect::Make(&fixture->forward, {});
  OutputNorms norms(&fixture->forward);
  const bool has_decoder = fixture->model->description().decoder.has_value();
  const auto targets =
      has_decoder ? MakeTargets(*fixture->model, corpus) : Result<ProbeCorpus>(ProbeCorpus{});
  REQUIRE(targets);
  const WordCounts counts = CountWords(corpus);
  const ScanTools tools{.counts = &counts,
                        .effect = effect ? effect->get() : nullptr,
                        .norms = has_decoder ? nullptr : &norms,
                        .measures = true,
                        .sequences = true,
                        .targets = has_decoder ? &*targets : nullptr};
  ScanPart part{.about = DescribeScan(*fixture->model, corpus), .done = {}};
  part.about.no_copies = effect ? "" : effect.error().message;
  const std::vector<ScanBatch> batches = CutBatches(corpus);
  for (std::size_t batch = 0; batch < batches.size(); ++batch) {
    auto sums = RunBatch(&fixture->forward, corpus, tools, batches[batch], {});
    REQUIRE(sums);
    if (batch == 0) {
      REQUIRE(AddWeightMeans(&fixture->forward, fixture->sources, {}, &*sums));
    }
    part.done.emplace(static_cast<std::int64_t>(batch), std::move(*sums));
  }
  const auto total = TotalOf(part);
  REQUIRE(total);
  return MakeReport(part.about, *total);
}

std::vector<std::string> WhysOf(const ScoreReport& report) {
  std::vector<std::string> whys;
  for (const Suggestion& one : report.suggested) {
    whys.push_back(one.why);
  }
  return whys;
}

}  // namespace

TEST_CASE("a file's scores are those that the command gives, to the last bit", "[heads][probe]") {
  OwnFixture fixture;
  const std::string lines =
      "the old sailor told the girl a story\nthe girl told the old sailor a story\n"
      "a map of the island\n";
  const auto [name, text] = GENERATE_COPY(
      table<const char*, std::string>({{"gap.tsv", GapTable(80)},
                                       {"texts.txt", lines},
                                       {"numbers.ids", "5,6,7,5,6\n9, 8, 7, 9, 8\n"}}));
  const ChosenProbe chosen = fixture.File(name, text);
  INFO(chosen.file.string());
  const auto scan = fixture.Make(chosen);
  const HeadScanReport before = scan->Report();
  CHECK_FALSE(before.sentences);
  CHECK(before.total > 0);
  RunOwnToTheEnd(scan.get());
  const HeadScanReport report = scan->Report();
  CHECK(report.is_whole());
  CHECK(report.is_measured);
  CHECK(report.probe == chosen);
  const auto corpus = ReadProbe(*fixture.model, ReadVocabulary(*fixture.model), chosen.file, {});
  REQUIRE(corpus);
  const ScoreReport expected = ByCommand(&fixture, *corpus);
  CHECK(ReportCsv(report.sentences->report) == ReportCsv(expected));
  CHECK(WhysOf(report.sentences->report) == WhysOf(expected));
}

TEST_CASE("of an encoder-decoder chosen texts score the heads of every part",
          "[heads][probe][parts]") {
  OwnFixture fixture(test::CopyingBart().Open());
  std::string lines;
  for (int line = 0; line < 160; ++line) {
    for (int i = 0; i < 40; ++i) {
      lines += std::to_string(3 + (7 * i + 11 * line + i * line) % 60) + (i < 39 ? "," : "\n");
    }
  }
  const ChosenProbe chosen = fixture.File("numbers.ids", lines);
  const auto scan = fixture.Make(chosen);
  REQUIRE(scan->Step({}));
  const HeadScanReport before = scan->Report();
  REQUIRE_FALSE(before.is_whole());
  REQUIRE(before.more.size() == 2);
  RunOwnToTheEnd(scan.get());

  const auto check = [&](const HeadScanReport& report) {
    REQUIRE(report.more.size() == 2);
    ScoreReport all = report.sentences->report;
    for (const HeadScanReport& part : report.more) {
      CHECK(part.probe == chosen);
      CHECK(part.is_whole());
      all.more.push_back(part.sentences->report);
    }
    CHECK(ReportCsv(all) == ReportCsv(ByCommand(&fixture, scan->corpus())));
    const auto& cross = report.Of(ModelPart::kCross).sentences->report;
    CHECK(cross.about.heads.part == ModelPart::kCross);
    const auto same = std::ranges::find(cross.scores, "source:+0", &NamedScores::id);
    REQUIRE(same != cross.scores.end());
    CHECK(*same->heads[0].score > 0.9);
    CHECK(*same->heads[1].score < 0.9);
  };
  check(scan->Report());
  const auto again = fixture.Make(chosen);
  CHECK(again->is_whole());
  check(again->Report());

  REQUIRE(scan->targets() != nullptr);
  const auto found = FindExamples(&fixture.forward,
                                  scan->corpus(),
                                  scan->targets(),
                                  {0, 0, ModelPart::kCross},
                                  "source:+0",
                                  {});
  REQUIRE(found);
  CHECK(found->texts.front().layer->part() == ModelPart::kCross);
  CHECK(found->texts.front().score > 0.9);
}

TEST_CASE("coreference of a GAP file is scored, with its control and its cases", "[heads][probe]") {
  OwnFixture fixture;
  const auto scan = fixture.Make(fixture.File("gap.tsv", GapTable(40)));
  RunOwnToTheEnd(scan.get());
  const HeadScanReport report = scan->Report();
  const auto& scores = report.sentences->report.scores;
  const auto found = std::ranges::find(scores, "coreference", &NamedScores::id);
  REQUIRE(found != scores.end());
  CHECK(found->heads[0].rows == 40);
  CHECK(found->heads[0].control.has_value());
  CHECK(*found->heads[0].chance == 0.5);  // one of two persons
  CHECK(report.all_sentences == 40);
  CHECK(report.sequences_done == 40);
}

TEST_CASE("hidden sentences are scored as the command does, and the model is asked for the answer",
          "[heads][probe][retrieval]") {
  OwnFixture fixture(OpenBundled("english"));
  const auto scan = fixture.Make({.kind = ProbeKind::kRetrieval});
  RunOwnToTheEnd(scan.get());
  const HeadScanReport report = scan->Report();
  const std::vector<std::string> texts = ReadProbeTexts(fixture.sources.probes);
  const auto corpus = MakeRetrieval(*fixture.model, {.texts = texts}, {});
  REQUIRE(corpus);
  CHECK(ReportCsv(report.sentences->report) == ReportCsv(ByCommand(&fixture, *corpus)));
  const auto task = DoesTask(&fixture.forward, *corpus, {});
  REQUIRE(task);
  REQUIRE(report.task);
  CHECK(report.task->right == task->right);
  CHECK(report.task->texts == task->texts);
  CHECK_THAT(report.sentences->report.about.notes.back(), Says("prefers the hidden word"));

  const auto again = fixture.Make({.kind = ProbeKind::kRetrieval});
  CHECK(again->is_whole());
  CHECK(again->Report().is_kept);
  CHECK(again->Report().task->right == task->right);
  CHECK(ReportCsv(again->Report().sentences->report) == ReportCsv(report.sentences->report));
}

TEST_CASE("what was scanned is found again by what the file holds", "[heads][probe]") {
  OwnFixture fixture;
  const auto first = fixture.Make(fixture.File("gap.tsv", GapTable(20)));
  RunOwnToTheEnd(first.get());
  CHECK_FALSE(first->Report().is_kept);
  const std::string csv = ReportCsv(first->Report().sentences->report);

  SECTION("under another name, too") {
    const auto again = fixture.Make(fixture.File("other.tsv", GapTable(20)));
    CHECK(again->is_whole());
    CHECK(again->Report().is_kept);
    CHECK(again->Report().sentences->report.about.probe == "other.tsv");
    CHECK(ReportCsv(again->Report().sentences->report) == csv);
  }
  SECTION("not where the same words mean something else") {
    std::string turned = GapTable(20);
    const std::size_t at = turned.find("TRUE");
    turned.replace(at, 4, "FALSE");
    CHECK_FALSE(fixture.Make(fixture.File("gap.tsv", turned))->is_whole());
  }
  SECTION("not where one row is more") {
    CHECK_FALSE(fixture.Make(fixture.File("gap.tsv", GapTable(21)))->is_whole());
  }
  SECTION("nor what was damaged") {
    for (const auto& entry : std::filesystem::directory_iterator(fixture.kept.path())) {
      std::ofstream(entry.path(), std::ios::trunc) << "{\"headscope_scan_part\": 1}\n{";
    }
    CHECK_FALSE(fixture.Make(fixture.File("gap.tsv", GapTable(20)))->is_whole());
  }
}

TEST_CASE("a step over chosen texts that is stopped changes nothing", "[heads][probe]") {
  OwnFixture fixture;
  const auto scan = fixture.Make(fixture.File("gap.tsv", GapTable(200)));
  REQUIRE(scan->Step({}));
  const HeadScanReport before = scan->Report();
  REQUIRE_FALSE(before.is_whole());
  CHECK(before.sequences_done > 0);
  CHECK(before.sequences_done < before.all_sentences);
  CHECK(before.sentences->report.suggested.empty());  // nothing is decided of a part
  std::stop_source stopped;
  stopped.request_stop();
  const Status status = scan->Step(stopped.get_token());
  REQUIRE_FALSE(status);
  CHECK(status.error().code == ErrorCode::kCancelled);
  CHECK(scan->Report().done == before.done);
  RunOwnToTheEnd(scan.get());
  const auto at_once = fixture.Make(fixture.File("numbers.ids", "5,6\n"));
  RunOwnToTheEnd(at_once.get());
  CHECK(scan->Report().sequences_done == 200);
}

TEST_CASE("what cannot be used is told with file, line and column, the rest is used",
          "[heads][probe]") {
  OwnFixture fixture;
  std::string table = GapTable(6);
  table += "row-x\tTom hid it.\tshe\t0\tTom\t0\tTRUE\tTom\t0\tFALSE\thttp://example.org\n";
  const ChosenProbe chosen = fixture.File("gap.tsv", table);
  const auto scan = fixture.Make(chosen);
  const HeadScanReport report = scan->Report();
  CHECK(report.all_sentences == 6);
  REQUIRE_FALSE(report.notes.empty());
  CHECK_THAT(report.notes.front(), Says(chosen.file.string() + ": line 8, column "));

  for (const auto& [name, text, words] :
       {std::tuple("bad.tsv", "a\tb\n1\t2\n", "line 1, column 1: expected GAP's header"),
        std::tuple("bad.dev", "no brackets here\n", "expected annotated sentences"),
        std::tuple("bad.ids", "5,x\n", "line 1, column 3"),
        std::tuple("empty.txt", "", "empty.txt: it is empty, expected texts")}) {
    const auto bad = fixture.Try(fixture.File(name, text));
    REQUIRE_FALSE(bad);
    CHECK_THAT(bad.error().message, Says(name) && Says(words));
  }
  const auto missing = fixture.Try({ProbeKind::kFile, fixture.folder / "missing.tsv"});
  REQUIRE_FALSE(missing);
  CHECK_THAT(missing.error().message, Says("missing.tsv"));
}

TEST_CASE("WinoBias' lines are read under the ending of plain texts, too", "[heads][probe]") {
  OwnFixture fixture;
  const std::string lines =
      "1 [The sailor] told the girl a story because [he] was old.\n"
      "2 The sailor told [the girl] a story because [she] was there.\n";
  for (const char* name : {"lines.txt", "lines.txt.dev"}) {
    INFO(name);
    const auto scan = fixture.Make(fixture.File(name, lines));
    REQUIRE(scan->corpus().sequences.size() == 2);
    REQUIRE(scan->corpus().sequences[0].annotation != nullptr);
    // Who is not meant is known from the other line: there is a choice to make.
    CHECK(scan->corpus().sequences[0].annotation->mentions.size() == 3);
    RunOwnToTheEnd(scan.get());
    const HeadScanReport report = scan->Report();
    const auto scores =
        std::ranges::find(report.sentences->report.scores, "coreference", &NamedScores::id);
    REQUIRE(scores != report.sentences->report.scores.end());
    CHECK(scores->heads[0].rows == 2);
    CHECK(*scores->heads[0].chance == 0.5);
    CHECK(scan->corpus().sequences[0].text.find('[') == std::string::npos);
  }
  // One bracket is a part of the text.
  const auto plain = fixture.Make(fixture.File("plain.txt", "the sailor [the old] was there\n"));
  CHECK(plain->corpus().sequences[0].annotation == nullptr);
}

TEST_CASE("a model without a tokenizer reads ids alone", "[heads][probe]") {
  OwnFixture fixture(
      test::TinyModel(R"({"model_type": "gpt2", "n_layer": 1, "n_head": 2, "n_embd": 8,
                          "n_positions": 64, "vocab_size": 90})")
          .Open());
  const auto texts = fixture.Try(fixture.File("a.txt", "the sailor\n"));
  REQUIRE_FALSE(texts);
  CHECK_THAT(texts.error().message, Says("no tokenizer") && Says(".ids"));
  CHECK_FALSE(fixture.Try({.kind = ProbeKind::kRetrieval}));
  const auto ids = fixture.Make(fixture.File("a.ids", "5,6,7,5,6,7\n"));
  RunOwnToTheEnd(ids.get());
  CHECK(ids->Report().is_whole());
}

}  // namespace headscope
