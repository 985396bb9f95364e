#include "core/heads/scan/methods.h"

#include <fstream>
#include <sstream>

#include "core/heads/probe/choice.h"
#include "core/heads/scan/roles.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

using test::Says;

// The whole scan of the hand-made model over repeats alone.
HeadScanReport ScanOfProbe(const test::TempFolder& kept) {
  const auto model = Model::Open(test::SourceFolder() / "assets/models/probe");
  REQUIRE(model);
  const std::unique_ptr<Backend> backend = MakeReferenceBackend();
  Forward forward(*model, backend.get());
  HeadScanSettings settings;
  settings.repeats = 3;
  const auto scan =
      HeadScan::Make(&forward, settings, test::SourceFolder() / "assets/probes", kept.path(), {});
  REQUIRE(scan);
  while (!(*scan)->is_whole()) {
    REQUIRE((*scan)->Step({}));
  }
  return (*scan)->Report();
}

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

ProbeCorpus Corpus(std::int64_t sequences) {
  ProbeCorpus corpus;
  for (std::int64_t i = 0; i < sequences; ++i) {
    ProbeSequence sequence;
    sequence.ids = {static_cast<std::int32_t>(i)};
    corpus.sequences.push_back(std::move(sequence));
  }
  return corpus;
}

}  // namespace

TEST_CASE("a saved scan says how it was made, and its command names what it was made of",
          "[heads][methods]") {
  const test::TempFolder folder;
  const HeadScanReport report = ScanOfProbe(folder);
  REQUIRE(report.repeats);
  const ScoreReport& scores = report.repeats->report;
  const ScanFiles files = ScanFilesAt(folder / "it's mine.txt");
  CHECK(LookForScanFiles(files) == ScanFilesThere::kNone);
  const auto written = WriteScanFiles(
      files, report, {.model = "/models/a b", .probes = test::SourceFolder() / "assets/probes"});
  REQUIRE(written);
  CHECK(written->front() == files.text);
  CHECK(std::ssize(*written) == 1 + (report.repeats ? 1 : 0) + (report.sentences ? 1 : 0));
  const std::string text = ReadAll(files.text);
  CHECK_THAT(text, Says("Each of the 8 attention heads of probe (2 layers of 4 heads"));
  CHECK_THAT(text, Says(scores.about.fingerprint));
  CHECK_THAT(text, Says(scores.about.corpus));
  CHECK_THAT(text, Says("3 sequences for each period of 10, 20, 40 tokens"));
  CHECK_THAT(text,
             Says("headscope score --model '/models/a b' --probe repeats --sequences 3 --draw " +
                  scores.about.draw + " --seed " + std::to_string(scores.about.seed) +
                  " --out 'it'\\''s mine-repeats.csv'"));
  for (const Suggestion* one : AllSuggestions(report)) {
    CHECK_THAT(text, Says(HeadName(one->head) + " " + one->role));
  }
  CHECK_THAT(text, Says("at least 0.10 at a level of 0.01 for all questions together"));
  // Formulas of what was measured, and of nothing else.
  CHECK(text.find("  variability: ") == std::string::npos);
  HeadScanReport measured = report;
  measured.is_measured = true;
  CHECK_THAT(MethodsText(measured, files, {.model = "probe", .probes = "probes"}),
             Says("  variability: how much attention changes") && Says("; decides no role"));
  CHECK(LookForScanFiles(files) == ScanFilesThere::kOurs);
}

TEST_CASE("a saved scan suggests what the window does: each role from the probe of its metric",
          "[heads][methods]") {
  const test::TempFolder folder;
  HeadScanReport report = ScanOfProbe(folder);
  const auto suggest = [](std::string role, std::string metric, Verdict verdict, std::string why) {
    Suggestion one;
    one.head = {1, 2};
    one.role = std::move(role);
    one.metric = std::move(metric);
    one.verdict = verdict;
    one.why = std::move(why);
    return one;
  };
  report.sentences = report.repeats;
  report.repeats->report.suggested = {
      suggest("positional", "previous_token", Verdict::kBorderline, "repeats position"),
      suggest("induction", "induction", Verdict::kBorderline, "repeats induction")};
  report.sentences->report.suggested = {
      suggest("positional", "previous_token", Verdict::kStrong, "sentences position"),
      suggest("induction", "induction", Verdict::kStrong, "sentences induction")};
  const std::string text =
      MethodsText(report, ScanFilesAt(folder / "a.txt"), {.model = "m", .probes = "p"});
  CHECK_THAT(text, Says("L1H2 positional (strong): sentences position"));
  CHECK_THAT(text, Says("L1H2 induction (borderline): repeats induction"));
  CHECK(text.find("repeats position") == std::string::npos);
  CHECK(text.find("sentences induction") == std::string::npos);
}

TEST_CASE("a saved scan's methods have the scores that are neither metrics nor measures",
          "[heads][methods]") {
  const test::TempFolder folder;
  HeadScanReport report = ScanOfProbe(folder);
  const auto methods = [&] {
    return MethodsText(report, ScanFilesAt(folder / "a.txt"), {.model = "m", .probes = "p"});
  };
  for (NamedScores& scores : report.repeats->report.scores) {
    scores.why_not = scores.id == "copy_effect" ? "not measured" : scores.why_not;
  }
  CHECK(methods().find("copy_effect") == std::string::npos);
  CHECK(methods().find("coreference") == std::string::npos);
  CHECK(methods().find("Holm") == std::string::npos);

  report.sentences = report.repeats;
  std::vector<NamedScores>& scores = report.sentences->report.scores;
  scores.clear();
  for (const char* const id : {"copy_effect", "dep:obj:dependent-to-head", "coreference"}) {
    scores.emplace_back().id = id;
  }
  const std::string text = methods();
  CHECK_THAT(text,
             Says("  copy_effect: what the head adds straight to the logit") &&
                 Says("minus the mean over the vocabulary") &&
                 Says("above 0 by 3 of its standard errors"));
  CHECK_THAT(text,
             Says("  dep:RELATION:DIRECTION: how often") && Says("chance: 1 / words seen") &&
                 Says("the word it likes anyway, best distance, rarest word, word of most "
                      "pieces") &&
                 Says("Holm's test at 0.01 holds over all relations and directions of 50 "
                      "cases or more"));
  CHECK_THAT(text, Says("  coreference: how often") && Says("nearest mention"));
}

TEST_CASE("a saved scan of chosen texts names them, and its command gives its one table again",
          "[heads][methods]") {
  const test::TempFolder folder;
  HeadScanReport report = ScanOfProbe(folder);
  report.sentences = std::move(report.repeats);
  report.repeats.reset();
  ScanAbout& about = report.sentences->report.about;
  about.draw.clear();
  about.sequences = 7;
  report.why_no_repeats = "these are texts of another probe";
  const ScanFiles files = ScanFilesAt(folder / "mine.txt");

  SECTION("a file") {
    report.probe = {ProbeKind::kFile, "/data/my gap.tsv"};
    report.notes = {"/data/my gap.tsv: line 3, column 5: expected TRUE or FALSE"};
    const auto written =
        WriteScanFiles(files, report, {.model = "/models/a", .probes = "/no/probes"});
    REQUIRE(written);
    CHECK(*written == std::vector{folder / "mine.txt", folder / "mine-probe.csv"});
    const std::string text = ReadAll(files.text);
    CHECK_THAT(text, Says("Texts: the 7 of my gap.tsv that the model can read"));
    CHECK_THAT(text, Says(about.corpus));
    CHECK_THAT(text, Says("note: /data/my gap.tsv: line 3, column 5"));
    CHECK_THAT(text,
               Says("headscope score --model /models/a --probe '/data/my gap.tsv' --out "
                    "mine-probe.csv"));
    CHECK_THAT(text, Says("It gives the same numbers."));
    CHECK(text.find("Repeats: ") == std::string::npos);
    CHECK(text.find("probe sentences whose") == std::string::npos);
    CHECK(LookForScanFiles(files) == ScanFilesThere::kOurs);
  }
  SECTION("hidden sentences") {
    report.probe = {.kind = ProbeKind::kRetrieval};
    report.task = TaskResult{.right = 4, .texts = 7};
    about.seed = 1;
    const std::string text = MethodsText(report, files, {.model = "a", .probes = "/no/probes"});
    CHECK_THAT(text, Says("two sentences such as"));
    CHECK_THAT(text, Says("in 4 of 7 texts"));
    CHECK_THAT(text, Says("  probe: seed 1; digest of the token ids"));
    CHECK_THAT(text,
               Says("headscope score --model a --probe retrieval --sequences 10 --seed 1 --out "
                    "mine-probe.csv"));
  }
}

TEST_CASE("a saved scan's table holds each score as it was", "[heads][methods]") {
  const test::TempFolder folder;
  const HeadScanReport report = ScanOfProbe(folder);
  const ScanFiles files = ScanFilesAt(folder / "scan.txt");
  REQUIRE(WriteScanFiles(files, report, {.model = "probe", .probes = "probes"}));
  std::istringstream lines(ReadAll(files.repeats));
  std::string line;
  REQUIRE(std::getline(lines, line));
  CHECK(line == "head,metric,score,error,chance,control,queries");
  std::int64_t previous_tokens = 0;
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    std::string head, metric, score;
    std::getline(cells, head, ',');
    std::getline(cells, metric, ',');
    std::getline(cells, score, ',');
    if (metric != "previous_token") {
      continue;
    }
    const NamedScores* const named = [&]() -> const NamedScores* {
      for (const NamedScores& one : report.repeats->report.scores) {
        if (one.id == metric) {
          return &one;
        }
      }
      return nullptr;
    }();
    REQUIRE(named != nullptr);
    const std::optional<double> kept =
        named->heads[static_cast<std::size_t>(previous_tokens)].score;
    REQUIRE(kept);
    CHECK(std::abs(std::stod(score) - *kept) <= 1e-6);
    ++previous_tokens;
  }
  CHECK(previous_tokens == 8);
}

TEST_CASE("only files of a saved scan are taken for such", "[heads][methods]") {
  const test::TempFolder folder;
  const ScanFiles files = ScanFilesAt(folder / "scan.txt");
  CHECK(files.repeats == folder / "scan-repeats.csv");
  CHECK(files.sentences == folder / "scan-sentences.csv");
  folder.Write("scan-repeats.csv", "head,metric,score,error,chance,control,queries\n");
  CHECK(LookForScanFiles(files) == ScanFilesThere::kOurs);
  folder.Write("scan.txt", "a diary");
  CHECK(LookForScanFiles(files) == ScanFilesThere::kOthers);
}

TEST_CASE("some of a probe's texts are spread evenly over all of them", "[heads][methods]") {
  const auto [all, count] =
      GENERATE(table<std::int64_t, std::int64_t>({{471, 40}, {10, 3}, {7, 7}, {5, 0}, {4, 9}}));
  ProbeCorpus corpus = Corpus(all);
  KeepSome(count, &corpus);
  const std::int64_t kept = count <= 0 ? all : std::min(all, count);
  REQUIRE(std::ssize(corpus.sequences) == kept);
  for (std::int64_t i = 0; i < kept; ++i) {
    CHECK(corpus.sequences[static_cast<std::size_t>(i)].ids.front() == i * all / kept);
  }
}

}  // namespace headscope
