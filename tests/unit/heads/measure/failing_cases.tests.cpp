#include "core/heads/measure/failing_cases.h"

#include <algorithm>
#include <cmath>

#include "core/attention/capture.h"
#include "core/compute/backend.h"
#include "core/heads/decide/relations.h"
#include "core/heads/scan/head_examples.h"
#include "core/heads/scan/scan.h"
#include "core/io/annotated_text.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/support/probe_files.h"
#include "tests/support/relation_score.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

struct CasesFixture {
  std::shared_ptr<const Model> model;
  std::unique_ptr<Backend> backend = std::move(*MakeOnednnBackend());
  std::unique_ptr<Forward> forward;

  explicit CasesFixture(const char* name) {
    auto opened = Model::Open(test::SourceFolder() / "assets/models" / name);
    REQUIRE(opened);
    model = *opened;
    forward = std::make_unique<Forward>(model, backend.get());
  }
  ProbeCorpus Read(const std::filesystem::path& path, std::size_t most) const {
    auto corpus = ReadProbe(*model, ReadVocabulary(*model), path, {});
    REQUIRE(corpus);
    corpus->sequences.resize(std::min(corpus->sequences.size(), most));
    return std::move(*corpus);
  }
};

}  // namespace

TEST_CASE("cases that fail are those that a scan counts as wrong", "[heads][cases]") {
  CasesFixture fixture("gpt-h8");
  const test::TempFolder folder;
  const bool is_gap = GENERATE(false, true);
  const ProbeCorpus corpus =
      fixture.Read(is_gap ? folder.Write("gap.tsv", test::GapTable(8))
                          : test::SourceFolder() / "assets/probes/probes.conllu",
                   8);
  const WordCounts counts = CountWords(corpus);
  const ScanTools tools{.counts = &counts};
  BatchSums sums;
  for (const ScanBatch& batch : CutBatches(corpus)) {
    const auto one = RunBatch(fixture.forward.get(), corpus, tools, batch, {});
    REQUIRE(one);
    sums.Add(*one);
  }
  const HeadIndex head{2, 5};
  std::int64_t relations = 0;
  for (const RelationCases& relation : GroupCases(sums.pairs)) {
    const std::string id = RelationId(relation);
    INFO(id);
    const HeadScore score = RelationScore(relation, static_cast<std::size_t>(2 * 8 + 5));
    const auto found = FindExamples(fixture.forward.get(), corpus, nullptr, head, id, {});
    REQUIRE(found);
    const auto right =
        static_cast<std::int64_t>(std::llround(*score.score * static_cast<double>(score.rows)));
    CHECK(found->failing.cases() == score.rows);
    CHECK(found->failing.wrong() == score.rows - right);
    CHECK(std::ssize(found->failing.shown()) <= 5);
    CHECK(found->failing.shown().empty() == (score.rows == right));
    ++relations;
  }
  CHECK(relations > 0);
}

TEST_CASE("a failing case names the word, what it looks at and what it should", "[heads][cases]") {
  CasesFixture fixture("english");
  const test::TempFolder folder;
  const ProbeCorpus corpus = fixture.Read(folder.Write("gap.tsv", test::GapTable(12)), 12);
  std::int64_t wrong = 0;
  for (std::int64_t head = 0; head < 8; ++head) {
    const auto found =
        FindExamples(fixture.forward.get(), corpus, nullptr, {3, head}, "coreference", {});
    REQUIRE(found);
    CHECK(found->texts.size() == 3);
    for (const FailingCase& one : found->failing.shown()) {
      CHECK(one.query == "she");
      CHECK(one.looked_at != one.expected);
      CHECK(one.text.find(one.looked_at) != std::string::npos);
      CHECK(one.text.find(one.expected) != std::string::npos);
      ++wrong;
    }
  }
  CHECK(wrong > 0);
}

TEST_CASE("a metric of rows has no word cases", "[heads][cases]") {
  CHECK(HasWordCases("coreference"));
  CHECK(HasWordCases("dep:obj:later-to-earlier"));
  CHECK_FALSE(HasWordCases("induction"));
}

}  // namespace headscope
